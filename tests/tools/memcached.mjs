/* memcacheds of a test's own on a loopback address of its own, and a server that answers as it is told to. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { host, takePort } from './loopback.mjs';

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const accepts = (port) => new Promise((resolve) => {
  const socket = net.connect(port, host);
  socket.on('connect', () => { socket.destroy(); resolve(true); });
  socket.on('error', () => resolve(false));
});

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/* One that listens; at most `megabytes` of values. kill() and stop() are signals to its pid. */
export async function startMemcached({ port = 0, megabytes = 64 } = {}) {
  port ||= takePort();
  /* It ends with the test, however that ends; a change of user would undo this. */
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'memcached', '-u', 'root', '-l', host, '-p', `${port}`, '-U', '0', '-m', `${megabytes}`, '-t', '2'],
    { stdio: 'ignore' });
  running.add(child);
  const exited = once(child, 'exit').then(() => running.delete(child));
  for (let i = 0; !(await accepts(port)); i++) {
    if (i === 4000 || child.exitCode !== null) throw new Error(`no memcached on port ${port}`);
    await pause(25);
  }
  return {
    port,
    url: `memcached://${host}:${port}`,
    stop: () => child.kill('SIGSTOP'),
    go: () => child.kill('SIGCONT'),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    /* The number that its "stats" says, such as curr_items. */
    async statistic(name) {
      const socket = net.connect(port, host);
      let text = '';
      socket.on('data', (data) => { text += data; if (text.endsWith('END\r\n')) socket.end('quit\r\n'); });
      socket.write('stats\r\n');
      await once(socket, 'close');
      return Number(new RegExp(`STAT ${name} (\\S+)`).exec(text)[1]);
    },
  };
}

/* Values of a fake, by key, and the commands of one of its clients. `answer` is called for every get
 * but the probes, which always work; it writes what it likes, or nothing. */
function serveClient(socket, values, fake) {
  let waiting = Buffer.alloc(0);
  const take = () => {
    const end = waiting.indexOf('\r\n');
    if (end < 0) return false;
    const [verb, key, , , length] = waiting.subarray(0, end).toString('latin1').split(' ');
    const total = end + 2 + (verb === 'set' ? Number(length) + 2 : 0);
    if (waiting.length < total) return false;
    const value = waiting.subarray(end + 2, total - 2);
    waiting = waiting.subarray(total);
    if (verb === 'set') values.set(key, Buffer.from(value));
    if (verb === 'delete') { values.delete(key); fake.deleted++; }
    if (verb === 'get' && key.startsWith('terrane:probe:')) fake.answers.honest(socket, key, values);
    else if (verb === 'get') { fake.asked++; fake.answers[fake.mode](socket, key, values); }
    return true;
  };
  socket.on('data', (data) => {
    if (fake.mode === 'mute') return;
    waiting = Buffer.concat([waiting, data]);
    while (take());
  });
  socket.on('error', () => {});
}

const send = (socket, key, value, length = value.length) => {
  socket.write(`VALUE ${key} 0 ${length}\r\n`);
  socket.write(value);
  socket.write('\r\nEND\r\n');
};

/* What a fake may do when it is asked for a key. */
const answers = {
  honest(socket, key, values) {
    if (values.has(key)) send(socket, key, values.get(key));
    else socket.write('END\r\n');
  },
  rubbish: (socket) => socket.write(Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 89 + 7) & 255))),
  words: (socket) => socket.write('I am not a memcached.\r\n'),
  /* Its value under the key that was asked for. */
  anothers(socket, key, values) {
    const other = [...values.keys()].find((one) => one !== key && one.startsWith('terrane1'));
    if (other) send(socket, key, values.get(other));
    else socket.write('END\r\n');
  },
  anotherKey: (socket, key) => send(socket, `${key}0`, Buffer.from('abc')),
  flipped(socket, key, values) {
    const value = Buffer.from(values.get(key) ?? 'nothing at all');
    value[value.length >> 1] ^= 1;
    send(socket, key, value);
  },
  cut(socket, key, values) {
    const value = values.get(key) ?? Buffer.alloc(2);
    send(socket, key, value.subarray(0, value.length >> 1));
  },
  half(socket, key, values) {
    const value = values.get(key) ?? Buffer.alloc(1000);
    socket.write(`VALUE ${key} 0 ${value.length}\r\n`);
    socket.write(value.subarray(0, value.length >> 1));
  },
  huge: (socket, key) => send(socket, key, Buffer.from('abc'), 4294967295),
  beyond: (socket, key) => send(socket, key, Buffer.from('abc'), '18446744073709551615'),
  closes: (socket) => socket.destroy(),
  silent: () => {},
};

/* The names of what a fake may do; besides, "mute" does not even answer probes. */
export const misdeeds = Object.keys(answers).filter((name) => name !== 'honest');

/* A server that keeps what it is given and, in its `mode`, answers as no memcached should. */
export async function startFake({ port = 0, mode = 'honest' } = {}) {
  const sockets = new Set();
  const values = new Map();
  const fake = { mode, asked: 0, deleted: 0, answers, values };
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveClient(socket, values, fake);
  });
  fake.port = port || takePort();
  server.listen(fake.port, host);
  await once(server, 'listening');
  fake.url = `memcached://${host}:${fake.port}`;
  fake.close = () => {
    sockets.forEach((socket) => socket.destroy());
    return new Promise((resolve) => server.close(resolve));
  };
  return fake;
}
