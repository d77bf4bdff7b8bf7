/* A proxy that stands between a client and the daemon, counts the requests, and may change answers. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, afterEach, before } from 'node:test';

/* `proxy.change` is a function of { status, headers, body }, which it may edit; `proxy.target` the daemon's
 * address; `proxy.log` has "POST /chunks" and the like. */
export async function startProxy(target, proxy = {}) {
  Object.assign(proxy, { target, change: () => {}, log: [] });
  const server = createServer(async (request, response) => {
    proxy.log.push(`${request.method} ${request.url}`);
    const sent = [];
    for await (const part of request) sent.push(part);
    const headers = { ...request.headers };
    for (const name of ['host', 'connection', 'content-length', 'accept-encoding']) delete headers[name];
    const body = request.method === 'POST' ? Buffer.concat(sent) : undefined;
    const asked = await fetch(proxy.target + request.url, { method: request.method, headers, body });
    const answer = {
      status: asked.status,
      headers: Object.fromEntries(asked.headers),
      body: Buffer.from(await asked.arrayBuffer()),
    };
    for (const name of ['content-length', 'content-encoding', 'connection', 'keep-alive']) delete answer.headers[name];
    proxy.change(answer);
    response.writeHead(answer.status, answer.headers);
    response.end(answer.status === 304 ? undefined : answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.url = `http://127.0.0.1:${server.address().port}`;
  proxy.stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return proxy;
}

/* One proxy for all tests of a file, in front of the server of the file; at the beginning of each test it changes nothing
 * and its log is empty. */
export function proxyOfFile(server) {
  const proxy = {};
  before(async () => startProxy((await server.ready).url, proxy));
  after(() => proxy.stop());
  afterEach(() => {
    proxy.change = () => {};
    proxy.log = [];
  });
  return proxy;
}

/* Makes a record of a batch, counted from 0, one of a chunk that was refused: without samples. */
export function refuseRecord(answer, number, status) {
  let at = 0;
  for (let i = 0; i < number; i++) at += 32 + answer.body.readUInt32LE(at + 24);
  const end = at + 32 + answer.body.readUInt32LE(at + 24);
  const record = Buffer.from(answer.body.subarray(at, at + 32));
  record.writeUInt16LE(status, 6);
  record.fill(0, 24);
  answer.body = Buffer.concat([answer.body.subarray(0, at), record, answer.body.subarray(end)]);
}

/* Ways to damage a batch: [name, change, pattern of the client's error message]. */
export const damagedBatches = [
  ['a bit of the samples', (answer) => { answer.body[32 + 100] ^= 4; }, /damaged/],
  ['a bit of the second record', (answer) => { answer.body[answer.body.length - 1] ^= 1; }, /damaged/],
  ['the CRC', (answer) => { answer.body[28] ^= 255; }, /damaged/],
  ['the magic', (answer) => { answer.body[0] = 0x74; }, /version 1/],
  ['the version', (answer) => { answer.body[4] = 2; }, /version 1/],
  ['the place', (answer) => { answer.body[8] += 1; }, /chunk/],
  ['the length', (answer) => { answer.body[24] -= 4; }, /has \d+ bytes/],
  ['the record\'s status', (answer) => { answer.body[6] = 0; answer.body[7] = 2; }, /has \d+ bytes/],
  ['a chunk that takes too long', (answer) => { refuseRecord(answer, 1, 413); }, /chunk \S+ \S+.*: 413/],
  ['the end', (answer) => { answer.body = answer.body.subarray(0, -1); }, /has \d+ bytes/],
  ['half a header', (answer) => { answer.body = answer.body.subarray(0, 20); }, /version 1/],
  ['more at the end', (answer) => { answer.body = Buffer.concat([answer.body, Buffer.alloc(7)]); }, /too long/],
  ['everything', (answer) => { answer.body = Buffer.alloc(0); }, /version 1/],
  ['the daemon', (answer) => { answer.status = 503; answer.body = Buffer.from('busy\n'); }, /503: busy/],
];

/* The same with a single chunk. */
export const damagedChunks = [
  ['a bit', (answer) => { answer.body[100] ^= 1; }, /digest/],
  ['the digest', (answer) => { answer.headers['x-terrane-digest'] = 'e34bbc7bbc071b6c7a433ca9c49a9347'; }, /digest/],
  ['no digest', (answer) => { delete answer.headers['x-terrane-digest']; }, /digest/],
  ['four bytes', (answer) => { answer.body = answer.body.subarray(4); }, /\d+ bytes, not \d+/],
  ['a problem', (answer) => { answer.status = 500; answer.body = Buffer.from('{"title":"x","detail":"it \\"broke\\""}'); },
    /500: "?it .*broke/],
];
