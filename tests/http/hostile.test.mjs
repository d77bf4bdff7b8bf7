/* Bad requests: each gets exactly one answer, and the connection stays or closes as the table says.
 * Expectations: RFC 9112 and RFC 3986, and the strictness that server/http/README.md promises. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';
import { Connection, get } from './raw.mjs';

const STAYS = 'stays';
const CLOSES = 'closes';
const HOST = 'Host: localhost\r\n';
const head = (line, headers = '') => `${line}\r\n${HOST}${headers}\r\n`;
const post = (headers, body) => `POST /heights HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const json = (value) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return post(`Content-Length: ${Buffer.byteLength(text)}\r\n`, text);
};
const at = (query) => get(`/at?${query}`);
const pin = '0123456789abcdef'.repeat(2);

const cases = [
  /* targets */
  ['%00 in the path', get('/livez%00'), 400, CLOSES],
  ['%00 in the query', get('/at?x=%00&y=0'), 400, CLOSES],
  ['an encoded slash', get('/tiles%2F3/4/2.png'), 400, CLOSES],
  ['an encoded slash, lower case', get('/tiles/3%2f4/2.png'), 400, CLOSES],
  ['two dots', get('/tiles/../livez'), 400, CLOSES],
  ['encoded dots and slash', get('/%2e%2e%2fetc/passwd'), 400, CLOSES],
  ['encoded dots', get('/viewer/%2e%2e/index.html'), 400, CLOSES],
  ['one dot', get('/./livez'), 400, CLOSES],
  ['a percent sign alone', get('/livez%'), 400, CLOSES],
  ['half an escape', get('/livez%4'), 400, CLOSES],
  ['an escape that is not hexadecimal', get('/livez%zz'), 400, CLOSES],
  ['an overlong slash', get('/%c0%af'), 400, CLOSES],
  ['half a character', get('/worlds/terra~%C3'), 400, CLOSES],
  ['a surrogate', get('/worlds/terra~%ED%A0%80'), 400, CLOSES],
  ['bare UTF-8', get('/worlds/terra~ä'), 400, CLOSES],
  ['a space', get('/li vez'), 400, CLOSES],
  ['two spaces in front', head('GET  /livez HTTP/1.1'), 400, CLOSES],
  ['two spaces behind', head('GET /livez  HTTP/1.1'), 400, CLOSES],
  ['a backslash', get('/tiles\\3'), 400, CLOSES],
  ['a fragment', get('/livez#top'), 400, CLOSES],
  ['a quotation mark', get('/at?x="1"&y=0'), 400, CLOSES],
  ['braces', get('/tiles/{z}/{x}/{y}.png'), 400, CLOSES],
  ['a zero byte in the target', get('/livez\0x'), 400, CLOSES],
  ['a control character', get('/livez\x01'), 400, CLOSES],
  ['a target of 2,001 bytes', get(`/${'a'.repeat(2000)}`), 414, CLOSES],
  ['300 parameters', get(`/livez?${Array.from({ length: 300 }, (_, i) => `a${i}=1`).join('&')}`), 400, CLOSES],
  ['more segments than any path', get('/a'.repeat(40)), 400, CLOSES],
  ['no slash in front', head('GET livez HTTP/1.1'), 400, CLOSES],
  ['an authority as the target', head('GET localhost:80 HTTP/1.1'), 400, CLOSES],
  ['another scheme', head('GET ftp://localhost/livez HTTP/1.1'), 400, CLOSES],
  ['another host in the target', head('GET http://example.com/livez HTTP/1.1'), 400, CLOSES],
  ['a user in the target', head('GET http://a@localhost/livez HTTP/1.1'), 400, CLOSES],
  ['"*" with GET', head('GET * HTTP/1.1'), 400, CLOSES],
  ['CONNECT', head('CONNECT localhost:80 HTTP/1.1'), 400, CLOSES],
  ['an empty parameter', get('/at?x=0&&y=0'), 400, CLOSES],
  ['a parameter without a value', get('/worlds?pretty'), 400, CLOSES],

  /* request lines and headers */
  ['no version', 'GET /livez\r\n\r\n', 400, CLOSES],
  ['version 2', 'GET /livez HTTP/2.0\r\n\r\n', 505, CLOSES],
  ['version 0.9', 'GET /livez HTTP/0.9\r\n\r\n', 505, CLOSES],
  ['another protocol', 'GET /livez ICY/1.1\r\n\r\n', 400, CLOSES],
  ['no Host', 'GET /livez HTTP/1.1\r\n\r\n', 400, CLOSES],
  ['two Hosts', get('/livez', HOST), 400, CLOSES],
  ['two different Hosts', get('/livez', 'host: example.com\r\n'), 400, CLOSES],
  ['an empty Host', 'GET /livez HTTP/1.1\r\nHost:\r\n\r\n', 400, CLOSES],
  ['a Host with a path', 'GET /livez HTTP/1.1\r\nHost: a/b\r\n\r\n', 400, CLOSES],
  ['a Host with a user', 'GET /livez HTTP/1.1\r\nHost: a@b\r\n\r\n', 400, CLOSES],
  ['a Host with a space', 'GET /livez HTTP/1.1\r\nHost: a b\r\n\r\n', 400, CLOSES],
  ['a header without a colon', get('/livez', 'Nonsense\r\n'), 400, CLOSES],
  ['a header without a name', get('/livez', ': value\r\n'), 400, CLOSES],
  ['a header name with a space', get('/livez', 'X Y: 1\r\n'), 400, CLOSES],
  ['a space in front of the colon', get('/livez', 'X : 1\r\n'), 400, CLOSES],
  ['a header name that is no token', get('/livez', 'X(Y): 1\r\n'), 400, CLOSES],
  ['a header name that is not ASCII', get('/livez', 'Ä: 1\r\n'), 400, CLOSES],
  ['a folded header', get('/livez', 'X: 1\r\n 2\r\n'), 400, CLOSES],
  ['a zero byte in a header', get('/livez', 'X: a\0b\r\n'), 400, CLOSES],
  ['a control character in a header', get('/livez', 'X: a\x01b\r\n'), 400, CLOSES],
  ['a bare CR in a header', get('/livez', 'X: a\rb\r\n'), 400, CLOSES],
  ['line ends without CR', 'GET /livez HTTP/1.1\nHost: localhost\n\n', 400, CLOSES],
  ['one line end without CR', get('/livez', 'X: 1\n'), 400, CLOSES],
  ['a header of 20,000 bytes', get('/livez', `X: ${'a'.repeat(20000)}\r\n`), 431, CLOSES],
  ['2,000 headers', get('/livez', Array.from({ length: 2000 }, (_, i) => `X${i}: 1\r\n`).join('')), 431, CLOSES],

  /* bodies */
  ['a body with GET', `${get('/livez', 'Content-Length: 3\r\n')}abc`, 400, CLOSES],
  ['a chunked body with GET', `${get('/livez', 'Transfer-Encoding: chunked\r\n')}0\r\n\r\n`, 400, CLOSES],
  ['two equal lengths', post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'), 400, CLOSES],
  ['two lengths', post('Content-Length: 2\r\nContent-Length: 20\r\n', '{}'), 400, CLOSES],
  ['a list of lengths', post('Content-Length: 2, 2\r\n', '{}'), 400, CLOSES],
  ['a negative length', post('Content-Length: -1\r\n', '{}'), 400, CLOSES],
  ['a length with a sign', post('Content-Length: +2\r\n', '{}'), 400, CLOSES],
  ['a length in hexadecimal', post('Content-Length: 0x2\r\n', '{}'), 400, CLOSES],
  ['a length that is a word', post('Content-Length: two\r\n', '{}'), 400, CLOSES],
  ['an empty length', post('Content-Length:\r\n', '{}'), 400, CLOSES],
  ['a length beyond 64 bits', post('Content-Length: 99999999999999999999\r\n', '{}'), 400, CLOSES],
  ['a length of 2 MB', post('Content-Length: 2000000\r\n', '{}'), 413, CLOSES],
  ['a length and chunks', post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), 400, CLOSES],
  ['another transfer encoding', post('Transfer-Encoding: gzip\r\n', '{}'), 400, CLOSES],
  ['two transfer encodings', post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'), 400, CLOSES],
  ['the transfer encoding twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), 400, CLOSES],
  ['identity as transfer encoding', post('Transfer-Encoding: identity\r\n', '{}'), 400, CLOSES],
  ['chunks in HTTP/1.0', 'POST /heights HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400, CLOSES],
  ['a chunk size that is a word', post('Transfer-Encoding: chunked\r\n', 'ten\r\n'), 400, CLOSES],
  ['a POST without a length', post('', ''), 400, CLOSES],
  ['an encoded body', post('Content-Length: 2\r\nContent-Encoding: gzip\r\n', '{}'), 415, CLOSES],
  ['chunks of more than 1 MB', post('Transfer-Encoding: chunked\r\n', `120000\r\n${' '.repeat(0x120000)}\r\n0\r\n\r\n`), 413, CLOSES],

  /* methods and paths */
  ['PUT', head('PUT /livez HTTP/1.1'), 405, STAYS],
  ['DELETE', head('DELETE /worlds/terra HTTP/1.1'), 405, STAYS],
  ['TRACE', head('TRACE /livez HTTP/1.1'), 405, STAYS],
  ['a method in lower case', head('get /livez HTTP/1.1'), 405, STAYS],
  ['a method nobody knows', head('FROBNICATE /livez HTTP/1.1'), 405, STAYS],
  ['GET of heights', get('/heights'), 405, STAYS],
  ['POST to a tile', 'POST /tiles/3/4/2.png HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}', 405, STAYS],
  ['an unknown path', get('/nothing'), 404, STAYS],
  ['two slashes', get('//livez'), 404, STAYS],
  ['a slash behind', get('/livez/'), 404, STAYS],
  ['a path in upper case', get('/LIVEZ'), 404, STAYS],
  ['an unknown file of the viewer', get('/viewer/nothing.js'), 404, STAYS],
  ['a world file', get('/worlds/terra.json'), 404, STAYS],

  /* names and pins */
  ['an unknown world', get('/worlds/tera/tiles/relief/3/4/2.png'), 404, STAYS],
  ['an unknown world with a seed', get('/worlds/tera~1/tiles/relief/3/4/2.png'), 404, STAYS],
  ['an unknown world in the query', get('/tiles/3/4/2.png?world=tera'), 404, STAYS],
  ['an unknown style', get('/tiles/relif/3/4/2.png'), 404, STAYS],
  ['a world name that is too long', get(`/worlds/${'a'.repeat(64)}`), 404, STAYS],
  ['a seed that is too long', get(`/worlds/terra~${'a'.repeat(257)}`), 400, STAYS],
  ['an empty seed', get('/worlds/terra~'), 400, STAYS],
  ['an empty pin', get('/worlds/terra@'), 400, STAYS],
  ['a short pin', get('/worlds/terra@g1-12'), 400, STAYS],
  ['a pin in upper case', get(`/worlds/terra@g1-${pin.toUpperCase()}`), 400, STAYS],
  ['a pin of another world', get(`/worlds/terra@g1-${pin}`), 410, STAYS],
  ['a style pin of another style', get('/tiles/relief@s1-0123456789abcdef/3/4/2.png'), 410, STAYS],

  /* tiles */
  ['a zoom that is a word', get('/tiles/three/4/2.png'), 400, STAYS],
  ['a zoom with a leading zero', get('/tiles/03/4/2.png'), 400, STAYS],
  ['a column with a fraction', get('/tiles/3/4.0/2.png'), 400, STAYS],
  ['a column in hexadecimal', get('/tiles/3/0x4/2.png'), 400, STAYS],
  ['a column with an exponent', get('/tiles/3/1e1/2.png'), 400, STAYS],
  ['a column of minus nothing', get('/tiles/9/-0/256.png'), 400, STAYS],
  ['a zoom of minus nothing', get('/tiles/-0/0/0.png'), 400, STAYS],
  ['a chunk of minus nothing', get('/chunks/0/-0.r32f'), 400, STAYS],
  ['a row with a plus', get('/tiles/3/4/+2.png'), 400, STAYS],
  ['an empty row', get('/tiles/3/4/.png'), 400, STAYS],
  ['a column beyond 64 bits', get('/tiles/3/99999999999999999999/2.png'), 400, STAYS],
  ['a zoom beyond 20', get('/tiles/21/4/2.png'), 404, STAYS],
  ['a negative zoom', get('/tiles/-1/4/2.png'), 404, STAYS],
  ['a column beyond the edge', get('/tiles/0/32768/0.png'), 404, STAYS],
  ['an unknown format', get('/tiles/3/4/2.gif'), 404, STAYS],
  ['no format', get('/tiles/3/4/2'), 404, STAYS],
  ['@3x', get('/tiles/3/4/2@3x.png'), 400, STAYS],
  ['an unknown size', get('/tiles/3/4/2.png?size=300'), 400, STAYS],
  ['two sizes', get('/tiles/3/4/2@2x.png?size=256'), 400, STAYS],
  ['a time that is a word', get('/tiles/3/4/2.png?t=now'), 400, STAYS],
  ['an endless time', get('/tiles/3/4/2.png?t=inf'), 400, STAYS],
  ['an unknown parameter', get('/tiles/3/4/2.png?siez=512'), 400, STAYS],
  ['a parameter twice', get('/tiles/3/4/2.png?size=512&size=512'), 400, STAYS],
  ['a world in the query of a full path', get('/tiles/relief/3/4/2.png?world=terra'), 400, STAYS],
  ['a parameter where there are none', get('/livez?verbose=1'), 400, STAYS],

  /* questions */
  ['no place', at(''), 400, STAYS],
  ['half a place', at('x=1'), 400, STAYS],
  ['both places', at('x=1&y=1&lon=1&lat=1'), 400, STAYS],
  ['an empty coordinate', at('x=&y=1'), 400, STAYS],
  ['a hexadecimal coordinate', at('x=0x10&y=1'), 400, STAYS],
  ['an endless coordinate', at('x=Infinity&y=1'), 400, STAYS],
  ['a coordinate that is no number', at('x=nan&y=1'), 400, STAYS],
  ['a decimal comma', at('x=1,5&y=1'), 400, STAYS],
  ['a plus', at('x=+1&y=1'), 400, STAYS],
  ['a coordinate beyond the limit', at('x=1099511627777&y=0'), 400, STAYS],
  ['a latitude beyond Mercator', at('lon=0&lat=86'), 400, STAYS],
  ['a longitude beyond 180', at('lon=180.5&lat=0'), 400, STAYS],
  ['a zoom beyond 20 at a place', at('x=0&y=0&zoom=21'), 400, STAYS],
  ['an unknown answer format', at('x=0&y=0&format=xml'), 400, STAYS],
  ['pretty=yes', at('x=0&y=0&pretty=yes'), 400, STAYS],
  ['an empty body', json(''), 400, STAYS],
  ['a body that is not JSON', json('points'), 400, STAYS],
  ['a body with something behind', json('{"points":[]} x'), 400, STAYS],
  ['a body that is an array', json([[0, 0]]), 400, STAYS],
  ['a body without points', json({}), 400, STAYS],
  ['an unknown member', json({ points: [], lod: 3 }), 400, STAYS],
  ['a member twice', json('{"points":[],"points":[]}'), 400, STAYS],
  ['points that are an object', json({ points: {} }), 400, STAYS],
  ['a point of three', json({ points: [[0, 0, 0]] }), 400, STAYS],
  ['a point of one', json({ points: [[0]] }), 400, STAYS],
  ['a point in quotes', json({ points: [['0', 0]] }), 400, STAYS],
  ['a point that is null', json({ points: [null] }), 400, STAYS],
  ['a point beyond the limit', json({ points: [[0, 0], [1e13, 0]] }), 400, STAYS],
  ['too many points', json({ points: Array(10001).fill([0, 0]) }), 413, STAYS],
  ['too deep a body', json('{"points":[[[[[0]]]]]}'), 400, STAYS],
  ['bad UTF-8 in a body', Buffer.concat([Buffer.from(post('Content-Length: 3\r\n', '"')), Buffer.from([0xff, 0x22])]), 400, STAYS],
  ['an unknown layer', json({ points: [], layer: 'hight' }), 404, STAYS],
  ['a layer that is a number', json({ points: [], layer: 1 }), 400, STAYS],
  ['a zoom of a half', json({ points: [], zoom: 1.5 }), 400, STAYS],
];

const server = serverOfFile();

for (const [name, bytes, status, fate] of cases) {
  test(`${name}: ${status}, the connection ${fate}`, async () => {
    const connection = new Connection(server.port);
    try {
      connection.send(bytes);
      const answer = await connection.answer();
      assert.ok(answer, 'no answer at all');
      assert.equal(answer.status, status);
      if (fate === CLOSES) {
        assert.equal((await connection.end()).toString(), '', 'more than one answer');
        return;
      }
      assert.equal(answer.headers['content-type'], 'application/problem+json');
      assert.equal(JSON.parse(answer.body).status, status);
      connection.send(get('/livez'));
      const next = await connection.answer();
      assert.equal(next?.status, 200, 'the connection did not stay');
      assert.equal(next.body.toString(), 'alive\n');
      assert.equal(next.rest.length, 0);
    } finally {
      connection.destroy();
    }
  });
}

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

test('an error names the nearest valid word and the allowed values', async () => {
  const problem = async (path) => (await fetch(server.url + path)).json();
  assert.match((await problem('/tiles/3/4/2.png?siez=512')).detail, /"size"/);
  assert.match((await problem('/worlds/tera')).detail, /"terra"/);
  assert.equal((await problem('/worlds/tera')).list, '/worlds');
  assert.match((await problem('/tiles/relif/3/4/2.png')).detail, /"relief"/);
  assert.match((await problem('/tiles/21/4/2.png')).detail, /0 … 20/);
  assert.match((await problem('/tiles/0/32768/0.png')).detail, /-32767.*32767/);
  assert.match((await problem('/tiles/3/4/2.gif')).detail, /png/);
  const bad = await problem('/tiles/3/4/2.png?size=big');
  assert.equal(bad.parameter, 'size');
  assert.equal(bad.allowed, '256, 512');
  const gone = await problem(`/worlds/terra@g1-${pin}`);
  const { fingerprint } = await problem('/worlds/terra');
  assert.equal(gone.current, fingerprint);
  const point = await fetch(`${server.url}/heights`, { method: 'POST', body: '{"points":[[0,0],[1,"a"]]}' });
  assert.match((await point.json()).detail, /points\[1\]/);
});

test('pipelined requests are answered in order', async () => {
  const connection = new Connection(server.port);
  connection.send(get('/livez') + get('/at?x=0&y=0') + get('/nothing') + get('/livez'));
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await connection.answer()).status);
  connection.destroy();
  assert.deepEqual(statuses, [200, 200, 404, 200]);
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
