/* Keeps a server in a state (its renderer busy, its cache lookups waiting) for as long as a test looks at it, on
 * machines of any speed; and measures how slow the machine is, for tests that judge times. */

import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { startFake } from '../tools/memcached.mjs';
import clock from '../tools/limit-clock.cjs';
import { startServer } from '../tools/server.mjs';
import { Connection, ask, get } from './raw.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const LATEST = 120000; /* milliseconds of the tests' clock until a test gives up waiting */
export const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

/* Waits until the condition returns something true, and returns that. */
export async function eventually(condition, what) {
  for (const end = clock.now() + LATEST; ;) {
    const found = await condition();
    if (found) return found;
    assert.ok(clock.now() < end, `waited in vain for ${what}`);
    await pause(10);
  }
}

/* A function that reads the server's counters: count('shed_total', { reason: 'queue' }) is the sum of the lines
 * of /metrics with that name and label. */
export async function counts({ url }) {
  const text = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text();
  const lines = text.split('\n');
  return (name, labels = {}) => lines
    .filter((line) => new RegExp(`^terrane_${name}[ {]`).test(line)
      && Object.entries(labels).every(([key, value]) => line.includes(`${key}="${value}"`)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/* The prices of requests in milliseconds, by the answers of a server that allows half of one. Its `words` are further
 * arguments; a request is a path and what fetch() takes besides. */
export async function pricesOf(words, ...requests) {
  const server = await startServer({ arguments: [...words, '--request-cost', '1'] });
  const prices = [];
  try {
    for (const [path, options] of requests) {
      const response = await fetch(server.url + path, options);
      assert.equal(response.status, 413, `${path} costs more than half a millisecond`);
      prices.push(Number(/^this would cost (\d+\.\d) ms/.exec((await response.json()).detail)[1]));
    }
  } finally {
    assert.equal(await server.stop(), 0);
  }
  return prices;
}

/* Arguments by which a client may use so many milliseconds at once, and half of one more in a second; a client on
 * this machine, too. */
export const clientLimit = (milliseconds) => ['--client-cost', '1', '--client-burst', `${Math.ceil(2 * milliseconds)}`];
export const localLimit = (milliseconds) => [...clientLimit(milliseconds), '--client-loopback', '1'];

/* Waits until the counter has the value. */
export const reaches = (server, wanted, name, labels) =>
  eventually(async () => (await counts(server))(name, labels) === wanted, `${wanted} of ${name} ${JSON.stringify(labels ?? {})}`);

/* A shared cache that does not answer while it is shut. The server looks for tiles and chunks there before it
 * queues them, so their requests wait until it opens. `words` are the arguments of the server; `held` has the
 * lookups that wait: at most four, as the server sends no more at once. */
export async function startBarrier() {
  const fake = await startFake();
  const miss = 'END\r\n';
  const held = new Set();
  let closed = false;
  const release = (one) => {
    one.write(miss);
    held.delete(one);
  };
  /* The server gives a lookup ten seconds in all, its longest timeout. */
  fake.answers = { ...fake.answers, honest(socket, key, values) {
    if (!closed || key.startsWith('terrane:probe:')) {
      if (values.has(key) && key.startsWith('terrane:probe:')) socket.write(`VALUE ${key} 0 ${values.get(key).length}\r\n${values.get(key)}\r\n`);
      socket.write(miss);
      return;
    }
    held.add(socket);
  } };
  return {
    words: ['--cache-shared', fake.url, '--cache-shared-timeout', '10000', '--deadline', '3600'],
    held,
    shut() { closed = true; },
    open() {
      closed = false;
      held.forEach(release);
    },
    async end() {
      held.forEach(release);
      await fake.close();
    },
  };
}

/* 100 noises of 20 octaves for each of ten layers. */
const names = Array.from({ length: 10 }, (_, i) => `part${i}`);
const sum = (i) => Array.from({ length: 100 }, (_, k) => `fbm(wavelength=${65536 + 100 * i + k}, octaves=20)`).join(' + ');
const expensive = {
  title: 'Expensive',
  generator: 1,
  seed: 1,
  layers: { ...Object.fromEntries(names.map((name, i) => [name, sum(i)])), height: names.join(' + ') },
};

/* The job ended while the test still needed a busy renderer. */
class JobEnded extends Error {}

/* Calls act({ server, whileBusy, send, startJob }) with a new server whose only render thread is busy with one
 * expensive job.
 *
 * whileBusy(condition, what) waits until the condition holds; if the job ends before that, act() is called again
 * with a job of four times the cost. send(paths) opens a connection for each path, sends the request and returns
 * the connections, which are closed at the end. The server counts the job as one rendered chunk and, until it
 * ends, as one waiting request. With `late` the job starts only when act() awaits startJob(), and requests wait
 * for the server's default deadline at most. */
export async function withBusyRenderer(words, act, { late = false } = {}) {
  const folder = temporaryFolder({ 'expensive.json': expensive }).path;
  for (let samples = 90; !await tryBusyRenderer(folder, samples, words, act, late); samples *= 2)
    assert.ok(samples <= 512, 'the condition does not hold even during a long render');
}

async function tryBusyRenderer(folder, samples, words, act, late) {
  const server = await startServer({ arguments: ['--worlds', folder, '--world-cost', '100000', '--request-cost', '1000000000',
    '--renderers', '1', ...late ? [] : ['--deadline', '3600'], ...words] });
  /* The job's own address, as some servers limit each address. */
  const job = new Connection(server.port, '127.0.0.77');
  const check = () => {
    if (job.closed || job.received.length > 0) throw new JobEnded();
  };
  const whileBusy = (condition, what) => eventually(async () => {
    const found = await condition();
    check();
    return found;
  }, what);
  const opened = [job];
  const send = (paths) => paths.map((each) => {
    const connection = new Connection(server.port);
    opened.push(connection);
    connection.send(get(each));
    return connection;
  });
  const startJob = async () => {
    job.send(get(`/worlds/expensive/chunks/0/0.r32f?size=${samples}&step=0.0625`));
    await whileBusy(async () => {
      const count = await counts(server);
      return count('requests_waiting') === 1 && count('queue_length') === 0;
    }, 'the job that keeps the thread busy');
  };
  try {
    if (!late) await startJob();
    await act({ server, whileBusy, send, startJob });
    return true;
  } catch (error) {
    if (error instanceof JobEnded) return false;
    throw error;
  } finally {
    /* A reset, so that the server does no more work for them. */
    opened.forEach((connection) => connection.socket.resetAndDestroy());
    assert.equal(await server.stop(), 0);
  }
}

/* Returns the connections that have received at least the beginning of a response. */
export const answered = (connections) => connections.filter(({ received }) => received.length > 0).length;

/* Measures how long the machine delays a server and this process: stop() returns, in seconds, the longest time
 * that one of many small requests took, together with the delay of the timer before it. */
export function startHeartbeat(port) {
  let longest = 0;
  let over = false;
  const ended = (async () => {
    while (!over) {
      const began = performance.now();
      await pause(20);
      await ask(port, get('/livez'));
      longest = Math.max(longest, performance.now() - began - 20);
    }
  })();
  return {
    async stop() {
      over = true;
      await ended;
      return longest / 1000;
    },
  };
}
