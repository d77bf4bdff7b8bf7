/* The client and the library as the daemon itself serves them: /terrane.js and /terrane.wasm. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile, startServer } from '../tools/server.mjs';

const server = serverOfFile();
const built = readFileSync(fileURLToPath(new URL('../../build/wasm/terrane.wasm', import.meta.url)));

test('/terrane.wasm is the module of the build, and is sent once', async () => {
  const plain = await fetch(`${server.url}/terrane.wasm`, { headers: { 'Accept-Encoding': 'identity' } });
  assert.equal(plain.headers.get('content-type'), 'application/wasm');
  assert.equal(plain.headers.get('access-control-allow-origin'), '*');
  assert.equal(plain.headers.get('cache-control'), 'no-cache');
  assert.ok(built.equals(Buffer.from(await plain.arrayBuffer())));
  const { stdout } = await promisify(execFile)('curl', ['-s', '-H', 'Accept-Encoding: gzip', `${server.url}/terrane.wasm`],
    { encoding: 'buffer', maxBuffer: 1 << 22 });
  assert.ok(stdout.length < built.length / 2);
  assert.ok(built.equals(gunzipSync(stdout)));
  const again = await fetch(`${server.url}/terrane.wasm`,
    { headers: { 'Accept-Encoding': 'identity', 'If-None-Match': plain.headers.get('etag') } });
  assert.equal(again.status, 304);
});

test('/terrane.js is one module, and computes chunks with what the daemon has', async () => {
  const response = await fetch(`${server.url}/terrane.js`);
  assert.match(response.headers.get('content-type'), /^text\/javascript/);
  assert.equal(response.headers.get('vary'), 'Accept-Encoding', 'it is one for whatever Accept');
  const folder = temporaryFolder({ 'terrane.mjs': await response.text() });
  const { Terrane, TerraneError } = await import(folder.file('terrane.mjs'));
  for (const world of ['', 'perlin', 'dunes~some%20seed']) {
    const terrane = new Terrane(server.url, { world, size: 16 });
    assert.equal(await terrane.useLocal({ wasm: '/terrane.wasm' }), true, terrane.localProblem);
    await terrane.chunk(3, -2);
    assert.equal(terrane.counts.computed, 1);
    assert.equal(await terrane.verify(3, -2), true);
  }
  assert.throws(() => new Terrane(server.url, { sizes: 1 }), TerraneError);
});

test('a program without the module says so, and what to do', async (t) => {
  const folder = temporaryFolder();
  const program = folder.file('terrane');
  copyFileSync(process.env.TERRANE_BINARY, program);
  chmodSync(program, 0o755);
  const bare = await startServer({ program });
  t.after(() => bare.stop());
  const response = await fetch(`${bare.url}/terrane.wasm`);
  assert.equal(response.status, 404);
  assert.match((await response.json()).detail, /without terrane\.wasm: run `make wasm`/);
  assert.equal((await fetch(`${bare.url}/terrane.js`)).status, 200);
  const { Terrane } = await import('../../server/clients/javascript/terrane.js');
  const terrane = new Terrane(bare.url, { world: 'perlin', size: 8 });
  assert.equal(await terrane.useLocal(), false);
  assert.match(terrane.localProblem.message, /terrane\.wasm: 404/);
  assert.equal((await terrane.chunk(0, 0)).samples.length, 81);
});
