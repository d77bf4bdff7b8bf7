/* Servers held in a state for as long as a test looks at it, however quick or slow the machine is; and
 * how slow it is, for the times that a test has to judge. */

import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { startFake } from '../tools/memcached.mjs';
import { startServer } from '../tools/server.mjs';
import { Connection, ask, get } from './raw.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const LATEST = 120000; /* milliseconds until what should come to pass never will */
export const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

/* Waits for what stays true once it is; returns it. */
export async function eventually(condition, what) {
  for (const end = performance.now() + LATEST; ;) {
    const found = await condition();
    if (found) return found;
    assert.ok(performance.now() < end, `waited in vain for ${what}`);
    await pause(10);
  }
}

/* A function of the server's counts: count('shed_total', { reason: 'queue' }) is the sum of the lines of
 * /metrics of that name and with that label. */
export async function counts({ url }) {
  const text = await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text();
  const lines = text.split('\n');
  return (name, labels = {}) => lines
    .filter((line) => new RegExp(`^terrane_${name}[ {]`).test(line)
      && Object.entries(labels).every(([key, value]) => line.includes(`${key}="${value}"`)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/* Until the count is so much. */
export const reaches = (server, wanted, name, labels) =>
  eventually(async () => (await counts(server))(name, labels) === wanted, `${wanted} of ${name} ${JSON.stringify(labels ?? {})}`);

/* A cache that machines share, which does not answer while it is closed. Tiles and chunks are looked for
 * there before they are queued, so their requests wait as long. A server for it is started with `words`.
 * `held` are those that wait to be told; four at a time ask, others wait behind them. */
export async function startGate() {
  const fake = await startFake();
  const miss = 'END\r\n';
  const held = new Set();
  let closed = false;
  const release = (one) => {
    clearInterval(one.timer);
    one.socket.write(miss.slice(one.said));
    held.delete(one);
  };
  /* The server waits ten seconds for each next byte. */
  fake.answers = { ...fake.answers, honest(socket, key, values) {
    if (!closed || key.startsWith('terrane:probe:')) {
      if (values.has(key) && key.startsWith('terrane:probe:')) socket.write(`VALUE ${key} 0 ${values.get(key).length}\r\n${values.get(key)}\r\n`);
      socket.write(miss);
      return;
    }
    const one = { socket, said: 0 };
    one.timer = setInterval(() => {
      if (one.said < miss.length - 1) socket.write(miss[one.said++]);
    }, 5000);
    held.add(one);
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
const dear = {
  title: 'Dam',
  generator: 1,
  seed: 1,
  layers: { ...Object.fromEntries(names.map((name, i) => [name, sum(i)])), height: names.join(' + ') },
};

class Broken extends Error {}

/* Calls act() with a fresh server, whose one render thread is busy with a single dear job: { server,
 * dammed, send }. `dammed(condition, what)` waits until the condition holds while nothing else has been
 * rendered; if the job ends before, all is done again behind one of four times the cost. send(paths) opens
 * connections, sends a request on each, and they are closed at the end. In the server's counts the job
 * is one chunk that is rendered, and one request that waits until then. With `late` the job begins only when
 * act() awaits dam(), and the deadline of waiting is the server's own. */
export async function behindDam(words, act, { late = false } = {}) {
  const folder = temporaryFolder({ 'dam.json': dear }).path;
  for (let samples = 90; !await tryDam(folder, samples, words, act, late); samples *= 2)
    assert.ok(samples <= 512, 'what was waited for does not come while a render takes long');
}

async function tryDam(folder, samples, words, act, late) {
  const server = await startServer({ arguments: ['--worlds', folder, '--world-cost', '100000', '--request-cost', '1000000000',
    '--renderers', '1', ...late ? [] : ['--deadline', '3600'], ...words] });
  /* From an address of its own, where there are limits for each. */
  const dam = new Connection(server.port, '127.0.0.77');
  const check = () => {
    if (dam.closed || dam.received.length > 0) throw new Broken();
  };
  const dammed = (condition, what) => eventually(async () => {
    const found = await condition();
    check();
    return found;
  }, what);
  const opened = [dam];
  const send = (paths) => paths.map((each) => {
    const connection = new Connection(server.port);
    opened.push(connection);
    connection.send(get(each));
    return connection;
  });
  const begin = async () => {
    dam.send(get(`/worlds/dam/chunks/0/0.r32f?size=${samples}&step=0.0625`));
    await dammed(async () => {
      const count = await counts(server);
      return count('requests_waiting') === 1 && count('queue_length') === 0;
    }, 'the job that keeps the thread busy');
  };
  try {
    if (!late) await begin();
    await act({ server, dammed, send, dam: begin });
    return true;
  } catch (error) {
    if (error instanceof Broken) return false;
    throw error;
  } finally {
    opened.forEach((connection) => connection.destroy());
    assert.equal(await server.stop(), 0);
  }
}

/* How many of them have an answer, or its beginning. */
export const answered = (connections) => connections.filter(({ received }) => received.length > 0).length;

/* How long the machine lets a server and this process wait: stop() gives the longest time that one of
 * many small requests took, in seconds, and the timers between them were late. */
export function startPulse(port) {
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
