/* The take-away tool of the page: its files, opened by other programs and compared with the server's
 * tiles and points and with `terrane render`. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fromArrayBuffer } from 'geotiff';
import validator from 'gltf-validator';
import { PMTiles } from 'pmtiles';
import png from 'pngjs';
import { FORMATS, choicesOf, complaintAbout, gridOf, rectangleOf, squareOf } from '../../server/viewer/take/area.js';
import { archiveOf } from '../../server/viewer/take/archive.js';
import { tilesOf } from '../../server/viewer/take/picture.js';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { PHONE, WIDE, download, pageOfFile, until, waitForText } from './browser.mjs';

const program = process.env.TERRANE_BINARY ?? fileURLToPath(new URL('../../build/release/terrane', import.meta.url));
const { server, open, visit } = pageOfFile(WIDE);

const place = (x, y) => ({ x, y });
const area = (west, north, east, south) => ({ west, north, east, south });

async function openWith(page, from, to, format = 'png') {
  await page.click('#tool-take');
  await waitForText(page, '#drawer', /, about \d/);
  await page.selectOption('#take-format', format);
  for (const [id, text] of [['nw', from], ['se', to]]) {
    await page.fill(`#take-${id}`, text);
    await page.press(`#take-${id}`, 'Enter');
  }
}
const save = (page) => download(page, '#take-save');
const pixels = (bytes) => png.PNG.sync.read(bytes);
/* The words of a line for a shell, without the program. */
const words = (line) => line.replaceAll("'", '').split(' ').slice(1);
const command = (page, name) => page.textContent(`#take-commands [aria-label="${name}"]`);

test('rectangles become whole pixels, and tiles are those that they lie on', () => {
  const rectangle = rectangleOf(place(300, -100), place(-60, 500));
  assert.deepEqual(rectangle, area(-60, -100, 300, 500));
  assert.deepEqual(squareOf(rectangle), area(-60, 20, 300, 380));
  /* 32 m a pixel at zoom 12: −1.875, −3.1, 9.4, 15.6 pixels. */
  const grid = gridOf(rectangle, 12, false);
  assert.deepEqual([grid.left, grid.top, grid.columns, grid.rows], [-2, -3, 11, 19]);
  assert.deepEqual([grid.west, grid.north, grid.east, grid.south], [-64, -96, 288, 512]);
  /* Four tiles meet at the origin: 2048, 2048 is south-east of it. */
  assert.deepEqual(tilesOf(grid).map(({ x, y }) => [x, y]), [[2047, 2047], [2048, 2047], [2047, 2048], [2048, 2048]]);
  assert.deepEqual(tilesOf(grid).map(({ across, down }) => [across, down]),
    [[-254, -253], [2, -253], [-254, 3], [2, 3]]);
  /* 8192 pixels of 1 m fit at zoom 17, and not at 18. */
  const wide = choicesOf(area(0, 0, 8192, 10), FORMATS.png);
  assert.deepEqual(wide.map(({ fits }) => fits), Array.from({ length: 21 }, (_, zoom) => zoom <= 17));
  assert.match(complaintAbout(area(0, 0, 2e9, 10), FORMATS.png), /at most 1073741.824 km/);
  assert.match(complaintAbout(area(0, 0, 2e9, 2e9), FORMATS.tif), /at most 134217.728 km/);
  assert.match(complaintAbout(area(5, 0, 5, 9), FORMATS.png), /empty/);
});

