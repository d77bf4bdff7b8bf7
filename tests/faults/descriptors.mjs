/* The daemon has no file descriptors left for SECONDS while new clients connect: what it does
 * and logs, and how soon it accepts new clients again.
 * usage: descriptors.mjs [SECONDS]   Prints one JSON object. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { startServer } from '../tools/server.mjs';

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

function allow(pid, descriptors) {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${descriptors}:`]);
}

/* The lowest free descriptor, once those that are open for a moment have been closed. */
async function lowestFree(pid) {
  for (let before = -1; ;) {
    const used = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
    let lowest = 0;
    while (used.has(lowest)) lowest++;
    if (lowest === before) return lowest;
    before = lowest;
    await pause(300);
  }
}

function ask(port, agent, timeout = 20000) {
  return new Promise((resolve) => {
    const request = http.get({ port, host: '127.0.0.1', agent, path: '/tiles/3/4/2.png' }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
    });
    request.setTimeout(timeout, () => request.destroy());
    request.on('error', () => resolve(0));
  });
}

/* Sends ten requests a second on one connection until stopped, and counts the results. */
function startWellBehaved(port, agent) {
  const got = { answers: 0, failed: 0 };
  let stopped = false;
  const ended = (async () => {
    while (!stopped) {
      if (await ask(port, agent) === 200) got.answers++;
      else got.failed++;
      await pause(100);
    }
  })();
  return { got, async stop() { stopped = true; await ended; } };
}

export async function descriptors({ seconds }) {
  const server = await startServer();
  const { port, pid } = server;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  await ask(port, agent);
  /* On the open connection, as a new one would free a descriptor when it ends. */
  const asked = performance.now();
  await ask(port, agent);
  const usual = performance.now() - asked;
  const wellBehaved = startWellBehaved(port, agent);
  allow(pid, await lowestFree(pid));
  const before = processorSeconds(pid);
  const newcomers = [];
  const timer = setInterval(() => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    socket.on('data', () => { socket.answered = true; });
    newcomers.push(socket);
  }, 50);
  await pause(seconds * 1000);
  clearInterval(timer);
  const used = processorSeconds(pid) - before;
  const lines = server.complaints().split('\n').length - 1;
  const answered = newcomers.filter((socket) => socket.answered).length;
  allow(pid, 1024);
  const started = performance.now();
  const status = await ask(port, undefined);
  const recovered = performance.now() - started;
  const count = () => newcomers.filter((socket) => socket.answered).length;
  for (const end = performance.now() + 60000; count() < newcomers.length && performance.now() < end;) await pause(20);
  const served = count();
  for (const socket of newcomers) socket.destroy();
  await wellBehaved.stop();
  agent.destroy();
  const said = server.complaints().split('\n').length - 1;
  return {
    seconds,
    newcomers: newcomers.length,
    answered_meanwhile: answered,
    answered_after: served,
    well_behaved: wellBehaved.got,
    processor_share: Math.round(used / seconds * 10000) / 10000,
    lines_meanwhile: lines,
    lines_in_all: said,
    recovered_ms: Math.round(recovered),
    usual_ms: Math.round(usual),
    status_after: status,
    status: await server.stop(),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [seconds = 30] = process.argv.slice(2).map(Number);
  console.log(JSON.stringify(await descriptors({ seconds }), null, 1));
}
