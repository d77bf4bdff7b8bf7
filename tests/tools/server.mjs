/* Starts the real program for a test and ends it by its pid. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const program = () => process.env.TERRANE_BINARY ?? `${root}/build/release/terrane`;

/* Memory in MiB that a sanitizer's build may need on top of a test's limit: what was freed stays for a
 * while, 256 MiB of it, and has an edge around it, or each byte has a shadow. */
export const sanitizerMemory = /\/build\/(asan|tsan)\//.test(process.env.TERRANE_BINARY ?? '') ? 512 : 0;

/* `terrane serve` on a free port, with further arguments if given, or the server of another program. The answer's `url` has no slash
 * at its end; further() is the next address that it says it listens on; stop() resolves with the
 * exit status (null if a signal ended it). */
export async function startServer({ arguments: more = [], env = {}, program: file = program() } = {}) {
  const child = spawn(file, ['serve', '--port', '0', ...more], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (data) => {
    complaints += data;
  });
  /* After "close" all that it wrote has been read; after "exit" it may not have been. */
  const exited = once(child, 'close').catch((error) => [error]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await Promise.race([lines.next(), exited.then(() => ({ value: undefined }))]);
  const url = /^listening on (http:\/\/\S+:(\d+))$/.exec(first.value ?? '');
  if (url === null) {
    child.kill('SIGKILL');
    await exited;
    throw new Error(`no server: ${first.value ?? complaints}`);
  }
  return {
    url: url[1],
    port: Number(url[2]),
    pid: child.pid,
    complaints: () => complaints,
    further: async () => /^listening on (.*)$/.exec((await lines.next()).value)[1],
    /* Resolves with the exit status when it ends by itself. */
    ended: async () => (await exited, child.exitCode),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
      return child.exitCode;
    },
  };
}

/* A start that is to fail: { status, stdout, stderr }. A server that starts nevertheless is ended as soon as it says so. */
export async function refusedStart(words) {
  const child = spawn(program(), ['serve', '--port', '0', ...words], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) child[stream].on('data', (data) => { said[stream] += data; });
  child.stdout.once('data', () => child.kill());
  const [status] = await once(child, 'close');
  return { status, ...said };
}

/* One server for all tests of a file: startServer()'s members are there when the first test runs, or a hook has
 * awaited `ready`. It must end with status 0. */
export function serverOfFile(options) {
  const server = {};
  server.ready = startServer(options).then((started) => Object.assign(server, started));
  before(() => server.ready);
  after(async () => assert.equal(await server.stop(), 0));
  return server;
}

/* A server for each of several lists of arguments, by their names, for all tests of a file. */
export function serversOfFile(settings) {
  const servers = {};
  before(async () => {
    await Promise.all(Object.entries(settings).map(async ([name, words]) => {
      servers[name] = await startServer({ arguments: words });
    }));
  });
  after(async () => {
    for (const server of Object.values(servers)) assert.equal(await server.stop(), 0);
  });
  return servers;
}