test('a picture has the pixels of the tiles and of terrane render', () => visit('#terra/relief/9/0/0', async (page) => {
  await openWith(page, '-40000, -30000', '50000, 20000');
  await waitForText(page, '#take-summary', /^351 × 195 pixels of 256\u202fm, about \d+\u202fKB\.$/);
  const { name, bytes } = await save(page);
  assert.match(name, /^terra-916-x\d+-y-\d+-relief-z9\.png$/);
  const picture = pixels(bytes);
  assert.deepEqual([picture.width, picture.height], [351, 195]);
  /* The centre's four tiles of 256 pixels; the picture begins at −156, −117 pixels. */
  for (const [x, y] of [[255, 255], [256, 255], [255, 256], [256, 256]]) {
    const tile = pixels(Buffer.from(await (await fetch(`${server.url}/tiles/9/${x}/${y}.png`)).arrayBuffer()));
    const [left, top] = [(x - 256) * 256 + 156, (y - 256) * 256 + 117];
    for (let row = Math.max(0, top); row < Math.min(picture.height, top + 256); row++) {
      const [from, to] = [Math.max(0, left), Math.min(picture.width, left + 256)];
      const at = (image, column, line) => 4 * (line * image.width + column);
      const own = picture.data.subarray(at(picture, from, row), at(picture, to, row));
      const theirs = tile.data.subarray(at(tile, from - left, row - top), at(tile, to - left, row - top));
      assert.ok(own.equals(theirs), `row ${row} of tile ${x} ${y}`);
    }
  }
  const folder = temporaryFolder();
  execFileSync(program, words(await command(page, 'terrane render')), { cwd: folder.path });
  assert.ok(pixels(await readFile(`${folder.path}/${name}`)).data.equals(picture.data));
  execFileSync('curl', ['-sf', ...words(await command(page, 'curl, tile by tile'))], { cwd: folder.path });
  assert.equal(pixels(await readFile(`${folder.path}/9-256-255.png`)).width, 256);
}));

test('WebP, layers, seeds and other zooms', () => visit('#terra~5/temperature/9/0/0', async (page) => {
  await openWith(page, '-9000, -9000', '9000, 9000', 'webp');
  await page.selectOption('#take-zoom', '10');
  const { name, bytes } = await save(page);
  assert.equal(name, 'terra-5-x0-y0-temperature-z10.webp');
  assert.equal(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 12), 'RIFFWEBP');
  const line = await command(page, 'terrane render');
  assert.match(line, /--world 'terra~5' --bbox=-8960,-8960,8960,8960 --style temperature --width 140 /);
}));

test('heights are a GeoTIFF of the square', () => visit('#terra/relief/12/0/0', async (page) => {
  await openWith(page, '-992, 512', '2016, 3520', 'tif');
  await page.selectOption('#take-zoom', '12');
  await waitForText(page, '#take-summary', /^95 × 95 heights, 32\u202fm apart, about 37\u202fKB\.$/);
  const { name, bytes } = await save(page);
  assert.match(name, /^terra-916-x\d+-y\d+-z12\.tif$/);
  const image = await (await fromArrayBuffer(new Uint8Array(bytes).buffer)).getImage();
  assert.deepEqual([image.getWidth(), image.getHeight()], [95, 95]);
  /* The corner, half a step to the north-west of the first sample; y runs north in the file. */
  assert.deepEqual(image.getOrigin().slice(0, 2), [-1008, -496]);
  const [heights] = await image.readRasters();
  const points = [[-992, 512], [-992 + 94 * 32, 512 + 94 * 32], [-992 + 5 * 32, 512 + 7 * 32]];
  const body = JSON.stringify({ points, zoom: 12 });
  const expected = await (await fetch(`${server.url}/heights`, { method: 'POST', body })).json();
  assert.deepEqual([heights[0], heights[95 * 95 - 1], heights[7 * 95 + 5]], expected.heights.map(Math.fround));
  const folder = temporaryFolder();
  execFileSync('curl', ['-sf', ...words(await command(page, 'curl'))], { cwd: folder.path });
  assert.ok((await readFile(`${folder.path}/${name}`)).equals(bytes));
}));

test('a model is a valid GLB in the colours of the map', () => visit('#terra/relief/12/0/0', async (page) => {
  await openWith(page, '-992, 512', '1024, 2528', 'glb');
  await page.selectOption('#take-zoom', '12');
  const { bytes } = await save(page);
  const report = await validator.validateBytes(new Uint8Array(bytes));
  assert.equal(report.issues.numErrors, 0);
  const json = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
  const [{ attributes }] = json.meshes[0].primitives;
  assert.equal(json.accessors[attributes.POSITION].count, 64 ** 2);
  assert.ok('COLOR_0' in attributes);
  await page.uncheck('#take-colours');
  const plain = (await save(page)).bytes;
  assert.ok(plain.length < bytes.length);
}));

