/* The daemon under load, beside nginx with the same bytes in the same run; and how soon it has its
 * first tile ready. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';

import { startServer } from '../tools/server.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const THREADS = 2; /* of each server, and of the client: all on the same two cores */
const CONNECTIONS = [16, 64, 512];
const SECONDS = 1; /* a turn; servers take turns, so that both see the same machine */
const TURNS = 3;
const STARTS = 11;

const TILE = '/tiles/8/129/130.png';
const SMALL_TILE = '/tiles/hillshade/9/257/256.png';
const PLACE = '/at?x=1234.5&y=-6789';

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function versionOf(program, flag) {
  const { stdout, stderr, error } = spawnSync(program, [flag], { encoding: 'utf8' });
  return error ? null : `${stdout}${stderr}`.split('\n')[0].trim();
}

/* { status, headers, body }. */
function ask(url, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, agent: false }, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('end', () => resolve({
        status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts),
      }));
      answer.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function expect(url, options, status) {
  const answer = await ask(url, options);
  if (answer.status !== status) throw new Error(`${url}: ${answer.status} ${answer.body}`);
  return answer;
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/* Settings as its own documentation recommends for small static files. */
const nginxSettings = (folder, port) => `
${process.getuid() === 0 ? 'user root;' : ''}
daemon off; worker_processes ${THREADS};
pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; tcp_nodelay on;
  keepalive_requests 1000000000; open_file_cache max=100;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  types { image/png png; application/json json; }
  server { listen 127.0.0.1:${port} reuseport; root ${folder}; }
}
`;

/* nginx with some files ({ name: bytes }); like startServer(). */
async function startNginx(files) {
  const folder = temporaryFolder().path;
  const port = await freePort();
  chmodSync(folder, 0o755);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, 'nginx.conf'), nginxSettings(folder, port));
  const child = spawn('nginx', ['-p', folder, '-e', `${folder}/error.log`, '-c', `${folder}/nginx.conf`],
    { stdio: 'ignore' });
  const exited = once(child, 'exit').catch(() => {});
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGQUIT');
    await exited;
  };
  for (let tries = 0; tries < 100; tries++) {
    if (await ask(`${url}/nginx.conf`).then(() => true, () => false)) return { url, pid: child.pid, stop };
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
  await stop();
  throw new Error('nginx does not start');
}

