/* Grids and markers over the map: the drawer, the address, files, and the markers of the operator. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { PHONE, WIDE, browserOfFile, loadedTiles, until, waitForHash, waitForText } from './browser.mjs';

const feature = (name, coordinates, more = {}) =>
  ({ type: 'Feature', properties: { name, ...more }, geometry: { type: 'Point', coordinates } });
const collection = (...features) => ({ type: 'FeatureCollection', features });

const { open } = browserOfFile();
let server, players, host;
before(async () => {
  /* The host of a game, with players that the tests move. */
  players = { document: collection(feature('Ann', [1000, 500])), asked: 0 };
  host = createServer((request, response) => {
    players.asked += 1;
    response.writeHead(players.status ?? 200, { 'access-control-allow-origin': '*', 'content-type': 'application/geo+json' });
    response.end(JSON.stringify(players.document));
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  const markers = `http://127.0.0.1:${host.address().port}/players.geojson`;
  server = await startServer({ arguments: ['--markers', markers, '--markers-interval', '1'] });
});
after(async () => {
  host?.close();
  host?.closeAllConnections();
  await server?.stop();
});

/* The policy lets the page ask the host of the game. */
const visit = (hash, check, options = {}) => open(`${server.url}/${hash}`, async (page) => {
  await loadedTiles(page);
  await check(page);
}, { others: [`http://127.0.0.1:${host.address().port}`], ...WIDE, ...options });

const openDrawer = async (page) => {
  await page.click('#tool-overlays');
  await until(page, () => document.querySelector('#geojson-url') !== null);
};

/* Presses a name in the drawer until the map shows its place, to two pixels of zoom 13. */
async function goTo(page, name, [x, y]) {
  const place = () => location.hash.split('?')[0].split('/').slice(3).map(Number);
  for (;;) {
    await page.click(`.names >> text=${name}`);
    const [hereX, hereY] = await page.evaluate(place);
    if (Math.abs(hereX - x) <= 32 && Math.abs(hereY - y) <= 32) return;
    await page.waitForTimeout(100); /* until the next version has come */
  }
}

/* The colour of a grid's canvas at a point of the map, as [r, g, b, a], or null without that grid. */
const gridPixel = (page, index, x, y) => page.evaluate(([i, left, top]) => {
  const canvas = document.querySelectorAll('canvas.grid')[i];
  return canvas ? [...canvas.getContext('2d').getImageData(left, top, 1, 1).data] : null;
}, [index, x, y]);

test('the chunk grid has its lines where chunks begin, and the address keeps it', () => visit('#perlin/relief/13/0/0', async (page) => {
  await openDrawer(page);
  await page.fill('#chunk-side', '2048');
  await page.check('text=Chunks');
  await waitForHash(page, /[?&]chunks=2048(&|$)/);
  /* 16 m a pixel: chunks of 2048 m are 128 pixels wide, and (0, 0) is in the middle of 1280 × 800. */
  const white = ([r, g, b, a]) => r > 240 && g > 240 && b > 240 && a > 240;
  for (const [x, y] of [[640, 300], [512, 300], [768, 300], [600, 400], [600, 272]]) {
    assert.ok(white(await gridPixel(page, 0, x, y)), `a line at ${x}, ${y}`);
  }
  assert.equal((await gridPixel(page, 0, 600, 350))[3], 0, 'nothing within a chunk');
  assert.match(await page.textContent('#cells'), /^At the cursor: chunk \S+, \S+, tile 13\/\d+\/\d+\.$/);
  await page.mouse.move(640 + 130, 400 - 10);
  await waitForText(page, '#cells', /chunk 1, −1, tile 13\/4096\/4095\.$/);
  await page.check('text=Tiles, as zoom');
  await waitForHash(page, /tilegrid=1/);
  const [red, green, blue] = await gridPixel(page, 1, 640, 300);
  assert.ok(red > 200 && green > 170 && blue < 140, 'tiles are yellow');
  await page.fill('#chunk-side', '0');
  await page.press('#chunk-side', 'Enter');
  assert.equal(await page.getAttribute('#chunk-side', 'aria-invalid'), 'true');
  await page.reload();
  await until(page, () => document.querySelectorAll('canvas.grid').length === 2);
}, { expected: /willReadFrequently/ }));

