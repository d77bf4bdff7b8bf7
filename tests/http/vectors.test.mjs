/* Vector tiles, read by Mapbox's decoder, compared with the samples of r32f tiles and queries. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { amount } from '../tools/amount.mjs';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { heightsBody, makeRandom } from './tile-addresses.mjs';

const EXTENT = 4096;
const BUFFER = 64;
const UNITS = EXTENT / 256; /* to a pixel */
const worlds = ['terra', 'archipelago', 'highlands', 'canyons', 'dunes', 'perlin', 'caves'];

const server = serverOfFile();

async function fetchBytes(world, { z, x, y }, rest, layer = 'height') {
  const path = `/worlds/${world}/tiles/${layer}/${z}/${x}/${y}${rest}`;
  const response = await fetch(server.url + path);
  assert.equal(response.status, 200, path);
  return Buffer.from(await response.arrayBuffer());
}

/* { contour, water, objects }: lists of { type, id, properties, lines } of a tile's layers; a line is
 * a list of { x, y }. */
async function readTile(world, address, query = '') {
  const tile = new VectorTile(new PbfReader(await fetchBytes(world, address, `.mvt${query}`)));
  const read = (layer) => (layer ? Array.from({ length: layer.length }, (_, i) => {
    const feature = layer.feature(i);
    const { type, id, properties } = feature;
    return { type, id, properties, lines: feature.loadGeometry() };
  }) : []);
  for (const [name, layer] of Object.entries(tile.layers)) {
    assert.ok(['contour', 'water', 'rivers', 'objects'].includes(name), name);
    assert.deepEqual([layer.version, layer.extent], [2, EXTENT]);
    assert.ok(layer.length > 0);
  }
  const { contour, water, objects } = tile.layers;
  return { contour: read(contour), water: read(water), objects: read(objects) };
}

/* A layer's samples in a tile and its eight neighbours: (column, row) from −256 to 511. */
async function readSamples(world, { z, x, y }, layer) {
  const tiles = await Promise.all(Array.from({ length: 9 }, (_, i) => fetchBytes(world,
    { z, x: x - 1n + BigInt(i % 3), y: y - 1n + BigInt(Math.floor(i / 3)) }, '.r32f', layer)));
  return (column, row) => {
    const tile = tiles[Math.floor(row / 256 + 1) * 3 + Math.floor(column / 256 + 1)];
    return tile.readFloatLE(4 * ((row & 255) * 256 + (column & 255)));
  };
}

/* A tile's heights, above the layer `surface` if one is named, between pixels' centres by units of
 * the tile. */
async function readGround(world, address, surface = null) {
  const heights = await readSamples(world, address, 'height');
  const surfaces = surface === null ? () => 0 : await readSamples(world, address, surface);
  const at = (column, row) => Math.fround(heights(column, row) - surfaces(column, row));
  /* Bilinear; and how much neighbours within two pixels differ at most. */
  const height = (ux, uy) => {
    const [px, py] = [ux / UNITS - 0.5, uy / UNITS - 0.5];
    const [left, top] = [Math.floor(px), Math.floor(py)];
    const [s, t] = [px - left, py - top];
    return (at(left, top) * (1 - s) + at(left + 1, top) * s) * (1 - t)
      + (at(left, top + 1) * (1 - s) + at(left + 1, top + 1) * s) * t;
  };
  const slope = (ux, uy, reach = 1) => {
    const [left, top] = [Math.floor(ux / UNITS - 0.5), Math.floor(uy / UNITS - 0.5)];
    let most = 0;
    for (let row = top - reach; row <= top + reach; row++) {
      for (let column = left - reach; column <= left + reach; column++) {
        const here = at(column, row);
        most = Math.max(most, Math.abs(at(column + 1, row) - here), Math.abs(at(column, row + 1) - here));
      }
    }
    return most;
  };
  return { height, slope };
}

/* The layer of a world's water level; null if water stands at 0 m. */
async function surfaceLayer(world) {
  const { layers } = await (await fetch(`${server.url}/worlds/${world}`)).json();
  return layers.some(({ name }) => name === 'water_level') ? 'water_level' : null;
}

