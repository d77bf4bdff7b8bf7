/* Terrain for Cesium, read by Cesium's own provider: places and heights of vertices against chunks, the mesh, its header
 * and its normals against what Cesium computes from the vertices. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import AttributeCompression from '@cesium/engine/Source/Core/AttributeCompression.js';
import Cartesian3 from '@cesium/engine/Source/Core/Cartesian3.js';
import CesiumTerrainProvider from '@cesium/engine/Source/Core/CesiumTerrainProvider.js';
import Ellipsoid from '@cesium/engine/Source/Core/Ellipsoid.js';
import EllipsoidalOccluder from '@cesium/engine/Source/Core/EllipsoidalOccluder.js';
import { serverOfFile } from '../tools/server.mjs';

const server = serverOfFile();
const SIDE = 65;
const MOST = 32767;
const MEDIA_TYPE = 'application/vnd.quantized-mesh';
const HALF = 2 ** 24; /* metres from the centre of the map to its edge */
const tiles = [[3, 4, 2], [9, 260, 255], [15, 16500, 16400], [20, 530000, 520000]];
const coast = [9, 262, 252];
const mountains = [12, 2050, 2047];

const get = (path, headers = {}) => fetch(server.url + path, { headers });
const opened = new Map();
const openTerrain = (style, options = {}) => {
  const key = `${style} ${Object.keys(options)}`;
  if (!opened.has(key)) opened.set(key, CesiumTerrainProvider.fromUrl(`${server.url}/tiles/${style}`, options));
  return opened.get(key);
};

/* A tile as Cesium reads it, with the longitude, latitude, height and position of each vertex. */
async function readTile(style, [z, x, y], options) {
  const provider = await openTerrain(style, options);
  const data = await provider.requestTileGeometry(x, y, z);
  const { west, south, east, north } = provider.tilingScheme.tileXYToRectangle(x, y, z);
  const quanta = data._quantizedVertices;
  const count = quanta.length / 3;
  const [low, high] = [data._minimumHeight, data._maximumHeight];
  const vertices = Array.from({ length: count }, (_, i) => {
    const [u, v, h] = [0, 1, 2].map((k) => quanta[k * count + i]);
    const [longitude, latitude] = [west + (east - west) * u / MOST, south + (north - south) * v / MOST];
    const height = low + (high - low) * h / MOST;
    return { u, v, longitude, latitude, height, position: Cartesian3.fromRadians(longitude, latitude, height) };
  });
  return { data, vertices, low, high, extent: { west, south, east, north } };
}

/* The vertices of a mesh by column and row: from the columns of u and the rows of v. */
function gridOf(vertices) {
  const columns = [...new Set(vertices.map(({ u }) => u))].sort((a, b) => a - b);
  const rows = [...new Set(vertices.map(({ v }) => v))].sort((a, b) => b - a);
  assert.deepEqual([columns.length, rows.length, vertices.length], [SIDE, SIDE, SIDE * SIDE]);
  const grid = [];
  for (const [number, vertex] of vertices.entries()) {
    grid[rows.indexOf(vertex.v) * SIDE + columns.indexOf(vertex.u)] = { ...vertex, number };
  }
  return grid;
}

/* The samples of layers at the vertices of a tile, in rows from the north: those of a chunk. */
async function chunkOf([z, x, y], layers) {
  const half = 2 ** (z - 1);
  const response = await fetch(`${server.url}/chunks/${x - half}/${y - half}.r32f?step=${2 ** (19 - z)}&layers=${layers}`);
  const samples = new Float32Array(await response.arrayBuffer());
  return Array.from({ length: layers.split(',').length }, (_, i) => samples.subarray(i * SIDE ** 2, (i + 1) * SIDE ** 2));
}

for (const address of tiles) {
  test(`the vertices of ${address.join('/')} are the samples of a chunk, at their places on the map`, async () => {
    const { vertices, low, high, extent } = await readTile('height', address);
    const [heights] = await chunkOf(address, 'height');
    const [z, x, y] = address;
    assert.deepEqual([low, high], [Math.min(...heights), Math.max(...heights)]);
    for (const [i, vertex] of gridOf(vertices).entries()) {
      const [column, row] = [i % SIDE, Math.floor(i / SIDE)];
      const [east, south] = [x + column / 64, y + row / 64].map((part) => part * 2 ** (25 - z) - HALF);
      const latitude = Math.atan(Math.sinh(-Math.PI * south / HALF));
      assert.ok(Math.abs(vertex.longitude - Math.PI * east / HALF) <= (extent.east - extent.west) / MOST * 0.501);
      assert.ok(Math.abs(vertex.latitude - latitude) <= (extent.north - extent.south) / MOST * 0.501);
      assert.ok(Math.abs(vertex.height - heights[i]) <= (high - low) / MOST * 0.501, `${i}: ${vertex.height}, not ${heights[i]}`);
    }
  });
}

