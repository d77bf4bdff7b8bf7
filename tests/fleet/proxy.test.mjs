/* docker/nginx.conf in front of replicas that do what each test wants: what it passes on as it is, and what
 * it does when a replica fails, refuses or is slow. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { after, before, beforeEach, test } from 'node:test';
import { missing, proxyOf } from './parts.mjs';

const lacking = missing('nginx');
const skip = lacking.length > 0 && `${lacking.join(' and ')} not installed`;

/* Three replicas; each calls the current `answer` for every request: (request, response, which, body). */
let proxy, replicas, answer, seen;
before(async () => {
  if (skip) return;
  replicas = await Promise.all([0, 1, 2].map(async (which) => {
    const server = http.createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      seen.push({ which, method: request.method, url: request.url, version: request.httpVersion, headers: request.headers, body });
      answer(request, response, which, body);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }));
  proxy = await proxyOf(replicas.map((replica) => replica.address().port));
});
after(async () => {
  await proxy?.stop();
  for (const replica of replicas ?? []) {
    replica.closeAllConnections();
    replica.close();
  }
});
/* nginx knows nothing of what replicas did before. */
beforeEach(async () => {
  if (skip) return;
  await proxy.nginx.end('SIGTERM');
  await proxy.nginx.start();
  seen = [];
  answer = (request, response) => response.end('fine');
});

