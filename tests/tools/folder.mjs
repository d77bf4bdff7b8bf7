/* Temporary folders of tests. All of them are removed when the test's process ends. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const folders = [];
process.on('exit', () => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

/* A folder with these files: { 'worlds/a.json': text, Buffer or object (written as JSON) }. `file(name)` is the
 * path of a file in it; `write` adds a file; `remove` removes the folder before the process ends. */
export function temporaryFolder(files = {}) {
  const path = mkdtempSync(join(tmpdir(), 'terrane-test-'));
  const file = (name) => join(path, name);
  const write = (name, content) => {
    mkdirSync(dirname(file(name)), { recursive: true });
    writeFileSync(file(name), typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
  };
  folders.push(path);
  for (const [name, content] of Object.entries(files)) write(name, content);
  return { path, file, write, remove: () => rmSync(path, { recursive: true, force: true }) };
}
