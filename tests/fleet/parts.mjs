/* The parts of a fleet as ordinary processes on loopback: replicas, memcached and nginx with
 * docker/nginx.conf. Each part keeps its port when it is started again. */

import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../tools/folder.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const binary = path.resolve(process.env.TERRANE_BINARY ?? `${root}/build/release/terrane`);
const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

/* Returns those of the programs that are not installed. */
export function missing(...programs) {
  return programs.filter((program) => {
    try {
      execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore', env: environment() });
      return false;
    } catch {
      return true;
    }
  });
}

/* Daemons are not on every user's path; settings of the machine's are not for these replicas. */
function environment() {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TERRANE_'));
  return { ...Object.fromEntries(own), PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
}

/* Not from the range out of which the system gives connections theirs: a part that is down for a
 * while would find its own taken. */
const given = new Set();
export async function freePort() {
  const [least] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/).map(Number);
  for (;;) {
    const port = randomInt(10_000, least > 20_000 ? least : 65_536);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    await once(server.close(), 'close');
    return port;
  }
}

export async function accepts(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/* Whatever ends this process ends them. */
const children = new Set();
process.on('exit', () => { for (const child of children) child.kill(); });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/* A process that can be hurt and started again. It has a session of its own, as in a fleet it has a
 * machine or container of its own: the kernel shares the processors between sessions first, so that
 * render threads, which give way to everything beside them, give way to their own replica alone. */
export class Part {
  constructor(name, port, command, ready) {
    Object.assign(this, { name, port, command, ready, said: '' });
  }

  async start() {
    const [program, ...words] = this.command;
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: environment(), detached: true });
    children.add(child);
    child.once('exit', () => children.delete(child));
    this.child = child;
    this.exited = once(child, 'exit').catch((error) => [error]);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => { this.said += data; });
    }
    const deadline = performance.now() + 10_000;
    while (!await this.ready(this.port)) {
      if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${this.name}: ${this.said}`);
      await pause(10);
    }
  }

  signal(name) {
    this.child.kill(name);
  }

  /* Ends it and waits until it has. */
  async end(signal = 'SIGTERM') {
    if (this.child === undefined || this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill(signal);
    if (signal !== 'SIGKILL') this.child.kill('SIGCONT');
    const late = setTimeout(() => this.child.kill('SIGKILL'), 20_000);
    await this.exited;
    clearTimeout(late);
  }
}

async function isReady(port) {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1000) });
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

/* docker/nginx.conf with the ports and folders of this run, and as many edits as asked for. */
function nginxConfig(folder, port, replicas, edits) {
  const replacements = [
    ['listen 8080 backlog', `listen 127.0.0.1:${port} backlog`],
    ['pid /tmp/nginx.pid', `pid ${folder}/nginx.pid`],
    ['access_log /dev/stdout fleet buffer=64k flush=1s', `access_log ${folder}/access.log fleet`],
    ['proxy_cache_path /tmp/nginx-tiles', `proxy_cache_path ${folder}/tiles`],
    ['worker_processes auto', 'worker_processes 2'],
    ['worker_rlimit_nofile 65536;', ''],
    ...replicas.map((replica, i) => [`terrane-${i + 1}:8080`, `127.0.0.1:${replica}`]),
    ...edits,
  ];
  let text = readFileSync(`${root}/docker/nginx.conf`, 'utf8');
  for (const [from, to] of replacements) {
    if (!text.includes(from)) throw new Error(`docker/nginx.conf has no "${from}"`);
    text = text.replaceAll(from, to);
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `    ${name}_temp_path ${folder}/${name};\n`).join('');
  return text.replace('http {\n', `http {\n${temporary}`);
}

/* nginx with docker/nginx.conf in front of replicas on these ports, not started yet. `edits` are pairs
 * of texts in its configuration. */
export async function proxyOf(replicas, edits = []) {
  const folder = temporaryFolder().path;
  const port = await freePort(), config = path.join(folder, 'nginx.conf');
  const nginx = new Part('nginx', port,
    ['nginx', '-p', folder, '-c', config, '-g', `daemon off;${process.getuid() === 0 ? ' user root;' : ''}`], accepts);
  mkdirSync(path.join(folder, 'tiles'));
  writeFileSync(config, nginxConfig(folder, port, replicas, edits));
  const lines = () => readFileSync(path.join(folder, 'access.log'), 'utf8').split('\n')
    .map((line) => /"\S+ (\S+) [^"]*" (\d+) \d+ \S+ "([^"]*)" "([^"]*)" "[^"]*" (\S+)$/.exec(line))
    .filter(Boolean);
  return {
    folder, nginx, url: `http://127.0.0.1:${port}`,
    async stop() {
      await nginx.end('SIGQUIT');
    },
    /* { uri, status, replicas: ports tried in turn, statuses: theirs, cache } of each line of its log, once
     * `least` of them are there: a line is written after its answer. */
    async log(least = 0) {
      const deadline = performance.now() + 30_000;
      while (lines().length < least) {
        if (performance.now() > deadline) throw new Error(`nginx has logged ${lines().length} requests of ${least}`);
        await pause(10);
      }
      return lines().map(([, uri, status, tried, statuses, cache]) => ({
        uri, status: Number(status), cache, statuses: statuses.split(', '),
        replicas: tried.split(/, | : /).map((address) => Number(address.split(':')[1])),
      }));
    },
  };
}

/* Three replicas, two memcached and nginx in front, all started; and one replica more that nothing
 * ever happens to and nobody else knows. */
export async function startFleet({ edits = [], serve = [] } = {}) {
  const ports = await Promise.all(Array.from({ length: 6 }, freePort));
  const user = process.getuid() === 0 ? ['-u', 'root'] : [];
  const caches = ports.slice(0, 2).map((port, i) => new Part(`memcached-${i + 1}`, port,
    ['memcached', '-l', '127.0.0.1', '-p', String(port), '-m', '64', '-t', '1', ...user], accepts));
  const shared = `memcached://${caches.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  const terrane = (name, port, more) => new Part(name, port,
    [binary, 'serve', '--listen', `127.0.0.1:${port}`, '--loops', '2', '--renderers', '2', ...more], isReady);
  const replicas = ports.slice(2, 5).map((port, i) => terrane(`terrane-${i + 1}`, port,
    ['--cache-memory', '4M', '--cache-shared', shared, '--trusted-proxies', '127.0.0.1', ...serve]));
  const reference = terrane('reference', ports[5], []);
  const proxy = await proxyOf(ports.slice(2, 5), edits);
  const parts = [...caches, ...replicas, reference];
  const stop = () => Promise.all([proxy.stop(), ...parts.map((part) => part.end('SIGKILL'))]);
  try {
    for (const part of [...parts, proxy.nginx]) await part.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...proxy, replicas, caches, reference, stop };
}