/* Addresses near the middle of the map, where every world has land and sea. */
function nearAddresses(seed, zooms, each) {
  const random = makeRandom(seed);
  return zooms.flatMap((z) => Array.from({ length: each }, () => {
    const middle = (1n << BigInt(z)) >> 1n;
    const span = z < 6 ? 1n : 3000n >> BigInt(z < 12 ? 12 - z : 0);
    return { z, x: middle + random(-span, span), y: middle + random(-span, span) };
  }));
}
const zooms = Array.from({ length: 21 }, (_, z) => z);

test('every vector tile parses and has the documented layers, types and keys', async () => {
  let features = 0;
  for (const [i, world] of worlds.entries()) {
    for (const address of nearAddresses(i, zooms, amount(1, 2))) {
      const { contour, water, objects } = await readTile(world, address);
      for (const { type, properties, lines } of contour) {
        assert.equal(type, 2);
        assert.deepEqual(Object.keys(properties).sort(), ['height', 'index']);
        assert.equal(typeof properties.height, 'number');
        assert.equal(typeof properties.index, 'boolean');
        for (const line of lines) assert.ok(line.length >= 2);
      }
      for (const { type, properties } of water) {
        assert.equal(type, 3);
        assert.deepEqual(Object.keys(properties), []);
      }
      for (const { type, properties, lines } of objects) {
        assert.equal(type, 1);
        assert.deepEqual(Object.keys(properties).sort(), ['id', 'kind', 'rotation', 'scale']);
        assert.deepEqual(lines.map(({ length }) => length), [1]);
      }
      const points = [...contour, ...water].flatMap(({ lines }) => lines).flat();
      assert.ok(points.every(({ x, y }) => Math.min(x, y) >= -BUFFER && Math.max(x, y) <= EXTENT + BUFFER));
      features += contour.length + water.length + objects.length;
      const heights = contour.map(({ properties }) => properties.height);
      assert.deepEqual(heights, [...new Set(heights)].sort((a, b) => a - b));
    }
  }
  assert.ok(features > amount(2200, 4400), `${features} features`);
});

test('the TileJSON of vector tiles lists their layers and keys', async () => {
  for (const world of ['terra', 'perlin']) {
    const { vector_layers: listed } = await (await fetch(`${server.url}/worlds/${world}/tiles.json?format=mvt`)).json();
    const found = {};
    for (const address of nearAddresses(7, [4, 8, 11, 16, 17, 18], 3)) {
      const tile = new VectorTile(new PbfReader(await fetchBytes(world, address, '.mvt')));
      for (const [name, layer] of Object.entries(tile.layers)) {
        found[name] ??= new Set();
        for (let i = 0; i < layer.length; i++) Object.keys(layer.feature(i).properties).forEach((key) => found[name].add(key));
      }
    }
    const sorted = (keys) => [...keys].sort();
    const byName = (entries) => Object.fromEntries(entries.map(([name, keys]) => [name, sorted(keys)]));
    assert.deepEqual(byName(listed.map(({ id, fields }) => [id, Object.keys(fields)])), byName(Object.entries(found)), world);
  }
});

test('objects have the ids of /objects', async () => {
  const address = { z: 17, x: 65600n, y: 65500n };
  const [west, north] = [address.x, address.y].map((index) => Number(index) * 256 - 2 ** 24);
  const { objects } = await (await fetch(`${server.url}/objects?bbox=${[west, north, west + 256, north + 256]}`)).json();
  const { objects: drawn } = await readTile('terra', address);
  assert.ok(objects.length > 100, `${objects.length} objects`);
  const kindById = (list) => new Map(list.map(({ id, kind }) => [id, kind]));
  assert.deepEqual(kindById(drawn.map(({ properties }) => properties)), kindById(objects));
});

test('.pbf is another name of .mvt', async () => {
  const [mvt, pbf] = await Promise.all(['mvt', 'pbf'].map((extension) => fetch(`${server.url}/tiles/9/256/258.${extension}`)));
  assert.equal(pbf.status, 200);
  assert.equal(pbf.headers.get('content-type'), 'application/vnd.mapbox-vector-tile');
  assert.equal(pbf.headers.get('etag'), mvt.headers.get('etag'));
  assert.deepEqual(await pbf.arrayBuffer(), await mvt.arrayBuffer());
});

