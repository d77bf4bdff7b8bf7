/* Restarts under load in the two ways that fail no request: with a listening socket that the service
 * manager holds (socket activation), and of replicas behind nginx, one after another, each with a drain.
 * As a program: node restarts.mjs [RESTARTS] prints the figures of both. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { proxyOf } from '../fleet/parts.mjs';
import { startServer } from '../tools/server.mjs';
import { runClients } from './clients.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/* One request of a client: a cached tile, a document, or a cold tile that takes a while to render; some
 * clients pause in between. */
function browser(rendered) {
  return async (client, index) => {
    rendered.asked++;
    const cold = index % 8 === 0;
    const path_ = cold
      ? `/worlds/terra/tiles/relief/11/${rendered.next++ % 2048}/1000.png`
      : ['/tiles/3/4/2.png', '/tiles/9/256/256.png', '/tiles.json', '/worlds', '/at?x=1&y=2'][index % 5];
    const answer = await client.ask(path_);
    if (answer.status !== 200) throw new Error(`${path_}: ${answer.status} ${answer.body}`);
    const known = rendered.bytes.get(path_) ?? answer.body;
    rendered.bytes.set(path_, known);
    if (!known.equals(answer.body)) throw new Error(`${path_} has other bytes`);
    if (index % 8 === 5) await sleep(Math.random() * 300);
    return 1;
  };
}

const newCounts = () => ({ next: 0, asked: 0, bytes: new Map() });
const ASKED_MIN = 120; /* requests, so that some are asked around each restart on a slow machine, too */
async function untilAsked(rendered) {
  while (rendered.asked < ASKED_MIN) await sleep(20);
}

/* No replica hangs here: one that takes long does so because the machine is slow. tests/fleet has replicas that hang. */
const patient = [['proxy_connect_timeout 1s;', 'proxy_connect_timeout 60s;'],
  ...[3, 5, 15].map((seconds) => [`proxy_read_timeout ${seconds}s;`, 'proxy_read_timeout 60s;'])];

/* Three replicas behind nginx with docker/nginx.conf, restarted in turn: a replica drains, ends and
 * starts again on its port while the others answer. */
export async function runBehindProxy({ restarts, clients = 16, pause = 50 }) {
  const start = (port = 0) => startServer({ arguments: ['--port', String(port), '--trusted-proxies', '127.0.0.1', '--settle', '0'] });
  const replicas = await Promise.all([start(), start(), start()]);
  const proxy = await proxyOf(replicas.map(({ port }) => port), patient);
  const rendered = newCounts();
  let over = false, load;
  let away = 0;
  try {
    await proxy.nginx.start();
    load = runClients(proxy.nginx.port, clients, browser(rendered), () => over);
    for (let n = 0; n < restarts; n++) {
      const { port } = replicas[n % 3];
      const began = performance.now();
      const status = await replicas[n % 3].stop();
      if (status !== 0) throw new Error(`a replica ended with ${status}: ${replicas[n % 3].complaints()}`);
      replicas[n % 3] = await start(port);
      away = Math.max(away, performance.now() - began);
      await sleep(pause);
    }
    await untilAsked(rendered);
  } finally {
    over = true;
    await load;
    await Promise.all([proxy.stop(), ...replicas.map((replica) => replica.stop())]);
  }
  return { restarts, ...(await load), away };
}

/* A service manager holds the socket while one server ends and the next one starts: clients that connect
 * in between wait. */
export async function runActivated({ restarts, clients = 16, pause = 50 }) {
  const binary = process.env.TERRANE_BINARY ?? `${root}/build/release/terrane`;
  const child = spawn('perl', [`${root}/tests/faults/manager.pl`, String(restarts + 1), binary, 'serve'],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (pattern) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('the manager ended');
      const found = pattern.exec(value);
      if (found) return Number(found[1]);
    }
  };
  const port = await next(/^port (\d+)$/);
  let pid = await next(/^pid (\d+)$/);
  let over = false;
  let away = 0;
  await next(/^listening on .*:(\d+)$/);
  const rendered = newCounts();
  const load = runClients(port, clients, browser(rendered), () => over);
  try {
    for (let n = 0; n < restarts; n++) {
      await sleep(pause);
      const started = performance.now();
      process.kill(pid, 'SIGTERM');
      pid = await next(/^pid (\d+)$/);
      await next(/^listening on .*:(\d+)$/);
      away = Math.max(away, performance.now() - started);
    }
    await untilAsked(rendered);
  } finally {
    over = true;
    await load;
    process.kill(pid, 'SIGTERM');
  }
  const [status] = await ended;
  if (status !== 0) throw new Error(`the manager ended with ${status}`);
  return { restarts, ...(await load), away };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const restarts = Number(process.argv[2] ?? 100);
  const failures = [];
  for (const [name, run] of [['socket activation', runActivated], ['behind nginx', runBehindProxy]]) {
    const { requests, failed, retried, connections, away, ...sums } = await run({ restarts });
    console.log(`${name}: restarts ${restarts}, requests ${requests}, failed ${failed}, asked again ${retried}, connections ${connections}; a server was away for ${away.toFixed(0)} ms at most`);
    failures.push(...sums.failures);
  }
  console.log(failures.length ? failures.slice(0, 10).join('\n') : 'no request failed');
  process.exitCode = failures.length ? 1 : 0;
}
