// Counts the chunks of a file by their headers; the rest is skipped: Chunks seek|stream|whole
// readInt and seek of a RandomAccessFile; or a DataInputStream with a buffer; or the whole file in
// memory.

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

public class Chunks {
    static final long[] bytes = new long[64];
    static final long[] chunks = new long[64];

    static void found(int kind, int size) {
        chunks[kind]++;
        bytes[kind] += size;
    }

    public static void main(String[] words) throws IOException {
        switch (words[0]) {
            case "seek":
                try (RandomAccessFile file = new RandomAccessFile("chunks", "r")) {
                    long end = file.length();
                    for (long at = 0; at < end;) {
                        int kind = file.readInt(), size = file.readInt();
                        found(kind, size);
                        at += 8 + size;
                        file.seek(at);
                    }
                }
                break;
            case "stream":
                FileInputStream plain = new FileInputStream("chunks");
                long left = plain.getChannel().size();
                BufferedInputStream buffered = new BufferedInputStream(plain, 1 << 16);
                try (DataInputStream file = new DataInputStream(buffered)) {
                    while (left > 0) {
                        int kind = file.readInt(), size = file.readInt();
                        found(kind, size);
                        file.skipNBytes(size);
                        left -= 8 + size;
                    }
                }
                break;
            default:
                ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(Path.of("chunks")));
                while (all.hasRemaining()) {
                    int kind = all.getInt(), size = all.getInt();
                    found(kind, size);
                    all.position(all.position() + size);
                }
        }
        for (int kind = 0; kind < bytes.length; kind++)
            System.out.println(kind + " " + chunks[kind] + " " + bytes[kind]);
    }
}