test('a contour\'s points have its height', async () => {
  let points = 0;
  for (const [i, world] of worlds.entries()) {
    for (const address of nearAddresses(10 + i, [1, 4, 7, 10, 13, 15, 17, 19], 1)) {
      const { contour } = await readTile(world, address);
      const ground = await readGround(world, address);
      for (const { properties, lines } of contour) {
        for (const { x, y } of lines.flat()) {
          /* On the lines through pixels' centres a point is moved by rounding alone, half a unit,
           * and by keeping a unit away from the centres: simplifying leaves points out. Between
           * them are only those on borders, on the chord of what bends within a pixel. */
          const onLine = (x - 8) % UNITS === 0 || (y - 8) % UNITS === 0;
          assert.ok(onLine || [-BUFFER, 0, EXTENT, EXTENT + BUFFER].some((at) => x === at || y === at));
          const error = Math.abs(ground.height(x, y) - properties.height);
          const most = ground.slope(x, y) * (onLine ? 2 / UNITS : 1) + Math.abs(properties.height) * 1e-6;
          assert.ok(error <= most, `${world} ${address.z}/${address.x}/${address.y}: ${error} m off `
            + `${properties.height} at ${x}, ${y}, of ${most}`);
          points++;
        }
      }
    }
  }
  assert.ok(points > 100_000, `${points} points`);
});

test('/heights answers a contour\'s height at its points', async () => {
  let points = 0;
  for (const [i, world] of worlds.slice(0, 6).entries()) {
    const random = makeRandom(20 + i);
    for (const address of nearAddresses(30 + i, [5, 9, 12, 14, 16, 18, 20], 1)) {
      const { contour } = await readTile(world, address);
      const all = contour.flatMap(({ properties, lines }) =>
        lines.flat().map(({ x, y }) => ({ x, y, height: properties.height })));
      if (all.length === 0) continue;
      const some = Array.from({ length: 200 }, () => all[Number(random(0n, BigInt(all.length - 1)))]);
      const ground = await readGround(world, address);
      /* A unit is 2^(25−z) / 4096 m, in 2⁻¹⁶ m. */
      const unit = 1n << BigInt(29 - address.z);
      const corner = (index) => index * unit * BigInt(EXTENT) - (1n << 40n);
      const body = heightsBody(some.map(({ x, y }) =>
        [corner(address.x) + BigInt(x) * unit, corner(address.y) + BigInt(y) * unit]),
      { zoom: address.z });
      const response = await fetch(`${server.url}/worlds/${world}/heights`, { method: 'POST', body });
      const { heights } = await response.json();
      some.forEach(({ x, y, height }, j) => {
        const error = Math.abs(heights[j] - height);
        const most = ground.slope(x, y, 2) + Math.abs(height) * 1e-6;
        assert.ok(error <= most, `${world} ${address.z}/${address.x}/${address.y} at ${x}, ${y}: `
          + `${heights[j]} for ${height}, slope ${most} a pixel`);
        points++;
      });
    }
  }
  assert.ok(points > 4000, `${points} points`);
});

/* Twice a ring's area by the surveyor's formula, with y down as the specification has it. */
function doubledArea(ring) {
  let sum = 0;
  for (let i = 0; i + 1 < ring.length; i++) sum += ring[i].x * ring[i + 1].y - ring[i + 1].x * ring[i].y;
  return sum;
}

/* Returns true if a point is inside a ring, by the parity of the crossings of a ray to the east. */
function isInside(ring, x, y) {
  let inside = false;
  for (let i = 0; i + 1 < ring.length; i++) {
    const [a, b] = [ring[i], ring[i + 1]];
    if ((a.y > y) !== (b.y > y) && x < a.x + ((y - a.y) * (b.x - a.x)) / (b.y - a.y)) inside = !inside;
  }
  return inside;
}

const onRing = (ring, { x, y }) => ring.some((a, i) => {
  const b = ring[i + 1];
  return b && (b.x - a.x) * (y - a.y) === (b.y - a.y) * (x - a.x)
    && x >= Math.min(a.x, b.x) && x <= Math.max(a.x, b.x) && y >= Math.min(a.y, b.y) && y <= Math.max(a.y, b.y);
});

