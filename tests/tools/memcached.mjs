/* memcached servers for tests, on a loopback address of their own, and a fake server whose replies can be chosen. */

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

/* Resolves once it listens. It stores at most `megabytes`. kill(), stop() and go() are signals to its pid. */
export async function startMemcached({ port = 0, megabytes = 64 } = {}) {
  port ||= takePort();
  /* setpriv ends it with the test, however that ends. A change of user would undo this, hence -u root. */
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
    /* A number of its "stats", such as curr_items. */
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

/* Serves one client of a fake. Probes always get the right reply; every other get is answered by the function
 * of the fake's mode. */
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
    else if (verb === 'get') { fake.asked++; fake.answers[fake.mode](socket, key, values, fake); }
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

/* Sends a byte every so many milliseconds: no single wait for it is long. */
function drip(socket, bytes, milliseconds) {
  let at = 0;
  const timer = setInterval(() => (at < bytes.length ? socket.write(bytes[at++]) : clearInterval(timer)), milliseconds);
  socket.once('close', () => clearInterval(timer));
}

/* The modes of a fake: each function replies to a get, or does not. */
const answers = {
  honest(socket, key, values) {
    if (values.has(key)) send(socket, key, values.get(key));
    else socket.write('END\r\n');
  },
  rubbish: (socket) => socket.write(Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 89 + 7) & 255))),
  words: (socket) => socket.write('I am not a memcached.\r\n'),
  /* Another record under the requested key. */
  otherRecord(socket, key, values) {
    const other = [...values.keys()].find((one) => one !== key && one.startsWith('terrane1'));
    if (other) send(socket, key, values.get(other));
    else socket.write('END\r\n');
  },
  otherKey: (socket, key) => send(socket, `${key}0`, Buffer.from('abc')),
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
  drips: (socket, key) => drip(socket, `VALUE ${key} 0 1000\r\n${'x'.repeat(1000)}\r\nEND\r\n`, 10),
  zeros: (socket) => socket.write(Buffer.alloc(64)),
  closes: (socket) => socket.destroy(),
  silent: () => {},
};

/* The faulty modes. Another one, "mute", does not even reply to probes. */
export const faultyModes = Object.keys(answers).filter((name) => name !== 'honest');

/* Replies that drip in one of their parts: a line that does not end, the value, the end. */
const drippingAnswers = {
  dripsLine: (socket, key, _, { delay }) => drip(socket, `VALUE ${key}${'x'.repeat(1000)}`, delay),
  dripsValue(socket, key, _, { delay }) {
    socket.write(`VALUE ${key} 0 1000\r\n`);
    drip(socket, 'x'.repeat(1000), delay);
  },
  dripsEnd(socket, key, _, { delay }) {
    socket.write(`VALUE ${key} 0 1000\r\n${'x'.repeat(1000)}`);
    drip(socket, '\r\nEND\r\n', 100 * delay);
  },
};
export const drippingModes = Object.keys(drippingAnswers);
const slow = (socket, key, values, { delay }) => setTimeout(() => answers.honest(socket, key, values), delay);

/* A server that stores values like a memcached and replies to gets by its `mode`. Each byte that drips takes
 * `delay` milliseconds, like each right reply of the mode "slow". */
export async function startFake({ port = 0, mode = 'honest', delay = 30 } = {}) {
  const sockets = new Set();
  const values = new Map();
  const fake = { mode, asked: 0, deleted: 0, delay, values, answers: { ...answers, ...drippingAnswers, slow } };
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
