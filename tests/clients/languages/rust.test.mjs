/* The bindings of libterrane for Rust, built by rustc alone: their program prints what the daemon says. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../tools/folder.mjs';
import { serverOfFile } from '../../tools/server.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = temporaryFolder({ 'broken.json': '{"generator":1,"layers":{"height":"fbmm(3)"}}' });
const server = serverOfFile();

async function run(program, words) {
  const env = { ...process.env, LD_LIBRARY_PATH: folder.path };
  const child = spawn(program, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise((resolve) => { child.on('close', resolve); });
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await closed, output, complaints };
}

/* What Debian 12 has: rustc 1.63. */
async function build(source, out, ...more) {
  const { status, complaints } = await run('rustc', ['--edition', '2021', '-O', '-D', 'warnings', '-L', folder.path, '-o', folder.file(out), ...more, source]);
  assert.equal(status, 0, complaints);
}

before(async () => {
  for (const name of ['libterrane.so', 'libterrane.so.0'])
    symlinkSync(`${dirname(process.env.TERRANE_BINARY)}/libterrane.so.0`, folder.file(name));
  await build('server/clients/rust/terrane.rs', 'libterrane.rlib', '--crate-type', 'rlib', '--crate-name', 'terrane');
  await build('server/clients/rust/places.rs', 'places', '--extern', `terrane=${folder.file('libterrane.rlib')}`);
});

const floatBits = (bytes) => Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(4 * i).toString(16).padStart(8, '0'));

test('the program prints the heights, the digest and the names that the daemon has', async () => {
  const { status, output, complaints } = await run(folder.file('places'), ['config/worlds/terra.json']);
  assert.equal(status, 0, complaints);
  const rows = output.trimEnd().split('\n').map((line) => line.split('\t'));
  const of = (kind) => rows.filter(([first]) => first === kind).map(([, ...rest]) => rest);
  const json = async (path) => (await fetch(`${server.url}/worlds/terra${path}`)).json();
  assert.deepEqual(of('world'), [[(await json('')).fingerprint]]);

  const heights = of('height');
  assert.equal(heights.length, 500);
  const body = new DataView(new ArrayBuffer(16 * 500));
  heights.forEach(([x, y], i) => [x, y].forEach((metres, axis) => body.setFloat64(16 * i + 8 * axis, Number(metres), true)));
  const binary = 'application/octet-stream';
  const answer = await fetch(`${server.url}/worlds/terra/heights`, { method: 'POST', body, headers: { 'Content-Type': binary, Accept: binary } });
  assert.deepEqual(heights.map(([, , bits]) => bits), floatBits(Buffer.from(await answer.arrayBuffer())));

  const chunk = await fetch(`${server.url}/worlds/terra/chunks/3/-2.r32f?layers=height,biome`, { method: 'HEAD' });
  assert.deepEqual(of('chunk'), [[chunk.headers.get('x-terrane-digest')]]);

  const { labels } = await json('/labels?bbox=-131072,-131072,131072,131072&zoom=9');
  assert.ok(labels.length > 5);
  assert.deepEqual(of('label'), labels.map(({ id, kind, name }) => [String(id), kind, name]));
});

test('errors say what is wrong and where', async () => {
  for (const [words, status, message] of [
    [[], 2, /^usage: places WORLD\.json\n$/],
    [[folder.file('none.json')], 1, /^places: No such file/],
    [[folder.file('broken.json')], 1, /broken\.json:1:\d+: layers\.height: unknown function "fbmm" \(did you mean "fbm"\?\)/],
  ]) {
    const found = await run(folder.file('places'), words);
    assert.equal(found.status, status);
    assert.match(found.complaints, message);
  }
});

test('what cannot be sampled is an error, threads share a world, and seeds differ', async () => {
  await build('tests/clients/languages/bindings.rs', 'bindings', '--test', '--extern', `terrane=${folder.file('libterrane.rlib')}`);
  const { status, output, complaints } = await run(folder.file('bindings'), []);
  assert.equal(status, 0, output + complaints);
  assert.match(output, /test result: ok\. 4 passed/);
});
