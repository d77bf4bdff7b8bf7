/* Documents for map programs: TileJSON, the style for MapLibre, and gdal.xml and wmts.xml, which GDAL opens; the
 * programs read the same pixels and heights as other clients. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { validateStyleMin } from '@maplibre/maplibre-gl-style-spec';
import png from 'pngjs';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { gdalIn } from './gdal.mjs';
import { makeWorlds } from './worlds.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const HALF = Math.PI * 6378137; /* of Web Mercator's square */
const SIDE = 2 ** 28; /* its pixels at zoom 20 */

const folder = temporaryFolder().path;
const gdal = gdalIn(folder);
const worlds = makeWorlds();
worlds.edit('clock', (world) => {
  world.title = `<Clock> & "Co's" ]]>\u0001`;
  world.styles.own.title = '<own>&amp;';
});
const server = serverOfFile({ arguments: ['--worlds', worlds.folder] });

const load = (path, options) => fetch(server.url + path, options);

const json = async (path) => {
  const response = await fetch(server.url + path);
  assert.equal(response.status, 200, path);
  return response.json();
};

/* Loads a tile by its URL template; it must exist and be immutable. */
async function loadTile(template, z, x, y) {
  const address = template.replace('{z}', z).replace('{x}', x).replace('{y}', y);
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
    /* Of worlds with a drainage network there are rivers, too. */
    assert.deepEqual(style.layers.filter(({ id }) => id !== 'rivers').map(({ type, source }) => [type, source]), [['raster', 'relief'], ['hillshade', 'hillshade'],
      ['fill', 'contour'], ['line', 'contour'], ['line', 'contour']]);
    for (const layer of style.layers) assert.equal(layer.layout, undefined);
  }
  assert.equal((await json('/worlds/clock/style.json')).sources.terrain.attribution, 'Nobody');
  assert.equal((await json('/style.json')).sources.terrain.attribution, undefined);
  assert.equal((await fetch(`${server.url}/worlds/nobody/style.json`)).status, 404);
});

test('the terrain of style.json has the scale of the heights', async () => {
  /* The equator on the map's width, with the earth's radius in MapLibre's own code: 2π · 6371008.8 m for 2^25 m. */
  const [radius] = /\b6371008\.8\b/.exec(readFileSync(new URL('../node_modules/maplibre-gl/dist/maplibre-gl.mjs', import.meta.url), 'utf8'));
  const { terrain } = await json('/style.json');
  assert.ok(Math.abs(terrain.exaggeration - (2 * Math.PI * Number(radius)) / 2 ** 25) < 1e-12);
});

