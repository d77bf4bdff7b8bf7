/* The cache on a disk, as clients see it: records that outlive a restart, and records that must not be served. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, test } from 'node:test';
import { binary, terrane } from '../cli/terrane.mjs';
import { refusedStart, startServer } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { reaches } from './busy.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const worlds = makeWorlds();
let folder;
let file;
beforeEach(() => {
  folder = temporaryFolder().path;
  file = path.join(folder, 'tiles.db');
});

const start = (...more) => startServer({ arguments: ['--worlds', worlds.folder, '--cache-disk', file, ...more] });

/* { from, etag, body } of each path. */
async function ask(server, paths, headers = {}) {
  const answers = [];
  for (const each of paths) {
    const response = await fetch(server.url + each, { headers });
    assert.equal(response.status, 200, each);
    answers.push({
      from: response.headers.get('x-terrane-cache'),
      type: response.headers.get('content-type'),
      coding: response.headers.get('content-encoding'),
      etag: response.headers.get('etag'),
      policy: response.headers.get('cache-control'),
      body: Buffer.from(await response.arrayBuffer()),
    });
  }
  return answers;
}

const from = (answers) => answers.map((answer) => answer.from);
const without = (answers) => answers.map(({ from: _, ...rest }) => rest);

const tiles = [
  '/tiles/relief/3/4/2.png', '/tiles/relief/3/4/2@2x.png', '/tiles/relief/3/4/2.webp', '/tiles/3/4/2.r32f',
  '/tiles/3/4/2.mvt', '/tiles/3/4/2.json', '/tiles/3/4/2.txt', '/worlds/clock/tiles/tide/3/4/2.png?t=7',
];

async function serveOnce(paths, ...more) {
  const server = await start(...more);
  try {
    return await ask(server, paths);
  } finally {
    assert.equal(await server.stop(), 0);
    assert.equal(server.complaints(), '');
  }
}

test('after a restart every format is served from the disk, bit for bit', async () => {
  const first = await serveOnce(tiles);
  assert.deepEqual(from(first), tiles.map(() => 'render'));
  assert.ok(!existsSync(`${file}-wal`), 'the end takes the log into the file');
  const second = await serveOnce([...tiles, ...tiles]);
  assert.deepEqual(from(second), [...tiles.map(() => 'disk'), ...tiles.map(() => 'memory')]);
  assert.deepEqual(without(second), without([...first, ...first]));
});

test('tiles that were evicted from memory come from the disk', async () => {
  const server = await start('--cache-memory', '0');
  try {
    const [first] = await ask(server, tiles);
    assert.equal(first.from, 'render');
    await reaches(server, tiles.length, 'cache_writes_total', { tier: 'disk', result: 'done' });
    const [again] = await ask(server, tiles.slice(0, 1));
    assert.equal(again.from, 'disk');
    assert.ok(again.body.equals(first.body));
  } finally {
    await server.stop();
  }
});

test('of many simultaneous requests one reads the disk, and all get the tile', async () => {
  await serveOnce(tiles.slice(0, 1));
  const server = await start();
  try {
    const answers = await Promise.all(Array.from({ length: 64 }, () => ask(server, tiles.slice(0, 1))));
    const states = from(answers.flat());
    assert.equal(states.filter((state) => state === 'disk').length, 1);
    assert.equal(states.filter((state) => state === 'memory').length, 63);
  } finally {
    await server.stop();
  }
});

test('a changed world and another world get no tile of the old one', async () => {
  const paths = ['clock', 'slow', 'clock~1', 'terra'].map((world) => `/worlds/${world}/tiles/height/9/256/256.png`);
  const first = await serveOnce(paths);
  assert.equal(new Set(first.map(({ body }) => body.toString('base64'))).size, paths.length);
  worlds.edit('clock', (world) => {
    world.layers.height.formula = '90 * fbm(wavelength=4096, octaves=8)';
  });
  const changed = await serveOnce(paths);
  assert.deepEqual(from(changed), ['render', 'disk', 'render', 'disk']);
  assert.ok(!changed[0].body.equals(first[0].body));
  worlds.edit('clock', () => {});
  const back = await serveOnce(paths);
  assert.deepEqual(from(back), paths.map(() => 'disk'));
  assert.deepEqual(without(back), without(first));
});

