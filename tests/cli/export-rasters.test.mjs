/* Rasters of a rectangle, from `terrane export` and `terrane render`: GeoTIFF, ASCII grid, PNG and WebP, read by GDAL and
 * its validator of cloud-optimised files, against the samples and pictures that `terrane render` writes. */

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { binary, cleanEnvironment, fail, terrane } from './terrane.mjs';

/* Land of hills, a plane, and four biomes. */
const folder = temporaryFolder({
  'worlds/lands.json': {
    generator: 1, seed: 3,
    layers: {
      height: { formula: '300 * fbm(wavelength=4000, octaves=6) + x / 100', unit: 'm', range: [-400, 400] },
      plane: { formula: 'x / 4 - y / 8' },
      flat: '12.5',
    },
    biomes: [
      { name: 'ice', color: '#f2f6f8', when: 'y < 200 * fbm(wavelength=900, octaves=4) && x < 0' },
      { name: 'sand', color: '#d6c77a', when: 'y < 0' },
      { name: 'moor', color: '#6f9a55', when: 'x < 300 * fbm(wavelength=900, octaves=4)' },
      { name: 'wood', color: '#2f6f3a' },
    ],
  },
});
const options = { cwd: folder.path };
const lands = ['--worlds', 'worlds', '--world', 'lands'];
const path = (name) => join(folder.path, name);
const bytes = (name) => readFileSync(path(name));

function make(name, ...words) {
  const command = words[0] === 'render' ? [] : ['export'];
  const { status, stderr } = terrane([...command, ...words, ...lands, '-o', name], options);
  assert.equal(status, 0, stderr);
  return name;
}

const refused = ([command, ...words], message) => fail([command, ...lands, ...words], message, options);

const gdal = (program, ...words) => execFileSync(program, words, { cwd: folder.path, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
const info = (name) => JSON.parse(gdal('gdalinfo', '-json', name).toString());

/* The pixels of all bands as GDAL reads them, pixel by pixel. */
function pixels(name, Type = Float32Array) {
  gdal('gdal_translate', '-q', '-of', 'ENVI', '-co', 'INTERLEAVE=BIP', name, 'pixels.raw');
  const raw = bytes('pixels.raw');
  return new Type(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length));
}

function floats(...words) {
  const { stdout } = terrane(['render', ...lands, ...words, '--format', 'r32f', '-o', '-'], { ...options, bytes: true });
  return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length));
}

/* GDAL's own script; it prints errors and warnings. */
function validate(name) {
  const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-m', 'osgeo_utils.samples.validate_cloud_optimized_geotiff', '--full-check=yes', name],
    { cwd: folder.path });
  assert.match(stdout.toString(), /is a valid cloud optimized GeoTIFF/, stdout.toString() + stderr);
  assert.doesNotMatch(stdout.toString(), /warning/i);
}

const area = ['--bbox', '-3000,-2600,3000,2601'];
const FOR_GDAL = { timeout: 60_000 }; /* it starts for each of many files */

test('a GeoTIFF has the samples, and overviews of their means', FOR_GDAL, () => {
  const expected = floats(...area, '--width', '1201');
  const [columns, rows] = [1201, expected.length / 1201];
  for (const compress of ['deflate', 'zstd']) {
    const name = make(`heights-${compress}.tif`, ...area, '--width', '1201', '--compress', compress);
    validate(name);
    const { size, bands, metadata } = info(name);
    assert.deepEqual(size, [columns, rows]);
    assert.deepEqual([bands[0].type, bands[0].description, bands[0].unit, bands[0].block], ['Float32', 'height', 'm', [512, 512]]);
    assert.deepEqual(bands[0].overviews.map((each) => each.size), [[601, (rows + 1) >> 1], [301, (rows + 3) >> 2]]);
    assert.deepEqual([metadata.IMAGE_STRUCTURE.COMPRESSION, metadata.IMAGE_STRUCTURE.PREDICTOR], [compress.toUpperCase(), '3']);
    assert.deepEqual(pixels(name), expected);
  }
  const overview = pixels('GTIFF_DIR:2:heights-zstd.tif');
  for (const [x, y] of [[0, 0], [255, 255], [256, 3], [599, 17], [600, 99]]) {
    const at = (column, row) => expected[row * columns + Math.min(column, columns - 1)];
    const mean = (at(2 * x, 2 * y) + at(2 * x + 1, 2 * y) + at(2 * x, 2 * y + 1) + at(2 * x + 1, 2 * y + 1)) / 4;
    assert.equal(overview[y * 601 + x], Math.fround(mean), `${x}, ${y}`);
  }
});

