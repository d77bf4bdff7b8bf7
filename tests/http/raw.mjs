/* HTTP/1.1 over a bare socket, for requests that no client library would send. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import net from 'node:net';
import { gunzipSync } from 'node:zlib';
import clock from '../tools/limit-clock.cjs';

const LATEST = 120000; /* milliseconds of the tests' clock until a test gives up waiting */

/* The body in chunked transfer coding at the start of the bytes, and what stands behind it; null while
 * its end is missing. */
function parseChunked(bytes) {
  const parts = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return null;
    const length = Number.parseInt(bytes.toString('latin1', at, end), 16);
    at = end + 2;
    if (bytes.length < at + length + 2) return null;
    parts.push(bytes.subarray(at, at + length));
    at += length + 2;
    if (length === 0) return { body: Buffer.concat(parts), rest: bytes.subarray(at) };
  }
}

/* The first answer in the bytes: { status, headers, body, rest }, or null while it is not complete. A
 * body goes by Content-Length or is chunked; HEAD, 204 and 304 have none. */
export function parseAnswer(bytes, method = 'GET') {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [line, ...fields] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
  const headers = {};
  for (const field of fields) {
    const colon = field.indexOf(':');
    const name = field.slice(0, colon).toLowerCase();
    const value = field.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  const bodiless = method === 'HEAD' || status === 204 || status === 304;
  if (!bodiless && headers['transfer-encoding'] === 'chunked') {
    const parsed = parseChunked(bytes.subarray(end + 4));
    return parsed && { status, headers, ...parsed };
  }
  const length = bodiless ? 0 : Number(headers['content-length'] ?? 0);
  if (bytes.length < end + 4 + length) return null;
  const body = bytes.subarray(end + 4, end + 4 + length);
  return { status, headers, body, rest: bytes.subarray(end + 4 + length) };
}

/* A connection on which raw bytes are sent and whole answers awaited. */
export class Connection {
  constructor(port, localAddress) {
    this.room = Buffer.alloc(0);
    this.received = this.room;
    this.closed = false;
    this.wake = () => {};
    this.socket = net.connect({ port, host: '127.0.0.1', localAddress });
    this.socket.on('data', (data) => {
      this.append(data);
      this.wake();
    });
    const end = () => {
      this.closed = true;
      this.wake();
    };
    this.socket.on('end', end);
    this.socket.on('close', end);
    this.socket.on('error', end);
  }

  /* `received` is a part of `room`, which doubles when it is full: a large answer comes in hundreds of parts. */
  append(data) {
    const length = this.received.length + data.length;
    let start = this.received.byteOffset - this.room.byteOffset;
    if (start + length > this.room.length) {
      this.room = Buffer.allocUnsafe(2 * length);
      this.received.copy(this.room);
      start = 0;
    }
    data.copy(this.room, start + length - data.length);
    this.received = this.room.subarray(start, start + length);
  }

  send(bytes) {
    this.socket.write(bytes);
  }

  async until(done, what) {
    const started = clock.now();
    for (let result = done(); ; result = done()) {
      if (result) return result;
      if (clock.now() - started > LATEST) throw new Error(`waited in vain for ${what}`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, 250);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /* The next answer; null if the connection ends without one. */
  async answer(method) {
    const found = await this.until(() => {
      const answer = parseAnswer(this.received, method);
      return answer ?? (this.closed ? 'none' : null);
    }, 'an answer');
    if (found === 'none') return null;
    this.received = found.rest;
    return found;
  }

  /* Resolves when the server has closed; with the bytes that came after the last answer. */
  async end() {
    await this.until(() => this.closed, 'the end of the connection');
    return this.received;
  }

  destroy() {
    this.socket.destroy();
  }
}

/* One request on a connection of its own. */
export async function ask(port, bytes, method) {
  const connection = new Connection(port);
  try {
    connection.send(bytes);
    return await connection.answer(method);
  } finally {
    connection.destroy();
  }
}

export function get(target, headers = '') {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
}

/* The bytes without the content coding (undefined: identity), decoded by Node or by the program zstd. */
export function decode(coding, bytes) {
  if (coding === undefined) return bytes;
  if (coding === 'gzip') return gunzipSync(bytes);
  assert.equal(coding, 'zstd');
  const run = spawnSync('zstd', ['-dcq'], { input: bytes, maxBuffer: 1 << 28 });
  assert.equal(run.status, 0, String(run.stderr ?? run.error));
  return run.stdout;
}