test('the terrain of a style with level water has its surface', async () => {
  const { vertices, low, high } = await readTile('terrarium-water', coast);
  const [ground, water] = await chunkOf(coast, 'height,water_level');
  let under = 0;
  for (const [i, { height }] of gridOf(vertices).entries()) {
    under += water[i] > ground[i];
    assert.ok(Math.abs(height - Math.max(ground[i], water[i])) <= (high - low) / MOST * 0.501);
  }
  assert.ok(under > 100 && under < SIDE ** 2 - 100, `${under} vertices under water`);
});

test('the triangles cover the tile once, each seen counter-clockwise, and the edges are listed', async () => {
  const { data, vertices } = await readTile('height', tiles[1]);
  let area = 0;
  assert.equal(data._indices.length, 3 * 2 * 64 * 64);
  for (let i = 0; i < data._indices.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => vertices[data._indices[i + k]]);
    const twice = (b.u - a.u) * (c.v - a.v) - (c.u - a.u) * (b.v - a.v);
    assert.ok(twice > 0);
    area += twice / 2;
  }
  assert.equal(area, MOST ** 2);
  for (const [side, axis, value, along] of [['west', 'u', 0, 'v'], ['south', 'v', 0, 'u'], ['east', 'u', MOST, 'v'], ['north', 'v', MOST, 'u']]) {
    const list = Array.from(data[`_${side}Indices`], (number) => vertices[number]);
    assert.equal(list.length, SIDE);
    assert.ok(list.every((vertex, i) => vertex[axis] === value && (i === 0 || vertex[along] > list[i - 1][along])), side);
  }
});

test('neighbours have the same heights at their common edge', async () => {
  const [z, x, y] = tiles[1];
  const [here, east] = await Promise.all([readTile('height', [z, x, y]), readTile('height', [z, x + 1, y])]);
  const [grid, other] = [gridOf(here.vertices), gridOf(east.vertices)];
  const step = Math.max(here.high - here.low, east.high - east.low) / MOST;
  for (let row = 0; row < SIDE; row++) {
    assert.ok(Math.abs(grid[row * SIDE + SIDE - 1].height - other[row * SIDE].height) <= 1.01 * step);
  }
});

test('the sphere holds all vertices and little more, and the occlusion point is the one that Cesium finds', async () => {
  const occluder = new EllipsoidalOccluder(Ellipsoid.WGS84);
  for (const address of [[0, 0, 0], [1, 1, 0], [2, 3, 1], ...tiles]) {
    const { data, vertices } = await readTile('height', address);
    const bytes = new DataView(await (await get(`/tiles/height/${address.join('/')}.terrain`)).arrayBuffer());
    const centre = new Cartesian3(...[0, 8, 16].map((at) => bytes.getFloat64(at, true))); /* Cesium does not keep it */
    const positions = vertices.map(({ position }) => position);
    const { center, radius } = data._boundingSphere;
    const farthest = Math.max(...positions.map((position) => Cartesian3.distance(position, center)));
    const quantum = 1.001 * radius / MOST; /* of the positions that were read */
    assert.ok(farthest <= radius + quantum && farthest >= radius - quantum, `${address}: ${farthest}, ${radius}`);
    const point = data._horizonOcclusionPoint;
    const expected = occluder.computeHorizonCullingPoint(centre, positions);
    if (expected === undefined) assert.deepEqual([point.x, point.y, point.z], [NaN, NaN, NaN]);
    else assert.ok(Cartesian3.distance(point, expected) < 1e-3 * Cartesian3.magnitude(expected), `${address}`);
    assert.equal(expected === undefined, address[0] < 2);
    const nearest = Math.min(...positions.map((position) => Cartesian3.distance(position, centre)));
    assert.ok(nearest < 0.1 * radius);
  }
});