/* { status, headers, body, cut }; `cut` if the answer ended too early. */
function ask(address, { method = 'GET', headers = {}, body, agent = false } = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request(proxy.url + address, { method, headers, agent }, (response) => {
      const pieces = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('error', () => {});
      response.on('close', () => resolve({
        status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces).toString(), cut: !response.complete }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

/* Sends text over a TCP connection; returns everything received until nginx closes it. */
async function say(text) {
  const socket = connect(new URL(proxy.url).port, '127.0.0.1');
  let said = '';
  socket.on('data', (data) => { said += data; });
  socket.write(text);
  await once(socket, 'close');
  return said;
}

const busy = JSON.stringify({ type: 'https://terrane.dev/problems/busy', status: 503 });
function refuse(response) {
  response.writeHead(503, { 'Content-Type': 'application/problem+json', 'Retry-After': '1', 'Access-Control-Allow-Origin': '*' });
  response.end(busy);
}

test('entity tags, codings and variants come through unchanged', { skip }, async () => {
  const kept = { etag: '"abc-1f"', 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding',
    'content-encoding': 'zstd', 'x-terrane-cache': 'memory', 'server-timing': 'render;dur=1.000', 'access-control-allow-origin': '*' };
  answer = (request, response) => {
    response.writeHead(request.headers['if-none-match'] === kept.etag ? 304 : 200, kept);
    response.end(request.headers['if-none-match'] === kept.etag ? undefined : 'bytes');
  };
  const whole = await ask('/worlds/terra/tiles/3/4/2.json', { headers: { 'Accept-Encoding': 'zstd, gzip;q=0.5' } });
  const same = await ask('/worlds/terra/tiles/3/4/2.json', { headers: { 'If-None-Match': kept.etag } });
  assert.deepEqual([whole.status, whole.body, same.status, same.body], [200, 'bytes', 304, '']);
  for (const [name, value] of Object.entries(kept)) {
    assert.equal(whole.headers[name], value);
    assert.equal(same.headers[name], value);
  }
  assert.equal(seen[0].headers['accept-encoding'], 'zstd, gzip;q=0.5');
  const head = await ask('/tiles/3/4/2.png', { method: 'HEAD' });
  assert.deepEqual([head.status, head.body, seen[2].method], [200, '', 'HEAD']);
});

test('range requests are left to the replica', { skip }, async () => {
  const { status, body, headers } = await ask('/tiles/3/4/2.png', { headers: { Range: 'bytes=0-1' } });
  assert.deepEqual([status, body, headers['accept-ranges']], [200, 'fine', undefined]);
  assert.equal(seen[0].headers.range, 'bytes=0-1');
});

test('only nginx tells a replica the client\'s address', { skip }, async () => {
  await ask('/tiles.json', { headers: { 'X-Forwarded-For': '6.6.6.6', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Prefix': '/evil', Forwarded: 'for=6.6.6.6', Host: 'maps.example:1234' } });
  const [{ headers, version }] = seen;
  assert.equal(version, '1.1');
  assert.deepEqual([headers['x-forwarded-for'], headers['x-forwarded-proto'], headers['x-forwarded-host'], headers['x-forwarded-prefix'],
    headers.forwarded, headers.host], ['127.0.0.1', 'http', 'maps.example:1234', undefined, undefined, 'maps.example:1234']);
});

test('a client of HTTP/1.0 needs no Host', { skip }, async () => {
  assert.match(await say('GET /livez HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 .*\r\n\r\nfine$/s);
  assert.equal(seen[0].headers.host, 'terrane');
});

test('a request target is passed on unchanged', { skip }, async () => {
  const address = '/worlds/terra~a%2Fb%20c/tiles/3/4/../2.png?x=%41&&y=+';
  assert.match(await say(`GET ${address} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`), /^HTTP\/1\.1 200 /);
  assert.equal(seen[0].url, address);
});

test('/metrics is not public, however it is requested', { skip }, async () => {
  for (const address of ['/metrics', '/metrics?x', '//metrics', '/./metrics', '/%6Detrics', '/x/../metrics', '/metrics#x']) {
    assert.match(await say(`GET ${address} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`), /^HTTP\/1\.1 404 /, address);
  }
  assert.deepEqual(seen, []);
});

test('connections to replicas are reused', { skip }, async () => {
  const sockets = new Set();
  answer = (request, response) => {
    sockets.add(request.socket);
    response.end('fine');
  };
  for (let i = 0; i < 40; i++) await ask('/tiles/3/4/2.png');
  assert.ok(sockets.size <= 2, `${sockets.size} connections`); /* of two workers */
});

/* Which replica each tile comes from. */
const tiles = Array.from({ length: 150 }, (_, i) => `/tiles/9/${i}/7.png`);
async function places() {
  seen = [];
  for (const tile of tiles) await ask(tile);
  assert.equal(seen.length, tiles.length);
  return Object.fromEntries(seen.map(({ url, which }) => [url, which]));
}

test('each address belongs to one replica, and each replica has its share', { skip }, async (t) => {
  const first = await places(), second = await places();
  assert.deepEqual(second, first);
  const shares = [0, 1, 2].map((which) => Object.values(first).filter((one) => one === which).length);
  t.diagnostic(`addresses by replica: ${shares.join(', ')}`);
  for (const share of shares) assert.ok(share > tiles.length / 8);
});

test('POST requests go to all replicas', { skip }, async () => {
  /* All on one of three: one chance in 3⁵⁹. */
  for (let i = 0; i < 60; i++) await ask('/chunks', { method: 'POST', body: '{}' });
  assert.ok(new Set(seen.map(({ which }) => which)).size > 1);
});

const long = JSON.stringify({ points: Array.from({ length: 9000 }, (_, i) => [i, -i]) });

for (const [method, body] of [['GET', ''], ['POST', long]]) {
  test(`${method}: another replica answers when one aborts before its response`, { skip }, async () => {
    let broken = 0;
    answer = (request, response, which, asked) => {
      if (broken++ < 2) request.socket.destroy();
      else response.end(asked || 'fine');
    };
    const { status, body: said } = await ask('/heights', { method, body });
    assert.deepEqual([status, said === (body || 'fine'), seen.length], [200, true, 3]);
    assert.equal(new Set(seen.map(({ which }) => which)).size, 3);
  });

  test(`${method}: when no replica answers, all are tried again`, { skip }, async () => {
    let broken = 0;
    answer = (request, response, which, asked) => {
      if (broken++ < 4) request.socket.destroy();
      else response.end(asked || 'fine');
    };
    const { status, body: said } = await ask('/heights', { method, body });
    assert.deepEqual([status, said === (body || 'fine')], [200, true]);
  });

  test(`${method}: another replica answers when one is overloaded`, { skip }, async () => {
    let refused = 0;
    answer = (request, response) => {
      if (refused++ < 2) refuse(response);
      else response.end('fine');
    };
    const { status, body: said } = await ask('/heights', { method, body });
    assert.deepEqual([status, said], [200, 'fine']);
  });

  test(`${method}: when all replicas refuse, the client gets a replica's response`, { skip }, async () => {
    answer = (request, response) => refuse(response);
    const { status, headers, body: said } = await ask('/heights', { method, body });
    assert.deepEqual([status, said, headers['retry-after'], headers['access-control-allow-origin'], headers['content-type']],
      [503, busy, '1', '*', 'application/problem+json']);
    assert.ok(seen.length <= 4, `replicas were asked ${seen.length} times`);
  });

  for (const [name, headers] of [['whose length is known', { 'Content-Length': 100_000 }], ['in pieces', {}]]) {
    test(`${method}: an aborted response ${name} is not taken for a whole one`, { skip }, async () => {
      answer = (request, response) => {
        response.writeHead(200, headers);
        response.write('x'.repeat(50_000), () => response.destroy());
      };
      const { status, cut } = await ask('/heights', { method, body });
      assert.deepEqual([status, cut, seen.length], [200, true, 1]);
    });
  }
}

test('when no replica answers, the client gets a problem document', { skip }, async () => {
  answer = (request) => request.socket.destroy();
  for (const method of ['GET', 'POST']) {
    const { status, headers, body } = await ask('/heights', { method, body: method === 'POST' ? long : '' });
    assert.deepEqual([status, headers['retry-after'], headers['access-control-allow-origin'], headers['cache-control'], headers['content-type']],
      [503, '2', '*', 'no-store', 'application/problem+json']);
    assert.equal(JSON.parse(body).status, 503);
  }
});

test('a replica that refuses requests keeps its share of the addresses', { skip }, async () => {
  const first = await places();
  answer = (request, response) => (request.url.startsWith('/dear') ? refuse(response) : response.end('fine'));
  for (let i = 0; i < 30; i++) await ask(`/dear/${i}`);
  assert.deepEqual(await places(), first);
});

test('other statuses come through unchanged', { skip }, async () => {
  for (const status of [400, 404, 410, 413, 429, 500]) {
    answer = (request, response) => response.writeHead(status, { 'Retry-After': '7' }).end('why');
    const { status: got, body, headers } = await ask('/tiles/3/4/2.png');
    assert.deepEqual([got, body, headers['retry-after']], [status, 'why', '7']);
  }
  assert.equal(seen.length, 6);
});

test('the number of concurrent requests of a client is limited', { skip }, async () => {
  const config = path.join(proxy.folder, 'nginx.conf'), whole = readFileSync(config, 'utf8');
  assert.ok(whole.includes('limit_conn clients 1024;'));
  writeFileSync(config, whole.replace('clients 1024;', 'clients 3;'));
  await proxy.nginx.end('SIGTERM');
  await proxy.nginx.start();
  writeFileSync(config, whole);
  const held = [];
  const full = new Promise((done) => {
    answer = (request, response) => { if (held.push(response) === 3) done(); };
  });
  const asked = [0, 1, 2].map((i) => ask(`/at?x=${i}&y=0`));
  await full;
  assert.equal((await ask('/at?x=3&y=0')).status, 429);
  for (const response of held) response.end('fine');
  assert.deepEqual((await Promise.all(asked)).map(({ status }) => status), [200, 200, 200]);
  assert.equal(seen.length, 3);
});

test('a large response comes as fast as its client reads', { skip }, async () => {
  let sent = 0;
  const PIECE = Buffer.alloc(1 << 16), PIECES = 1024;
  function* pieces() {
    for (; sent < PIECES; sent++) yield PIECE;
  }
  answer = (request, response) => pipeline(Readable.from(pieces()), response, () => {});
  const socket = connect(new URL(proxy.url).port, '127.0.0.1');
  socket.pause();
  await once(socket, 'connect');
  socket.write('GET /chunks HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  /* Until nothing moves any more; with a file to put it into, nginx would take all of it. */
  for (let before = 0; before < sent || sent === 0;) {
    before = sent;
    await new Promise((done) => { setTimeout(done, 1000); });
  }
  assert.ok(sent < PIECES, 'nobody reads, and yet all of it was taken');
  let taken = 0;
  socket.on('data', (data) => { taken += data.length; });
  socket.resume();
  await once(socket, 'close');
  assert.equal(sent, PIECES);
  assert.ok(taken > PIECES * PIECE.length);
});
