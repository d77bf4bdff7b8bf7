/* A small HTTP/1.1 client over keep-alive, so that the measure is not of Node's own: requests are
 * texts, bodies have a Content-Length or are chunked. */

import { once } from 'node:events';
import net from 'node:net';

const END = '\r\n\r\n';

export const get = (target, headers = '') => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;

export function post(target, value) {
  const body = JSON.stringify(value);
  return `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}${END}${body}`;
}

/* The same with numbers in binary, and an answer in binary. */
export function postBinary(target, numbers) {
  const type = 'application/octet-stream';
  const body = Buffer.from(numbers.buffer);
  const head = `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nAccept: ${type}\r\nContent-Length: ${body.length}${END}`;
  return Buffer.concat([Buffer.from(head), body]);
}

/* The value of a header by its lower-case name, or undefined. */
export function header(head, name) {
  const line = head.split('\r\n').find((one) => one.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

/* One connection, which answers one request at a time; a new one when the server has closed it. */
class Connection {
  #parts = [];
  #length = 0;
  #head = null;
  #missing = 0; /* bytes of the body */
  #chunks = null; /* of a chunked body: its pieces so far, and what is missing of the next */
  #waiting = null;

  constructor(port) {
    this.port = port;
  }

  async open() {
    this.socket = net.connect(this.port, '127.0.0.1').setNoDelay();
    await once(this.socket, 'connect');
    this.socket.on('data', (part) => this.#take(part));
    for (const event of ['error', 'close']) this.socket.on(event, (error) => this.#fail(error));
    return this;
  }

  /* { status, head, body } */
  async ask(text) {
    if (!this.socket) await this.open();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.socket.write(text);
    });
  }

  #take(part) {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#head === null) this.#readHead();
    if (this.#head === null || this.#length < this.#missing) return;
    if (this.#chunks && !this.#readChunks()) return;
    const body = Buffer.concat(this.#chunks ?? this.#parts);
    const answer = { status: Number(this.#head.slice(9, 12)), head: this.#head, body };
    this.#chunks = null;
    const { resolve } = this.#waiting;
    [this.#parts, this.#length, this.#head, this.#waiting] = [[], 0, null, null];
    if (/^close$/i.test(header(answer.head, 'connection') ?? '')) this.close();
    resolve(answer);
  }

  /* Returns true if the body has ended; otherwise sets #missing to the number of bytes needed to go on. */
  #readChunks() {
    const all = Buffer.concat(this.#parts);
    let at = 0;
    for (;;) {
      const end = all.indexOf('\r\n', at);
      const length = end < 0 ? NaN : Number.parseInt(all.toString('latin1', at, end), 16);
      if (Number.isNaN(length) || all.length < end + 4 + length) {
        this.#parts = [all.subarray(at)];
        this.#length = all.length - at;
        this.#missing = Number.isNaN(length) ? this.#length + 1 : end - at + 4 + length;
        return false;
      }
      if (length === 0) return true;
      this.#chunks.push(all.subarray(end + 2, end + 2 + length));
      at = end + 4 + length;
    }
  }

  #readHead() {
    const all = Buffer.concat(this.#parts);
    const end = all.indexOf(END);
    if (end < 0) return;
    this.#head = all.toString('latin1', 0, end);
    this.#parts = [all.subarray(end + END.length)];
    this.#length = this.#parts[0].length;
    const hasBody = !this.#head.startsWith('HTTP/1.1 304');
    if (hasBody && /^chunked$/i.test(header(this.#head, 'transfer-encoding') ?? '')) {
      this.#chunks = [];
      this.#missing = 5;
      return;
    }
    this.#missing = hasBody ? Number(header(this.#head, 'content-length')) : 0;
  }

  close() {
    this.socket?.destroy();
    this.socket = null;
  }

  #fail(error) {
    this.#waiting?.reject(error instanceof Error ? error : new Error('the connection was closed'));
    this.#waiting = null;
  }
}

/* Some connections; requests wait for a free one, in their order. */
export class Client {
  #free = [];
  #queue = [];

  static async open(port, count) {
    const client = new Client();
    client.#free = await Promise.all(Array.from({ length: count }, () => new Connection(port).open()));
    client.connections = [...client.#free];
    return client;
  }

  async ask(text) {
    const connection = this.#free.pop() ?? await new Promise((resolve) => { this.#queue.push(resolve); });
    const answer = await connection.ask(text);
    const next = this.#queue.shift();
    if (next) next(connection);
    else this.#free.push(connection);
    return answer;
  }

  close() {
    for (const connection of this.connections) connection.close();
  }
}