/* Compared with up to 18 tiles each, without cached copies: that takes long. */
test('water consists of closed rings with the right winding, wet inside and dry outside', { timeout: 60_000 }, async () => {
  const counts = { polygons: 0, holes: 0, wet: 0, dry: 0 };
  const random = makeRandom(40);
  for (const [i, world] of ['terra', 'archipelago', 'highlands', 'perlin', 'terra~2'].entries()) {
    const surface = await surfaceLayer(world);
    for (const address of nearAddresses(50 + i, amount([2, 3, 6, 10, 14], [0, 2, 3, 5, 6, 8, 10, 12, 14, 16]), 1)) {
      const { water } = await readTile(world, address);
      const where = `${world} ${address.z}/${address.x}/${address.y}`;
      for (const { lines: [exterior, ...holes] } of water) {
        for (const ring of [exterior, ...holes]) {
          assert.ok(ring.length >= 4, where);
          assert.deepEqual([ring[0].x, ring[0].y], [ring.at(-1).x, ring.at(-1).y], where);
          assert.ok(ring.every((p, j) => j === 0 || p.x !== ring[j - 1].x || p.y !== ring[j - 1].y), where);
        }
        assert.ok(doubledArea(exterior) > 0, where);
        for (const hole of holes) {
          assert.ok(doubledArea(hole) < 0, where);
          const sound = hole.every((p) => isInside(exterior, p.x, p.y) || onRing(exterior, p));
          assert.ok(sound, `${where}: a hole leaves its ring`);
        }
        counts.polygons++;
        counts.holes += holes.length;
      }
      const ground = await readGround(world, address, surface);
      const rings = water.flatMap(({ lines }) => lines);
      for (let j = 0; j < 300; j++) {
        const [x, y] = [Number(random(-60n, 4156n)) + 0.5, Number(random(-60n, 4156n)) + 0.5];
        const height = ground.height(x, y);
        if (Math.abs(height) <= ground.slope(x, y) / 4) continue; /* on the shore */
        const covering = rings.filter((ring) => isInside(ring, x, y)).length;
        assert.equal(covering % 2 === 1, height < 0, `${where}: ${height} m at ${x}, ${y}`);
        counts[height < 0 ? 'wet' : 'dry']++;
      }
    }
  }
  const least = amount(1, 2);
  assert.ok(counts.polygons > 75 * least && counts.holes > 25 * least && Math.min(counts.wet, counts.dry) > 1250 * least,
    JSON.stringify(counts));
});

/* Where the contours cross a border of the tile, as { height, at }, in order. */
function crossings(contour, axis, border) {
  const along = axis === 'x' ? 'y' : 'x';
  return contour.flatMap(({ properties: { height }, lines }) => lines.flatMap((line) =>
    line.filter((point) => point[axis] === border && point[along] >= 0 && point[along] <= EXTENT)
      .map((point) => ({ height, at: point[along] }))));
}

test('contours of neighbours meet on their border', async () => {
  let met = 0;
  for (const [i, world] of worlds.entries()) {
    for (const address of nearAddresses(60 + i, [2, 5, 8, 11, 13, 15, 17, 19], 1)) {
      const here = await readTile(world, address);
      for (const [axis, next] of [['x', { ...address, x: address.x + 1n }], ['y', { ...address, y: address.y + 1n }]]) {
        const there = await readTile(world, next);
        const ours = crossings(here.contour, axis, EXTENT);
        const theirs = crossings(there.contour, axis, 0);
        const meets = (list) => ({ height, at }) => list.some((other) =>
          other.height === height && Math.abs(other.at - at) <= 1);
        for (const crossing of ours) {
          assert.ok(meets(theirs)(crossing), `${world} ${axis} ${address.z}/${address.x}/${address.y}: `
            + JSON.stringify(crossing));
        }
        for (const crossing of theirs) {
          assert.ok(meets(ours)(crossing), `${world} ${axis} ${next.z}/${next.x}/${next.y}: `
            + JSON.stringify(crossing));
        }
        met += ours.length;
      }
    }
  }
  assert.ok(met > 1000, `${met} crossings`);
});