test('the rectangle is dragged, moved by keys, set to the view', () => visit('#terra/relief/9/0/0', async (page) => {
  await openWith(page, '-25600, -25600', '25600, 25600');
  const [x, y] = [640, 400]; /* the origin; a pixel is 256 m */
  await page.mouse.move(x + 100, y + 100);
  await page.mouse.down();
  await page.mouse.move(x + 150, y + 50, { steps: 3 });
  await page.mouse.up();
  await waitForText(page, '#take-summary', /^250 × 150 pixels/);
  await page.focus('.take-corner >> nth=0');
  await page.keyboard.press('ArrowRight');
  await waitForText(page, '#take-summary', /^240 × 150 pixels/);
  await page.focus('.take-middle');
  await page.keyboard.press('Shift+ArrowDown');
  assert.equal(await page.inputValue('#take-nw'), '\u221223\u202f040, \u221225\u202f344');
  await page.fill('#take-nw', 'here');
  await page.press('#take-nw', 'Enter');
  assert.equal(await page.getAttribute('#take-nw', 'aria-invalid'), 'true');
  await page.selectOption('#take-format', 'glb');
  await waitForText(page, '#take-summary', /^151 × 151 heights/);
  await page.selectOption('#take-format', 'png');
  await page.click('#take-whole');
  await waitForText(page, '#take-summary', /^1\u202f280 × 800 pixels/);
  await page.fill('#take-se', '1500000000, 0');
  await page.press('#take-se', 'Enter');
  await waitForText(page, '#take-summary', /at most 1073741\.824 km wide/);
  assert.equal(await page.isDisabled('#take-save'), true);
  await page.click('#drawer-close');
  assert.equal(await page.locator('.take-corner').count(), 0);
}));

/* Tiles of zoom 9 are 65536 m wide; the square of tiles has its middle at the origin. */
test('an archive has the zooms from a tile as wide as the rectangle to that of its pixels', () => {
  const archive = (zoom, ...sides) => archiveOf({ ...area(...sides), zoom });
  assert.deepEqual(archive(9, 0, 0, 65536, 65536), { first: 9, last: 9, tiles: 1 });
  assert.deepEqual(archive(10, -1, 0, 65536, 65536), { first: 8, last: 10, tiles: 2 + 2 + 3 * 2 });
  /* The whole square; and beyond its edge, with all four tiles, which are moved. */
  const half = 2 ** 24;
  assert.deepEqual(archive(1, -half, -half, half, half), { first: 0, last: 1, tiles: 5 });
  assert.deepEqual(archive(9, half - 1000, half - 1000, half + 64536, half + 64536), { first: 9, last: 9, tiles: 4 });
  /* Far away, over a corner of the tiles of zoom 0: there is room for four from zoom 1 on. */
  assert.deepEqual(archive(2, 3 * half - 5e6, half * 5 - 5e6, 3 * half + 5e6, half * 5 + 5e6), { first: 1, last: 2, tiles: 8 });
  /* Wider than the square at every zoom. */
  assert.equal(archive(9, 0, 0, 2.5 * 2 ** 25, 10), null);
  assert.equal(archive(0, 5 * half, 0, 5 * half + 2.5 * 2 ** 25, 10), null);
});

test('the panel has the size in each format, and the line of an export that has those tiles', () => visit('#terra~7/relief/11/0/0', async (page) => {
  await openWith(page, '100, -30000', '32000, 100');
  await page.selectOption('#take-zoom', '11');
  assert.equal(await page.textContent('#take-extent'), '31.9\u202fkm wide, 30.1\u202fkm from north to south.');
  const cells = () => page.$$eval('#take-sizes tr', (rows) => rows.map((row) => [...row.cells].map(({ textContent }) => textContent)));
  await until(page, () => [...document.querySelectorAll('#take-sizes td:last-child')].every(({ textContent }) => /B$/.test(textContent)));
  const [picture, webp, heights, model, tiles] = await cells();
  assert.deepEqual([picture, webp].map(([name, extent]) => [name, extent]),
    ['PNG', 'WebP'].map((name) => [name, '498 × 471 pixels of 64\u202fm']));
  assert.deepEqual(heights, ['GeoTIFF', '471 × 471 heights, 64\u202fm apart', '888\u202fKB']);
  assert.match(model[2], /MB$/);
  /* 1 × 2 tiles of 32768 m, for the rectangle crosses y = 0, and 2 × 3 of 16384 m. */
  assert.deepEqual(tiles.slice(0, 2), ['PMTiles', '8 tiles of zoom 10–11']);
  assert.equal(await page.getAttribute('#take-sizes tr >> nth=0', 'aria-current'), 'true');

  const line = await command(page, 'terrane export, tiles');
  const folder = temporaryFolder();
  execFileSync(program, words(line), { cwd: folder.path });
  const [name] = /terra-7-relief-z10-11\.pmtiles$/.exec(line);
  const file = openSync(folder.file(name));
  const archive = new PMTiles({
    getKey: () => name,
    getBytes(offset, length) {
      const data = new Uint8Array(length);
      return { data: data.buffer.slice(0, readSync(file, data, 0, length, offset)) };
    },
  });
  assert.equal((await archive.getHeader()).numAddressedTiles, 8);
  const tile = Buffer.from((await archive.getZxy(11, 1024, 1023)).data);
  const served = Buffer.from(await (await fetch(`${server.url}/worlds/terra~7/tiles/relief/11/1024/1023.png`)).arrayBuffer());
  assert.ok(pixels(tile).data.equals(pixels(served).data));
  closeSync(file);
}));

