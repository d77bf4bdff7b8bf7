/* Where one request ends and the next begins: requests that two programs could read differently, and
 * those at the edge of what is read at all. All is sent at once, with a request behind it, and every
 * byte that comes back must belong to the answers that are expected. RFC 9112. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';
import { ask, Connection, get, parseAnswer } from './raw.mjs';

const HOST = 'Host: localhost\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const head = (line, headers = '') => `${line}\r\n${HOST}${headers}\r\n`;
const post = (headers, body = '') => `${head('POST /heights HTTP/1.1', headers)}${body}`;
const points = '{"points":[[0,0]]}';
const chunk = (text) => `${text.length.toString(16)}\r\n${text}\r\n`;
const whole = `${chunk(points)}0\r\n\r\n`;
const behind = get('/version');

const server = serverOfFile();

/* All responses in the bytes; anything else fails. */
function readAll(bytes, method) {
  const answers = [];
  for (let rest = bytes; rest.length > 0;) {
    const answer = parseAnswer(rest, method);
    assert.ok(answer && answer.status, `no answer: ${rest.toString('latin1').slice(0, 80)}`);
    answers.push(answer);
    rest = answer.rest;
  }
  return answers;
}

/* Sends and waits for so many answers; `closes` is whether the server ends the connection then. The
 * statuses. */
async function statuses(bytes, count, closes, method) {
  const connection = new Connection(server.port);
  try {
    connection.send(bytes);
    if (closes) return readAll(await connection.end(), method).map(({ status }) => status);
    const answers = [];
    while (answers.length < count) answers.push(await connection.answer(method));
    /* The next bytes are the response to the next request. */
    connection.send(get('/livez'));
    const last = await connection.answer();
    assert.equal(last.body.toString(), 'alive\n');
    assert.equal(last.rest.length, 0);
    return answers.map(({ status }) => status);
  } finally {
    connection.destroy();
  }
}

/* [name, bytes sent before GET /version, expected statuses]; the statuses end with null if the server closes
 * the connection. */