test('contours cross the border of a tile without a gap', async () => {
  for (const address of nearAddresses(70, [4, 9, 14, 17], 1)) {
    const { contour } = await readTile('terra', address);
    const side = (value) => Math.sign(value < 0 ? -1 : value > EXTENT ? 1 : 0);
    for (const line of contour.flatMap(({ lines }) => lines)) {
      line.slice(1).forEach((point, i) => {
        for (const axis of ['x', 'y']) {
          const [a, b] = [line[i][axis], point[axis]];
          const over = side(a) !== side(b) && ![0, EXTENT].includes(a) && ![0, EXTENT].includes(b);
          assert.ok(!over, `${a} to ${b}`);
        }
      });
    }
  }
});

test('?interval= is the distance of contours in metres; every fifth is an index contour', async () => {
  let contours = 0;
  for (const address of nearAddresses(80, [7, 10, 12, 14, 16], 2)) {
    const { contour } = await readTile('highlands', address, '?interval=20');
    for (const { properties: { height, index } } of contour) {
      assert.ok(Number.isInteger(height / 20));
      assert.equal(index, height % 100 === 0);
      contours++;
    }
    if (address.z < 12) continue; /* the interval would be too fine */
    const finer = await readTile('highlands', address, '?interval=2.5');
    for (const { properties: { height, index } } of finer.contour) {
      assert.ok(Number.isInteger(height / 2.5));
      assert.equal(index, height % 12.5 === 0);
    }
    assert.ok(finer.contour.length >= 8 * contour.length - 8);
  }
  assert.ok(contours > 50, `${contours} contours`);
});

const kinds = JSON.parse(readFileSync(
  fileURLToPath(new URL('../../config/worlds/terra.json', import.meta.url)), 'utf8')).objects;

test('the four quarters of a tile have the objects of the whole', async () => {
  const seen = new Map();
  let objects = 0;
  for (const address of nearAddresses(90, [15, 16, 17, 18, 19], amount(6, 12))) {
    const { z, x, y } = address;
    const whole = (await readTile('terra', address)).objects;
    /* Tiles leave out kinds of objects with more than 128 cells along a side. */
    const shown = (kind) => 2 ** (25 - z) / kinds[kind].spacing <= 128;
    const quarters = [];
    for (const [east, south] of [[0, 0], [1, 0], [0, 1], [1, 1]]) {
      const quarter = { z: z + 1, x: 2n * x + BigInt(east), y: 2n * y + BigInt(south) };
      for (const { properties, id, lines: [[point]] } of (await readTile('terra', quarter)).objects) {
        assert.ok(Math.min(point.x, point.y) >= 0 && Math.max(point.x, point.y) < EXTENT);
        const half = { x: (point.x >> 1) + 2048 * east, y: (point.y >> 1) + 2048 * south };
        if (shown(properties.kind)) quarters.push({ ...properties, number: id, ...half });
      }
    }
    const list = whole.map(({ properties, id, lines: [[{ x: east, y: south }]] }) =>
      ({ ...properties, number: id, x: east, y: south }));
    const inOrder = (items) => [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
    assert.deepEqual(inOrder(quarters), inOrder(list), `${z}/${x}/${y}`);
    assert.equal(new Set(list.map(({ id }) => id)).size, list.length);
    for (const { id, number, kind, scale, rotation } of list) {
      assert.match(id, /^(0|[1-9]\d{0,19})$/);
      assert.equal(Number(BigInt(id)), number);
      assert.ok(kind in kinds && scale > 0 && rotation >= 0);
      seen.set(id, kind);
    }
    objects += list.length;
  }
  assert.ok(objects > amount(1000, 2000), `${objects} objects`);
  assert.ok(new Set(seen.values()).size >= 3);
});

test('another server gives the same ids and places', async () => {
  const other = await startServer();
  try {
    const path = '/worlds/terra/tiles/height/17/65600/65500.mvt';
    const [one, two] = await Promise.all([server, other].map(async ({ url }) =>
      Buffer.from(await (await fetch(url + path)).arrayBuffer())));
    assert.ok(one.equals(two));
  } finally {
    await other.stop();
  }
});

test('a tile without lines, water and objects has no bytes and no layers', async () => {
  const bytes = await fetchBytes('fire', { z: 0, x: 0n, y: 0n }, '.mvt?interval=100000');
  assert.equal(bytes.length, 0);
  assert.deepEqual(Object.keys(new VectorTile(new PbfReader(bytes)).layers), []);
});
