/* A fleet as in docker/compose.yaml under load, while its parts are killed, hung and started again: no
 * request fails and no byte is wrong. FLEET_SECONDS goes on for so long with faults drawn by chance. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { PNG } from 'pngjs';
import { addresses, digest, expectations, randomFrom, startLoad } from './load.mjs';
import { binary, missing, startFleet } from './parts.mjs';

const lacking = missing('nginx', 'memcached');
const skip = lacking.length > 0 && `${lacking.join(' and ')} not installed`;
const sleep = (seconds) => new Promise((done) => { setTimeout(done, seconds * 1000); });
const SEED = Number(process.env.FLEET_SEED ?? 20);

let fleet, known, load, shared = 0, made = 0;

before(async () => {
  if (skip) return;
  fleet = await startFleet();
  known = await expectations(fleet.reference.url,
    addresses(240, randomFrom(SEED)));
});
after(() => fleet?.stop());

/* So long, and on a slow machine longer: until a hundred times as many requests were answered meanwhile. */
async function pause(seconds) {
  const wanted = load.result.requests + 100 * seconds;
  await sleep(seconds);
  while (load.result.requests < wanted) await sleep(0.02);
}

/* What is done to the fleet; each leaves it whole. */
const faults = {
  'a replica is killed': async ([replica]) => {
    await replica.end('SIGKILL');
    await pause(1);
    await replica.start();
  },
  'a replica hangs': async ([replica]) => {
    replica.signal('SIGSTOP');
    await pause(4);
    replica.signal('SIGCONT');
  },
  'a replica is restarted': async ([replica]) => {
    await replica.end('SIGTERM');
    await replica.start();
  },
  'one replica is killed while another hangs': async ([one, other]) => {
    other.signal('SIGSTOP');
    await pause(0.5);
    await one.end('SIGKILL');
    await pause(2);
    await one.start();
    other.signal('SIGCONT');
  },
  'all replicas are restarted, one after the other': async (replicas) => {
    for (const replica of replicas) {
      await replica.end('SIGTERM');
      await replica.start();
      await pause(0.2);
    }
  },
  'a memcached is killed, and comes back empty': async (replicas, [cache]) => {
    await cache.end('SIGKILL');
    await pause(1);
    await cache.start();
  },
  'a memcached hangs': async (replicas, [cache]) => {
    cache.signal('SIGSTOP');
    await pause(2);
    cache.signal('SIGCONT');
  },
  'both memcached are gone and a replica is killed': async ([replica], caches) => {
    await Promise.all(caches.map((cache) => cache.end('SIGKILL')));
    await replica.end('SIGKILL');
    await pause(1);
    await Promise.all([replica, ...caches].map((part) => part.start()));
  },
  'nginx reads its configuration again': async (replicas, caches, nginx) => {
    nginx.signal('SIGHUP');
    await pause(0.5);
  },
};

const turned = (list, by) => [...list.slice(by), ...list.slice(0, by)];

/* Only while nginx reads its configuration again may it close a connection, an old or a new one, just when a request comes
 * in on it; every client asks again then (RFC 9112, 9.3.1). */
async function underLoad(t, act, reload = false) {
  load = startLoad(fleet.url, known, { seed: SEED });
  const began = performance.now();
  await pause(0.3);
  try {
    await act();
    await pause(0.5);
  } finally {
    const result = await load.stop();
    made += result.requests;
    const seconds = (performance.now() - began) / 1000;
    const ms = (share) => `${result.at(share).toFixed(1)} ms`;
    assert.ok(reload || result.again === 0, 'nginx closed a connection that was asked on');
    t.diagnostic(`${result.requests} requests in ${seconds.toFixed(1)} s (${result.unchanged} of them 304, ${result.again} asked again), `
      + `${result.failures.length} failed; p50 ${ms(0.5)}, p99 ${ms(0.99)}, longest ${ms(1)}; `
      + `from ${JSON.stringify(result.from)}`);
    shared += result.from.shared ?? 0;
    assert.deepEqual(result.failures, []);
    assert.ok(result.requests >= 20, 'there was no load to speak of');
  }
}