test('another build gets no tile of this one', async () => {
  await serveOnce(tiles.slice(0, 2));
  const bytes = readFileSync(binary);
  const mark = /terrane build \d+\.\d+\.\d+ ([0-9a-f]{16})\0/.exec(bytes.toString('latin1'));
  assert.ok(mark, 'the binary says which build it is');
  bytes.write('0123456789abcdef', mark.index + mark[0].length - 17, 'latin1');
  const other = path.join(folder, 'terrane');
  writeFileSync(other, bytes, { mode: 0o755 });
  process.env.TERRANE_BINARY = other;
  try {
    assert.deepEqual(from(await serveOnce(tiles.slice(0, 2))), ['render', 'render']);
    assert.deepEqual(from(await serveOnce(tiles.slice(0, 2))), ['disk', 'disk']);
  } finally {
    process.env.TERRANE_BINARY = binary;
  }
  assert.equal(JSON.parse(terrane(['cache', file, '--json']).stdout).of_other_builds, 2);
  assert.deepEqual(from(await serveOnce(tiles.slice(0, 2))), ['render', 'render']);
});

/* The layout is in record.h: "TRNR" and the version. */
test('records of another layout or with a flipped bit are rendered again', async () => {
  const [first] = await serveOnce(tiles.slice(0, 1));
  for (const offset of [4, 160, 500]) {
    const bytes = readFileSync(file);
    const head = Buffer.from('TRNR\x01\0\0\0', 'latin1');
    /* A free page may still have a record's bytes, so all copies are changed. */
    let at = bytes.indexOf(head);
    assert.ok(at > 0);
    for (; at >= 0; at = bytes.indexOf(head, at + offset + 1)) bytes[at + offset] ^= 2;
    writeFileSync(file, bytes);
    const shown = JSON.parse(terrane(['cache', file, '--check', '--json']).stdout);
    assert.deepEqual([shown.tiles, shown.damaged + shown.of_other_builds], [1, 1]);
    const [again] = await serveOnce(tiles.slice(0, 1));
    assert.equal(again.from, 'render');
    assert.ok(again.body.equals(first.body));
    assert.equal((await serveOnce(tiles.slice(0, 1)))[0].from, 'disk');
  }
});

/* What can happen to the first page, of which any cache can be known. */
const damages = {
  'its first letters': Buffer.from('no database'),
  'its header': Buffer.alloc(100, 'no database'),
  'its first page': Buffer.alloc(32768, 'no database'),
  'zeros in its first pages': Buffer.alloc(3 * 32768),
};
for (const [what, bytes] of Object.entries(damages)) {
  test(`a cache that is damaged (${what}) is quarantined with a warning`, async () => {
    await serveOnce(tiles);
    const cache = readFileSync(file);
    bytes.copy(cache);
    writeFileSync(file, cache);
    const server = await start();
    assert.deepEqual(from(await ask(server, tiles.slice(0, 1))), ['render']);
    assert.equal(await server.stop(), 0);
    assert.match(server.complaints(), /^\S+Z warning cache: .*tiles\.db is damaged \(.*\): it is kept as .*\.damaged, and a new file replaces it\n$/);
    assert.ok(readFileSync(`${file}.damaged`).equals(cache));
    assert.deepEqual(from(await serveOnce(tiles.slice(0, 1))), ['disk']);
  });
}

test('a file of somebody else stops the start and is left alone', async () => {
  for (const content of [Buffer.from('A shopping list'), Buffer.alloc(100000, 'no database'), Buffer.alloc(100000)]) {
    writeFileSync(file, content);
    const { status, stderr } = await refusedStart(['--cache-disk', file]);
    assert.equal(status, 1);
    assert.match(stderr, /^terrane: .*tiles\.db is not a cache of Terrane \(.*\): name another file, or remove what is there\n$/);
    assert.deepEqual(readdirSync(folder), ['tiles.db']);
    assert.ok(readFileSync(file).equals(content));
  }
});

test('two daemons may share a file', async () => {
  const [one, two] = [await start(), await start()];
  try {
    assert.deepEqual(from(await ask(one, tiles.slice(0, 2))), ['render', 'render']);
    await reaches(one, 2, 'cache_writes_total', { tier: 'disk', result: 'done' });
    const states = from(await ask(two, tiles.slice(0, 1)));
    assert.deepEqual(states, ['disk']);
  } finally {
    assert.equal(await one.stop(), 0);
    assert.equal(await two.stop(), 0);
    assert.equal(one.complaints() + two.complaints(), '');
  }
});

test('an impossible path is reported at the start', async () => {
  file = path.join(folder, 'no', 'tiles.db');
  await assert.rejects(start(), /cannot keep a cache in .*: its folder: No such file or directory/);
});