/* The plane's samples are x / 4 − y / 8 at the middle of each pixel, whose side is the step. */
test('pixels lie where they belong in both coordinate systems', () => {
  const words = ['--bbox', '-1000,200,-960,233', '--step', '8', '--layer', 'plane'];
  const MAP_METRE = (2 * Math.PI * 6378137) / 2 ** 25;
  for (const [crs, metre, system] of [['local', 1, /^PROJCRS\["Terrane"/], ['3857', MAP_METRE, /^PROJCRS\["WGS 84 \/ Pseudo-Mercator"/]]) {
    const name = make(`plane-${crs}.tif`, ...words, '--crs', crs);
    const { size, geoTransform, coordinateSystem } = info(name);
    assert.deepEqual(size, [5, 5], 'the last row covers the rest of the rectangle');
    [-1000, 8, 0, -200, 0, -8].forEach((value, i) => assert.ok(Math.abs(geoTransform[i] - value * metre) < 1e-9, `${geoTransform}`));
    assert.match(coordinateSystem.wkt, system);
    assert.deepEqual([...pixels(name)], Array.from({ length: 25 }, (_, i) => (-996 + 8 * (i % 5)) / 4 - (204 + 8 * Math.floor(i / 5)) / 8));
  }
});

/* WMTS has tile z/x/y of 3857 at −20037508.342789244 + x · 40075016.68557849 / 2^z. */
test('with --crs 3857 a raster is a tile of the WMTS', () => {
  const [z, x, y] = [13, 4097, 4090];
  const span = 2 ** (25 - z);
  const box = [x, y, x + 1, y + 1].map((index) => index * span - 2 ** 24);
  const name = make('tile.tif', `--bbox=${box}`, '--width', '256', '--crs', '3857', '--style', 'relief');
  const { geoTransform } = info(name);
  const side = 40075016.68557849 / 2 ** z;
  const corner = [-20037508.342789244 + x * side, 20037508.342789244 - y * side];
  assert.ok(Math.abs(geoTransform[0] - corner[0]) < 1e-6 && Math.abs(geoTransform[3] - corner[1]) < 1e-6);
  assert.ok(Math.abs(geoTransform[1] - side / 256) < 1e-9);
  terrane(['render', ...lands, '--tile', `${z}/${x}/${y}`, '-o', 'tile.png'], options);
  assert.deepEqual(pixels(name, Uint8Array), pixels('tile.png', Uint8Array));
});

test('biomes are indices with their colours, and overviews of the most frequent', () => {
  const words = ['--bbox', '-2100,-2100,2100,2100', '--width', '600'];
  const name = make('biomes.tif', ...words, '--layer', 'biome');
  validate(name);
  const { bands } = info(name);
  assert.deepEqual([bands[0].type, bands[0].colorInterpretation], ['Byte', 'Palette']);
  assert.deepEqual(bands[0].colorTable.entries.slice(0, 4), [[242, 246, 248, 255], [214, 199, 122, 255], [111, 154, 85, 255], [47, 111, 58, 255]]);
  const found = pixels(name, Uint8Array);
  assert.deepEqual([...found], [...floats(...words, '--style', 'biome')]);
  assert.equal(new Set(found).size, 4);
  const overview = pixels('GTIFF_DIR:2:biomes.tif', Uint8Array);
  for (let i = 0; i < 300 * 300; i += 7) {
    const corner = 2 * Math.floor(i / 300) * 600 + 2 * (i % 300);
    const four = [0, 1, 600, 601].map((offset) => found[corner + offset]);
    const often = (value) => four.filter((other) => other === value).length;
    assert.equal(overview[i], four.reduce((best, value) => (often(value) > often(best) ? value : best)));
  }
});

test('colours of a style are those of its picture, in every file that holds colours', () => {
  const words = [...area, '--width', '700', '--style', 'relief'];
  const expected = pixels(make('relief-render.png', 'render', ...words), Uint8Array);
  const name = make('relief.tif', ...words);
  validate(name);
  assert.deepEqual(info(name).bands.map((band) => band.colorInterpretation), ['Red', 'Green', 'Blue']);
  assert.deepEqual(pixels(name, Uint8Array), expected);
  assert.deepEqual(pixels(make('relief.png', ...area, '--width', '700'), Uint8Array), expected);
  terrane(['render', ...lands, ...words, '-o', 'relief-render.webp'], options);
  make('relief.webp', ...words);
  assert.ok(bytes('relief.webp').equals(bytes('relief-render.webp')));
});

/* A mean of red, green and blue by themselves would be another height. */
test('overviews of terrarium hold heights of pixels', () => {
  const name = make('terrarium.tif', ...area, '--width', '520', '--style', 'terrarium');
  const [whole, half] = [pixels(name, Uint8Array), pixels('GTIFF_DIR:2:terrarium.tif', Uint8Array)];
  for (const [x, y] of [[0, 0], [100, 37], [259, 200]])
    assert.deepEqual(half.slice(3 * (y * 260 + x), 3 * (y * 260 + x) + 3), whole.slice(3 * (2 * y * 520 + 2 * x), 3 * (2 * y * 520 + 2 * x) + 3));
});

test('ASCII grids and PNG of 16 bits hold the samples of a layer', () => {
  const words = [...area, '--width', '333'];
  const expected = floats(...words);
  assert.deepEqual(pixels(make('grid.asc', ...words)), expected);
  assert.deepEqual(info('grid.asc').geoTransform, info(make('grid.tif', ...words)).geoTransform);
  assert.ok(bytes(make('rendered.asc', 'render', ...words)).equals(bytes('grid.asc')));
  const numbers = pixels(make('grid.png', ...words, '--layer', 'height'), Uint16Array);
  const { metadata } = info('grid.png');
  const [scale, offset] = [Number(metadata[''].terrane_scale), Number(metadata[''].terrane_offset)];
  assert.deepEqual([scale, offset], [800 / 65535, -400], "the layer's range");
  const narrow = pixels(make('narrow.png', ...words, '--layer', 'height', '--range', '-100,31.07'), Uint16Array);
  expected.forEach((height, i) => assert.ok(Math.abs(narrow[i] - Math.min(65535, Math.max(0, (height + 100) / 0.002))) < 0.51, height));
  expected.forEach((height, i) => assert.ok(Math.abs(offset + scale * numbers[i] - height) <= scale * 0.501));
});

test('the smallest, narrowest and farthest rasters', FOR_GDAL, () => {
  for (const [box, step, size] of [['0,0,1,1', '1', [1, 1]], ['0,0,1,3000', '1', [1, 3000]], ['0,0,3000,1', '1', [3000, 1]],
    ['-1099511627776,-1099511627776,-1099511627766,-1099511627766', '1', [10, 10]], ['1099511627766,1099511627766,1099511627776,1099511627776', '1', [10, 10]]]) {
    const name = make('edge.tif', `--bbox=${box}`, '--step', step, '--layer', 'flat');
    validate(name);
    assert.deepEqual(info(name).size, size);
    assert.ok(pixels(name).every((value) => value === 12.5));
    if (Math.max(...size) > 512) assert.ok(pixels('GTIFF_DIR:4:edge.tif').every((value) => value === 12.5));
  }
});

test('bytes do not depend on threads', () => {
  const words = [...area, '--width', '1400', '--layer', 'plane'];
  for (const kind of ['tif', 'asc', 'png'])
    assert.ok(bytes(make(`one.${kind}`, ...words, '--threads', '1')).equals(bytes(make(`five.${kind}`, ...words, '--threads', '5'))), kind);
});

const long = [...lands, '--bbox', '0,0,4096,4096', '--step', '1', '--layer', 'plane', '--threads', '1'];

/* Ends the command by the signals when its part has so many bytes, or right at the start. */
async function stopAt(name, words, signals, length) {
  const run = spawn(binary, [...words, '-o', name], { cwd: folder.path, env: cleanEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  run.stderr.on('data', (text) => { stderr += text; });
  const timer = setInterval(() => {
    if ((statSync(path(`${name}.part`), { throwIfNoEntry: false })?.size ?? -1) < length) return;
    clearInterval(timer); // one that comes later would end the program at once
    [signals].flat().forEach((signal) => run.kill(signal));
  }, 2);
  const [code] = await new Promise((resolve) => run.on('exit', (...how) => resolve(how)));
  clearInterval(timer);
  return { code, stderr };
}

test('an interrupted raster goes on where it was, to the same bytes', async () => {
  const words = ['export', ...long];
  terrane([...words, '-o', 'whole.tif'], options);
  const stopped = await stopAt('stopped.tif', words, 'SIGINT', 200000);
  assert.equal(stopped.code, 130);
  assert.match(stopped.stderr, /interrupted; the same command with --resume goes on/);
  const done = statSync(path('stopped.tif.part-index')).size;
  assert.ok(done > 16 * 10, 'blocks are kept');
  const other = terrane([...words, '--compress', 'zstd', '--resume', '-o', 'stopped.tif'], options);
  assert.match(other.stderr, /stopped\.tif\.part-index: holds the beginning of another export/);
  await stopAt('stopped.tif', [...words, '--resume'], 'SIGKILL', 0);
  assert.ok(statSync(path('stopped.tif.part-index')).size >= done, 'nothing is made twice');
  assert.equal(terrane([...words, '--resume', '--threads', '2', '-o', 'stopped.tif'], options).status, 0);
  assert.ok(bytes('stopped.tif').equals(bytes('whole.tif')));
  assert.deepEqual(readdirSync(folder.path).filter((name) => /^stopped/.test(name)), ['stopped.tif']);
  const { ino } = statSync(path('stopped.tif'));
  terrane([...words, '--resume', '-o', 'stopped.tif'], options);
  assert.equal(statSync(path('stopped.tif')).ino, ino, 'a finished one is not made again');
  terrane([...words, '--resume', '--bbox', '0,0,64,64', '-o', 'stopped.tif'], options);
  assert.deepEqual(info('stopped.tif').size, [64, 64]);
});

test('a raster that does not fit into the file system can be gone on with', () => {
  const words = `export ${long.join(' ')} -o full.tif`;
  const limited = spawnSync('sh', ['-c', `trap '' XFSZ; ulimit -f 200; exec ${binary} ${words} --resume`], { cwd: folder.path, env: cleanEnvironment() });
  assert.equal(limited.status, 1);
  assert.match(limited.stderr.toString(), /full\.tif\.part: cannot be written: File too large/);
  assert.ok(!existsSync(path('full.tif')));
  assert.equal(terrane([...words.split(' '), '--resume'], options).status, 0);
  assert.ok(bytes('full.tif').equals(bytes('whole.tif')));
});

test('signals that come together are one, and those that are ignored stay so', async () => {
  for (let i = 0; i < 3; i += 1) assert.equal((await stopAt('both.tif', ['render', ...long], ['SIGINT', 'SIGINT'], 200000)).code, 130);
  assert.equal((await stopAt('both.tif', ['render', ...long], 'SIGHUP', 200000)).code, 129);
  assert.deepEqual(readdirSync(folder.path).filter((name) => /^both/.test(name)), []);
  const ignoring = `trap '' HUP; ${binary} export ${long.join(' ')} -o hangup.tif & while ! test -s hangup.tif.part; do sleep 0.01; done; kill -HUP $!; wait $!`;
  assert.equal(spawnSync('sh', ['-c', ignoring], { cwd: folder.path, env: cleanEnvironment() }).status, 0);
  assert.ok(bytes('hangup.tif').equals(bytes('whole.tif')));
});

test('a render does not write over an export that was interrupted, but over a render that was killed', () => {
  const words = ['--bbox', '0,0,4000,4000', '--width', '900', ...lands];
  spawnSync('sh', ['-c', `trap '' XFSZ; ulimit -f 200; exec ${binary} export ${words.join(' ')} -o begun.tif`], { cwd: folder.path, env: cleanEnvironment() });
  const begun = bytes('begun.tif.part');
  refused(['render', ...words.slice(0, 4), '--layer', 'height', '-o', 'begun.tif'], /begun\.tif\.part-index: holds the beginning of another export: finish that one with --resume/);
  assert.ok(bytes('begun.tif.part').equals(begun));
  assert.ok(!existsSync(path('begun.tif')));
  writeFileSync(path('redone.tif.part-index'), Buffer.from('\x06\0\0\0\0\0\0\0render\0\0'));
  writeFileSync(path('redone.tif.part'), 'a beginning');
  assert.equal(terrane(['render', ...words, '--layer', 'height', '-o', 'redone.tif'], options).status, 0);
});

test('an interrupted render leaves the old file and nothing else', async () => {
  folder.write('old.tif', 'old');
  assert.equal((await stopAt('old.tif', ['render', ...long], 'SIGTERM', 200000)).code, 143);
  assert.equal(bytes('old.tif').toString(), 'old');
  assert.deepEqual(readdirSync(folder.path).filter((name) => /^old/.test(name)), ['old.tif']);
});

test('a dry run says how much it would be', () => {
  const { status, stdout } = terrane(['export', ...lands, ...area, '--width', '2000', '--dry-run', '--threads', '2', '-o', 'dry.tif'], options);
  assert.equal(status, 0);
  /* 1734 rows: 4 × 4 tiles, then 2 × 2, then 1. */
  assert.match(stdout, /^2000 x 1734 pixels, 21 blocks, about [\d.]+ [KM]B, about \d+ s on 2 threads$/m);
  assert.ok(!existsSync(path('dry.tif')) && !existsSync(path('dry.tif.part')));
});

test('mistakes are refused with what is allowed', () => {
  const box = ['--bbox', '0,0,10,10'];
  const cases = [
    [['export', ...box, '-o', 'x.tif'], /a raster needs --width PIXELS or --step METRES/],
    [['export', ...box, '--width', '4', '--step', '2', '-o', 'x.tif'], /a raster needs --width PIXELS or --step METRES/],
    [['render', '--step', '2', '-o', 'x.tif'], /a raster needs --bbox X0,Y0,X1,Y1/],
    [['export', ...box, '--step', '-1', '-o', 'x.tif'], /--step: must be above 0, not -1/],
    [['export', ...box, '--step', 'nan', '-o', 'x.tif'], /--step: "nan" is not a decimal number/],
    [['export', ...box, '--step', '0.3', '-o', 'x.tif'], /--step: must be a whole number of 2\^-16 m/],
    [['export', ...box, '--width', '2', '--layer', 'hight', '-o', 'x.tif'], /--layer: unknown layer "hight" \(did you mean "height"\?\)/],
    [['export', ...box, '--width', '2', '--style', 'releif', '-o', 'x.tif'], /did you mean "relief"/],
    [['export', ...box, '--width', '2', '--crs', '4326', '-o', 'x.tif'], /--crs: must be local or 3857, not "4326"/],
    [['export', ...box, '--width', '2', '--compress', 'lzw', '-o', 'x.tif'], /--compress: must be deflate or zstd, not "lzw"/],
    [['export', ...box, '--width', '2', '--crs', 'local', '-o', 'x.png'], /--crs does not go with the raster "x\.png"/],
    [['export', ...box, '--width', '2', '--zoom', '3', '-o', 'x.tif'], /--zoom is for map tiles, not for "x\.tif"/],
    [['export', ...box, '--width', '2', '--style', 'relief', '--layer', 'height', '-o', 'x.tif'], /give either --layer, for samples, or --style, for colours/],
    [['export', ...box, '--width', '2', '--style', 'relief,biome', '-o', 'x.tif'], /a raster is of one --style/],
    [['export', ...box, '--width', '2', '--style', 'relief', '-o', 'x.asc'], /a \.asc file holds samples of a --layer, no colours/],
    [['export', ...box, '--width', '2', '--layer', 'height', '-o', 'x.webp'], /a \.webp file cannot hold samples of a --layer: use \.tif, \.asc or \.png/],
    [['export', '--bbox', '0,0,20000,10', '--step', '1', '-o', 'x.webp'], /--step: makes 20000 x 10 pixels: a \.webp file has at most 16383 a side/],
    [['export', '--bbox', '0,0,2000000,10', '--step', '1', '-o', 'x.tif'], /--step: makes 2000000 x 10 pixels: a \.tif file has at most 1000000 a side/],
    [['export', ...box, '--width', '5', '-o', 'x.pmtiles'], /--width is for rasters such as area\.tif/],
    [['export', ...box, '--width', '2', '--layer', 'height', '--range', '3,2', '-o', 'x.png'], /--range: must be LOW,HIGH such as -200,1800, LOW below HIGH, not "3,2"/],
    [['export', ...box, '--width', '2', '--range', '0,1', '-o', 'x.tif'], /--range: is for samples of a --layer as 16-bit numbers, in \.png files/],
    [['render', '--tile', '3/4/4', '--layer', 'height', '-o', 'x.tif'], /--tile does not go with the raster "x\.tif"/],
    [['render', ...box, '--step', '2', '-o', '-'], /--step is for meshes, \.glb and \.stl; rasters such as area\.tif, not for "-"/],
  ];
  for (const [words, message] of cases) refused(words, message);
  symlinkSync('elsewhere', path('link.tif'));
  refused(['export', ...box, '--width', '2', '-o', 'link.tif'], /link\.tif: is a symbolic link: a raster needs a regular file/);
  assert.deepEqual(readdirSync(folder.path).filter((name) => /^x|elsewhere/.test(name)), []);
});

test('resuming a finished raster removes what a kill left of its parts', () => {
  const words = ['--bbox=-50,-50,50,50', '--width', '20'];
  make('finished.tif', ...words);
  writeFileSync(path('finished.tif.part-index'), 'left behind');
  make('finished.tif', ...words, '--resume');
  assert.deepEqual(readdirSync(folder.path).filter((name) => name.startsWith('finished.tif')), ['finished.tif']);
});
