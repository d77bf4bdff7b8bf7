/* The npm package: packed, installed in a fresh folder, used by a program, compiled by TypeScript. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile } from '../tools/server.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('npm/', import.meta.url));
const run = promisify(execFile);
const server = serverOfFile();
const folder = temporaryFolder({ 'package.json': { name: 'user', private: true, type: 'module' } });
let packed;

before(async () => {
  const { stdout } = await run(`${root}/config/package/npm.sh`, ['build/wasm/terrane.wasm', folder.path], { cwd: root });
  packed = stdout.trim();
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', packed], { cwd: folder.path });
});

test('the package has its modules, types and the WebAssembly module, and nothing else', async () => {
  const { stdout } = await run('tar', ['-tzf', packed]);
  const names = ['LICENSE', 'README.md', 'codec.js', 'edits.d.ts', 'edits.js', 'error.js', 'events.js', 'library.d.ts', 'library.js', 'local.js', 'package.json',
    'stitch.d.ts', 'stitch.js', 'terrane.d.ts', 'terrane.js', 'terrane.wasm'];
  assert.deepEqual(stdout.trim().split('\n').sort(), names.map((name) => `package/${name}`));
  const version = /TERRANE_VERSION "(.*)"/.exec(readFileSync(`${root}/core/terrane.h`, 'utf8'))[1];
  assert.ok(packed.endsWith(`/terrane-${version}.tgz`));
});

test('a program in a fresh folder has the bits of the server, by HTTP and by WebAssembly', async () => {
  copyFileSync(`${here}use.mjs`, folder.file('use.mjs'));
  const { stdout, stderr } = await run(process.execPath, ['use.mjs', server.url], { cwd: folder.path, maxBuffer: 1 << 24 });
  assert.equal(stderr, '');
  const found = JSON.parse(stdout);
  assert.deepEqual(found.exports, [['Terrane', 'TerraneError', 'crc32', 'digest'], ['Edits'], ['Library', 'World', 'openModule'], ['stitch', 'triangles']]);
  const plain = await (await fetch(`${server.url}/worlds/terra/heights`, { method: 'POST', body: JSON.stringify({ points: found.places }) })).json();
  const expected = Buffer.from(Float32Array.from(plain.heights).buffer).toString('base64');
  assert.equal(found.server, expected);
  assert.equal(found.module, expected);
  assert.equal(found.serverAtZoom, found.moduleAtZoom);
  assert.notEqual(found.serverAtZoom, expected);
  const head = await fetch(`${server.url}/worlds/terra/chunks/82/115.r32f`, { method: 'HEAD' });
  const digest = head.headers.get('x-terrane-digest');
  assert.deepEqual([found.chunk, found.grid, found.local], [digest, digest, [true, digest, 1]]);
  const volume = await fetch(`${server.url}/worlds/caves/volumes/0/0/3.r32f?size=8`);
  assert.equal(found.volume, Buffer.from(await volume.arrayBuffer()).toString('base64'));
  const shares = await (await fetch(`${server.url}/worlds/terra/chunks/0/0.json?size=4&step=4&layers=materials`)).json();
  assert.deepEqual(found.shares, Object.values(shares.samples).map((rows) => rows.flat()));
  const world = await (await fetch(`${server.url}/worlds/terra`)).json();
  assert.deepEqual([found.materials, found.fingerprint], [world.materials.map(({ name }) => name), world.fingerprint]);
  assert.equal(found.seeded, (await (await fetch(`${server.url}/worlds/terra~42`)).json()).fingerprint);
  assert.equal(found.version, (await (await fetch(`${server.url}/version`)).json()).version);
  assert.deepEqual(found.rounded, [0, 2, 0]); /* ties go to even units */
  const patterns = [/^TerraneError: the world has no layer "heigt"/, /^TerraneError: my\.json:1:\d+: layers\.height: unknown function "fbmm"/,
    /^TerraneError: shares of materials come together/, /^TerraneError: a position must be a finite number, not NaN/,
    /^TerraneError: the world was released/];
  assert.equal(found.problems.length, patterns.length);
  found.problems.forEach((problem, i) => assert.match(problem, patterns[i]));
});

test('the types are those of TypeScript\'s strict mode', async () => {
  copyFileSync(`${here}use.ts`, folder.file('use.ts'));
  const words = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom',
    'use.ts'];
  const { stdout } = await run(process.execPath, [`${root}/tests/node_modules/typescript/bin/tsc`, ...words], { cwd: folder.path })
    .catch((error) => error);
  assert.equal(stdout, '');
});

test('the program of its manual runs', async () => {
  const manual = readFileSync(`${root}/server/clients/javascript/README.md`, 'utf8');
  const [, program] = /```js\n([\s\S]*?)```/.exec(manual);
  folder.write('manual.mjs', `${program.replaceAll('http://127.0.0.1:8080', server.url)}console.log(ground.length, height.length, biome.length);`);
  const { stdout } = await run(process.execPath, ['manual.mjs'], { cwd: folder.path });
  assert.equal(stdout, '25 5000 5000\n');
});
