/* POST /heights in binary: the same heights as in JSON, bit for bit, and errors as clear. What the numbers of a body
 * mean is written down here again: little-endian float64 metres, or int64 units of 2⁻¹⁶ m, and float32 answers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile } from '../tools/server.mjs';
import { Connection, ask, decode } from './raw.mjs';

/* A world whose layers are the coordinates themselves. */
const folder = temporaryFolder();
folder.write('fine.json', { generator: 1, layers: { height: 'y', east: 'x' } });
const server = serverOfFile({ arguments: ['--worlds', folder.path] });

const BINARY = 'application/octet-stream';
const EDGE = 2 ** 40; /* metres */
const UNIT = 2 ** -16; /* metres */

const float64 = (points) => Buffer.concat(points.flat().map((number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(number);
  return bytes;
}));
const int64 = (points) => Buffer.concat(points.flat().map((number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(number));
  return bytes;
}));
const floats = (bytes) => Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));

const post = (query, body, headers = {}, world = '') =>
  fetch(`${server.url}${world}/heights${query}`, { method: 'POST', body, headers });
const inBinary = (query, body, headers = {}, world = '') =>
  post(query, body, { 'Content-Type': BINARY, Accept: BINARY, ...headers }, world);
async function binary(...request) {
  const response = await inBinary(...request);
  assert.equal(response.status, 200, await (response.status === 200 ? '' : response.clone().text()));
  assert.equal(response.headers.get('content-type'), BINARY);
  return floats(Buffer.from(await response.arrayBuffer()));
}
async function json(points, more = {}, world = '') {
  const texts = points.map(([x, y]) => `[${x},${y}]`); /* numbers may be texts, as doubles would not hold them all */
  const response = await post('', `{"points":[${texts}]${Object.entries(more).map(([key, value]) => `,"${key}":${JSON.stringify(value)}`).join('')}}`, {}, world);
  assert.equal(response.status, 200);
  return (await response.json()).heights.map(Math.fround);
}

/* The same places in every run: around some players, and anywhere. */
function somePlaces(count, reach) {
  let state = 7;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  return Array.from({ length: count }, (_, i) => [(i % 5) * 3e5 + Math.round(next() * reach * 64) / 32, Math.round(next() * reach * 64) / 32]);
}

test('binary heights are those of JSON, bit for bit', async () => {
  for (const [count, reach, more] of [[700, 50, {}], [700, 1000, { layer: 'temperature' }], [100, 1e7, { zoom: 9 }], [100, 1e12, { layer: 'biome', zoom: 12 }]]) {
    const points = somePlaces(count, reach);
    const query = `?${new URLSearchParams({ ...more, pretty: 0 })}`;
    const expected = await json(points, more);
    assert.ok(new Set(expected).size > (more.layer === 'biome' ? 2 : 0.9 * count));
    assert.deepEqual(await binary(query, float64(points)), expected);
    const units = points.map((point) => point.map((metres) => BigInt(metres * 65536)));
    assert.deepEqual(await binary(`${query}&coordinates=int64`, int64(units)), expected);
  }
  assert.deepEqual(await binary('?layer=east', float64([[1, 2], [3, 4]]), {}, '/worlds/fine'), [1, 3]);
  assert.deepEqual(await binary('', Buffer.alloc(0)), []);
});

