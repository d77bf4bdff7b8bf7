/* A fleet as in docker/compose.yaml under load, while its parts are killed, hung and started again: no
 * request fails and no byte is wrong. FLEET_SECONDS goes on for so long with faults drawn by chance. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { PNG } from 'pngjs';
import clock from '../tools/limit-clock.cjs';
import { addresses, ask, digest, expectations, randomFrom, startLoad } from './load.mjs';
import { binary, missing, startFleet } from './parts.mjs';

const lacking = missing('nginx', 'memcached');
const skip = lacking.length > 0 && `${lacking.join(' and ')} not installed`;
const pause = (seconds) => new Promise((done) => { setTimeout(done, seconds * 1000); });
const SEED = Number(process.env.FLEET_SEED ?? 20);

let fleet, known, asked = 0;
before(async () => {
  if (skip) return;
  fleet = await startFleet();
  known = await expectations(`http://127.0.0.1:${fleet.reference.port}`,
    addresses(240, randomFrom(SEED)));
});
after(() => fleet?.stop());

/* Waits until the condition is true, which it then stays. */
async function until(condition, what) {
  for (const end = clock.now() + 120_000; !condition();) {
    assert.ok(clock.now() < end, what);
    await pause(0.02);
  }
}

/* Waits for as many more answers: a fault is one only if it is asked on. */
const answers = (load, count) => {
  const before = load.result.requests;
  return until(() => load.result.requests >= before + count, `there are no ${count} answers`);
};

/* Faults to inject into the fleet; each one ends with all parts running. */
const faults = {
  'a replica is killed': async (load, [replica]) => {
    await replica.end('SIGKILL');
    await Promise.all([pause(1), answers(load, 50)]);
    await replica.start();
  },
  'a replica hangs': async (load, [replica]) => {
    replica.signal('SIGSTOP');
    await Promise.all([pause(4), answers(load, 50)]);
    replica.signal('SIGCONT');
  },
  'a replica is restarted': async (load, [replica]) => {
    await replica.end('SIGTERM');
    await replica.start();
    await answers(load, 50);
  },
  'one replica is killed while another hangs': async (load, [one, other]) => {
    other.signal('SIGSTOP');
    await pause(0.5);
    await one.end('SIGKILL');
    await Promise.all([pause(2), answers(load, 20)]);
    await one.start();
    other.signal('SIGCONT');
  },
  'all replicas are restarted, one after the other': async (load, replicas) => {
    for (const replica of replicas) {
      await replica.end('SIGTERM');
      await replica.start();
      await pause(0.2);
    }
  },
  'a memcached is killed, and comes back empty': async (load, replicas, [cache]) => {
    await cache.end('SIGKILL');
    await Promise.all([pause(1), answers(load, 50)]);
    await cache.start();
  },
  'a memcached hangs': async (load, replicas, [cache]) => {
    cache.signal('SIGSTOP');
    await Promise.all([pause(2), answers(load, 50)]);
    cache.signal('SIGCONT');
  },
  'both memcached are gone and a replica is killed': async (load, [replica], caches) => {
    await Promise.all(caches.map((cache) => cache.end('SIGKILL')));
    await replica.end('SIGKILL');
    await Promise.all([pause(1), answers(load, 50)]);
    await Promise.all([replica, ...caches].map((part) => part.start()));
  },
  'nginx reads its configuration again': async (load, replicas, caches, nginx) => {
    nginx.signal('SIGHUP');
    await Promise.all([pause(0.5), answers(load, 50)]);
  },
};

const turned = (list, by) => [...list.slice(by), ...list.slice(0, by)];

/* Only while nginx reads its configuration again may it close a connection, an old or a new one, just when a request comes
 * in on it, or in an answer ("open socket left in connection", says its log); clients ask again then (RFC 9110, 9.2.2). */
async function underLoad(t, act, reload = false) {
  const load = startLoad(fleet.url, known, { seed: SEED });
  const began = performance.now();
  await pause(0.3);
  try {
    await act(load);
    await Promise.all([pause(0.5), answers(load, 20)]);
  } finally {
    const result = await load.stop();
    const seconds = (performance.now() - began) / 1000;
    const ms = (share) => `${result.at(share).toFixed(1)} ms`;
    assert.ok(reload || result.again === 0, 'nginx closed a connection that was asked on');
    t.diagnostic(`${result.requests} requests in ${seconds.toFixed(1)} s (${result.unchanged} of them 304, ${result.again} asked again), `
      + `${result.failures.length} failed; p50 ${ms(0.5)}, p99 ${ms(0.99)}, longest ${ms(1)}; `
      + `from ${JSON.stringify(result.from)}`);
    asked += result.requests;
    assert.deepEqual(result.failures, []);
  }
}