test('grids and markers come after a break', () => visit('#perlin/relief/13/0/0?chunks=2048', async (page) => {
  const code = /\/chunks\/state-/;
  await page.route(code, (route) => route.abort());
  await page.reload();
  await waitForText(page, '#status', /Grids and markers did not load/);
  await page.unroute(code);
  await until(page, () => document.querySelector('canvas.grid') !== null);
  await waitForText(page, '#status', /^$/);
}, { expected: /Failed to load resource|willReadFrequently/ }));

test('a file shows its features by name, as text, and broken ones say where', () => visit('#perlin/relief/13/0/0', async (page) => {
  const { path: folder } = temporaryFolder({
    'good.geojson': collection(feature('<img src=x onerror=alert(1)>', [160, 160], { kind: '<b>bold</b>' }),
      { type: 'Feature', properties: null, geometry: { type: 'LineString', coordinates: [[0, 0], [900, 900]] } }),
    'bad.geojson': collection(feature('Ann', [0, 0]), feature('Bob', [0, 'north'])),
  });
  await openDrawer(page);
  await page.setInputFiles('#geojson-file', [path.join(folder, 'good.geojson'), path.join(folder, 'bad.geojson')]);
  await waitForText(page, '.collections', /features\[1\]\.geometry\.coordinates: a position must be an array of two numbers/);
  assert.match(await page.textContent('.collections > li:nth-child(2)'), /2 features/);
  await page.mouse.click(640 + 10, 400 + 10);
  await waitForText(page, '.leaflet-popup', /<img src=x onerror=alert\(1\)>.*<b>bold<\/b>.*160, 160/s);
  assert.equal(await page.evaluate(() => document.querySelectorAll('.leaflet-popup img, .leaflet-popup b').length), 0);
  await page.click('[aria-label="Remove good.geojson"]');
  await until(page, () => !document.querySelector('.collections').textContent.includes('good.geojson'));
  assert.match(await page.evaluate(() => document.activeElement.closest('li').textContent), /bad\.geojson/, 'the next row has the focus');
}));

test('degrees are taken where the file or the user says so', () => visit('#perlin/relief/13/0/0', async (page) => {
  /* One degree is 2²⁴ / 180 m. */
  const degree = 2 ** 24 / 180;
  const declared = { ...collection(feature('East', [1, 0])), crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } } };
  const { path: folder } = temporaryFolder({ 'a.geojson': declared, 'b.geojson': collection(feature('North', [0, 1])) });
  await openDrawer(page);
  await page.setInputFiles('#geojson-file', [path.join(folder, 'a.geojson'), path.join(folder, 'b.geojson')]);
  const row = '.collections > li:nth-child(3)';
  await until(page, (selector) => document.querySelector(selector) !== null, row);
  await waitForText(page, row, /are these degrees\?/);
  await page.selectOption(`${row} select`, 'degrees');
  for (const details of await page.$$('.collections details:not([hidden]) summary')) await details.click();
  /* At 1° of latitude a Mercator map is stretched by 0.005 %: 5 m. */
  await goTo(page, 'East', [degree, 0]);
  await goTo(page, 'North', [0, -degree]);
}));

test('a file that is dropped on the page opens the drawer', () => visit('#perlin/relief/13/0/0', async (page) => {
  await page.evaluate((text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], 'dropped.geojson'));
    for (const type of ['dragover', 'drop']) {
      document.querySelector('#map').dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }
  }, JSON.stringify(collection(feature('Here', [0, 0]))));
  await waitForText(page, '#drawer', /Grids and markers.*dropped\.geojson/s);
}));

/* Files of 20 MB are read: 20971520 bytes. A longer one is refused without reading it. */
test('a file that is too long, or a folder, is named with what is allowed', () => visit('#perlin/relief/13/0/0', async (page) => {
  await openDrawer(page);
  const drop = (name, length) => page.evaluate(([title, bytes]) => {
    const file = new File([new Uint8Array(bytes)], title);
    globalThis.asked = 0;
    file.text = () => { globalThis.asked += 1; throw new Error('unreadable'); };
    const dataTransfer = { types: ['Files'], files: [file] };
    document.querySelector('#map').dispatchEvent(Object.assign(new Event('drop', { bubbles: true, cancelable: true }), { dataTransfer }));
  }, [name, length]);
  await drop('long.geojson', 20 * 2 ** 20 + 1);
  await waitForText(page, '.collections', /long\.geojson.*This has more than 20 MB\./s);
  assert.equal(await page.evaluate(() => globalThis.asked), 0);
  await drop('folder', 0);
  await waitForText(page, '.collections', /folder.*The file cannot be read\./s);
}));

