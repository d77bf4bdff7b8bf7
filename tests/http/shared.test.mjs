/* The shared cache: a replica serves what another one has rendered, and a fault of a memcached costs no more than
 * rendering a tile again. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { terrane } from '../cli/terrane.mjs';
import { host } from '../tools/loopback.mjs';
import { drippingModes, faultyModes, pause, startFake, startMemcached } from '../tools/memcached.mjs';
import { startServer } from '../tools/server.mjs';

const start = (...more) => startServer({ arguments: ['--cache-memory', '0', ...more] });
const shared = (...servers) => ['--cache-shared', `memcached://${servers.map(({ port }) => `${host}:${port}`).join(',')}`];
/* Long enough that a memcached that works is never taken for one that hangs, however slow the machine is. */
const longTimeout = ['--cache-shared-timeout', '10000'];

/* Tiles that are rendered in a moment. */
const row = (y, count = 12) => Array.from({ length: count }, (_, x) => `/tiles/9/${x}/${y}.json?size=8`);

async function ask(server, path) {
  const response = await fetch(server.url + path);
  assert.equal(response.status, 200, path);
  return {
    from: response.headers.get('x-terrane-cache'),
    etag: response.headers.get('etag'),
    type: response.headers.get('content-type'),
    coding: response.headers.get('content-encoding'),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

const askAll = (server, paths) => Promise.all(paths.map((path) => ask(server, path)));
const without = (answers) => answers.map(({ from: _, ...rest }) => rest);
const from = (answers) => answers.map((answer) => answer.from);

/* A server without a shared cache; other tests check its responses. */
let plain;
before(async () => {
  plain = await start();
});
after(async () => assert.equal(await plain.stop(), 0));

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
  const replicas = [await start(...shared(...caches), ...longTimeout), await start(...shared(caches[1], caches[0]), ...longTimeout)];
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
  const server = await start(...shared(cache), ...longTimeout);
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
  const server = await start(...shared(cache));
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
    const server = await start(...shared(fake), '--cache-shared-timeout', '1000');
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
  for (const mode of faultyModes) {
    const deleted = await misbehave(mode);
    /* Records that came and do not open are deleted. */
    if (['otherRecord', 'flipped', 'cut'].includes(mode)) assert.ok(deleted > 0, mode);
  }
});

/* Runs `act` with a server whose memcached worked and now is in that mode; each byte takes 100 ms, so a whole reply
 * takes half a minute and more. */
async function withFake(mode, flags, act) {
  const fake = await startFake();
  const server = await start(...shared(fake), ...flags);
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
  await (await start()).stop();
  times.push(performance.now());
  const server = await start('--cache-shared', 'memcached://127.0.0.1:1,no-such-host.invalid');
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