test('the lines of exports make the heights, the model and the tiles for an engine', () => visit('#perlin~3/relief/12/0/0', async (page) => {
  await openWith(page, '-992, 512', '2080, 3584', 'tif');
  await page.selectOption('#take-zoom', '12');
  await page.selectOption('#take-crs', '3857');
  await waitForText(page, '#take-summary', /^97 × 97 heights, 32\u202fm apart/);
  const folder = temporaryFolder();
  const run = async (name) => {
    const line = words(await command(page, name));
    execFileSync(program, line, { cwd: folder.path, stdio: 'pipe' });
    return folder.file(line.at(-1));
  };
  /* Pixels of 32 m: the middle of the first is 16 m inside. */
  const image = await (await fromArrayBuffer(new Uint8Array(await readFile(await run('terrane export, heights'))).buffer)).getImage();
  assert.deepEqual([image.getWidth(), image.getHeight()], [96, 96]);
  assert.equal(image.getGeoKeys().ProjectedCSTypeGeoKey, 3857);
  const [heights] = await image.readRasters();
  const points = [[-976, 528], [-976 + 95 * 32, 528 + 95 * 32], [-976 + 5 * 32, 528 + 7 * 32]];
  const expected = await (await fetch(`${server.url}/worlds/perlin~3/heights`, { method: 'POST', body: JSON.stringify({ points, zoom: 12 }) })).json();
  assert.deepEqual([heights[0], heights[96 * 96 - 1], heights[7 * 96 + 5]], expected.heights.map(Math.fround));
  const landscape = await run('terrane export, for engines');
  assert.equal((await readFile(`${landscape}/height_x0_y0.r16`)).length, 2 * 1009 ** 2);
  await page.selectOption('#take-format', 'glb');
  await until(page, () => document.querySelector('#take-commands').textContent.includes('a model'));
  const report = await validator.validateBytes(new Uint8Array(await readFile(await run('terrane export, a model'))));
  assert.deepEqual([report.issues.numErrors, report.info.totalVertexCount], [0, 97 ** 2]);
}));

test('the lines for a preview of the lab begin with its file', async () => {
  const world = { generator: 1, title: 'Hills', seed: '1', layers: { height: { formula: '200*perlin(wavelength=1000)', unit: 'm' } } };
  const { name } = await (await fetch(`${server.url}/preview`, { method: 'POST', body: JSON.stringify(world) })).json();
  await visit(`#${name}~4/relief/12/0/0`, async (page) => {
    await openWith(page, '-2000, -2000', '2000, 2000');
    const picture = pixels((await save(page)).bytes);
    const folder = temporaryFolder();
    execFileSync('curl', ['-sf', ...words(await command(page, 'curl, the world'))], { cwd: folder.path });
    const line = words(await command(page, 'terrane render'));
    execFileSync(program, line, { cwd: folder.path });
    assert.ok(pixels(await readFile(folder.file(line.at(-1)))).data.equals(picture.data));
  });
});

