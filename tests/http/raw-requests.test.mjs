/* Raw requests: where one request ends and the next begins, requests that two programs could read differently, and
 * those that are refused. Each has exactly one response, every byte that comes back belongs to the expected responses,
 * and the connection stays or closes as the table says. RFC 9112, RFC 3986, and the strictness that
 * server/http/README.md promises. */

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
    if (closes) {
      const all = readAll(await connection.end(), method);
      if (all.length > 0) assert.equal(all.at(-1).headers.connection, 'close');
      return all.map(({ status }) => status);
    }
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

/* [name, bytes, status]: refused at once, and the connection closes, whatever follows. */
const closing = [
  /* targets */
  ['%00 in the path', get('/livez%00'), 400],
  ['%00 in the query', get('/at?x=%00&y=0'), 400],
  ['an encoded slash', get('/tiles%2F3/4/2.png'), 400],
  ['an encoded slash, lower case', get('/tiles/3%2f4/2.png'), 400],
  ['two dots', get('/tiles/../livez'), 400],
  ['encoded dots and slash', get('/%2e%2e%2fetc/passwd'), 400],
  ['encoded dots', get('/viewer/%2e%2e/index.html'), 400],
  ['one dot', get('/./livez'), 400],
  ['a percent sign alone', get('/livez%'), 400],
  ['half an escape', get('/livez%4'), 400],
  ['an escape that is not hexadecimal', get('/livez%zz'), 400],
  ['an overlong slash', get('/%c0%af'), 400],
  ['half a character', get('/worlds/terra~%C3'), 400],
  ['a surrogate', get('/worlds/terra~%ED%A0%80'), 400],
  ['bare UTF-8', get('/worlds/terra~ä'), 400],
  ['a space', get('/li vez'), 400],
  ['two spaces in front', head('GET  /livez HTTP/1.1'), 400],
  ['two spaces behind', head('GET /livez  HTTP/1.1'), 400],
  ['a backslash', get('/tiles\\3'), 400],
  ['a fragment', get('/livez#top'), 400],
  ['a quotation mark', get('/at?x="1"&y=0'), 400],
  ['braces', get('/tiles/{z}/{x}/{y}.png'), 400],
  ['a zero byte in the target', get('/livez\0x'), 400],
  ['a control character', get('/livez\x01'), 400],
  ['a target of 2,001 bytes', get(`/${'a'.repeat(2000)}`), 414],
  ['300 parameters', get(`/livez?${Array.from({ length: 300 }, (_, i) => `a${i}=1`).join('&')}`), 400],
  ['more segments than any path', get('/a'.repeat(40)), 400],
  ['no slash in front', head('GET livez HTTP/1.1'), 400],
  ['an authority as the target', head('GET localhost:80 HTTP/1.1'), 400],
  ['another scheme', head('GET ftp://localhost/livez HTTP/1.1'), 400],
  ['another host in the target', head('GET http://example.com/livez HTTP/1.1'), 400],
  ['a user in the target', head('GET http://a@localhost/livez HTTP/1.1'), 400],
  ['"*" with GET', head('GET * HTTP/1.1'), 400],
  ['CONNECT', head('CONNECT localhost:80 HTTP/1.1'), 400],
  ['an empty parameter', get('/at?x=0&&y=0'), 400],
  ['a parameter without a value', get('/worlds?pretty'), 400],

  /* request lines and headers */
  ['no version', 'GET /livez\r\n\r\n', 400],
  ['version 2', 'GET /livez HTTP/2.0\r\n\r\n', 505],
  ['version 0.9', 'GET /livez HTTP/0.9\r\n\r\n', 505],
  ['another protocol', 'GET /livez ICY/1.1\r\n\r\n', 400],
  ['no Host', 'GET /livez HTTP/1.1\r\n\r\n', 400],
  ['two Hosts', get('/livez', HOST), 400],
  ['two different Hosts', get('/livez', 'host: example.com\r\n'), 400],
  ['an empty Host', 'GET /livez HTTP/1.1\r\nHost:\r\n\r\n', 400],
  ['a Host with a path', 'GET /livez HTTP/1.1\r\nHost: a/b\r\n\r\n', 400],
  ['a Host with a user', 'GET /livez HTTP/1.1\r\nHost: a@b\r\n\r\n', 400],
  ['a Host with a space', 'GET /livez HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
  ['a header without a colon', get('/livez', 'Nonsense\r\n'), 400],
  ['a header without a name', get('/livez', ': value\r\n'), 400],
  ['a header name with a space', get('/livez', 'X Y: 1\r\n'), 400],
  ['a space in front of the colon', get('/livez', 'X : 1\r\n'), 400],
  ['a header name that is no token', get('/livez', 'X(Y): 1\r\n'), 400],
  ['a header name that is not ASCII', get('/livez', 'Ä: 1\r\n'), 400],
  ['a folded header', get('/livez', 'X: 1\r\n 2\r\n'), 400],
  ['a zero byte in a header', get('/livez', 'X: a\0b\r\n'), 400],
  ['a control character in a header', get('/livez', 'X: a\x01b\r\n'), 400],
  ['a bare CR in a header', get('/livez', 'X: a\rb\r\n'), 400],
  ['line ends without CR', 'GET /livez HTTP/1.1\nHost: localhost\n\n', 400],
  ['one line end without CR', get('/livez', 'X: 1\n'), 400],
  ['a header of 20,000 bytes', get('/livez', `X: ${'a'.repeat(20000)}\r\n`), 431],
  ['2,000 headers', get('/livez', Array.from({ length: 2000 }, (_, i) => `X${i}: 1\r\n`).join('')), 431],

  /* bodies */
  ['a chunked body with GET', `${get('/livez', 'Transfer-Encoding: chunked\r\n')}0\r\n\r\n`, 400],
  ['a list of lengths', post('Content-Length: 2, 2\r\n', '{}'), 400],
  ['a negative length', post('Content-Length: -1\r\n', '{}'), 400],
  ['a length with a sign', post('Content-Length: +2\r\n', '{}'), 400],
  ['a length in hexadecimal', post('Content-Length: 0x2\r\n', '{}'), 400],
  ['a length that is a word', post('Content-Length: two\r\n', '{}'), 400],
  ['an empty length', post('Content-Length:\r\n', '{}'), 400],
  ['a length beyond 64 bits', post('Content-Length: 99999999999999999999\r\n', '{}'), 400],
  ['a length of 2 MB', post('Content-Length: 2000000\r\n', '{}'), 413],
  ['another transfer encoding', post('Transfer-Encoding: gzip\r\n', '{}'), 400],
  ['two transfer encodings', post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'), 400],
  ['identity as transfer encoding', post('Transfer-Encoding: identity\r\n', '{}'), 400],
  ['chunks in HTTP/1.0', 'POST /heights HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
  ['a chunk size that is a word', post('Transfer-Encoding: chunked\r\n', 'ten\r\n'), 400],
  ['a POST without a length', post(''), 400],
  ['an encoded body', post('Content-Length: 2\r\nContent-Encoding: gzip\r\n', '{}'), 415],
  ['two media types', post('Content-Length: 13\r\nContent-Type: application/octet-stream\r\nContent-Type: text/json\r\n', '{"points":[]}'), 400],
  ['chunks of more than 1 MB', post('Transfer-Encoding: chunked\r\n', `120000\r\n${' '.repeat(0x120000)}\r\n0\r\n\r\n`), 413],
];

/* [name, bytes, status]: refused with a problem document, and the connection stays. */
const staying = [
  ['PUT', head('PUT /livez HTTP/1.1'), 405],
  ['DELETE', head('DELETE /worlds/terra HTTP/1.1'), 405],
  ['TRACE', head('TRACE /livez HTTP/1.1'), 405],
  ['a method in lower case', head('get /livez HTTP/1.1'), 405],
  ['a method nobody knows', head('FROBNICATE /livez HTTP/1.1'), 405],
  ['GET of heights', get('/heights'), 405],
  ['POST to a tile', 'POST /tiles/3/4/2.png HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}', 405],
  ['an unknown path', get('/nothing'), 404],
  ['two slashes', get('//livez'), 404],
  ['a slash behind', get('/livez/'), 404],
  ['a path in upper case', get('/LIVEZ'), 404],
  ['an unknown file of the viewer', get('/viewer/nothing.js'), 404],
  ['a world file', get('/worlds/terra.json'), 404],
  ['a parameter where there are none', get('/livez?verbose=1'), 400],
];

for (const [name, bytes, status] of closing) {
  test(`${name}: ${status}, the end`, async () => {
    for (const next of ['', behind]) assert.deepEqual(await statuses(bytes + next, 1, true), [status]);
  });
}

for (const [name, bytes, status] of staying) {
  test(`${name}: ${status}, and the connection stays`, async () => {
    const { headers, body } = await ask(server.port, bytes);
    assert.equal(headers['content-type'], 'application/problem+json');
    assert.equal(JSON.parse(body).status, status);
    assert.deepEqual(await statuses(bytes + behind, 2), [status, 200]);
  });
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
  ['chunks that part a word', post(CHUNKED, `${chunk(points.slice(0, 8))}${chunk(points.slice(8, 17))}${chunk(points.slice(17))}0\r\n\r\n`), [200, null]],
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
  for (const target of ['/livez', '/version', '/tiles/3/4/2.png', '/chunks/0/1.r16z', '/nothing', '/heights']) {
    const full = await ask(server.port, get(target));
    const line = head(`HEAD ${target} HTTP/1.1`);
    const connection = new Connection(server.port);
    connection.send(line + line + get('/livez'));
    for (let i = 0; i < 2; i++) {
      const { status, headers } = await connection.answer('HEAD');
      assert.equal(status, full.status);
      for (const header of ['content-length', 'content-type', 'etag', 'cache-control', 'allow', 'x-terrane-digest', 'x-terrane-grid']) {
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

test('every error is a problem document with CORS headers', async () => {
  for (const bytes of [get('/%00'), get('/nothing'), head('PUT /livez HTTP/1.1'), post('Content-Length: x\r\n', '')]) {
    const connection = new Connection(server.port);
    connection.send(bytes);
    const { status, headers, body } = await connection.answer();
    connection.destroy();
    const problem = JSON.parse(body);
    assert.equal(headers['content-type'], 'application/problem+json');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(problem.status, status);
    assert.match(problem.type, /^https:\/\/terrane\.dev\/problems\/[a-z-]+$/);
    assert.ok(problem.title && problem.detail);
  }
});

test('a request sent byte by byte is answered', async () => {
  const connection = new Connection(server.port);
  connection.socket.setNoDelay(true);
  for (const byte of get('/livez?')) {
    connection.send(byte);
    await new Promise(setImmediate);
  }
  assert.equal((await connection.answer()).status, 200);
  connection.destroy();
});