test('the undisturbed replica gives the bytes of terrane render', { skip }, () => {
  const tiles = [...known].filter(([address]) => /^\/tiles\/.*\.(png|mvt)$/.test(address)).slice(0, 12);
  assert.ok(tiles.length === 12);
  for (const [address, { body }] of tiles) {
    const [, place, format] = /^\/tiles\/([-\d/]+)\.(\w+)$/.exec(address);
    const { stdout } = spawnSync(binary, ['render', '--tile', place, '--format', format, '-o', '-'], { maxBuffer: 1 << 24 });
    /* A PNG in a file may be packed more tightly than one in an answer: its pixels are compared. */
    if (format === 'png') assert.ok(PNG.sync.read(stdout).data.equals(PNG.sync.read(body).data), address);
    else assert.ok(stdout.equals(body), address);
  }
});

test('without faults every response comes through unchanged', { skip }, async () => {
  for (const [what, { etag, digest: bytes }] of await expectations(fleet.url, [...known.keys()])) {
    assert.deepEqual([etag, bytes], [known.get(what).etag, known.get(what).digest], what);
  }
  asked += known.size;
});

test('a restarted replica finds the tiles in memcached', { skip }, (t) => underLoad(t, async (load) => {
  await fleet.replicas[0].end('SIGTERM');
  await fleet.replicas[0].start();
  await until(() => load.result.from.shared > 0, 'no answer came from memcached');
}));

for (const [name, act] of Object.entries(faults)) {
  test(name, { skip }, (t) => underLoad(t,
    (load) => act(load, fleet.replicas, fleet.caches, fleet.nginx), name.startsWith('nginx')));
}

test('random faults for FLEET_SECONDS', { skip: skip || !process.env.FLEET_SECONDS }, async (t) => {
  const random = randomFrom(SEED), counts = {};
  const list = Object.entries(faults);
  const end = performance.now() + 1000 * Number(process.env.FLEET_SECONDS);
  await underLoad(t, async (load) => {
    while (performance.now() < end) {
      const [name, act] = list[Math.floor(random() * list.length)];
      const by = Math.floor(random() * 6);
      await act(load, turned(fleet.replicas, by % 3), turned(fleet.caches, by % 2), fleet.nginx);
      counts[name] = (counts[name] ?? 0) + 1;
      await pause(random());
    }
  }, true);
  t.diagnostic(JSON.stringify(counts));
});

test('the faults took effect: nginx had to ask a second replica', { skip }, async (t) => {
  const lines = await fleet.log(asked);
  const again = lines.filter(({ replicas }) => replicas.length > 1);
  const failed = lines.filter(({ status }) => status >= 500);
  t.diagnostic(`${again.length} of ${lines.length} requests were answered by a second replica or a third`);
  assert.ok(again.length > 0);
  assert.deepEqual(failed, []);
});

test('with proxy_cache on, cached responses need no replica', { skip }, async () => {
  const other = await startFleet({ edits: [['proxy_cache off;', 'proxy_cache tiles;']] });
  try {
    /* nginx may cache only responses whose URL contains the fingerprint of the world. */
    const [{ fingerprint }] = JSON.parse(execFileSync(binary, ['worlds', '--json'])).filter(({ name }) => name === 'terra');
    const some = [...known].filter(([address]) => /^\/tiles\/.*\.(png|webp)$/.test(address)).slice(0, 20)
      .map(([address, expected]) => [address.replace('/tiles/', `/worlds/terra@${fingerprint}/tiles/relief/`), expected]);
    assert.equal(some.length, 20);
    const askAll = async () => {
      for (const [address, { digest: expected }] of some) {
        const response = await fetch(other.url + address);
        assert.equal(response.status, 200, address);
        assert.equal(digest(new Uint8Array(await response.arrayBuffer())), expected, address);
      }
    };
    /* A representation for each coding, each with its own tag. */
    const data = `/worlds/terra@${fingerprint}/tiles/height/9/250/250.json?size=32`;
    const codings = ['identity', 'gzip', 'zstd'];
    const get = (headers) => ask(other.url, data, false, headers);
    await askAll();
    const before = await Promise.all(codings.map((coding) => get({ 'Accept-Encoding': coding })));
    assert.deepEqual(before.map(({ headers }) => headers['content-encoding']), [undefined, 'gzip', 'zstd']);
    assert.equal(new Set(before.map(({ headers }) => headers.etag)).size, codings.length);
    await Promise.all(other.replicas.map((replica) => replica.end('SIGKILL')));
    await askAll();
    for (const [i, coding] of codings.entries()) {
      const { headers: { etag }, body } = before[i];
      const now = await get({ 'Accept-Encoding': coding });
      assert.deepEqual([now.status, now.headers.etag, now.body.equals(body)], [200, etag, true]);
      const same = await get({ 'Accept-Encoding': coding, 'If-None-Match': etag });
      assert.deepEqual([same.status, same.headers.etag, same.body.length], [304, etag, 0]);
    }
    assert.equal((await fetch(`${other.url}/tiles/4/1/1.png`)).status, 503);
    const hits = some.length + 2 * codings.length;
    const byCache = (await other.log(some.length + codings.length + hits + 1)).map(({ cache }) => cache);
    assert.equal(byCache.filter((cache) => cache === 'HIT').length, hits);
  } finally {
    await other.stop();
  }
});