test('the tile URLs of style.json are pinned and work at both resolutions', async () => {
  for (const world of ['/worlds/terra', '/worlds/clock~%C3%A4%40~']) {
    const { sources } = await json(`${world}/style.json`);
    const { sources: fine } = await json(`${world}/style.json?size=512`);
    assert.deepEqual(await json(`${world}/style.json?size=256`), await json(`${world}/style.json`));
    for (const [name, { tiles, tileSize, minzoom, maxzoom }] of Object.entries(sources)) {
      /* Most programs fill in nothing else. */
      const fields = [...tiles, ...fine[name].tiles].flatMap((template) => template.match(/\{\w+\}/g));
      assert.deepEqual([...new Set(fields)], ['{z}', '{x}', '{y}']);
      if (name === 'contour') continue;
      assert.deepEqual([tileSize, fine[name].tileSize], [256, 256]);
      assert.deepEqual([minzoom, maxzoom], [0, 20]);
      for (const [z, x, y] of [[0, 0, 0], [3, 4, 2], [20, 2 ** 19, 2 ** 20 - 1]]) {
        assert.equal((await loadTile(tiles[0], z, x, y)).width, 256, name);
      }
      assert.equal((await loadTile(fine[name].tiles[0], 3, 4, 2)).width, name === 'relief' ? 512 : 256);
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

test('water is level in the terrain of style.json, and only there', async () => {
  const { sources } = await json('/style.json');
  const { tiles } = await json('/tiles/terrarium.json');
  const heightsOf = async (template) => {
    const { data } = await loadTile(template, 6, 32, 32);
    return Array.from({ length: 256 * 256 }, (_, i) => decoders.maplibre(data.subarray(4 * i)));
  };
  const [level, bed] = await Promise.all([heightsOf(sources.terrain.tiles[0]), heightsOf(tiles[0])]);
  assert.ok(bed.some((height) => height < -100), 'there is a sea');
  level.forEach((height, i) => assert.ok(bed[i] < 0 ? height === 0 : height >= bed[i], `${height} for ${bed[i]}`));
});

/* x = 2²² m is a quarter of the way to 180°; y is north of the central square, whose edge the map then shows. */
test('maps begin where the world says', async () => {
  const { center } = await json('/worlds/clock/tiles.json');
  assert.equal(center[0], 45);
  assert.ok(Math.abs(center[1] - 85.0511287798066) < 1e-9, String(center[1]));
  assert.equal(center[2], 9);
  assert.deepEqual((await json('/worlds/clock/tiles/contour.json?format=mvt')).center, center);
  const style = await json('/worlds/clock/style.json');
  assert.deepEqual(style.center, center.slice(0, 2));
  assert.equal(style.zoom, 8, 'MapLibre counts tiles of 512 pixels');
  assert.deepEqual((await json('/worlds/slow/tiles.json')).center, [0, 0, 9]);
});

test('TileJSON, in both forms', async () => {
  const document = await json('/tiles.json');
  const { fingerprint, styles } = await json('/worlds/terra');
  const pin = styles.find(({ name }) => name === 'relief').fingerprint;
  assert.equal(document.tilejson, '3.0.0');
  assert.deepEqual(document.tiles,
    [`${server.url}/worlds/terra@${fingerprint}/tiles/relief@${pin}/{z}/{x}/{y}.png`]);
  assert.equal(document.minzoom, 0);
  assert.equal(document.maxzoom, 20);
  assert.equal(document.tileSize, 256);
  assert.equal(document.scheme, 'xyz');
  assert.equal(document.encoding, undefined);
  assert.deepEqual(document.bounds, [-180, -85.0511287798066, 180, 85.0511287798066]);
  assert.equal(document.center.length, 3);
  assert.deepEqual(await json('/tiles/relief.json'), document);
  assert.deepEqual(await json('/worlds/terra/tiles.json'), document);
  assert.deepEqual(await json('/worlds/terra/tiles/relief.json'), document);
  assert.equal((await json('/tiles/terrarium.json')).encoding, 'terrarium');
  const large = await json('/tiles/relief.json?size=512');
  assert.equal(large.tileSize, 512);
  assert.match(large.tiles[0], /\/\{y\}@2x\.png$/);
  assert.equal((await json('/worlds/clock/tiles/own.json')).attribution, 'Nobody');
  assert.equal((await load('/tiles/relif.json')).status, 404);
  assert.equal((await load('/tiles/relief')).status, 404);
});

/* Chromium's header for an image, and what MapLibre, curl and browsers' fetch() send for a document. */
const NAMING_WEBP = ['image/webp', 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'application/json, IMAGE/WebP ;q=0.5'];
const NOT_NAMING_WEBP = ['application/json', '*/*', 'image/*', 'image/webp;q=0, */*', 'image/webpx'];

/* The templates of the tiles of a document, by source, style or format. */
const templatesIn = {
  '/tiles.json': ({ tiles }) => ({ relief: tiles[0] }),
  '/tiles/slope.json?size=512': ({ tiles }) => ({ slope: tiles[0] }),
  '/tiles/terrarium.json': ({ tiles }) => ({ terrarium: tiles[0] }),
  '/tiles/height.json': ({ tiles }) => ({ height: tiles[0] }),
  '/style.json': ({ sources }) => ({ relief: sources.relief.tiles[0], terrain: sources.terrain.tiles[0] }),
  '/worlds/clock': ({ styles }) => Object.fromEntries(styles.map(({ name, tiles }) => [name, tiles])),
};
const PICTURES = ['relief', 'slope', 'biome', 'cividis', 'contour', 'hillshade', 'antique', 'night', 'own'];

const loadAs = (path, accept, headers = {}) => load(path, { headers: { accept, ...headers } });

test('documents offer WebP pictures where Accept names image/webp', async () => {
  for (const [path, templatesOf] of Object.entries(templatesIn)) {
    for (const accept of [...NAMING_WEBP, ...NOT_NAMING_WEBP]) {
      const response = await loadAs(path, accept);
      assert.equal(response.status, 200);
      assert.match(response.headers.get('vary'), /\bAccept\b(?!-)/, path);
      for (const [name, template] of Object.entries(templatesOf(await response.json()))) {
        const isWebp = NAMING_WEBP.includes(accept) && PICTURES.includes(name);
        assert.equal(template.endsWith(isWebp ? '.webp' : '.png'), true, `${path} for ${accept}: ${template}`);
      }
    }
  }
  const { tiles: [template] } = await (await loadAs('/tiles.json?size=512', 'image/webp')).json();
  const tile = await fetch(template.replace('{z}', 3).replace('{x}', 4).replace('{y}', 2));
  assert.equal(tile.headers.get('content-type'), 'image/webp');
  assert.match(tile.headers.get('cache-control'), /immutable/);
});

test('a document has an entity tag for each format of its tiles', async () => {
  for (const path of ['/tiles.json', '/style.json', '/worlds/clock', '/wmts.xml']) {
    const [plain, webp] = await Promise.all(['*/*', 'image/webp'].map((accept) => loadAs(path, accept)));
    const [plainTag, webpTag] = [plain, webp].map(({ headers }) => headers.get('etag'));
    assert.notEqual(plainTag, webpTag);
    assert.equal((await loadAs(path, 'image/webp', { 'if-none-match': plainTag })).status, 200);
    const same = await loadAs(path, 'image/webp', { 'if-none-match': webpTag });
    assert.equal(same.status, 304);
    assert.match(same.headers.get('vary'), /\bAccept\b(?!-)/);
  }
});

test('format= decides the format of the tiles in a document', async () => {
  for (const path of ['/tiles.json', '/tiles/relief.json', '/style.json']) {
    for (const [format, other] of [['png', 'webp'], ['webp', 'png']]) {
      const response = await loadAs(`${path}?format=${format}`, `image/${other}`);
      const { tiles, sources } = await response.json();
      assert.ok((tiles ?? sources.relief.tiles)[0].endsWith(`.${format}`), `${path} ${format}`);
    }
  }
  const { sources } = await json('/style.json?format=webp');
  assert.ok(sources.terrain.tiles[0].endsWith('.png'));
  assert.deepEqual(validateStyleMin(await json('/style.json?format=webp')), []);
  assert.ok((await json('/tiles/terrarium.json?format=webp')).tiles[0].endsWith('.webp'));
  const refused = await load('/tiles/grey16.json?format=webp');
  assert.equal(refused.status, 400);
  const { parameter, allowed, detail } = await refused.json();
  assert.deepEqual({ parameter, allowed }, { parameter: 'format', allowed: 'png' });
  assert.equal(detail, 'the style "grey16" has 16 bits a pixel, which webp cannot hold');
  assert.equal((await load('/style.json?format=mvt')).status, 400);
});

test('wmts.xml lists both formats of a style, first the one that the client prefers', async () => {
  for (const [style, accept, formats] of [
    ['relief', '*/*', ['png', 'webp']], ['relief', 'image/webp', ['webp', 'png']],
    ['terrarium', 'image/webp', ['png', 'webp']], ['grey16', 'image/webp', ['png']]]) {
    const text = await (await loadAs(`/wmts.xml?style=${style}`, accept)).text();
    assert.deepEqual([...text.matchAll(/<Format>image\/(\w+)</g)].map(([, format]) => format), formats);
    const urls = [...text.matchAll(/<ResourceURL format="image\/(\w+)" resourceType="tile" template="[^"]*\.(\w+)"/g)];
    assert.deepEqual(urls.map(([, format, extension]) => [format, extension]), formats.map((format) => [format, format]));
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
    assert.equal(document.encoding, { mapbox: 'mapbox', terrarium: 'terrarium', 'terrarium-water': 'terrarium' }[name]);
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

/* The bands' values at pixels, in the resolution of a zoom. */
async function pixelsAt(source, z, pixels, bands) {
  /* GDAL counts in pixels of zoom 20. Their corners, as its versions round middles differently. */
  const scale = 2 ** (20 - z);
  const input = pixels.map(([i, j]) => `${i * scale} ${j * scale}\n`).join('');
  const overview = z < 20 ? ['-overview', String(20 - z)] : [];
  const output = await gdal('gdallocationinfo', ['-valonly', ...overview, source], input);
  const values = output.trim().split(/\s+/).map(Number);
  assert.equal(values.length, bands * pixels.length);
  return pixels.map((_, k) => values.slice(k * bands, (k + 1) * bands));
}

async function tilePixel(style, z, [i, j]) {
  const address = `${server.url}/worlds/clock/tiles/${style}/${z}/${i >> 8}/${j >> 8}.png`;
  const { data } = png.PNG.sync.read(Buffer.from(await (await fetch(address)).arrayBuffer()));
  return [...data.subarray(4 * (256 * (j & 255) + (i & 255))).subarray(0, 3)];
}

function checkPlace({ size, geoTransform, coordinateSystem }) {
  assert.deepEqual(size, [SIDE, SIDE]);
  const pixel = (2 * HALF) / SIDE;
  [-HALF, pixel, 0, HALF, 0, -pixel].forEach((expected, i) => {
    assert.ok(Math.abs(geoTransform[i] - expected) < 1e-6, `${geoTransform}`);
  });
  assert.match(coordinateSystem.wkt, /ID\["EPSG",3857\]\]$/);
}

/* Random places, the same in every run. */
function* randomPlaces(size) {
  for (let state = 12345; ;) {
    const next = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * size);
    };
    yield [next(), next()];
  }
}

test('GDAL reads heights from gdal.xml at 100 places', async () => {
  for (const [z, count] of [[20, 40], [15, 30], [9, 20], [1, 10]]) {
    const places = randomPlaces(256 * 2 ** z);
    const pixels = Array.from({ length: count }, () => places.next().value);
    const values = await pixelsAt(`${server.url}/gdal.xml?style=terrarium`, z, pixels, 3);
    const step = 2 ** (17 - z);
    const points = pixels.map((pixel) => pixel.map((index) => -(2 ** 24) + (index + 0.5) * step));
    const answer = await fetch(`${server.url}/heights`, { method: 'POST', body: JSON.stringify({ points, zoom: z }) });
    const heights = (await answer.json()).heights.map(Math.fround);
    values.forEach(([red, green, blue], i) => {
      const height = red * 256 + green + blue / 256 - 32768;
      assert.ok(Math.abs(height - heights[i]) <= 1 / 512, `${height} for ${heights[i]} at ${points[i]}, zoom ${z}`);
    });
    assert.ok(new Set(heights).size > count / 2);
  }
});

/* GDAL starts several times for each style. */
test('gdal.xml covers the map in three bands for every style', { timeout: 60_000 }, async () => {
  for (const style of ['', '?style=own', '?style=height', '?style=tide', '?style=terrarium']) {
    const source = `${server.url}/worlds/clock/gdal.xml${style}`;
    const info = JSON.parse(await gdal('gdalinfo', ['-json', source]));
    checkPlace(info);
    assert.equal(info.bands.length, 3);
    assert.equal(info.bands[0].overviews.length, 20);
    assert.deepEqual(info.bands[0].block, [256, 256]);
    const pixel = [1000, 900];
    assert.deepEqual(await pixelsAt(source, 5, [pixel], 3), [await tilePixel(style.slice(7) || 'relief', 5, pixel)]);
  }
  const biomes = await pixelsAt(`${server.url}/gdal.xml?style=biome`, 3, [[700, 700]], 3);
  assert.ok(biomes[0].some((value) => value > 31), 'colours, not indices');
  assert.ok(!readdirSync(folder).includes('gdalwmscache'), 'no folder is left where it runs');
});

test('GDAL reads 16-bit grey as one band of numbers', async () => {
  const source = `${server.url}/worlds/clock/gdal.xml?style=grey16`;
  const info = JSON.parse(await gdal('gdalinfo', ['-json', source]));
  checkPlace(info);
  assert.deepEqual(info.bands.map(({ type }) => type), ['UInt16']);
  const z = 12;
  const places = randomPlaces(256 * 2 ** z);
  const pixels = Array.from({ length: 20 }, () => places.next().value);
  const values = await pixelsAt(source, z, pixels, 1);
  const points = pixels.map((pixel) => pixel.map((index) => -(2 ** 24) + (index + 0.5) * 32));
  const answer = await fetch(`${server.url}/worlds/clock/heights`, { method: 'POST', body: JSON.stringify({ points, zoom: z }) });
  /* The layer's range is -200 … 200. */
  const expected = (await answer.json()).heights.map((height) => Math.round(((height + 200) / 400) * 65535));
  values.forEach(([value], i) => assert.ok(Math.abs(value - expected[i]) <= 1, `${value} for ${expected[i]}`));
  assert.ok(new Set(values.flat()).size > 10);
});

/* GDAL asks for the capabilities again for each layer. */
test('GDAL opens wmts.xml and each of its layers', { timeout: 60_000 }, async () => {
  const address = `WMTS:${server.url}/worlds/clock/wmts.xml`;
  const { metadata } = JSON.parse(await gdal('gdalinfo', ['-json', address]));
  const all = (await (await fetch(`${server.url}/worlds/clock`)).json()).styles;
  assert.ok(all.some(({ name }) => name === 'grey16'));
  const styles = all.filter(({ name }) => name !== 'grey16'); /* GDAL would clamp it to 255 */
  const listed = Object.values(metadata.SUBDATASETS).filter((value) => value.startsWith('WMTS:'));
  assert.deepEqual(listed, styles.map(({ name }) => `${address},layer=${name}`));
  for (const { name, title } of styles) {
    const source = `${address},layer=${name}`;
    const info = JSON.parse(await gdal('gdalinfo', ['-json', source]));
    checkPlace(info);
    assert.equal(info.metadata[''].TITLE, `<Clock> & "Co's" ]]>\ufffd – ${title}`);
    assert.equal(info.bands[0].overviews.length, 20);
    for (const [z, pixel] of [[0, [128, 100]], [7, [20000, 12345]], [20, [SIDE - 1, 5]]]) {
      const [value] = await pixelsAt(source, z, [pixel], 4);
      assert.deepEqual(value, [...await tilePixel(name, z, pixel), 255], `${name} ${z}`);
    }
  }
});

test('wmts.xml of one style, and as QGIS requests it', async () => {
  const load = async (query) => (await fetch(`${server.url}/wmts.xml${query}`)).text();
  const all = await load('');
  assert.equal(await load('?SERVICE=WMS&REQUEST=GetCapabilities'), all);
  assert.equal(await load('?service=wmts&request=getcapabilities&version=1.0.0'), all);
  const one = await load('?style=relief');
  assert.equal(one.match(/<Layer>/g).length, 1);
  assert.ok(all.includes(one.slice(one.indexOf('<Layer>'), one.indexOf('</Layer>'))));
  JSON.parse(await gdal('gdalinfo', ['-json', `WMTS:${server.url}/wmts.xml?style=relief`]));
  const bad = async (path) => (await fetch(server.url + path)).status;
  assert.equal(await bad('/wmts.xml?SERVICE=WFS'), 400);
  assert.equal(await bad('/wmts.xml?REQUEST=GetTile'), 400);
  assert.equal(await bad('/wmts.xml?style=relif'), 404);
  assert.equal(await bad('/gdal.xml?style=relif'), 404);
  assert.equal(await bad('/worlds/nobody/gdal.xml'), 404);
  assert.equal(await bad('/worlds/nobody/wmts.xml'), 404);
});

/* From the standard (07-057r7, annex E.4): the first scale denominators of GoogleMapsCompatible. */
test('the tile matrices are those of the standard', async () => {
  const capabilities = await (await fetch(`${server.url}/wmts.xml`)).text();
  const scales = [...capabilities.matchAll(/<ScaleDenominator>([^<]*)</g)].map(([, value]) => Number(value));
  assert.equal(scales.length, 21);
  [559082264.0287178, 279541132.0143589, 139770566.0071794, 69885283.00358972].forEach((expected, z) => {
    assert.ok(Math.abs(scales[z] / expected - 1) < 1e-12);
  });
  assert.ok(Math.abs(scales[18] - 2132.729583849784) < 1e-9);
  const widths = [...capabilities.matchAll(/<MatrixWidth>(\d+)</g)].map(([, value]) => Number(value));
  assert.deepEqual(widths, Array.from({ length: 21 }, (_, z) => 2 ** z));
});

test('GDAL reads heights as numbers through gdal.xml', async () => {
  const source = `${server.url}/gdal.xml?style=height&format=tif`;
  const info = JSON.parse(await gdal('gdalinfo', ['-json', source]));
  checkPlace(info);
  assert.deepEqual(info.bands.map(({ type }) => type), ['Float32']);
  for (const [z, pixels] of [[9, [[65536, 65500], [65800, 66000], [60000, 70001]]], [17, [[2 ** 24, 2 ** 24], [17000000, 16500001]]]]) {
    const step = 2 ** (17 - z);
    const points = pixels.map((pixel) => pixel.map((index) => -(2 ** 24) + (index + 0.5) * step));
    const answer = await fetch(`${server.url}/heights`, { method: 'POST', body: JSON.stringify({ points, zoom: z }) });
    const { heights } = await answer.json();
    const values = await pixelsAt(source, z, pixels, 1);
    assert.deepEqual(values.map(([value]) => Math.fround(value)), heights.map(Math.fround), `zoom ${z}`);
  }
  const sea = await load('/gdal.xml?format=gif');
  assert.equal(sea.status, 400);
});

test('the addresses in gdal.xml and wmts.xml are pinned', async () => {
  for (const [file, pattern, values] of [
    ['wmts.xml', /template="([^"]*)"/g, { TileMatrix: 3, TileCol: 4, TileRow: 2 }],
    ['gdal.xml', /<ServerUrl>([^<]*)</g, { z: 3, x: 4, y: 2 }],
  ]) {
    const response = await fetch(`${server.url}/worlds/clock~%C3%A4%26~/${file}`);
    assert.equal(response.headers.get('content-type'), 'application/xml');
    assert.equal(response.headers.get('cache-control'), 'no-cache');
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    const templates = [...(await response.text()).matchAll(pattern)].map(([, template]) => template);
    assert.ok(templates.length > 0);
    for (const template of templates) {
      const tile = await fetch(template.replace(/\$?\{(\w+)\}/g, (_, key) => values[key]));
      assert.equal(tile.status, 200, template);
      assert.match(tile.headers.get('cache-control'), /immutable/);
    }
  }
});
