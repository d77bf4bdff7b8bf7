/* Documents for map libraries: TileJSON, and the style for MapLibre; and heights as colours by the
 * formulas that map programs decode them with. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateStyleMin } from '@maplibre/maplibre-gl-style-spec';
import png from 'pngjs';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';

const worlds = makeWorlds();
const server = serverOfFile({ arguments: ['--worlds', worlds.folder] });

const json = async (path) => {
  const response = await fetch(server.url + path);
  assert.equal(response.status, 200, path);
  return response.json();
};

/* Loads a tile by its URL template; it must exist and be immutable. */
async function loadTile(template, z, x, y, ratio = '') {
  const address = template.replace('{z}', z).replace('{x}', x).replace('{y}', y).replace('{ratio}', ratio);
  const response = await fetch(address);
  assert.equal(response.status, 200, address);
  assert.match(response.headers.get('cache-control'), /immutable/);
  return png.PNG.sync.read(Buffer.from(await response.arrayBuffer()));
}

test('style.json is a MapLibre style', async () => {
  for (const world of ['', '/worlds/clock', '/worlds/clock~%C3%A4%40~', '/worlds/marble', '/worlds/caves']) {
    const style = await json(`${world}/style.json`);
    assert.deepEqual(validateStyleMin(style), [], world);
    assert.equal(style.version, 8);
    assert.equal(style.glyphs, undefined);
    assert.deepEqual(Object.keys(style.sources), ['relief', 'terrain', 'hillshade', 'contour']);
    assert.equal(style.terrain.source, 'terrain');
    assert.deepEqual(style.layers.map(({ type, source }) => [type, source]), [['raster', 'relief'], ['hillshade', 'hillshade'],
      ['fill', 'contour'], ['line', 'contour'], ['line', 'contour']]);
    for (const layer of style.layers) assert.equal(layer.layout, undefined);
  }
  assert.equal((await json('/worlds/clock/style.json')).sources.terrain.attribution, 'Nobody');
  assert.equal((await json('/style.json')).sources.terrain.attribution, undefined);
  assert.equal((await fetch(`${server.url}/worlds/nobody/style.json`)).status, 404);
});

test('the terrain of style.json has the scale of the heights', async () => {
  /* The earth's equator on the map's width: 2π · 6378137 m for 2^25 m. */
  const { terrain } = await json('/style.json');
  assert.ok(Math.abs(terrain.exaggeration - (2 * Math.PI * 6378137) / 2 ** 25) < 1e-12);
});

test('the tile URLs of style.json are pinned and work at both resolutions', async () => {
  for (const world of ['/worlds/terra', '/worlds/clock~%C3%A4%40~']) {
    const { sources } = await json(`${world}/style.json`);
    for (const [name, { tiles, tileSize, minzoom, maxzoom }] of Object.entries(sources)) {
      if (name === 'contour') continue;
      assert.equal(tileSize, 256);
      assert.deepEqual([minzoom, maxzoom], [0, 20]);
      for (const [z, x, y] of [[0, 0, 0], [3, 4, 2], [20, 2 ** 19, 2 ** 20 - 1]]) {
        assert.equal((await loadTile(tiles[0], z, x, y)).width, 256, name);
      }
      assert.equal((await loadTile(tiles[0], 3, 4, 2, '@2x')).width, name === 'relief' ? 512 : 256);
    }
  }
});

test('a world without a DEM style has a style.json without terrain', async () => {
  const folder = makeWorlds();
  folder.edit('clock', (world) => {
    world.styles.terrarium = { paint: [{ grey: { layer: 'height' } }] };
  });
  const other = await startServer({ arguments: ['--worlds', folder.folder] });
  try {
    const style = await (await fetch(`${other.url}/worlds/clock/style.json`)).json();
    assert.deepEqual(validateStyleMin(style), []);
    assert.deepEqual(Object.keys(style.sources), ['relief', 'contour']);
    assert.equal(style.terrain, undefined);
    assert.equal(style.layers.length, 4);
  } finally {
    await other.stop();
    folder.remove();
  }
});

/* How map programs decode red, green and blue of a pixel. */
const decoders = {
  maplibre: ([red, green, blue]) => red * 256 + green * 1 + blue * (1 / 256) - 32768,
  qgis: ([red, green, blue]) => (red * 256 + green + blue / 256) - 32768,
};