test('addresses follow the address bar: Back removes them, and there is a limit', () => visit('#perlin/relief/13/0/0', async (page) => {
  const url = `http://127.0.0.1:${host.address().port}/players.geojson`;
  const rows = () => page.$$eval('.collections > li', (all) => all.length);
  const follow = async (names) => {
    await page.evaluate((hash) => { location.hash = hash; }, `#perlin/relief/13/0/0?geojson=${encodeURIComponent(names.map((name) => `0!${url}?${name}`).join(' '))}`);
    await waitForHash(page, /geojson=/);
  };
  await openDrawer(page);
  await until(page, () => document.querySelectorAll('.collections > li').length === 1); /* the operator's */
  await follow(['a', 'b']);
  await until(page, () => document.querySelectorAll('.collections > li').length === 3);
  await follow(['b', 'c']);
  await until(page, () => /\?c/.test(document.querySelector('.collections').textContent));
  const text = await page.textContent('.collections');
  assert.deepEqual([/\?a/.test(text), /\?b/.test(text), await rows()], [false, true, 3]);
  await page.goBack();
  await until(page, () => /\?a/.test(document.querySelector('.collections').textContent));
  assert.equal(await rows(), 3);
  await page.goBack();
  await until(page, () => document.querySelectorAll('.collections > li').length === 1);
  await follow(Array.from({ length: 40 }, (_, i) => `n${i}`));
  await waitForText(page, '#status', /At most 32 files and addresses are shown\./);
  assert.equal(await rows(), 32);
}));

test('markers of the operator are there without a click, and move', () => visit('#perlin/relief/13/0/0', async (page) => {
  players.document = collection(feature('Ann', [1600, 0]));
  await openDrawer(page);
  const first = '.collections > li:first-child';
  await waitForText(page, first, /Markers of this server.*1 feature/s);
  await page.click(`${first} summary`);
  await goTo(page, 'Ann', [1600, 0]);
  players.document = collection(feature('Ann', [-1600, 0]), feature('Bob', [0, 3200]));
  await waitForText(page, first, /2 features/);
  await goTo(page, 'Ann', [-1600, 0]);
  /* A refusal leaves what was there, and says so. */
  players.status = 500;
  await waitForText(page, first, /2 features.*The address answered 500\./s);
  players.status = 200;
  await waitForText(page, first, /2 features(?!.*answered)/s);
}, { expected: /500/ }));

test('an address of another host is refused with what to do instead, and not asked', () => visit('#perlin/relief/13/0/0', async (page) => {
  await openDrawer(page);
  await page.fill('#geojson-url', 'https://elsewhere.example/a.geojson');
  await page.press('#geojson-url', 'Enter');
  await waitForText(page, '.collections', /may not ask https:\/\/elsewhere\.example\..*--markers/s);
}));

test('on a phone, everything is large enough to touch', () => visit('#perlin/relief/13/0/0', async (page) => {
  await openDrawer(page);
  const { path: folder } = temporaryFolder();
  writeFileSync(path.join(folder, 'one.geojson'), JSON.stringify(collection(feature('One', [0, 0]))));
  await page.setInputFiles('#geojson-file', path.join(folder, 'one.geojson'));
  await waitForText(page, '.collections', /one\.geojson/);
  for (const summary of await page.$$('.collections summary')) await summary.click();
  const small = await page.evaluate(() => [...document.querySelectorAll('#drawer :is(button, select, input:not(.visually-hidden), summary, label.check, label.file)')]
    .filter((each) => each.checkVisibility() && !each.matches('[type=checkbox]') && each.getBoundingClientRect().height < 40)
    .map((each) => each.outerHTML));
  assert.deepEqual(small, []);
}, PHONE));