test('normals are sent to those who ask, and stand on the mesh', async () => {
  const plain = await readTile('height', mountains);
  assert.equal(plain.data._encodedNormals, undefined);
  const { data, vertices } = await readTile('height', mountains, { requestVertexNormals: true });
  const grid = gridOf(vertices);
  const at = (column, row) => grid[row * SIDE + column].position;
  let steepest = 0;
  for (let row = 1; row < SIDE - 1; row++) {
    for (let column = 1; column < SIDE - 1; column++) {
      const across = Cartesian3.subtract(at(column + 1, row), at(column - 1, row), new Cartesian3());
      const up = Cartesian3.subtract(at(column, row - 1), at(column, row + 1), new Cartesian3());
      const expected = Cartesian3.cross(across, up, new Cartesian3());
      const { number, position } = grid[row * SIDE + column];
      const [x, y] = data._encodedNormals.subarray(2 * number);
      const normal = AttributeCompression.octDecode(x, y, new Cartesian3());
      assert.ok(Cartesian3.angleBetween(normal, expected) < 0.02, `${column}, ${row}`);
      steepest = Math.max(steepest, Cartesian3.angleBetween(normal, position));
    }
  }
  assert.ok(steepest > 0.1, `${steepest}`);
});

const withNormals = { Accept: `${MEDIA_TYPE};extensions=watermask-octvertexnormals,*/*;q=0.1` };

test('a terrain tile is cached, revalidated and pinned as other tiles are, apart for those with normals', async () => {
  const path = '/tiles/height/7/70/60.terrain';
  const first = await get(path);
  assert.equal(first.headers.get('content-type'), MEDIA_TYPE);
  const bytes = Buffer.from(await first.arrayBuffer());
  const again = await get(path);
  assert.equal(again.headers.get('x-terrane-cache'), 'memory');
  assert.ok(Buffer.from(await again.arrayBuffer()).equals(bytes));
  const normals = await get(path, withNormals);
  const more = Buffer.from(await normals.arrayBuffer());
  assert.equal(more.length, bytes.length + 5 + 2 * SIDE ** 2);
  assert.ok(more.subarray(0, bytes.length).equals(bytes));
  assert.notEqual(normals.headers.get('etag'), first.headers.get('etag'));
  for (const response of [first, again, normals]) assert.equal(response.headers.get('vary'), 'Accept-Encoding, Accept');
  const same = await get(path, { 'If-None-Match': first.headers.get('etag') });
  assert.deepEqual([same.status, same.headers.get('vary')], [304, 'Accept-Encoding, Accept']);
  assert.equal((await get(path, { ...withNormals, 'If-None-Match': first.headers.get('etag') })).status, 200);
  const [template] = (await (await get('/tiles/height/layer.json')).json()).tiles;
  const pinned = await fetch(template.replace('{z}', 7).replace('{x}', 70).replace('{y}', 60));
  assert.match(pinned.headers.get('cache-control'), /immutable/);
  assert.ok(Buffer.from(await pinned.arrayBuffer()).equals(bytes));
  assert.equal((await get('/worlds/terra@g1-00000000000000000000000000000000/tiles/height/layer.json')).status, 410);
});

test('only the media type of the mesh has its extensions', async () => {
  const plain = (await (await get('/tiles/height/2/1/1.terrain')).arrayBuffer()).byteLength;
  for (const [accept, has] of [
    [`${MEDIA_TYPE};extensions=octvertexnormals`, true],
    [`text/html, ${MEDIA_TYPE} ; q=0.5 ; EXTENSIONS=metadata-OctVertexNormals ;q=1`, true],
    [`${MEDIA_TYPE};extensions=octvertexnormals2-vertexnormals`, false],
    [`${MEDIA_TYPE};other=octvertexnormals`, false],
    [`${MEDIA_TYPE};q=0.9, application/octet-stream;extensions=octvertexnormals`, false],
    [`${MEDIA_TYPE};extensions=`, false],
  ]) {
    const { byteLength } = await (await get('/tiles/height/2/1/1.terrain', { Accept: accept })).arrayBuffer();
    assert.equal(byteLength, plain + (has ? 5 + 2 * SIDE ** 2 : 0), accept);
  }
});

test('what is not on a globe, or not in the format, is refused', async () => {
  for (const [path, status, detail] of [
    ['/tiles/height/3/8/0.terrain', 404, /tile x 8 is out of range; at zoom 3 it goes from 0 to 7/],
    ['/tiles/height/0/0/-1.terrain', 404, /tile y -1 is out of range; at zoom 0 it goes from 0 to 0/],
    ['/tiles/height/21/0/0.terrain', 404, /zoom must be 0 … 20/],
    ['/tiles/height/3/1/1.terrain?size=128', 400, /must be one of 64/],
    ['/tiles/height/3/1/1.terrain?labels=1', 400, /labels is for tiles of these formats only: mvt/],
    ['/tiles/heigt/layer.json', 404, /did you mean "height"/],
    ['/render?bbox=0,0,10,10&width=4&format=terrain', 400, /format: must be/],
  ]) {
    const response = await get(path);
    assert.equal(response.status, status, path);
    assert.match((await response.json()).detail, detail);
  }
});
