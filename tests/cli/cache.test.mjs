/* terrane cache: shows, checks and purges the file of --cache-disk. */

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { eventually } from '../http/busy.mjs';
import { startServer } from '../tools/server.mjs';
import { terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const folder = temporaryFolder();
const full = `${folder.path}/full.db`;
const file = `${folder.path}/tiles.db`;

const paths = ['/tiles/relief/3/4/2.png', '/tiles/relief/3/4/3.png', '/tiles/3/4/2.mvt', '/worlds/dunes/tiles/relief/3/4/2.png'];
const lengths = [];

before(async () => {
  const server = await startServer({ arguments: ['--cache-disk', full] });
  for (const path of paths) {
    const response = await fetch(server.url + path, { headers: { 'accept-encoding': 'identity' } });
    lengths.push((await response.arrayBuffer()).byteLength);
  }
  assert.equal(await server.stop(), 0);
});

const cache = (...words) => terrane(['cache', file, ...words]);
function shown(...words) {
  copyFileSync(full, file);
  const { status, stdout, stderr } = cache('--json', ...words);
  assert.equal(stderr, '');
  return { status, ...JSON.parse(stdout) };
}

const sealed = (...indices) => indices.reduce((sum, i) => sum + lengths[i] + 176, 0);

test('tiles and bytes by format and world', () => {
  const result = shown();
  assert.equal(result.status, 0);
  assert.equal(result.file_bytes, statSync(full).size);
  assert.equal(result.tiles, 4);
  assert.equal(result.bytes, sealed(0, 1, 2, 3));
  assert.equal(result.of_other_builds, 0);
  assert.deepEqual(Object.fromEntries(result.formats.map(({ format, tiles, bytes }) => [format, [tiles, bytes]])),
    { png: [3, sealed(0, 1, 3)], mvt: [1, sealed(2)] });
  const fingerprints = Object.fromEntries(JSON.parse(terrane(['worlds', '--json']).stdout).map((world) => [world.name, world.fingerprint]));
  assert.deepEqual(Object.fromEntries(result.worlds.map(({ name, fingerprint, tiles }) => [name, [fingerprint, tiles]])),
    { terra: [fingerprints.terra, 3], dunes: [fingerprints.dunes, 1] });
});

test('the table has the same figures', () => {
  copyFileSync(full, file);
  const { status, stdout } = cache();
  assert.equal(status, 0);
  assert.match(stdout, /tiles\.db: 4 tiles, 0\.\d MB in a file of 0\.\d MB\n0 of other builds/);
  assert.match(stdout, /^  png +3  0\.\d MB$/m);
  assert.match(stdout, /^  g1-[0-9a-f]{32} +1  0\.\d MB  dunes$/m);
});

test('--check opens every record', () => {
  const whole = shown('--check');
  assert.deepEqual([whole.status, whole.damaged, whole.structure], [0, 0, 'ok']);
  const bytes = readFileSync(full);
  /* Pages keep what has moved elsewhere, so the same record may stand there more than once. */
  const at = bytes.indexOf('TRNR');
  const header = Buffer.from(bytes.subarray(at, at + 176));
  for (let each = at; each >= 0; each = bytes.indexOf(header, each + 1)) bytes[each + 300] ^= 1;
  writeFileSync(file, bytes);
  const { status, stdout } = cache('--check', '--json');
  assert.equal(status, 1);
  assert.equal(JSON.parse(stdout).damaged, 1);
  const text = cache('--check');
  assert.equal(text.status, 1);
  assert.match(text.stdout, /^1 damaged; structure: ok$/m);
});

test('--purge deletes all records, or those of a world by name or fingerprint', () => {
  const dunes = shown().worlds.find(({ name }) => name === 'dunes').fingerprint;
  for (const [words, deleted] of [[[], 4], [['--world', 'terra'], 3], [['--world', dunes], 1], [['--world', 'canyons'], 0]]) {
    copyFileSync(full, file);
    const { status, stdout } = cache('--purge', ...words);
    assert.equal(status, 0);
    assert.equal(stdout, `${deleted} tiles deleted\n`);
    const left = JSON.parse(cache('--check', '--json').stdout);
    assert.deepEqual([left.tiles, left.damaged, left.structure], [4 - deleted, 0, 'ok']);
    if (deleted > 2) assert.ok(statSync(file).size < statSync(full).size);
  }
});

test('the file of a running server is shown, checked and purged', async () => {
  const live = `${folder.path}/live.db`;
  const server = await startServer({ arguments: ['--cache-disk', live, '--cache-memory', '0'] });
  const from = async (path) => (await fetch(server.url + path)).headers.get('x-terrane-cache');
  const json = (...words) => JSON.parse(terrane(['cache', live, '--json', ...words]).stdout);
  try {
    for (const path of paths) assert.equal(await from(path), 'render');
    await eventually(() => json().tiles === 4, 'all tiles on the disk');
    const { tiles, damaged, structure } = json('--check');
    assert.deepEqual([tiles, damaged, structure], [4, 0, 'ok']);
    assert.equal(json('--purge', '--world', 'dunes').deleted, 1);
    for (const path of paths) assert.equal(await from(path), path.includes('dunes') ? 'render' : 'disk');
    await eventually(() => json().tiles === 4, 'the tile on the disk again');
  } finally {
    assert.equal(await server.stop(), 0);
  }
  assert.equal(server.complaints(), '');
});

test('errors: a missing file, a file that is no cache, wrong usage', () => {
  folder.write('text', 'This is a text, and it is longer than the hundred bytes that the header of a database of SQLite has at least.');
  for (const [words, status, message] of [
    [[], 2, 'terrane: cache needs a FILE, that of --cache-disk'],
    [['a', 'b'], 2, 'terrane: unexpected argument "b"'],
    [[full, '--check', '--purge'], 2, 'terrane: give either --check or --purge'],
    [[full, '--world', 'terra'], 2, 'terrane: --world goes with --purge'],
    [[full, '--purge', '--world', './none.json'], 1, 'terrane: ./none.json: cannot be opened: No such file or directory'],
    [[full, '--purge', '--world', 'tera'], 1, 'terrane: unknown world "tera" (did you mean "terra"?)'],
    [[`${folder.path}/none`], 1, `terrane: ${folder.path}/none: No such file or directory`],
    [[`${folder.path}/text`], 1, `terrane: ${folder.path}/text: it is not a cache of tiles: file is not a database`],
    [[`${folder.path}/text`, '--purge'], 1, `terrane: ${folder.path}/text: it is not a cache of tiles: file is not a database`],
    [[folder.path, '--purge'], 1, `terrane: ${folder.path}: it is not a cache of tiles: it is not a regular file`],
    [['/dev/null', '--purge'], 1, 'terrane: /dev/null: it is not a cache of tiles: it is not a regular file'],
  ]) {
    const result = terrane(['cache', ...words]);
    assert.equal(result.stderr.split('\n')[0], message);
    assert.equal(result.status, status, message);
  }
});
