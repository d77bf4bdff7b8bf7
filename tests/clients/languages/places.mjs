/* Shared by the tests of bindings: programs beside the library, and what their example prints of terra. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../tools/folder.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/* A folder with the library and a world's file with an error in it; programs that `run` starts find the library. */
export function libraryFolder() {
  const folder = temporaryFolder({ 'broken.json': '{"generator":1,"layers":{"height":"fbmm(3)"}}' });
  for (const name of ['libterrane.so', 'libterrane.so.0'])
    symlinkSync(`${dirname(process.env.TERRANE_BINARY)}/libterrane.so.0`, folder.file(name));
  return { ...folder, async run(program, words) {
    const env = { ...process.env, LD_LIBRARY_PATH: folder.path };
    const child = spawn(program, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const closed = new Promise((resolve) => { child.on('close', resolve); });
    const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { status: await closed, output, complaints };
  } };
}

const floatBits = (bytes) => Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(4 * i).toString(16).padStart(8, '0'));

/* Compares the heights at 500 places, the digest of a chunk and the names of a map with the daemon's. Returns the rows
 * of a kind. */
export async function checkPlaces(output, url) {
  const rows = output.trimEnd().split('\n').map((line) => line.split('\t'));
  const of = (kind) => rows.filter(([first]) => first === kind).map(([, ...rest]) => rest);
  const heights = of('height');
  assert.equal(heights.length, 500);
  const body = new DataView(new ArrayBuffer(16 * 500));
  heights.forEach(([x, y], i) => [x, y].forEach((metres, axis) => body.setFloat64(16 * i + 8 * axis, Number(metres), true)));
  const binary = 'application/octet-stream';
  const answer = await fetch(`${url}/worlds/terra/heights`, { method: 'POST', body, headers: { 'Content-Type': binary, Accept: binary } });
  assert.deepEqual(heights.map(([, , bits]) => bits), floatBits(Buffer.from(await answer.arrayBuffer())));
  const chunk = await fetch(`${url}/worlds/terra/chunks/3/-2.r32f?layers=height,biome`, { method: 'HEAD' });
  assert.equal(of('chunk')[0][0], chunk.headers.get('x-terrane-digest'));
  const { labels } = await (await fetch(`${url}/worlds/terra/labels?bbox=-131072,-131072,131072,131072&zoom=9`)).json();
  assert.ok(labels.length > 5);
  assert.deepEqual(of('label'), labels.map(({ id, kind, name }) => [String(id), kind, name]));
  return of;
}