test('terrarium tiles decode to the heights, by each formula', async () => {
  const { tiles, encoding } = await json('/tiles/terrarium.json');
  assert.equal(encoding, 'terrarium');
  const { metadata } = await json('/style.json');
  const { redFactor, greenFactor, blueFactor, baseShift } = metadata['terrane:terrarium'];
  const ways = { ...decoders, style: ([r, g, b]) => r * redFactor + g * greenFactor + b * blueFactor - baseShift };
  for (const [z, x, y] of [[2, 1, 3], [9, 256, 255], [14, 8190, 8000], [17, 65536, 65535], [20, 5, 1048570]]) {
    const { data } = await loadTile(tiles[0], z, x, y);
    const step = 2 ** (17 - z);
    const pixels = Array.from({ length: 64 }, (_, i) => [(i * 37) % 256, (i * 101) % 256]);
    const points = pixels.map(([column, row]) =>
      [-(2 ** 24) + (256 * x + column + 0.5) * step, -(2 ** 24) + (256 * y + row + 0.5) * step]);
    const answer = await fetch(`${server.url}/heights`, { method: 'POST', body: JSON.stringify({ points, zoom: z }) });
    /* Compared as floats, since the shortest decimal text is not exact. */
    const heights = (await answer.json()).heights.map(Math.fround);
    pixels.forEach(([column, row], i) => {
      const pixel = data.subarray(4 * (256 * row + column));
      for (const [name, decode] of Object.entries(ways)) {
        assert.ok(Math.abs(decode(pixel) - heights[i]) <= 1 / 512, `${name}: ${decode(pixel)} for ${heights[i]} at ${points[i]}`);
      }
    });
    assert.ok(new Set(heights).size > 32);
  }
});

test('every style of a world has its TileJSON', async () => {
  const { styles, layers } = await json('/worlds/clock');
  const names = [...styles, ...layers].map(({ name }) => name);
  assert.ok(names.includes('own') && names.includes('tide') && names.includes('terrarium'));
  for (const name of new Set(names)) {
    const document = await json(`/worlds/clock/tiles/${name}.json`);
    assert.equal(document.tilejson, '3.0.0');
    assert.equal(document.tileSize, 256);
    assert.deepEqual([document.minzoom, document.maxzoom], [0, 20]);
    assert.equal(document.bounds.length, 4);
    assert.equal(document.attribution, 'Nobody');
    assert.equal(document.encoding, ['terrarium', 'mapbox'].includes(name) ? name : undefined);
    assert.equal((await loadTile(document.tiles[0], 1, 0, 1)).width, 256);
  }
});

test('the vector tiles have a TileJSON', async () => {
  const document = await json('/worlds/clock/tiles/contour.json?format=mvt');
  const { fingerprint } = await json('/worlds/clock');
  assert.deepEqual(document.tiles, [`${server.url}/worlds/clock@${fingerprint}/tiles/contour/{z}/{x}/{y}.mvt`]);
  assert.deepEqual(document.vector_layers.map(({ id, fields }) => [id, Object.keys(fields)]), [['contour', ['height', 'index']], ['water', []]]);
  assert.equal(document.attribution, 'Nobody');
  assert.deepEqual(await json('/worlds/clock/tiles.json?format=mvt'), document);
  assert.deepEqual(await json('/tiles/relief.json?format=png'), await json('/tiles/relief.json'));
  assert.deepEqual(await json('/worlds/clock/tiles/relief.json?format=mvt'), document);
  assert.equal((await fetch(`${server.url}/tiles/releif.json?format=mvt`)).status, 404);
  assert.equal((await fetch(`${server.url}/tiles.json?format=gif`)).status, 400);
  const style = await json('/worlds/clock/style.json');
  assert.deepEqual(style.sources.contour.tiles, document.tiles);
});

test('pinned vector tiles are immutable', async () => {
  const { sources } = await json('/style.json');
  for (const [z, x, y] of [[0, 0, 0], [8, 130, 125], [20, 5, 7]]) {
    const tile = await fetch(sources.contour.tiles[0].replace('{z}', z).replace('{x}', x).replace('{y}', y));
    assert.equal(tile.status, 200);
    assert.equal(tile.headers.get('content-type'), 'application/vnd.mapbox-vector-tile');
    assert.match(tile.headers.get('cache-control'), /immutable/);
  }
});
