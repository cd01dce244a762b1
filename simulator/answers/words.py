"""Changes of a program, in words of its language.

Each change has neutral words, ``any``; a language without words of its own gets those.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.workload.languages import Language

_HOW: dict[str, Mapping[Language, str]] = {
    "buffer": {
        "any": "Read and write {shown} at a time, by a buffer of the program or of its library.",
        "C": "After fopen: setvbuf(file, NULL, _IOFBF, {size});  with read and write: call them"
        " with {shown} at a time.",
        "C++": "Before open: stream.rdbuf()->pubsetbuf(buffer, {size});  with read and write: call"
        " them with {shown} at a time; '\\n' instead of std::endl.",
        "Python": "open(name, ..., buffering={size}), and read or write through that file object.",
        "Perl": "Collect what is written, $buffer .= ..., and syswrite it when length($buffer) >="
        " {size}; sysread {size} bytes at a time, and split them; no $| = 1.",
        "Java": "new BufferedOutputStream(stream, {size}), new BufferedInputStream(stream, {size})"
        " around the file's stream.",
        "Fortran": "GFORTRAN_UNFORMATTED_BUFFER_SIZE={size} GFORTRAN_FORMATTED_BUFFER_SIZE={size}"
        " ./program  (gfortran 10 or later; no change of the program).",
        "SQLite": "Put many statements between BEGIN and COMMIT; PRAGMA page_size = 65536 (with"
        " VACUUM) reads and writes larger pages.",
        "awk": "No fflush() and no close() after each print: awk writes by a buffer of its own.",
        "shell": "dd bs={size} ...; tar --blocking-factor={blocks} ...",
    },
    "flush less": {
        "any": "Do not flush after each write.",
        "C": "Take fflush out of the loop (no setvbuf with _IONBF or _IOLBF): stdio's own buffer"
        " ({shown}) is not full at any of these writes, so that a larger one changes nothing. If"
        " the program calls write itself: gather {shown} before each call.",
        "C++": "'\\n' instead of std::endl, no std::flush in the loop (no std::unitbuf): the"
        " stream's own buffer ({shown}) is not full at any of these writes, so that a larger one"
        " changes nothing. If the program calls write itself: gather {shown} before each call.",
        "Python": "Take f.flush(), print(..., flush=True) and buffering=0 or 1 out of the loop: the"
        " file object's own buffer ({shown}) is not full at any of these writes, so that a larger"
        " one changes nothing. With os.write: write through open(name, 'wb').",
        "Perl": "No $| = 1, no autoflush and no flush in the loop: print's own buffer ({shown}) is"
        " not full at any of these writes. With syswrite: print instead.",
        "Fortran": "Take FLUSH (and CALL FLUSH) out of the loop, and unset GFORTRAN_UNBUFFERED_ALL"
        " and _N_: the runtime's own buffer ({shown}) is not full at any of these writes, so that"
        " GFORTRAN_FORMATTED_BUFFER_SIZE changes nothing.",
    },
    "keep in memory": {
        "any": "Read the file once into memory, and use that copy.",
        "C": "Read the file once into memory (malloc, fread), and use that copy.",
        "C++": "Read the file once into a std::vector<char>, and use that copy.",
        "Python": "Read the file once, data = open(name, 'rb').read(), and use data; or put"
        " functools.lru_cache on the function that reads.",
        "Perl": "Read the file once, local $/; $data = <$file>, and use $data; or keep what was"
        " read in a hash by its name.",
        "Java": "Read the file once, byte[] data = Files.readAllBytes(path), and use data.",
        "Fortran": "Read the array once, before the loop, and keep it in a variable of a module (or"
        " with SAVE).",
        "SQLite": "PRAGMA cache_size = -N (kB), so that the pages stay in SQLite's own cache.",
        "awk": "Read the file once in BEGIN, while ((getline line < FILE) > 0) kept[++n] = line,"
        " and use the array.",
        "shell": "Copy the file to /dev/shm first, and read the copy; or read it into a variable,"
        " data=$(< FILE), once.",
    },
    "index": {
        "any": "Where EXPLAIN QUERY PLAN says SCAN: CREATE INDEX on the columns that WHERE and JOIN"
        " compare, once; or put all that is looked for into one statement (WHERE ... IN, a JOIN).",
    },
    "keep made": {
        "any": "Keep what is made of each piece that was read, unpacked or parsed, in a cache that"
        " holds all pieces that are used again.",
        "C": "Keep what is made of each piece, unpacked or parsed, in a cache that holds all that"
        " are used again (H5Pset_chunk_cache, nc_set_chunk_cache; zran's index).",
        "Python": "Keep what is made of each piece that was read: functools.lru_cache(maxsize=None)"
        " on the function that reads and unpacks it (h5py.File(name, rdcc_nbytes=...),"
        " zarr.LRUStoreCache).",
    },
    "ask before": {
        "any": "Keep what was read, and read the file again only when its time of change is"
        " another one.",
        "Python": "Keep what was read, and read it again only when os.stat(name).st_mtime_ns is"
        " another one than before.",
        "C": "Keep what was read, and read it again only when st_mtim of stat is another one.",
        "Perl": "Keep what was read, and read it again only when (stat $name)[9] is another one.",
        "Java": "Keep what was read, and read it again only when Files.getLastModifiedTime(path)"
        " is another one.",
        "shell": "Keep what was read in a variable, and read it again only if [ FILE -nt STAMP ]"
        " (touch STAMP after each time).",
    },
    "read as a whole": {
        "any": "Read what is needed of the file by one call at first, and pick from memory.",
        "C": "Read what is needed of the file with one fread at first, and pick from memory.",
        "C++": "Read what is needed of the file with one read() at first, and pick from memory.",
        "Python": "Read the file as a whole, data = open(name, 'rb').read(), and pick from data.",
        "Perl": "Read the file as a whole, local $/; $data = <$file>, and pick with substr.",
        "Java": "Read the file as a whole, ByteBuffer.wrap(Files.readAllBytes(path)), and pick from"
        " it.",
        "Fortran": "Read the whole array with one READ (ACCESS='STREAM'), and pick from memory.",
        "SQLite": "PRAGMA mmap_size = N, as large as the database: pages are read where they are.",
        "shell": "Copy the file to /dev/shm first (dd bs=8M), and read the copy.",
    },
    "change together": {
        "any": "Read as many records as fit into a buffer, change them there, go back once, and"
        " write them together.",
        "C": "fread 1000 records into an array, change them there, fseek back once, and fwrite"
        " them.",
        "Python": "read() 1000 records into a bytearray, change them there, seek back once, and"
        " write them; or numpy.memmap.",
    },
    "write as a whole": {
        "any": "Gather what is written in memory, and write it in the order of the file at last.",
        "C": "Gather it in an array, and write that with one fwrite at last.",
        "C++": "Gather it in a std::vector, and write that with one write() at last.",
        "Python": "Gather it in a bytearray (or a numpy array), and write that at last"
        " (array.tofile).",
        "Perl": "Gather it in a string with substr, and print that at last.",
        "Java": "Gather it in a ByteBuffer, and write that with one write() at last.",
        "Fortran": "Gather it in an array, and write that in the order in which it lies in memory:"
        " one WRITE of the whole (ACCESS='STREAM'), or a record for each column.",
    },
    "write at the end": {
        "any": "Keep in memory what the file says, change it there, and write it once at the end.",
        "C": "Keep it in memory, in a variable or an array, change it there, and fwrite it once at"
        " the end (atexit).",
        "Python": "Keep it in memory, in a variable or a dict, change it there, and write it once"
        " at the end (atexit.register).",
        "Perl": "Keep it in memory, in a variable or a hash by the file's name, change it there,"
        " and print it once at the end (END {{ ... }}).",
        "Java": "Keep it in memory, in a field or a HashMap, change it there, and Files.write it"
        " once at the end.",
        "Fortran": "Keep it in memory, in an array, change it there, and WRITE it once at the end.",
        "awk": "Keep it in memory, in an array by the file's name, and print it once in END"
        " {{ ... }}.",
        "shell": "Keep it in memory, in a variable or an array by the file's name (declare -A),"
        " change it there, and write it once at the end (trap ... EXIT).",
    },
    "no temporary file": {
        "any": "Keep it in memory, not in a temporary file; where another program wants one, give"
        " it a pipe, or one in /dev/shm.",
        "C": "Keep it in memory, not in a temporary file: open_memstream and fmemopen instead of"
        " fopen.",
        "Python": "Keep it in memory, not in a temporary file: io.BytesIO or io.StringIO, or"
        " tempfile.SpooledTemporaryFile.",
        "Perl": "Keep it in memory, not in a temporary file: open(my $file, '<', \\$text).",
        "shell": "Keep it in a variable, or send it through a pipe, not through a temporary file.",
    },
    "read less": {
        "any": "Read the bytes of a record alone: no buffer for places all over a file ({shown}).",
        "C": "setvbuf(file, NULL, _IONBF, 0) right after fopen; or pread {shown} from the"
        " descriptor.",
        "C++": "stream.rdbuf()->pubsetbuf(nullptr, 0) before open; or pread {shown} from a"
        " descriptor.",
        "Python": "open(name, 'rb', buffering=0), or os.pread(file.fileno(), {size}, place).",
        "Perl": "sysseek and sysread($file, $record, {size}) instead of seek and read.",
        "Java": "RandomAccessFile or FileChannel.read(buffer, place) with {shown}, without a"
        " BufferedInputStream.",
        "Fortran": "GFORTRAN_UNFORMATTED_BUFFER_SIZE={size} ./program  (gfortran 10 or later; no"
        " change of the program): the runtime reads a whole buffer for each record.",
        "shell": "dd bs={size} skip=N count=1 ...",
    },
    "open once": {
        "any": "Open the file once before the loop, and read all parts by what is open: its"
        " directory, index or header is read once.",
        "Python": "Put the loop inside of one 'with zipfile.ZipFile(name) as archive:'"
        " (tarfile.open, h5py.File, netCDF4.Dataset and sqlite3.connect alike).",
        "Java": "Open it once before the loop, try (var archive = new ZipFile(name)) {{ ... }}, and"
        " read all parts by it.",
        "C": "Open it once before the loop (zip_open, H5Fopen, nc_open, sqlite3_open), and read all"
        " parts by that handle.",
        "SQLite": "Keep one connection open for all statements.",
    },
    "keep under way": {
        "any": "Keep {size} reads under way: by {size} threads that read, by io_uring or libaio; or"
        " name the places ahead to the system (posix_fadvise with POSIX_FADV_WILLNEED).",
        "C": "Keep {size} reads under way: io_uring_prep_read of the next {size} places, then"
        " io_uring_wait_cqe for one at a time; or {size} threads with pread; or"
        " posix_fadvise(file, place, size, POSIX_FADV_WILLNEED) {size} places ahead.",
        "C++": "Keep {size} reads under way: io_uring_prep_read of the next {size} places, then"
        " io_uring_wait_cqe for one at a time; or {size} threads with pread; or"
        " posix_fadvise(file, place, size, POSIX_FADV_WILLNEED) {size} places ahead.",
        "Python": "with concurrent.futures.ThreadPoolExecutor({size}) as pool: for data in"
        " pool.map(lambda place: os.pread(file, size, place), places): ...; or"
        " os.posix_fadvise(file, place, size, os.POSIX_FADV_WILLNEED) {size} places ahead.",
        "Java": "AsynchronousFileChannel.read of the next {size} places, and get() of the first; or"
        " an ExecutorService of {size} threads with FileChannel.read(buffer, place).",
        "Fortran": "OPEN(..., ASYNCHRONOUS='YES'), READ(unit, ASYNCHRONOUS='YES', ID=id, POS=place)"
        " of the next {size} places, and WAIT(unit, ID=id) for the first.",
    },
    "wait": {
        "any": "Wait for the other process by a call that ends when it is done (a pipe, waitpid,"
        " inotify, flock), not by sleeps.",
        "C": "Wait for the other process by a call that ends when it is done (waitpid, a read of a"
        " pipe, inotify_add_watch and read, flock), not by sleeps.",
        "Python": "Wait for the other process by a call that ends when it is done (process.wait(),"
        " a multiprocessing.Queue or Event, fcntl.flock), not by time.sleep.",
        "Java": "Wait for the other process by a call that ends when it is done (process.waitFor(),"
        " WatchService.take(), channel.lock()), not by Thread.sleep.",
        "Perl": "Wait for the other process by a call that ends when it is done (waitpid, a read of"
        " a pipe, flock), not by sleep or select.",
        "shell": "Wait for the other process by a call that ends when it is done (wait, a read of a"
        " named pipe, inotifywait, flock), not by sleep.",
    },
    "start once": {
        "any": "Start it once for many files or lines, or as many as are to run at a time: xargs -n"
        " 1000, find ... -exec with +, a COMMAND that takes a list; or do it within the"
        " program, by a library.",
        "Python": "Do it within the program, by a module (hashlib, gzip, json, shutil), or start it"
        " once with all names, subprocess.run([command, *names]), instead of a process for each.",
        "Perl": "Do it within the program, by a module (Digest::MD5, IO::Uncompress), or start it"
        " once with all names, system($command, @names), instead of system or `...` for each.",
        "Java": "Do it within the program, by a library, or start it once with all names, new"
        " ProcessBuilder(command), instead of a process for each.",
        "shell": "Start it once for all: find ... -exec with + instead of \\;, xargs, or one awk or"
        " sed over all lines instead of a loop; in a loop use what the shell has itself"
        " ($((...)), [[ ]], read, name%.*), not $(basename ...), expr or cut.",
    },
    "read lines": {
        "any": "Read on where the last read has ended: what follows is in its data already.",
        "shell": "Read all lines at once, mapfile -t lines < FILE, or let one awk go through them:"
        " read asks for a block, and seeks back, for each line.",
    },
    "keep open": {
        "any": "Open the file once before the loop, and close it after the loop; flush if others"
        " have to see what was written.",
        "C": "Open the file once before the loop (fopen), close it after the loop, and keep the"
        " FILE * in between; fflush if others have to see what was written.",
        "C++": "Open the std::fstream once before the loop, and flush() if others have to see what"
        " was written.",
        "Python": "Put the loop inside of one 'with open(name, ...) as file:'.",
        "Perl": "open(my $file, ...) once before the loop, and close($file) after the loop;"
        " $file->flush if others have to see what was written.",
        "Java": "Put the loop inside of one try (var stream = ...) {{ ... }}.",
        "Fortran": "OPEN the file once before the loop and CLOSE it after the loop.",
        "SQLite": "Keep one connection open for all statements.",
        "awk": "Do not close() the file after each line: awk keeps it open.",
        "shell": "Redirect the whole loop, 'while ...; do ...; done >> FILE', not each command in"
        " it.",
    },
    "sync once": {
        "any": "Call fsync (msync of a mapping) once, after the last write, or every few seconds;"
        " not after each record.",
        "Python": "Call os.fsync(file.fileno()) (flush() of an mmap) once, after the last write;"
        " not after each record.",
        "C": "Call fsync (msync of a mapping) once, after the last write, or every few seconds; not"
        " after each record.",
        "Perl": "Call $file->sync once, after the last print; not after each record.",
        "Java": "Call channel.force(false) once, after the last write; not after each record.",
        "Fortran": "Call FLUSH and fsync once, after the last WRITE; not after each record.",
        "SQLite": "Put all statements between BEGIN and COMMIT: a COMMIT syncs, once.",
        "shell": "Sync once after the loop (sync FILE; dd conv=fsync), not for each record.",
    },
    "sync all": {
        "any": "Write all files without fsync, and call syncfs once at the end.",
        "C": "Write all files without fsync, and call syncfs(descriptor) once at the end.",
        "C++": "Write all files without fsync, and call syncfs(descriptor) once at the end.",
        "Python": "Write all files without os.fsync, and call os.sync() once at the end (or syncfs"
        " by ctypes, for this file system alone).",
        "Perl": "Write all files without $file->sync, and call system('sync', '-f', $folder) once"
        " at the end.",
        "Java": "Write all files without force(), and run 'sync -f FOLDER' once at the end.",
        "shell": "Write all files without fsync (no 'sync FILE', no conv=fsync in the loop), and"
        " 'sync -f FOLDER' once at the end.",
    },
    "one file": {
        "any": "Write fewer, larger files: one file with an index of what is where (tar, zip,"
        " HDF5, SQLite).",
        "Python": "Write fewer, larger files: zipfile.ZipFile(name, 'w', zipfile.ZIP_STORED) and"
        " writestr for each, or h5py, or sqlite3.",
        "Perl": "Write fewer, larger files: Archive::Zip, or one file and a hash of offsets.",
        "Java": "Write fewer, larger files: ZipOutputStream with an entry for each.",
        "Fortran": "Write fewer, larger files: one with ACCESS='DIRECT' and a record for each, or"
        " HDF5.",
        "shell": "Write fewer, larger files: leave the archive packed, and read from it (tar -xO,"
        " unzip -p, squashfs mounted by loop), or write to /dev/shm and tar it once.",
    },
    "one file to read": {
        "any": "Have them in one file with an index of what is where (tar, zip, HDF5, SQLite), and"
        " read it as a whole.",
        "Python": "Have them in one file: zipfile.ZipFile(name) and read for each (stored, not"
        " deflated), or h5py, or sqlite3.",
        "Perl": "Have them in one file: Archive::Zip, or one read at once and a hash of offsets.",
        "Java": "Have them in one file: ZipFile with an entry for each, or a mapped FileChannel.",
        "Fortran": "Have them in one file: ACCESS='DIRECT' and a record for each, or HDF5.",
    },
    "align": {
        "any": "Write multiples of {size} bytes at offsets that are multiples of it.",
        "C": "setvbuf(file, NULL, _IOFBF, {size}) right after fopen, or write multiples of {size}"
        " bytes at offsets that are multiples of it.",
        "Python": "open(name, 'wb', buffering={size}), or write multiples of {size} bytes.",
        "Java": "new BufferedOutputStream(stream, {size}), or write multiples of {size} bytes.",
        "Fortran": "Write records that fill multiples of {size} bytes (ACCESS='STREAM'), from byte"
        " 0.",
        "shell": "dd obs={size} ...",
    },
    "larger direct": {
        "any": "Read and write {shown} with each O_DIRECT call, from a buffer that is aligned.",
        "C": "posix_memalign(&buffer, 4096, {size}), and read or write {shown} with each O_DIRECT"
        " call.",
        "Python": "buffer = mmap.mmap(-1, {size}), and os.preadv or os.pwritev of all of it with"
        " each O_DIRECT call.",
        "shell": "dd bs={size} iflag=direct or oflag=direct ...",
    },
    "list once": {
        "any": "List the folder once before the loop, and keep the list; add to it what the program"
        " makes itself.",
        "C": "Call readdir, or scandir, once before the loop, and keep the names (hsearch, bsearch)"
        "; add to them what the program makes itself.",
        "C++": "Iterate over the folder once before the loop, and keep the names in a"
        " std::unordered_set; add to it what the program makes itself.",
        "Python": "names = set(os.listdir(folder)) once before the loop, and look for names in it;"
        " add to it what the program makes itself.",
        "Perl": "Call readdir (or glob) once before the loop, and keep the names in a hash; add to"
        " it what the program makes itself.",
        "Java": "Files.list(folder) once before the loop, into a HashSet; add to it what the"
        " program makes itself.",
        "shell": "List the folder once before the loop, into an array (names=(FOLDER/*)), and use"
        " that.",
    },
    "list with types": {
        "any": "List the folder with the types of its entries, and ask for none of them by itself.",
        "C": "Use d_type of readdir, or fts with FTS_NOSTAT, instead of a stat for each entry.",
        "C++": "Use std::filesystem::directory_entry (entry.is_directory()), which keeps what the"
        " list says.",
        "Python": "Use os.scandir (entry.is_dir(), entry.name), or os.walk, instead of os.listdir"
        " and a stat for each entry.",
        "Perl": "Do without -f, -d and stat of each entry of readdir, where its name tells enough.",
        "Java": "Use Files.find or Files.walkFileTree, which hand over what they know of a file.",
        "Fortran": "List the folder once, and keep what is known of its files.",
        "shell": "Use find -type f, or ls -U without -l, which need no stat for each entry.",
    },
}
CHANGES = tuple(_HOW)


def how_to(what: str, language: Language, size: int = 0) -> str:
    """State how a program does one of :data:`CHANGES`; ``size``: bytes of its buffer, or of a unit.

    >>> how_to("sync once", "SQLite")
    'Put all statements between BEGIN and COMMIT: a COMMIT syncs, once.'
    """
    words = _HOW[what]
    text = words.get(language, words["any"])
    return text.format(size=size, shown=format_size(size), blocks=-(-size // 512))


def runtime_buffer(size: int) -> str:
    """State how a Fortran program gets a buffer that holds a whole record."""
    return (
        f"Give the Fortran runtime a buffer of {format_size(size)}, so that a whole record fits:"
        f" GFORTRAN_UNFORMATTED_BUFFER_SIZE={size} ./program  (gfortran 10 or later); or write the"
        " file with ACCESS='STREAM', which has no lengths of records."
    )
