// Python of a browser in node: `node pyodide.mjs PYODIDE HERE WHEEL... < CODE`; HERE is /here there.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, here, ...wheels] = process.argv.slice(2);
try {
  const { loadPyodide } = await import(pathToFileURL(join(folder, 'pyodide.mjs')));
  const python = await loadPyodide({ indexURL: folder });
  for (const one of wheels) python.unpackArchive(new Uint8Array(readFileSync(one)), 'wheel');
  python.FS.mkdir('/here');
  python.FS.mount(python.FS.filesystems.NODEFS, { root: here }, '/here');
  python.runPython(readFileSync(0, 'utf-8'));
} catch (error) {
  console.error(error.message); // Not the line that it is from: all of Pyodide is one line.
  process.exitCode = 1;
}
