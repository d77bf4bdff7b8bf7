/* The parts of a fleet as ordinary processes on loopback: replicas, memcached and nginx with
 * docker/nginx.conf. Each part keeps its port when it is started again. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { host, takePort } from '../tools/loopback.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const binary = path.resolve(process.env.TERRANE_BINARY ?? `${root}/build/release/terrane`);
const LATEST = 120_000; /* milliseconds */
const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

/* What of these programs this machine lacks. */
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

async function accepts(port) {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/* A process that can be hurt and started again. */
class Part {
  constructor(name, port, command, ready) {
    Object.assign(this, { name, port, url: `http://${host}:${port}`, command, ready, said: '' });
  }

  async start() {
    const [program, ...words] = this.command;
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: environment() });
    this.child = child;
    this.exited = once(child, 'exit').catch((error) => [error]);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => { this.said += data; });
    }
    const deadline = performance.now() + LATEST;
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
    const late = setTimeout(() => this.child.kill('SIGKILL'), LATEST);
    await this.exited;
    clearTimeout(late);
  }
}

async function isReady(port) {
  try {
    const response = await fetch(`http://${host}:${port}/readyz`, { signal: AbortSignal.timeout(10_000) });
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

/* docker/nginx.conf with the ports and folders of this run, and as many edits as asked for. */
function nginxConfig(folder, port, replicas, edits) {
  const replacements = [
    ['listen 8080 backlog=4096 reuseport', `listen ${host}:${port} backlog=4096`],
    ['pid /tmp/nginx.pid', `pid ${folder}/nginx.pid`],
    ['access_log /dev/stdout fleet', `access_log ${folder}/access.log fleet`],
    ['proxy_cache_path /tmp/nginx-tiles', `proxy_cache_path ${folder}/tiles`],
    ['worker_processes auto', 'worker_processes 2'],
    ['worker_rlimit_nofile 65536;', ''],
    ...replicas.map((replica, i) => [`terrane-${i + 1}:8080`, `${host}:${replica.port}`]),
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

/* Three replicas, two memcached and nginx in front, all started; and one replica more that nothing
 * ever happens to and nobody else knows. `edits` are pairs of texts in nginx's configuration. */
export async function startFleet({ edits = [], serve = [] } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'terrane-fleet-'));
  const ports = Array.from({ length: 7 }, takePort);
  const user = process.getuid() === 0 ? ['-u', 'root'] : [];
  const caches = ports.slice(0, 2).map((port, i) => new Part(`memcached-${i + 1}`, port,
    ['memcached', '-l', host, '-p', String(port), '-m', '64', '-t', '1', ...user], accepts));
  const shared = `memcached://${caches.map(({ port }) => `${host}:${port}`).join(',')}`;
  const terrane = (name, port, more) => new Part(name, port,
    [binary, 'serve', '--listen', `${host}:${port}`, '--loops', '2', '--renderers', '2', ...more], isReady);
  const replicas = ports.slice(2, 5).map((port, i) => terrane(`terrane-${i + 1}`, port,
    ['--cache-memory', '4M', '--cache-shared', shared, '--trusted-proxies', '127.0.0.1', ...serve]));
  const reference = terrane('reference', ports[5], []);
  const config = path.join(folder, 'nginx.conf');
  const nginx = new Part('nginx', ports[6],
    ['nginx', '-p', folder, '-c', config, '-g', `daemon off;${process.getuid() === 0 ? ' user root;' : ''}`], accepts);
  mkdirSync(path.join(folder, 'tiles'));
  writeFileSync(config, nginxConfig(folder, nginx.port, replicas, edits));
  const parts = [...caches, ...replicas, reference, nginx];
  const stop = async () => {
    await Promise.all(parts.map((part) => part.end(part === nginx ? 'SIGQUIT' : 'SIGKILL')));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const part of parts) await part.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    replicas, caches, nginx, reference, stop,
    url: nginx.url,
    /* { uri, status, replicas: ports tried in turn, cache } of each line of nginx's log, when there are so many of
     * them: those of all requests that were made. */
    async log(lines) {
      nginx.signal('SIGUSR1');
      for (const end = performance.now() + LATEST; ;) {
        await pause(100);
        const found = readFileSync(path.join(folder, 'access.log'), 'utf8').split('\n')
          .map((line) => /"\S+ (\S+) [^"]*" (\d+) \d+ \S+ "([^"]*)" "([^"]*)" "[^"]*" (\S+)$/.exec(line))
          .filter(Boolean);
        if (found.length >= lines) {
          return found.map(([, uri, status, tried, statuses, cache]) => ({
            uri, status: Number(status), cache, statuses: statuses.split(', '),
            replicas: tried.split(', ').map((address) => Number(address.split(':')[1])),
          }));
        }
        if (performance.now() > end) throw new Error(`nginx has ${found.length} lines, not ${lines}`);
      }
    },
  };
}
