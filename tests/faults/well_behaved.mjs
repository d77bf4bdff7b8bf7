/* A well-behaved client: connections that each request a cached tile again and again.
 * usage: well_behaved.mjs PORT CONNECTIONS SECONDS   Prints { answers, failed, p50, p99 }, milliseconds.
 * A connection that the server closes is opened again, as a browser would; it has failed only if
 * its request was not answered then either. */

import http from 'node:http';

const [port, connections, seconds] = process.argv.slice(2).map(Number);
const end = performance.now() + seconds * 1000;
const times = [];
let failed = 0;

function ask(agent) {
  return new Promise((resolve) => {
    const request = http.get({ port, host: '127.0.0.1', agent, path: '/tiles/3/4/2.png' }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode === 200));
      answer.on('error', () => resolve(false));
    });
    request.setTimeout(20000, () => request.destroy());
    request.on('error', () => resolve(false));
  });
}

async function walk() {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  while (performance.now() < end) {
    const started = performance.now();
    if (!(await ask(agent)) && !(await ask(agent))) failed++;
    times.push(performance.now() - started);
  }
  agent.destroy();
}

await Promise.all(Array.from({ length: connections }, walk));
times.sort((a, b) => a - b);
const part = (share) => Math.round(times[Math.floor(share * (times.length - 1))] * 1000) / 1000;
console.log(JSON.stringify({ answers: times.length, failed, p50: part(0.5), p99: part(0.99) }));