test('what the reference says is what terrane render writes', { skip }, () => {
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

test('in quiet, each address has one replica, and all replicas have some', { skip }, async (t) => {
  /* A few at a time: one that takes seconds on a slow machine is asked of another replica, too. */
  await expectations(fleet.url, [...known.keys()]);
  made += known.size;
  const byAddress = new Map();
  for (const { uri, replicas } of await fleet.log(made)) {
    byAddress.set(uri, new Set([...byAddress.get(uri) ?? [], ...replicas]));
  }
  assert.equal(byAddress.size, known.size);
  const used = new Map(fleet.replicas.map(({ port }) => [port, 0]));
  for (const [uri, replicas] of byAddress) {
    assert.equal(replicas.size, 1, uri);
    const [port] = replicas;
    used.set(port, used.get(port) + 1);
  }
  t.diagnostic(`addresses by replica: ${[...used.values()].join(', ')}`);
  for (const count of used.values()) assert.ok(count > byAddress.size / 8);
});

for (const [name, act] of Object.entries(faults)) {
  test(name, { skip }, (t) => underLoad(t,
    () => act(fleet.replicas, fleet.caches, fleet.nginx), name.startsWith('nginx')));
}

test('faults by chance, for FLEET_SECONDS', { skip: skip || !process.env.FLEET_SECONDS }, async (t) => {
  const random = randomFrom(SEED), counts = {};
  const list = Object.entries(faults);
  const end = performance.now() + 1000 * Number(process.env.FLEET_SECONDS);
  await underLoad(t, async () => {
    while (performance.now() < end) {
      const [name, act] = list[Math.floor(random() * list.length)];
      const by = Math.floor(random() * 6);
      await act(turned(fleet.replicas, by % 3), turned(fleet.caches, by % 2), fleet.nginx);
      counts[name] = (counts[name] ?? 0) + 1;
      await pause(random());
    }
  }, true);
  t.diagnostic(JSON.stringify(counts));
});

test('the faults were there: nginx had to ask a second replica, and replicas memcached', { skip }, async (t) => {
  const lines = await fleet.log(made);
  const again = lines.filter(({ replicas }) => replicas.length > 1);
  const failed = lines.filter(({ status }) => status >= 500);
  t.diagnostic(`${again.length} of ${lines.length} requests were answered by a second replica or a third`);
  assert.ok(again.length > 10);
  assert.ok(shared > 0);
  assert.deepEqual(failed, []);
});

test('with proxy_cache on, what was asked for once is there without any replica', { skip }, async () => {
  const other = await startFleet({ edits: [['proxy_cache off;', 'proxy_cache tiles;']] });
  try {
    /* What may be kept is what names the world it is of. */
    const [{ fingerprint }] = JSON.parse(execFileSync(binary, ['worlds', '--json'])).filter(({ name }) => name === 'terra');
    const some = [...known].filter(([address]) => /^\/tiles\/.*\.(png|webp)$/.test(address)).slice(0, 20)
      .map(([address, expected]) => [address.replace('/tiles/', `/worlds/terra@${fingerprint}/tiles/relief/`), expected]);
    assert.equal(some.length, 20);
    const ask = async () => {
      for (const [address, { digest: expected }] of some) {
        const response = await fetch(other.url + address);
        assert.equal(response.status, 200, address);
        assert.equal(digest(new Uint8Array(await response.arrayBuffer())), expected, address);
      }
    };
    await ask();
    await Promise.all(other.replicas.map((replica) => replica.end('SIGKILL')));
    await ask();
    assert.equal((await fetch(`${other.url}/tiles/4/1/1.png`)).status, 502);
    const byCache = (await other.log(2 * some.length + 1)).map(({ cache }) => cache);
    assert.equal(byCache.filter((cache) => cache === 'HIT').length, some.length);
  } finally {
    await other.stop();
  }
});
