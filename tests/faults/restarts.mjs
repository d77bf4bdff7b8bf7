/* Rolling restarts under load: each server takes the listening sockets over from the one before, and
 * no request fails. As a program: node restarts.mjs [RESTARTS [SETTLE]] prints the figures. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startServer } from '../tools/server.mjs';
import { runClients } from './clients.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/* Cached tiles, documents and cold tiles; some clients pause in between. */
function browser(rendered) {
  return async (client, index) => {
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

export async function runRestarts({ restarts, settle = 0, clients = 16, pause = 50, more = [] }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'terrane-restarts-'));
  const fixed = ['--admin', path.join(folder, 'admin'), '--settle', String(settle), ...more];
  let server = await startServer({ arguments: fixed });
  const { port } = server;
  let over = false;
  const load = runClients(port, clients, browser({ next: 0, bytes: new Map() }), () => over);
  const ready = [];
  const gone = [];
  try {
    for (let n = 0; n < restarts; n++) {
      const started = performance.now();
      const successor = await startServer({ arguments: ['--port', String(port), '--take-over', ...fixed] });
      ready.push(performance.now() - started);
      const status = await server.ended();
      if (status !== 0) throw new Error(`a server ended with ${status}: ${server.complaints()}`);
      gone.push(performance.now() - started);
      server = successor;
      await sleep(pause);
    }
  } finally {
    over = true;
    await load;
    await server.stop();
    rmSync(folder, { recursive: true });
  }
  return { restarts, settle, ...(await load), ready: Math.max(...ready), gone: Math.max(...gone) };
}

/* The same with sockets that a service manager holds while one server ends and the next one starts, so
 * that clients wait in between. */
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
  let worst = 0;
  await next(/^listening on .*:(\d+)$/);
  const load = runClients(port, clients, browser({ next: 0, bytes: new Map() }), () => over);
  try {
    for (let n = 0; n < restarts; n++) {
      await sleep(pause);
      const started = performance.now();
      process.kill(pid, 'SIGTERM');
      pid = await next(/^pid (\d+)$/);
      await next(/^listening on .*:(\d+)$/);
      worst = Math.max(worst, performance.now() - started);
    }
  } finally {
    over = true;
    await load;
    process.kill(pid, 'SIGTERM');
  }
  const [status] = await ended;
  if (status !== 0) throw new Error(`the manager ended with ${status}`);
  return { restarts, ...(await load), away: worst };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [restarts, settle] = [Number(process.argv[2] ?? 100), Number(process.argv[3] ?? 0)];
  const result = await runRestarts({ restarts, settle });
  const { requests, failed, retried, connections, ready, gone } = result;
  console.log(`restarts ${restarts}, settle ${settle} s, requests ${requests}, failed ${failed}, asked again ${retried}, connections ${connections}`);
  console.log(`ready after ${ready.toFixed(0)} ms at most, the old one gone after ${gone.toFixed(0)} ms`);
  const activated = await runActivated({ restarts });
  console.log(`by a service manager's socket: restarts ${restarts}, requests ${activated.requests}, failed ${activated.failed}, asked again ${activated.retried}; away ${activated.away.toFixed(0)} ms at most`);
  const bad = Number(failed > 0) + Number(activated.failed > 0);
  console.log(`${2 - bad} passed, ${bad} failed`);
  if (bad) console.log([...result.failures.slice(0, 10), ...activated.failures.slice(0, 10)].join('\n'));
  process.exitCode = bad ? 1 : 0;
}