/* grey16 has no WebP tiles; a rectangle that ends at the world's edge has no room for whole tiles of a landscape. */
test('a map of 16 bits at the edge of the world has the lines that work there', () => visit('#perlin/grey16/12/1099511600000/1099511600000', async (page) => {
  await openWith(page, '1099511611392, 1099511611392', '1099511627776, 1099511627776', 'webp');
  await page.selectOption('#take-zoom', '12');
  await waitForText(page, '#take-summary', /^512 × 512 pixels of 32\u202fm, about/);
  const folder = temporaryFolder();
  const line = words(await command(page, 'terrane export, tiles'));
  assert.deepEqual(line.slice(-4), ['--zoom', '11-12', '-o', 'perlin-perlin-grey16-z11-12.pmtiles']);
  execFileSync(program, line, { cwd: folder.path, stdio: 'pipe' });
  execFileSync(program, words(await command(page, 'terrane render')), { cwd: folder.path, stdio: 'pipe' });
  await page.selectOption('#take-format', 'tif');
  await waitForText(page, '#take-commands', /heights/);
  assert.doesNotMatch(await page.textContent('#take-commands'), /for engines/);
}));

test('the requests of an estimate end with the next rectangle', () => visit('#terra/relief/9/0/0', async (page) => {
  await openWith(page, '-40000, -30000', '50000, 20000');
  await waitForText(page, '#drawer', /, about \d/);
  const held = [];
  await page.route(/\/12\/\d+\/\d+\.png$/, (route) => held.push(route));
  const aborted = page.waitForEvent('requestfailed', (request) => /\/12\/\d+\/\d+\.png$/.test(request.url()));
  await page.selectOption('#take-zoom', '12');
  await until(page, () => document.querySelector('#take-summary').textContent.startsWith('2\u202f8'));
  while (held.length === 0) await page.waitForTimeout(20);
  await page.selectOption('#take-zoom', '9');
  assert.match((await aborted).failure().errorText, /ABORTED/);
  await waitForText(page, '#take-summary', /^351 × 195 pixels of 256\u202fm, about/);
}));

test('what is too expensive for the server is refused with what would fit', async () => {
  const strict = await startServer({ arguments: ['--request-cost', '20'] });
  try {
    await open(`${strict.url}/#perlin/relief/9/0/0`, async (page) => {
      await openWith(page, '0, 0', '8192, 8192', 'glb');
      await page.selectOption('#take-zoom', '14');
      await page.click('#take-save');
      const said = await waitForText(page, '#take-summary', /^The server makes at most/);
      const [, side] = /at most (\d+) × \1 of these at once/.exec(said);
      /* Asked by the browser, as compression by one coding costs more than by another. */
      const status = (size) => page.evaluate(async (address) => (await fetch(address)).status,
        `worlds/perlin/chunks/0/0.glb?step=8&style=relief&size=${size}`);
      assert.deepEqual([await status(side - 1), await status(1024)], [200, 413]);
      assert.equal(await page.isVisible('#take-save'), true);
    }, { expected: /413/ });
  } finally {
    await strict.stop();
  }
});

test('a long download shows how far it is, and can be cancelled', () => visit('#terra/relief/6/0/0', async (page) => {
  let answer;
  const held = new Promise((resolve) => {
    answer = resolve;
  });
  await openWith(page, '-3000000, -3000000', '3000000, 3000000');
  await page.selectOption('#take-zoom', '7');
  await waitForText(page, '#take-summary', /of 1\.024\u202fkm, about \d/);
  await page.route(/\/7\/\d+\/\d+\.png$/, async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  await page.click('#take-save');
  await until(page, () => document.activeElement.id === 'take-cancel');
  assert.equal(await page.isVisible('.take progress'), true);
  await page.click('#take-cancel');
  await waitForText(page, '#take-summary', /^Cancelled/);
  answer();
  await until(page, () => document.querySelector('#take-save').checkVisibility());
  await page.unroute(/\/7\/\d+\/\d+\.png$/);
}));

test('phones can take a picture away', () => visit('#archipelago/relief/9/0/0', async (page) => {
  await page.click('#tool-take');
  await waitForText(page, '#drawer', /, about \d/);
  const { bytes } = await save(page);
  const { width, height } = pixels(bytes);
  assert.ok(width > 100 && width < 360 && height > 50 && height < 400, `${width} × ${height}`);
}, PHONE));
