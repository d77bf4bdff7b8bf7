/* The caches behind the memory, as clients see them: the disk, whose records outlive a restart, and the shared cache,
 * from which a replica serves what another one has rendered. What must not be served is rendered again. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, test } from 'node:test';
import { binary, terrane } from '../cli/terrane.mjs';
import { host } from '../tools/loopback.mjs';
import { drippingModes, faultyModes, pause, startFake, startMemcached } from '../tools/memcached.mjs';
import { refusedStart, serverOfFile, startServer } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { reaches } from './busy.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

/* What a response says of the tile, which must be 200. */
async function ask(server, target) {
  const response = await fetch(server.url + target);
  assert.equal(response.status, 200, target);
  return {
    from: response.headers.get('x-terrane-cache'),
    type: response.headers.get('content-type'),
    coding: response.headers.get('content-encoding'),
    etag: response.headers.get('etag'),
    policy: response.headers.get('cache-control'),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

const askAll = (server, targets) => Promise.all(targets.map((target) => ask(server, target)));
async function askInTurn(server, targets) {
  const answers = [];
  for (const target of targets) answers.push(await ask(server, target));
  return answers;
}

const without = (answers) => answers.map(({ from: _, ...rest }) => rest);
const from = (answers) => answers.map((answer) => answer.from);

const worlds = makeWorlds();
let folder;
let file;
beforeEach(() => {
  folder = temporaryFolder().path;
  file = path.join(folder, 'tiles.db');
});

const startWithDisk = (...more) => startServer({ arguments: ['--worlds', worlds.folder, '--cache-disk', file, ...more] });

const tiles = [
  '/tiles/relief/3/4/2.png', '/tiles/relief/3/4/2@2x.png', '/tiles/relief/3/4/2.webp', '/tiles/3/4/2.r32f',
  '/tiles/3/4/2.mvt', '/tiles/3/4/2.json', '/tiles/3/4/2.txt', '/worlds/clock/tiles/tide/3/4/2.png?t=7',
];

async function serveOnce(paths, ...more) {
  const server = await startWithDisk(...more);
  try {
    return await askInTurn(server, paths);
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
  const server = await startWithDisk('--cache-memory', '0');
  try {
    const [first] = await askInTurn(server, tiles);
    assert.equal(first.from, 'render');
    await reaches(server, tiles.length, 'cache_writes_total', { tier: 'disk', result: 'done' });
    const [again] = await askInTurn(server, tiles.slice(0, 1));
    assert.equal(again.from, 'disk');
    assert.ok(again.body.equals(first.body));
  } finally {
    await server.stop();
  }
});

test('of many simultaneous requests one reads the disk, and all get the tile', async () => {
  await serveOnce(tiles.slice(0, 1));
  const server = await startWithDisk();
  try {
    const answers = await Promise.all(Array.from({ length: 64 }, () => askInTurn(server, tiles.slice(0, 1))));
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
    const server = await startWithDisk();
    assert.deepEqual(from(await askInTurn(server, tiles.slice(0, 1))), ['render']);
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
  const [one, two] = [await startWithDisk(), await startWithDisk()];
  try {
    assert.deepEqual(from(await askInTurn(one, tiles.slice(0, 2))), ['render', 'render']);
    await reaches(one, 2, 'cache_writes_total', { tier: 'disk', result: 'done' });
    const states = from(await askInTurn(two, tiles.slice(0, 1)));
    assert.deepEqual(states, ['disk']);
  } finally {
    assert.equal(await one.stop(), 0);
    assert.equal(await two.stop(), 0);
    assert.equal(one.complaints() + two.complaints(), '');
  }
});

test('an impossible path is reported at the start', async () => {
  file = path.join(folder, 'no', 'tiles.db');
  await assert.rejects(startWithDisk(), /cannot keep a cache in .*: its folder: No such file or directory/);
});

const startReplica = (...more) => startServer({ arguments: ['--cache-memory', '0', ...more] });
const shared = (...servers) => ['--cache-shared', `memcached://${servers.map(({ port }) => `${host}:${port}`).join(',')}`];
/* Long enough that a memcached that works is never taken for one that hangs, however slow the machine is. */
const longTimeout = ['--cache-shared-timeout', '10000'];

/* Tiles that are rendered in a moment. */
const row = (y, count = 12) => Array.from({ length: count }, (_, x) => `/tiles/9/${x}/${y}.json?size=8`);

/* A server without a shared cache; other tests check its responses. */
const plain = serverOfFile({ arguments: ['--cache-memory', '0'] });

/* Waits until the tile comes from the shared cache, for five seconds at most, or longer on a machine so busy that
 * each tile takes long. Returns the milliseconds. */
async function untilShared(server, path) {
  await ask(plain, path);
  const began = performance.now();
  await ask(plain, path);
  const usual = performance.now() - began;
  const start = performance.now();
  while ((await ask(server, path)).from !== 'shared') {
    assert.ok(performance.now() - start < 5000 + 200 * usual, `${path} is not shared within 5 s`);
    await pause(20);
  }
  return performance.now() - start;
}

test('a replica serves tiles of another replica from two memcached servers, bit for bit', async () => {
  const caches = [await startMemcached(), await startMemcached()];
  const replicas = [await startReplica(...shared(...caches), ...longTimeout), await startReplica(...shared(caches[1], caches[0]), ...longTimeout)];
  try {
    const paths = [...row(1), ...['/tiles/relief/3/4/2.png', '/tiles/3/4/2.webp', '/tiles/3/4/2.mvt', '/tiles/3/4/2.json', '/tiles/3/4/2.txt']];
    const rendered = await askAll(replicas[0], paths);
    assert.deepEqual(from(rendered), paths.map(() => 'render'));
    for (const path of paths) await untilShared(replicas[1], path);
    const served = await askAll(replicas[1], paths);
    assert.deepEqual(from(served), paths.map(() => 'shared'));
    assert.deepEqual(without(served), without(rendered));
    const items = await Promise.all(caches.map((cache) => cache.statistic('curr_items')));
    assert.ok(items.every((count) => count >= 3), `spread over both: ${items}`);
    /* Without one memcached, the other's tiles are still served: no key has moved. */
    await caches[0].kill();
    const left = await askAll(replicas[1], paths);
    const expected = items[1] - 2; /* without the probes' */
    assert.equal(from(left).filter((name) => name === 'shared').length, expected);
    assert.deepEqual(without(left), without(rendered));
  } finally {
    for (const replica of replicas) assert.equal(await replica.stop(), 0);
    for (const cache of caches) await cache.kill();
  }
});

test('a tile of more than a megabyte is not sent', async () => {
  const cache = await startMemcached();
  const server = await startReplica(...shared(cache), ...longTimeout);
  try {
    const large = '/tiles/3/4/2.r32f?size=512';
    assert.equal((await ask(server, large)).body.length, 1 << 20);
    await ask(server, row(2)[0]);
    await untilShared(server, row(2)[0]);
    assert.equal((await ask(server, large)).from, 'render');
    assert.equal(await cache.statistic('curr_items'), 2); /* the small tile and the probe */
  } finally {
    assert.equal(await server.stop(), 0);
    await cache.kill();
  }
});

test('a memcached that was killed, stopped, or hung after a restart is used again within 5 s', async () => {
  let cache = await startMemcached();
  const server = await startReplica(...shared(cache));
  const { port } = cache;
  const tile = row(3)[0];
  const right = without(await askAll(plain, row(3)));
  const check = async () => assert.deepEqual(without(await askAll(server, row(3))), right);
  try {
    await check();
    await untilShared(server, tile);
    cache.stop();
    await check();
    cache.go();
    console.log(`stopped: used again after ${(await untilShared(server, tile)).toFixed()} ms`);
    await cache.kill();
    await check();
    const mute = await startFake({ port, mode: 'mute' });
    await pause(300);
    await check();
    await mute.close();
    await check();
    cache = await startMemcached({ port });
    console.log(`killed, then hung: used again after ${(await untilShared(server, tile)).toFixed()} ms`);
    await check();
  } finally {
    assert.equal(await server.stop(), 0);
    await cache.kill();
  }
});

test('no faulty reply is taken for a tile', async () => {
  const paths = row(5, 4);
  const right = without(await askAll(plain, paths));
  const misbehave = async (mode) => {
    const fake = await startFake();
    const server = await startReplica(...shared(fake), '--cache-shared-timeout', '1000');
    try {
      await askAll(server, paths);
      for (const path of paths) await untilShared(server, path);
      assert.deepEqual(without(await askAll(server, paths)), right);
      const before = fake.asked;
      fake.mode = mode;
      const answers = await askAll(server, paths);
      assert.ok(fake.asked > before, `${mode}: the fake was asked`);
      assert.deepEqual(from(answers), paths.map(() => 'render'), mode);
      assert.deepEqual(without(answers), right, mode);
      return fake.deleted;
    } finally {
      assert.equal(await server.stop(), 0);
      await fake.close();
    }
  };
  /* Four at a time, as most of them wait for a timeout. */
  const left = [...faultyModes];
  await Promise.all(Array.from({ length: 4 }, async () => {
    for (let mode = left.shift(); mode; mode = left.shift()) {
      const deleted = await misbehave(mode);
      /* Records that came and do not open are deleted. */
      if (['otherRecord', 'flipped', 'cut'].includes(mode)) assert.ok(deleted > 0, mode);
    }
  }));
});

/* Runs `act` with a server whose memcached worked and now is in that mode; each byte takes 100 ms, so a whole reply
 * takes half a minute and more. */
async function withFake(mode, flags, act) {
  const fake = await startFake();
  const server = await startReplica(...shared(fake), ...flags);
  try {
    await untilShared(server, row(7)[0]);
    Object.assign(fake, { mode, delay: 100, asked: 0 });
    await act(server, fake);
  } finally {
    assert.equal(await server.stop(), 0);
    await fake.close();
  }
}
const wholeReply = 30000;

test('requests for one tile and for others render when a memcached drips', async () => {
  const paths = [...Array.from({ length: 20 }, () => row(8)[0]), ...row(9)];
  const right = without(await askAll(plain, paths));
  await Promise.all(drippingModes.map((mode) => withFake(mode, ['--cache-shared-timeout', '300'], async (server, fake) => {
    const began = performance.now();
    const answers = await askAll(server, paths);
    assert.ok(performance.now() - began < wholeReply, mode);
    assert.ok(fake.asked > 0, mode);
    assert.ok(from(answers).every((name) => name !== 'shared'), mode);
    assert.deepEqual(without(answers), right, mode);
  })));
});

test('the end of the server does not wait for a memcached', async () => {
  const flags = [...longTimeout, '--drain', '1'];
  await Promise.all([...drippingModes, 'silent'].map((mode) => withFake(mode, flags, async (server, fake) => {
    const answers = row(10).map((path) => fetch(server.url + path).then(({ status }) => status));
    while (fake.asked < 4) await pause(5); /* by all fetch threads */
    const asked = performance.now();
    assert.equal(await server.stop(), 0);
    assert.ok(performance.now() - asked < 9000, `${mode}: ended before the timeout of the exchanges`);
    assert.deepEqual(await Promise.all(answers), row(10).map(() => 503), mode);
  })));
});

test('the server starts without its shared cache', async () => {
  const times = [performance.now()];
  await (await startReplica()).stop();
  times.push(performance.now());
  const server = await startReplica('--cache-shared', 'memcached://127.0.0.1:1,no-such-host.invalid');
  times.push(performance.now());
  try {
    const [usual, took] = [times[1] - times[0], times[2] - times[1]];
    assert.ok(took < 2000 + 10 * usual, `${took} ms, and ${usual} without`);
    const answers = await askAll(server, row(6));
    assert.deepEqual(from(answers), row(6).map(() => 'render'));
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('faulty settings are refused with a reason', () => {
  const cases = [
    [['--cache-shared', 'localhost:11211'], '--cache-shared: must be memcached://HOST:PORT[,HOST:PORT...], not "localhost:11211"'],
    [['--cache-shared', 'memcached://a:1', '--cache-shared', 'memcached://b:0'], '--cache-shared: "b:0" must be HOST:PORT such as'],
    [['--cache-shared', 'memcached://a:1,b,a:1'], '--cache-shared: a:1 is named twice'],
    [['--cache-shared', ''], '--cache-shared: must not be empty'],
    [['--cache-shared-timeout', '0'], '--cache-shared-timeout: must be a whole number from 1 to 10000, not "0"'],
  ];
  for (const [flags, message] of cases) {
    const { status, stderr } = terrane(['serve', '--port', '0', ...flags]);
    assert.notEqual(status, 0);
    assert.ok(stderr.startsWith(`terrane: ${message}`), stderr);
  }
  const env = { TERRANE_CACHE_SHARED: 'memcached://a:1,b:2 memcached://[::1]:3' };
  const { stdout } = terrane(['serve', '--print-config', '--json'], { env });
  assert.deepEqual(JSON.parse(stdout).cache_shared.value, ['memcached://a:1,b:2', 'memcached://[::1]:3']);
});
