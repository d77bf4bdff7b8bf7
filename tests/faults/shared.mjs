/* The cost of a failing memcached: a server with a shared cache and one without get the same requests for
 * cold tiles, at a steady rate and at the same moments, and their times are compared.
 *
 * usage: shared.mjs [SECONDS_OF_A_PHASE [RATE]]   TERRANE_BINARY is the program.
 * Exit status 1 if a byte is wrong, a request fails, the memcached is not used again in time, or, on
 * a machine quiet enough to tell, tiles take longer than the targets say. */

import http from 'node:http';
import { pause, startFake, startMemcached } from '../tools/memcached.mjs';
import { startServer } from '../tools/server.mjs';

const SECONDS = Number(process.argv[2] ?? 2);
const RATE = Number(process.argv[3] ?? 200);
const SLICES = 5; /* of such phases, of which the median is judged: a single p99 varies too much */
const TARGETS = { first: 60, later: 1, again: 5000 }; /* milliseconds */

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

/* { status, from, body, time } */
function ask(server, path) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    http.get(server.url + path, { agent }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => resolve({
        status: response.statusCode,
        from: response.headers['x-terrane-cache'],
        body: Buffer.concat(parts),
        time: performance.now() - began,
      }));
    }).on('error', reject);
  });
}

/* The next tile that was not requested before, of few samples. */
let column = 0;
const nextTile = () => `/tiles/16/${column++ % 60000}/${20000 + Math.floor(column / 60000)}.json?size=4`;

const wrong = [];

/* Requests new tiles from both servers for so many seconds; resolves to pairs of responses. */
async function askBoth(servers, seconds) {
  const began = performance.now();
  const asked = [];
  for (let i = 0; i < seconds * RATE; i++) {
    const wait = began + (i * 1000) / RATE - performance.now();
    if (wait > 0) await pause(wait);
    const path = nextTile();
    /* In turns, since the second of two requests is a little slower. */
    const pair = i % 2 ? servers : [servers[1], servers[0]];
    asked.push(Promise.all(pair.map((server) => ask(server, path))).then((answers) => {
      if (!answers.every(({ status }) => status === 200) || !answers[0].body.equals(answers[1].body)) wrong.push(path);
      return i % 2 ? answers : answers.reverse();
    }));
  }
  return Promise.all(asked);
}

const quantile = (times, q) => times.sort((one, other) => one - other)[Math.min(times.length - 1, Math.floor(times.length * q))];

function compare(answers) {
  const [withShared, plain] = [0, 1].map((i) => answers.map((pair) => pair[i].time));
  const figures = {};
  for (const q of [0.5, 0.99]) figures[q] = [quantile(withShared, q), quantile(plain, q)];
  return { ...figures, added: figures[0.99][0] - figures[0.99][1] };
}

async function compareSlices(servers) {
  const slices = [];
  while (slices.length < SLICES) slices.push(compare(await askBoth(servers, SECONDS)));
  return slices.sort((one, other) => one.added - other.added)[SLICES >> 1];
}

async function untilShared(server) {
  const began = performance.now();
  const path = nextTile();
  while ((await ask(server, path)).from !== 'shared') {
    if (performance.now() - began > 20000) return Infinity;
    await pause(10);
  }
  return performance.now() - began;
}

/* Another server takes the place of the killed one. */
const replacedBy = (options) => ({
  async begin(cache) {
    await cache.kill();
    this.fake = await startFake({ port: cache.port, ...options });
  },
  async end(cache) {
    await this.fake.close();
    return startMemcached({ port: cache.port });
  },
});

const faults = {
  'killed, started again': {
    begin: (cache) => cache.kill(),
    end: (cache) => startMemcached({ port: cache.port }),
  },
  'stopped, let go': {
    begin: (cache) => cache.stop(),
    end: (cache) => { cache.go(); return cache; },
  },
  'hung after reconnecting': replacedBy({ mode: 'mute' }),
  'answering probes only': replacedBy({ mode: 'silent' }),
  'answering rubbish': replacedBy({ mode: 'rubbish' }),
  'dripping the line': replacedBy({ mode: 'dripsLine' }),
  'dripping the value': replacedBy({ mode: 'dripsValue' }),
  'dripping the end': replacedBy({ mode: 'dripsEnd' }),
  'slow, but in time': replacedBy({ mode: 'slow', delay: 45 }), /* of the default timeout of 50 ms */
};

const show = (name, { 0.5: p50, 0.99: p99, added }) => console.log(
  `  ${name.padEnd(22)} p50 ${p50.map((ms) => ms.toFixed(2)).join(' / ')} ms, p99 ${p99.map((ms) => ms.toFixed(2)).join(' / ')} ms, added p99 ${added.toFixed(2)} ms`);

let missed = 0;
function judge(what, figure, target) {
  if (figure <= target) return;
  missed++;
  console.log(`  MISSED: ${what} ${figure.toFixed(2)} ms, the target is ${target} ms`);
}

async function run(name, fault, servers, cache) {
  console.log(`${name} (with / without a shared cache, ${RATE} cold tiles a second each)`);
  await untilShared(servers[0]);
  const before = await compareSlices(servers);
  show('before', before);
  const began = fault.begin(cache); /* while tiles are asked for */
  const first = compare(await askBoth(servers, 1));
  await began;
  show('the first second', first);
  const later = await compareSlices(servers);
  show('then', later);
  const whole = await fault.end(cache);
  const again = await untilShared(servers[0]);
  console.log(`  used again after ${again.toFixed()} ms`);
  judge('used again after', again, TARGETS.again);
  /* Without a fault the shared cache adds a fraction of a millisecond: more is other work. */
  if (Math.abs(before.added) > 1) console.log('  the machine is too busy to judge the p99');
  else {
    judge('added p99 in the first second', first.added, TARGETS.first);
    judge('added p99 then', later.added, TARGETS.later);
  }
  return whole;
}

let cache = await startMemcached();
/* Idle connections stay open: one that closes just as it is used again would fail a request. */
const flags = ['--cache-memory', '0', '--timeout', '3600'];
const servers = [
  await startServer({ arguments: [...flags, '--cache-shared', cache.url] }),
  await startServer({ arguments: flags }),
];
try {
  await askBoth(servers, 1);
  for (const [name, fault] of Object.entries(faults)) cache = await run(name, fault, servers, cache);
} finally {
  agent.destroy();
  for (const server of servers) await server.stop();
  await cache.kill();
}
console.log(`${wrong.length} wrong or failed answers, ${missed} targets missed`);
process.exitCode = wrong.length > 0 || missed > 0 ? 1 : 0;