test('body and answer are binary each for itself', async () => {
  const points = somePlaces(20, 3000);
  const expected = await json(points);
  const text = JSON.stringify({ points });
  const answered = await (await post('?pretty=1', float64(points), { 'Content-Type': `${BINARY}; charset=binary` })).text();
  assert.match(answered, /^\{\n {2}"heights": \[\n/);
  assert.deepEqual(JSON.parse(answered).heights.map(Math.fround), expected);
  for (const accept of [BINARY, `${BINARY}, */*;q=0.1`, `application/json;q=0.5, ${BINARY.toUpperCase()}`, 'application/json;q=0, application/*'])
    assert.deepEqual(floats(Buffer.from(await (await post('', text, { Accept: accept })).arrayBuffer())), expected, accept);
  for (const accept of ['*/*', 'application/*', `application/json, ${BINARY}`, `*/*, ${BINARY};q=0.9`, `${BINARY};q=0`, 'text/html', `x${BINARY}`, ''])
    assert.deepEqual((await (await post('', text, { Accept: accept })).json()).heights.map(Math.fround), expected, accept);
});

/* Ties go to even units, as with decimals: of 2⁻¹⁷ m and 3 · 2⁻¹⁷ m the neighbours are 0 and 2 units. */
test('float64 coordinates are rounded to the nearest unit, ties to even', async () => {
  const cases = [[0.5, 0n], [1.5, 2n], [2.5, 2n], [-0.5, 0n], [-1.5, -2n], [0.49, 0n], [0.51, 1n], [-0.51, -1n], [65536 * 9.75, 638976n],
    [2 ** 52 - 0.5, 2n ** 52n], [2 ** 56, 2n ** 56n], [-(2 ** 56), -(2n ** 56n)], [5e-324, 0n]];
  const given = await binary('?layer=east', float64(cases.map(([units]) => [units * UNIT, 0])), {}, '/worlds/fine');
  assert.deepEqual(given, await binary('?layer=east&coordinates=int64', int64(cases.map(([, units]) => [units, 0n])), {}, '/worlds/fine'));
  assert.deepEqual(given.slice(0, 9), [0, 2, 2, 0, -2, 0, 1, -1, 638976].map((units) => units * UNIT));
});

test('errors of a binary body name the point', async () => {
  const good = [[1, 2], [3, 4]];
  const beyond = [[EDGE, -EDGE], [5, EDGE + 2 ** -12]];
  const cases = [
    ['', float64(good).subarray(0, 31), 400, 'body', /31 bytes/, /16 bytes/],
    ['', Buffer.alloc(8), 400, 'body', /8 bytes/],
    ['?coordinates=int64', Buffer.alloc(17), 400, 'body', /17 bytes/],
    ['', float64([...good, [NaN, 0]]), 400, 'points', /^points\[2\]: x .* not NaN$/],
    ['', float64([...good, [0, Infinity]]), 400, 'points', /^points\[2\]: y .* not infinity$/],
    ['', float64([[-Infinity, NaN]]), 400, 'points', /^points\[0\]: x .* not infinity$/],
    ['', float64(beyond), 400, 'points', /^points\[1\]: y: 1099511627776\.000\d* m is beyond the world's edge: allowed is -1099511627776 to 1099511627776$/],
    ['', float64([[-2e13, 0]]), 400, 'points', /^points\[0\]: x: -20000000000000 m is beyond/],
    ['?coordinates=int64', int64([[0, 0], [0, 2n ** 56n], [-(2n ** 56n) - 1n, 0]]), 400, 'points', /^points\[2\]: x: -72057594037927937 units/],
    ['?coordinates=int64', int64([[2n ** 63n - 1n, 0]]), 400, 'points', /^points\[0\]: x: 9223372036854775807 units/],
    ['?coordinates=float32', float64(good), 400, 'coordinates', /must be float64 or int64/],
    ['?layer=hight', float64(good), 404, 'layer', /did you mean "height"/],
    ['?layers=height,hight', float64(good), 404, 'layers', /did you mean "height"/],
    ['?layers=height,height', float64(good), 400, 'layers', /more than once/],
    ['?layers=height,', float64(good), 400, 'layers', /1 to 63 characters, not 0/],
    ['?zoom=21', float64(good), 400, 'zoom', /0 to 20/],
    ['?lod=1', float64(good), 400, 'lod', /unknown parameter/],
    ['', Buffer.alloc(16 * 10001), 413, 'points', /at most 10000 points at once, not 10001/],
  ];
  for (const [query, body, status, parameter, ...patterns] of cases) {
    const response = await inBinary(query, body);
    const document = await response.json();
    assert.equal(response.status, status, document.detail);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.equal(document.parameter, parameter, document.detail);
    const ofBody = ['body', 'points'].includes(parameter);
    if (status === 400) assert.equal(document.title, ofBody ? 'Bad body' : 'Bad parameter', document.detail);
    for (const pattern of patterns) assert.match(document.detail, pattern);
    assert.equal(document.fits, status === 413 ? 10000 : undefined);
  }
  assert.equal((await binary('', Buffer.alloc(16 * 10000))).length, 10000);
  const encoded = await inBinary('', float64(good), { 'Content-Encoding': 'gzip' });
  assert.equal(encoded.status, 415);
  /* Refused by its length, before it is sent. */
  const large = await ask(server.port, `POST /heights HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${BINARY}\r\nContent-Length: ${2 ** 20 + 16}\r\n\r\n`);
  assert.equal(large.status, 413);
  assert.match(JSON.parse(large.body).detail, /1048576 bytes/);
});

test('layer and zoom of the URL stand in for those that a JSON body does not have', async () => {
  const points = somePlaces(30, 1e6);
  const given = async (query, more) => (await (await post(query, JSON.stringify({ points, ...more }))).json()).heights.map(Math.fround);
  const expected = await json(points, { layer: 'temperature', zoom: 5 });
  assert.deepEqual(await given('?layer=temperature&zoom=5', {}), expected);
  assert.deepEqual(await given('?layer=biome&zoom=17', { layer: 'temperature', zoom: 5 }), expected);
  assert.deepEqual(await given('?zoom=5&coordinates=int64', { layer: 'temperature' }), expected);
  assert.notDeepEqual(await given('?layer=temperature', {}), expected);
});

/* A long JSON body of the usual shape is read in one pass; any other way to write the same must mean the same. */
test('a JSON body means the same however it is written', async () => {
  const points = somePlaces(300, 5000);
  const expected = await json(points, { zoom: 11 });
  const pairs = JSON.stringify(points);
  const bodies = [
    `{"points":${pairs},"zoom":11}`, `{"zoom":11,"points":${pairs}}`, ` {\n"layer" : "height",\t"points" :\r\n ${JSON.stringify(points, null, 1)} , "zoom":11 } `,
    `{"p\\u006fints":${pairs},"zoom":11}`, `{"points":${pairs},"z\\u006fom":11}`,
    `{"points":[${points.map(([x, y]) => `[${x * 10}e-1,${y}E0]`)}],"zoom":11}`,
  ];
  for (const body of bodies) {
    const response = await post('', body);
    assert.equal(response.status, 200, body.slice(0, 60));
    assert.deepEqual((await response.json()).heights.map(Math.fround), expected, body.slice(0, 60));
  }
  const [first] = await json([points[0]]);
  assert.deepEqual((await (await post('', `{"points":[[${points[0]}]]}`)).json()).heights.map(Math.fround), [first]);
  for (const [body, parameter, pattern] of [
    [`{"points":${pairs},"points":[]}`, 'body', /"points" appears twice/], [`{"points":[],"points":${pairs}}`, 'body', /"points" appears twice/],
    [`{"points":${pairs.slice(0, -1)},],"zoom":11}`, 'body', /expected a value/], [`{"points":${pairs.slice(0, -1)},[01,2]]}`, 'body', /malformed number/],
    [`{"points":${pairs.slice(0, -1)},[1,2,3]]}`, 'points', /^points\[300\]/], [`{"points":${pairs.slice(0, -1)},[1,null]]}`, 'points', /^points\[300\]: y/],
    [`{"points":${pairs},"lod":1}`, 'lod', /unknown key/], [`{"lod":{"points":${pairs}},"points":[]}`, 'lod', /unknown key/],
    [`{"layer":{"points":[[1,2]]},"points":[]}`, 'layer', /must be a layer's name/], [`{"x\\"points":[[1,2]],"points":[]}`, 'x"points', /unknown key/],
    [`{"layer":"\\"points","points":[[1,2]]}`, 'layer', /unknown layer/], [`{"points":${pairs},"zoom":"11"}`, 'zoom', /whole number/],
    [`[{"points":${pairs}}]`, 'body', /must be an object/], [`{"points":${pairs}} x`, 'body', /nothing more/],
  ]) {
    const response = await post('', body);
    const document = await response.json();
    assert.ok(response.status === 400 || response.status === 404, document.detail);
    assert.equal(document.parameter, parameter, document.detail);
    assert.match(document.detail, pattern);
  }
  const { detail } = await (await post('', `{"points":\n${pairs},\n"zoom":11,\n!}`)).json();
  assert.match(detail, /line 4\b/);
});

const head = (lines, query = '') => `POST /heights${query} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${BINARY}\r\nAccept: ${BINARY}\r\n${lines}\r\n`;

test('binary answers are compressed for clients that ask for it', async () => {
  const body = float64(somePlaces(400, 500));
  const send = (coding) => ask(server.port,
    Buffer.concat([Buffer.from(head(`Accept-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n`)), body]));
  const plain = await send('identity');
  assert.equal(plain.status, 200);
  assert.equal(plain.body.length, 1600);
  assert.equal(plain.headers['cache-control'], 'no-store');
  for (const coding of ['gzip', 'zstd']) {
    const { headers, body: packed } = await send(coding);
    assert.equal(headers['content-encoding'], coding);
    assert.ok(packed.length < plain.body.length);
    assert.ok(decode(coding, packed).equals(plain.body));
  }
});

test('a binary body may come in chunks and in pieces; half a body is no request', async () => {
  const points = somePlaces(1000, 800);
  const expected = await json(points);
  const body = float64(points);
  const pieces = [0, 1, 8, 23, 4096, 9999, body.length].map((at, i, all) => body.subarray(at, all[i + 1] ?? at)).slice(0, -1);
  const chunked = Buffer.concat([Buffer.from(head('Transfer-Encoding: chunked\r\n')),
    ...pieces.flatMap((piece) => [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]), Buffer.from('0\r\n\r\n')]);
  assert.deepEqual(floats((await ask(server.port, chunked)).body), expected);

  const dripping = new Connection(server.port);
  dripping.send(head(`Content-Length: ${body.length}\r\n`));
  for (const piece of pieces) {
    dripping.send(piece);
    await new Promise((resolve) => { setImmediate(resolve); });
  }
  assert.deepEqual(floats((await dripping.answer()).body), expected);
  dripping.destroy();

  const half = new Connection(server.port);
  half.send(head(`Content-Length: ${body.length}\r\n`));
  half.send(body.subarray(0, body.length / 2));
  assert.equal((await fetch(`${server.url}/livez`)).status, 200);
  assert.equal(half.received.length, 0);
  half.destroy();
  assert.deepEqual(await binary('', body.subarray(0, body.length / 2)), expected.slice(0, 500));
});

test('HEAD is not allowed, OPTIONS allows what a browser needs', async () => {
  assert.equal((await fetch(`${server.url}/heights`, { method: 'HEAD' })).status, 405);
  const { status, headers } = await fetch(`${server.url}/heights`, { method: 'OPTIONS' });
  assert.equal(status, 204);
  assert.match(headers.get('access-control-allow-headers'), /Content-Type/);
  assert.equal((await inBinary('', float64([[0, 0]]))).headers.get('access-control-allow-origin'), '*');
});

test('openapi.json has the media types and the parameters', async () => {
  const { paths } = await (await fetch(`${server.url}/openapi.json`)).json();
  for (const path of ['/heights', '/worlds/{world}/heights']) {
    const { post: { requestBody, responses }, parameters } = paths[path];
    assert.deepEqual(Object.keys(requestBody.content).sort(), ['application/json', BINARY]);
    assert.deepEqual(Object.keys(responses['200'].content).sort(), ['application/json', BINARY, 'application/x-npy']);
    const { schema } = parameters.find(({ name }) => name === 'coordinates');
    assert.deepEqual([schema.enum, schema.default], [['float64', 'int64'], 'float64']);
  }
  assert.deepEqual(Object.keys(paths['/chunks'].post.requestBody.content), ['application/json']);
});

test('another seed is compiled for a binary body, too', async () => {
  const points = somePlaces(10, 1e6);
  const world = `/worlds/perlin~binary`;
  assert.deepEqual(await binary('', float64(points), {}, world), await json(points, {}, world));
  assert.notDeepEqual(await json(points, {}, world), await json(points, {}, '/worlds/perlin'));
});
