/* Thousands of connections that are half open: a third never sends a byte, a third drips headers, a
 * third a body, a byte a second each; whoever is closed comes back. How much slower is a well-behaved
 * client, and how late is a dripper gone?
 * usage: dripping.mjs [CONNECTIONS SECONDS ROUNDS]   Prints one JSON object. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually, startHeartbeat } from '../http/busy.mjs';
import { startServer } from '../tools/server.mjs';

const DEADLINE = 3; /* seconds */
const PER_ADDRESS = 1000;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function wellBehaved(port, seconds) {
  const program = fileURLToPath(new URL('well_behaved.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, port, 4, seconds]
    .map(String));
  return JSON.parse(stdout);
}

const kinds = [
  { first: '', next: '' },
  { first: 'GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Drip: ', next: 'a' },
  { first: 'POST /heights HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n', next: ' ' },
];

/* Keeps `count` slow connections open until stop(); `lives` are the milliseconds that closed ones lasted. */
async function startDrippers(port, count) {
  const open = new Set();
  const lives = [];
  let stopped = false;

  function start(index) {
    if (stopped) return;
    const { first, next } = kinds[index % kinds.length];
    const localAddress = `127.0.1.${1 + Math.floor(index / PER_ADDRESS)}`;
    const socket = net.connect({ port, host: '127.0.0.1', localAddress });
    let connected = 0;
    socket.on('connect', () => {
      connected = performance.now();
      open.add(socket);
      socket.next = next;
      if (first) socket.write(first);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(socket);
      if (connected && !stopped) lives.push(performance.now() - connected);
      setTimeout(() => start(index), 20);
    });
    socket.resume();
  }

  for (let i = 0; i < count; i++) {
    start(i);
    if (i % 250 === 249) await pause(50);
  }
  const timer = setInterval(() => {
    for (const socket of open) if (socket.next) socket.write(socket.next);
  }, 1000);
  return {
    open: () => open.size,
    lives,
    stop() {
      stopped = true;
      clearInterval(timer);
      for (const socket of open) socket.destroy();
    },
  };
}

const resident = (pid) => Number(
  /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

/* With `connections` drippers against a limit of `limit` connections; with `all`, until as many of them were
 * closed, however slow the machine is: the longest that it held up a request is hold_up_s. */
export async function dripping({ connections, limit, seconds, rounds, all = false }) {
  const server = await startServer({ arguments: ['--connections', String(limit),
    '--header-timeout', String(DEADLINE), '--body-timeout', String(DEADLINE), '--timeout', '60'] });
  await wellBehaved(server.port, 1);
  const result = { connections, limit, deadline_s: DEADLINE, rounds: [] };
  const before = resident(server.pid);
  for (let round = 0; round < rounds; round++) {
    const quiet = await wellBehaved(server.port, seconds);
    const drippers = await startDrippers(server.port, connections);
    const heartbeat = all && startHeartbeat(server.port);
    await pause(DEADLINE * 1000);
    const among = await wellBehaved(server.port, seconds);
    result.open = drippers.open();
    result.kilobytes_each = Math.round((resident(server.pid) - before) / result.open * 10) / 10;
    if (all) await eventually(() => drippers.lives.length >= connections, 'the end of each dripper');
    if (heartbeat) result.hold_up_s = await heartbeat.stop();
    const lives = drippers.lives.slice();
    drippers.stop();
    result.rounds.push({ quiet, among, ratio: Math.round(among.p99 / quiet.p99 * 100) / 100 });
    result.closed = (result.closed ?? 0) + lives.length;
    result.latest_s = Math.round(Math.max(result.latest_s ?? 0, ...lives)) / 1000;
    await pause(500);
  }
  result.failed = result.rounds.reduce((sum, round) => sum + round.quiet.failed + round.among.failed, 0);
  result.p99_ratio = median(result.rounds.map((round) => round.ratio));
  result.log_lines = server.complaints().split('\n').length - 1;
  result.status = await server.stop();
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [connections = 5000, seconds = 8, rounds = 5] = process.argv.slice(2).map(Number);
  const roomy = await dripping({ connections, limit: connections * 2, seconds, rounds });
  const crowded = await dripping({ connections, limit: Math.ceil(connections * 0.4), seconds, rounds });
  /* A few of many sockets may not have seen their end yet. */
  process.stdout.write(`${JSON.stringify({ roomy, crowded }, null, 1)}\n`, () => process.exit());
}