/* Seconds of processor time that a process and its children have used, if the system tells. */
export function processorTime(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const pids = [pid, ...children.split(' ').filter(Boolean)];
    const ticks = pids.map((one) => {
      const fields = readFileSync(`/proc/${one}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
      return Number(fields[11]) + Number(fields[12]);
    });
    return ticks.reduce((sum, one) => sum + one) / 100;
  } catch {
    return NaN;
  }
}

/* Keeps this process, and those that it starts from now on, to two cores. */
export function shareTwoCores() {
  const { status } = spawnSync('taskset', ['-p', '-c', '0,1', String(process.pid)]);
  return status === 0;
}

/* One turn of wrk: { hits, seconds, p99_ms }. */
function runWrk(url, target, connections) {
  const words = [`-t${THREADS}`, `-c${connections}`, `-d${SECONDS}s`, '--latency'];
  const text = execFileSync('wrk', [...words, url + target], { encoding: 'utf8' });
  if (/Non-2xx|Socket errors/.test(text)) throw new Error(`${target}: ${text}`);
  const [, p99, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(text);
  const hits = Number(/(\d+) requests in/.exec(text)[1]);
  const seconds = hits / Number(/Requests\/sec:\s+([\d.]+)/.exec(text)[1]);
  return { hits, seconds, p99_ms: Number(p99) * { us: 0.001, ms: 1, s: 1000 }[unit] };
}

/* The same from our own client, for answers that wrk cannot read: see closed_loop.c. */
function runLoad(url, target, connections, etag) {
  const { port } = new URL(url);
  const request = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: ${etag}\r\n`;
  return JSON.parse(execFileSync(process.env.BENCH_LOAD,
    [port, String(THREADS), String(connections), String(SECONDS), '304', request]));
}

/* One turn: hits a second, and microseconds of the server's processor time for each. */
function load(server, target, connections, etag) {
  const before = processorTime(server.pid);
  const { hits, seconds, p99_ms: p99 } = etag
    ? runLoad(server.url, target, connections, etag)
    : runWrk(server.url, target, connections);
  return { hits: hits / seconds, cpu: ((processorTime(server.pid) - before) * 1e6) / hits, p99 };
}

const summary = (turns) => ({
  hits_per_second: Math.round(median(turns.map(({ hits }) => hits))),
  cpu_us: Number(median(turns.map(({ cpu }) => cpu)).toFixed(2)),
  p99_ms: Number(median(turns.map(({ p99 }) => p99)).toFixed(3)),
});

/* The two servers in turn on what they both have: { name, target, file }, and for a 304 { own, its },
 * the ETags. */
function compare(terrane, nginx, { name, target, file, own, its }, connections) {
  const turns = [];
  const others = [];
  for (let turn = 0; turn < TURNS; turn++) {
    turns.push(load(terrane, target, connections, own));
    if (nginx) others.push(load(nginx, file, connections, its));
  }
  const row = { name, connections, ...summary(turns) };
  if (!nginx) return row;
  const ratio = median(turns.map(({ hits }, turn) => hits / others[turn].hits));
  return { ...row, nginx: summary(others), ratio: Number(ratio.toFixed(3)) };
}

export async function measureLoad(log) {
  const wrk = versionOf('wrk', '-v');
  if (!wrk) return { skipped: 'wrk is not installed' };
  const version = versionOf('nginx', '-v');
  const shared = shareTwoCores();
  const terrane = await startServer({ arguments: ['--loops', String(THREADS), '--queue', '2048'] });
  let nginx;
  try {
    const tile = await expect(terrane.url + TILE, {}, 200);
    const little = await expect(terrane.url + SMALL_TILE, {}, 200);
    const small = await expect(`${terrane.url}/version`, {}, 200);
    const at = await expect(terrane.url + PLACE, {}, 200);
    const files = { 'tile.png': tile.body, 'little.png': little.body, 'version.json': small.body, 'at.json': at.body };
    if (version) nginx = await startNginx(files);
    const file = nginx && await expect(`${nginx.url}/tile.png`, {}, 200);
    const cases = [
      { name: 'cached tile', target: TILE, file: '/tile.png' },
      { name: 'cached small tile', target: SMALL_TILE, file: '/little.png' },
      { name: '/version', target: '/version', file: '/version.json' },
      { name: '/at, computed', target: PLACE, file: '/at.json' },
      {
        name: '304 of the tile', target: TILE, file: '/tile.png',
        own: tile.headers.etag, its: file?.headers.etag,
      },
    ];
    const results = cases.flatMap((one) => CONNECTIONS.map((connections) => {
      log(`load: ${one.name}, ${connections} connections`);
      return compare(terrane, nginx, one, connections);
    }));
    return {
      wrk, nginx: version ?? 'nginx is not installed', threads: THREADS,       seconds: SECONDS * TURNS, tile_bytes: tile.body.length, small_tile_bytes: little.body.length,
      version_bytes: small.body.length, json_bytes: at.body.length, shared_cores: shared, results,
    };
  } finally {
    await nginx?.stop();
    await terrane.stop();
  }
}

/* Milliseconds from starting the process to the last byte of a tile that was not there before. */
async function measureStart() {
  const times = [];
  let status = 0;
  for (let start = 0; start < STARTS; start++) {
    const began = performance.now();
    const server = await startServer();
    await expect(server.url + TILE, {}, 200);
    times.push(performance.now() - began);
    status ||= await server.stop();
  }
  if (status !== 0) throw new Error(`terrane serve ended with ${status}`);
  return { ms: Number(median(times).toFixed(1)), least_ms: Number(Math.min(...times).toFixed(1)), starts: STARTS };
}

export async function measureHttp(log = () => {}) {
  log('start to first tile');
  const start = await measureStart();
  return { load: await measureLoad(log), start };
}