const cases = [
  /* contradictory lengths of a body */
  ['two lengths', post('Content-Length: 4\r\nContent-Length: 40\r\n', 'abcd'), [400, null]],
  ['two equal lengths', post('Content-Length: 4\r\nContent-Length: 4\r\n', 'abcd'), [400, null]],
  ['a length in another case', post('Content-Length: 4\r\ncontent-LENGTH: 0\r\n', 'abcd'), [400, null]],
  ['a length and chunks', post(`Content-Length: 5\r\n${CHUNKED}`, '0\r\n\r\n'), [400, null]],
  ['chunks and a length', post(`${CHUNKED}Content-Length: 5\r\n`, '0\r\n\r\n'), [400, null]],
  ['chunks that are named oddly', post('Transfer-Encoding: xchunked\r\n', whole), [400, null]],
  ['chunks with something behind', post('Transfer-Encoding: chunked, identity\r\n', whole), [400, null]],
  ['chunks and a comma', post('Transfer-Encoding: chunked,\r\n', whole), [400, null]],
  ['chunks with a parameter', post('Transfer-Encoding: chunked;q=1\r\n', whole), [400, null]],
  ['chunks in quotes', post('Transfer-Encoding: "chunked"\r\n', whole), [400, null]],
  ['chunks and a blank', post('Transfer-Encoding: chunked \r\n', whole), [400, null]],
  ['chunks behind a vertical tab', post('Transfer-Encoding: \x0bchunked\r\n', whole), [400, null]],
  ['chunks behind a line end', post('Transfer-Encoding:\n chunked\r\n', whole), [400, null]],
  ['chunks with a blank before the colon', post('Transfer-Encoding : chunked\r\n', whole), [400, null]],
  ['chunks twice', post(`${CHUNKED}${CHUNKED}`, whole), [400, null]],
  ['chunks on a folded line', post('X: 1\r\n Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', 'abcd'), [400, null]],
  ['chunks behind a bare CR', post('X: 1\rTransfer-Encoding: chunked\r\nContent-Length: 4\r\n', 'abcd'), [400, null]],
  ['chunks behind a zero byte', post('X: 1\0\r\nTransfer-Encoding: chunked\r\n', whole), [400, null]],
  ['other names are nothing', post(`Content_Length: 99\r\nTransfer_Encoding: chunked\r\nContent-Length: ${points.length}\r\n`, points), [200, 200]],
  ['a length with a blank behind', post('Content-Length: 4 \r\n', 'abcd'), [400, null]],
  ['a length with a comma', post('Content-Length: 4,\r\n', 'abcd'), [400, null]],
  ['a length in thousands', post('Content-Length: 1_0\r\n', 'abcd'), [400, null]],
  ['a length of nothing', post('Content-Length: 0\r\n'), [400, 200]],
  ['a length with zeros in front', post(`Content-Length: 000${points.length}\r\n`, points), [200, 200]],
  ['more than the length', post(`Content-Length: ${points.length}\r\n`, `${points}\r\n`), [200, 200]],
  ['a GET with a length of nothing', get('/livez', 'Content-Length: 0\r\n'), [200, 200]],
  ['a GET that hides another', get('/livez', `Content-Length: ${behind.length}\r\n`), [400, null]],
  ['a HEAD that hides another', head('HEAD /livez HTTP/1.1', 'Content-Length: 5\r\n'), [400, null], 'HEAD'],
  ['an OPTIONS that hides another', head('OPTIONS * HTTP/1.1', CHUNKED), [400, null]],
  ['an unknown method that hides another', head('FROB /livez HTTP/1.1', 'Content-Length: 5\r\n'), [400, null]],

  /* chunks: what the library is lenient about ends with the connection, so that nothing is hidden */
  ['chunks', post(CHUNKED, whole), [200, null]],
  ['chunks in another case', post('transfer-encoding: CHUNKED\r\n', whole), [200, null]],
  ['chunks of an unknown path', `${head('POST /nothing HTTP/1.1', CHUNKED)}${whole}`, [404, null]],
  ['chunk extensions', post(CHUNKED, `${points.length.toString(16)};a=b;c\r\n${points}\r\n0;x\r\n\r\n`), [200, null]],
  ['chunk lines without CR', post(CHUNKED, `${points.length.toString(16)}\n${points}\n0\n\n`), [200, null]],
  ['a chunk extension with a line end', post(CHUNKED, `${points.length.toString(16)};\n${points}\r\n0\r\n\r\n`), [200, null]],
  ['trailers', post(CHUNKED, `${chunk(points)}0\r\nContent-Length: 99\r\nX: y\r\n\r\n`), [200, null]],
  ['a chunk that is longer than it says', post(CHUNKED, `2\r\n${points}\r\n0\r\n\r\n`), [400, null]],
  ['a chunk that is shorter than it says', post(CHUNKED, `${(points.length + 2).toString(16)}\r\n${points}\r\n0\r\n\r\n`), [400, null]],
  ...['+2', '-2', '0x2', ' 2', '2 ', '2\t;', 'g', '', '2\r', '2\0', '\x0b2', '2,2', '2 2'].map((size) =>
    [`a chunk of ${JSON.stringify(size)}`, post(CHUNKED, `${size}\r\n{}\r\n0\r\n\r\n`), [400, null]]),
  ['a chunk beyond 64 bits', post(CHUNKED, 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n'), [413, null]],
  ['a chunk line without end', post(CHUNKED, `2;${'a'.repeat(20000)}`), [400, null]],
  ['a chunk of zeros without end', post(CHUNKED, '0'.repeat(20000)), [400, null]],

  /* the request line */
  ['empty lines in front', `\r\n\r\n${get('/livez')}`, [200, 200]],
  ['bare line ends in front', `\n\n${get('/livez')}`, [200, 200]],
  ['a blank in front', ` ${get('/livez')}`, [null]],
  ['HTTP/0.9', 'GET /livez\r\n', [400, null]],
  ['HTTP/0.9 and a blank', 'GET /livez \r\n', [400, null]],
  ['version 1.2 is read as 1.1', head('GET /livez HTTP/1.2'), [200, 200]],
  ['version 1.10', head('GET /livez HTTP/1.10'), [400, null]],
  ['version 01.1', head('GET /livez HTTP/01.1'), [400, null]],
  ['a version in lower case', head('GET /livez http/1.1'), [400, null]],
  ['a tab between', head('GET\t/livez HTTP/1.1'), [400, null]],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [505, null]],
  ['a zero byte in the method', head('GE\0T /livez HTTP/1.1'), [400, null]],
  ['a zero byte in the version', head('GET /livez HTTP/1.1\0'), [400, null]],
  ['a method of 3,000 bytes', head(`${'G'.repeat(3000)} /livez HTTP/1.1`), [405, 200]],
  ['a line of 20,000 bytes', head(`GET /${'a'.repeat(20000)} HTTP/1.1`), [414, null]],

  /* absolute targets */
  ['an absolute target', head('GET http://localhost/livez HTTP/1.1'), [200, 200]],
  ['with https', head('GET https://LOCALHOST/livez HTTP/1.1'), [200, 200]],
  ['with another port than the Host', head('GET http://localhost:81/livez HTTP/1.1'), [400, null]],
  ['with a Host that has a user', 'GET http://localhost/livez HTTP/1.1\r\nHost: a@localhost\r\n\r\n', [400, null]],
  ['without a path', head('GET http://localhost HTTP/1.1'), [400, null]],
  ['without an authority', head('GET http:///livez HTTP/1.1'), [400, null]],
  ['with three slashes of a path', head('GET http://localhost///livez HTTP/1.1'), [404, 200]],
  ['without a Host in HTTP/1.0', 'GET http://localhost/livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', [200, 200]],

  /* what ends a connection, and what keeps it */
  ['HTTP/1.0', 'GET /livez HTTP/1.0\r\n\r\n', [200, null]],
  ['HTTP/1.0 that keeps it', 'GET /livez HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n', [200, 200]],
  ['HTTP/1.0 that keeps and ends it', 'GET /livez HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n', [200, null]],
  ['HTTP/1.1 that ends it', get('/livez', 'Connection: close\r\n'), [200, null]],
  ['HTTP/1.1 that ends it in a list', get('/livez', 'Connection: x, CLOSE\r\n'), [200, null]],
  ['an upgrade that is not taken', get('/livez', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'), [200, 200]],
];

for (const [name, bytes, expected, method] of cases) {
  const closes = expected.includes(null);
  test(`${name}: ${expected.map((status) => status ?? 'the end').join(', ')}`, async () => {
    assert.deepEqual(await statuses(bytes + behind, expected.length, closes, method), expected.filter(Boolean));
  });
}

test('a body with zero bytes is no JSON and is not taken for a request', async () => {
  const body = '{"points":[[0,0]]}\0\0';
  assert.deepEqual(await statuses(post(`Content-Length: ${body.length}\r\n`, body) + behind, 2), [400, 200]);
});

test('HEAD has the headers of GET and no body, for every status', async () => {
  for (const target of ['/livez', '/version', '/tiles/3/4/2.png', '/nothing', '/heights']) {
    const full = await ask(server.port, get(target));
    const line = head(`HEAD ${target} HTTP/1.1`);
    const connection = new Connection(server.port);
    connection.send(line + line + get('/livez'));
    for (let i = 0; i < 2; i++) {
      const { status, headers } = await connection.answer('HEAD');
      assert.equal(status, full.status);
      for (const header of ['content-length', 'content-type', 'etag', 'cache-control', 'allow']) {
        assert.equal(headers[header], full.headers[header], `${target}: ${header}`);
      }
    }
    const last = await connection.answer();
    assert.equal(last.body.toString(), 'alive\n');
    assert.equal(last.rest.length, 0);
    connection.destroy();
  }
});

test('OPTIONS * has the allowed methods', async () => {
  const { status, headers, body, rest } = await ask(server.port, head('OPTIONS * HTTP/1.1'));
  assert.equal(status, 204);
  assert.match(headers.allow, /GET/);
  assert.equal(body.length + rest.length, 0);
});

test('100 Continue is sent only for HTTP/1.1 and an acceptable body', async () => {
  const expect = 'Expect: 100-continue\r\n';
  const connection = new Connection(server.port);
  connection.send(post(`${expect}Content-Length: ${points.length}\r\n`));
  assert.equal((await connection.answer()).status, 100);
  connection.send(points + behind);
  for (let i = 0; i < 2; i++) assert.equal((await connection.answer()).status, 200);
  connection.destroy();
  const refused = [
    [post(`${expect}Content-Length: 2000000\r\n`), 413],
    [post(`${expect}Content-Length: 2\r\n${CHUNKED}`), 400],
    [post(`${expect}Content-Length: 2\r\nContent-Encoding: gzip\r\n`), 415],
  ];
  for (const [bytes, status] of refused) assert.deepEqual(await statuses(bytes, 1, true), [status]);
  const old = `POST /heights HTTP/1.0\r\n${expect}Content-Length: ${points.length}\r\n\r\n${points}`;
  assert.deepEqual(await statuses(old, 1, true), [200]);
});

test('a response of unknown length is not chunked for HTTP/1.0', async () => {
  const body = JSON.stringify({ format: 'r32f', size: 16, chunks: Array.from({ length: 200 }, (_, i) => [i, 0]) });
  const send = (version) => {
    const connection = new Connection(server.port);
    connection.send(`POST /chunks HTTP/${version}\r\n${HOST}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
    return connection.end();
  };
  const [modern] = readAll(await send('1.1'));
  const bytes = await send('1.0');
  const end = bytes.indexOf('\r\n\r\n');
  assert.doesNotMatch(bytes.subarray(0, end).toString(), /transfer-encoding/i);
  assert.ok(bytes.subarray(end + 4).equals(modern.body));
});

test('200 pipelined requests have the same responses as single requests', async () => {
  const body = `Content-Length: ${points.length}\r\n`;
  const kinds = [
    [get('/livez')], [get('/at?x=0&y=0')], [get('/nothing')], [post(body, points)],
    [head('HEAD /tiles/3/4/2.png HTTP/1.1'), 'HEAD'], [get('/tiles/3/4/2.png')], [get('/livez', `X: ${'a'.repeat(3000)}\r\n`)],
    [get('/worlds?pretty=1')], [head('OPTIONS /at HTTP/1.1')], [head('DELETE /at HTTP/1.1')],
  ];
  const alone = await Promise.all(kinds.map(([bytes, method]) => ask(server.port, bytes, method)));
  const connection = new Connection(server.port);
  const order = Array.from({ length: 200 }, (_, i) => (i * 7) % kinds.length);
  connection.send(order.map((kind) => kinds[kind][0]).join(''));
  for (const kind of order) {
    const answer = await connection.answer(kinds[kind][1]);
    assert.equal(answer.status, alone[kind].status);
    assert.ok(answer.body.equals(alone[kind].body), `${kinds[kind][0].slice(0, 40)}`);
  }
  assert.equal(connection.received.length, 0);
  connection.destroy();
});

/* The library's memory for a connection is 8 KB: from some length on there is no room for an answer's
 * headers, then none for the copies that it makes of cookies, then none for the request's own. */
test('a request with headers of any length has exactly one response', async () => {
  const lengths = Array.from({ length: 60 }, (_, i) => 2000 + i * 110);
  const shapes = {
    long: (length) => `X: ${'a'.repeat(length)}\r\n`,
    cookie: (length) => `Cookie: a=${'b'.repeat(length)}\r\n`,
    cookies: (length) => `Cookie: ${Array.from({ length: length / 60 }, (_, i) => `c${i}=${'d'.repeat(15)}`).join('; ')}\r\n`,
    many: (length) => Array.from({ length: length / 60 }, (_, i) => `X${i}: 1\r\n`).join(''),
  };
  for (const [name, shape] of Object.entries(shapes)) {
    const seen = new Set();
    for (const length of lengths) {
      const bytes = get('/livez', `${shape(length)}Connection: close\r\n`);
      const answers = await statuses(bytes, 1, true);
      assert.equal(answers.length, 1, `${name} of ${length}: ${answers}`);
      seen.add(answers[0]);
    }
    assert.deepEqual([...seen], [200, 431], name);
  }
});

test('an endless chunk size line does not keep the server busy', async () => {
  const ticks = () => {
    const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').replace(/.*\) /, '').split(' ');
    return Number(fields[11]) + Number(fields[12]);
  };
  const before = ticks();
  for (let i = 0; i < 5; i++) assert.deepEqual(await statuses(post(CHUNKED, `2;${'a'.repeat(9000)}`), 1, true), [400]);
  assert.ok(ticks() - before < 100, 'a second of a processor');
});
