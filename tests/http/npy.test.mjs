/* Files of NumPy, opened by NumPy itself (Debian's python3-numpy), and compared with r32f and JSON; several layers of
 * points in one request. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';

const server = serverOfFile();
const NPY = 'application/x-npy';

/* What NumPy reads: a line of type, order and shape, then the bytes of the array as C would have them. */
const PROGRAM = `
import io, sys, numpy
array = numpy.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False)
print(array.dtype.str, array.flags.c_contiguous, *array.shape, flush=True)
sys.stdout.buffer.write(array.tobytes())
`;
async function load(bytes) {
  const child = spawn('/usr/bin/python3', ['-c', PROGRAM]);
  child.stdin.end(bytes);
  const [output, complaints] = await Promise.all([buffer(child.stdout), buffer(child.stderr)]);
  assert.equal(complaints.toString(), '');
  const end = output.indexOf('\n');
  const [type, ordered, ...shape] = output.subarray(0, end).toString().split(' ');
  assert.deepEqual([type, ordered], ['<f4', 'True']);
  return { shape: shape.map(Number), samples: output.subarray(end + 1) };
}

const bytesOf = async (response) => {
  assert.equal(response.status, 200, response.status === 200 ? '' : await response.clone().text());
  return Buffer.from(await response.arrayBuffer());
};
const get = async (path) => bytesOf(await fetch(server.url + path));
const post = (path, body, headers = {}) => fetch(server.url + path, { method: 'POST', body: JSON.stringify(body), headers });

for (const [path, shape] of [
  ['/tiles/height/3/4/2.EXT', [256, 256]],
  ['/tiles/height/3/4/2@2x.EXT', [512, 512]],
  ['/chunks/3/-2.EXT?size=16&step=4', [17, 17]],
  ['/chunks/3/-2.EXT?size=16&step=4&apron=1&layers=height,biome,water_level', [3, 19, 19]],
  ['/volumes/0/0/0.EXT?layer=height&size=3&step=2', [4, 4, 4]],
]) {
  test(`${path.replace('EXT', 'npy')} has the samples of r32f in ${shape.length} axes`, async () => {
    const response = await fetch(server.url + path.replace('EXT', 'npy'));
    assert.equal(response.headers.get('content-type'), NPY);
    const file = await load(await bytesOf(response));
    assert.deepEqual(file.shape, shape);
    assert.ok(file.samples.equals(await get(path.replace('EXT', 'r32f'))));
  });
}

test('materials are planes behind the layers, and batches have whole files', async () => {
  const { materials } = JSON.parse(await get('/worlds/terra'));
  const { shape, samples } = await load(await get('/chunks/3/-2.npy?size=4&layers=height,materials'));
  assert.deepEqual(shape, [1 + materials.length, 5, 5]);
  assert.ok(samples.equals(await get('/chunks/3/-2.r32f?size=4&layers=height,materials')));
  const batch = await bytesOf(await post('/chunks', { format: 'npy', size: 4, chunks: [[3, -2]] }));
  const one = await load(batch.subarray(32, 32 + batch.readUInt32LE(24)));
  assert.ok(one.samples.equals(await get('/chunks/3/-2.r32f?size=4')));
});

const points = Array.from({ length: 300 }, (_, i) => [37.5 * i - 4000, (i % 17) * 210.25]);
const layers = ['height', 'water_level', 'biome'];

test('layers of points in one request are those of single requests, in every format', async () => {
  const single = [];
  for (const layer of layers) single.push(JSON.parse(await bytesOf(await post('/heights', { points, layer }))).heights);
  assert.ok(new Set(single.flat()).size > 500);
  assert.deepEqual(JSON.parse(await bytesOf(await post('/heights', { points, layers }))),
    { samples: Object.fromEntries(layers.map((layer, i) => [layer, single[i]])) });
  const query = `?layers=${layers}`;
  const expected = Buffer.from(Float32Array.from(single.flat()).buffer);
  for (const [path, headers] of [[`${query}&format=binary`, {}], [query, { Accept: 'application/octet-stream' }]])
    assert.ok((await bytesOf(await post(`/heights${path}`, { points }, headers))).equals(expected), path);
  for (const [path, headers] of [[`${query}&format=npy`, {}], [query, { Accept: `${NPY}, application/json;q=0.5` }]]) {
    const response = await post(`/heights${path}`, { points }, headers);
    assert.equal(response.headers.get('content-type'), NPY);
    const file = await load(await bytesOf(response));
    assert.deepEqual(file.shape, [3, 300]);
    assert.ok(file.samples.equals(expected));
  }
  const one = await load(await bytesOf(await post('/heights?format=npy', { points })));
  assert.deepEqual(one.shape, [300]);
  assert.ok(one.samples.equals(expected.subarray(0, 1200)));
  assert.deepEqual((await load(await bytesOf(await post('/heights?format=npy&layers=biome', { points: [] })))).shape, [1, 0]);
});

test('scattered points are made in pieces, in the order of the request', async () => {
  const far = Array.from({ length: 600 }, (_, i) => [(i * 7919) % 600 * 3001 - 9e5, (i * 104729) % 600 * 2999 - 9e5]);
  const { samples } = JSON.parse(await bytesOf(await post('/heights', { points: far, layers: ['biome', 'height'] })));
  const { heights } = JSON.parse(await bytesOf(await post('/heights', { points: far })));
  assert.deepEqual(samples.height, heights);
});

test('wrong lists of layers are refused', async () => {
  const many = (await (await fetch(`${server.url}/worlds/terra`)).json()).layers.slice(0, 17).map(({ name }) => name);
  for (const [query, body, status, detail] of [
    ['', { layers: [] }, 400, /"layers" must be an array of layers' names, not empty/],
    ['', { layers: 'height' }, 400, /"layers" must be an array of layers' names, not a string/],
    ['', { layers: ['height', 'height'] }, 400, /"height" is asked for more than once/],
    ['', { layers: ['height', 'heigt'] }, 404, /unknown layer "heigt" \(did you mean "height"\?\)/],
    ['', { layers: many }, 400, /at most 16 layers at once/],
    ['', { layers: ['height'], layer: 'height' }, 400, /give one/],
    ['?layer=height&layers=biome', {}, 400, /give one/],
    ['?layers=height,', {}, 400, /1 to 63 characters, not 0/],
    ['?layer=height,biome', {}, 404, /unknown layer "height,biome"/],
    ['?format=text', {}, 400, /json or binary or npy/],
  ]) {
    const response = await post(`/heights${query}`, { points: [[0, 0]], ...body });
    assert.equal(response.status, status, query);
    assert.match((await response.json()).detail, detail);
  }
  const body = await bytesOf(await post('/heights?layer=biome', { points: [[0, 0]], layers: ['height'] }));
  assert.deepEqual(Object.keys(JSON.parse(body).samples), ['height']);
});
