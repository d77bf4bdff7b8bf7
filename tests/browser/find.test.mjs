/* Finding on the page at /: each kind of search, repeated, cancelled and wrong; highlighted biomes and
 * objects in view. Places are compared with what /locate answers, and one with every place around. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readable } from '../../server/viewer/app/place.js';
import { pointAtEdge } from '../../server/viewer/map/free.js';
import { createSearch } from '../../server/viewer/find/search.js';
import { PHONE, loadedTiles, pageOfFile, until, waitForText } from './browser.mjs';

const { server, visit } = pageOfFile({ viewport: { width: 1000, height: 700 }, reducedMotion: 'reduce' });
const ask = async (path) => (await fetch(`${server.url}${path}`)).json();
const locate = (world, x, y, parameters) => ask(`/worlds/${world}/locate?${
  Object.entries({ x, y, ...parameters }).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`);
const find = (page) => page.locator('.find .main').click();
const found = (page, count) => until(page, () => [...document.querySelectorAll('.found .go')]
  .map((button) => button.textContent), null, (texts) => texts.length === count);
const open = async (page) => {
  await loadedTiles(page);
  await page.click('#tool-find');
  await until(page, () => document.querySelector('#find-kind')?.value);
};
const readCentre = () => location.hash.split('?')[0].split('/').slice(2).map(Number);
const centre = (page) => page.evaluate(readCentre);

/* The circle of 1024 m has a grid with steps of 4 m, which is the level of detail of zoom 15. */
test('the nearest of several biomes is the nearest of all places of the grid', () => visit(
  '#terra/relief/13/6500/6265', async (page) => {
    await open(page);
    await page.click('[data-name=river]');
    await page.click('[data-name=beach]');
    await find(page);
    const [text] = await found(page, 1);
    await page.click('.found .go');
    await until(page, () => location.hash, null, (hash) => !hash.endsWith('/6500/6265'));
    const [, x, y] = await centre(page);
    const distance = Math.hypot(x - 6500, y - 6265);
    assert.ok(distance > 8 && distance < 160, `${distance} m: some steps, and few enough to try all`);
    assert.ok(text.startsWith(`${Math.round(distance)}\u202fm`), text);

    const points = [];
    for (let row = -40; row <= 40; row += 1) {
      for (let column = -40; column <= 40; column += 1) {
        if (4 * Math.hypot(row, column) <= distance) points.push([6500 + 4 * column, 6265 + 4 * row]);
      }
    }
    const { biomes } = await ask('/worlds/terra');
    const sample = async (more) => (await (await fetch(`${server.url}/worlds/terra/heights?layer=biome${more}`,
      { method: 'POST', body: JSON.stringify({ points }) })).json()).heights ?? [];
    const [grid, full] = [await sample('&zoom=15'), await sample('')];
    const holds = (index) => ['river', 'beach'].includes(biomes[index].name);
    const hits = points.filter((_, i) => holds(grid[i]) && holds(full[i]))
      .map(([east, south]) => Math.hypot(east - 6500, south - 6265));
    assert.ok(hits.length > 0);
    assert.ok(Math.abs(Math.min(...hits) - distance) < 0.01);
  }));

/* 64 pixels of 256 m are 16384 m: places are as far apart. */
test('the next nearest is another place, again and again', () => visit('#terra/relief/9/20000/0', async (page) => {
  await open(page);
  await page.selectOption('#find-kind', 'height');
  await page.fill('#find-metres', '900');
  await find(page);
  await found(page, 1);
  for (const count of [2, 3]) {
    await page.getByRole('button', { name: 'Next nearest' }).click();
    await found(page, count);
  }
  const texts = await found(page, 3);
  const places = [];
  for (let i = 0; i < 3; i += 1) {
    const before = await centre(page);
    await page.locator('.found .go').nth(i).click();
    const [, x, y] = await until(page, readCentre, null, (now) => now.join() !== before.join());
    places.push({ x, y, distance: Math.hypot(x - 20000, y) });
  }
  for (const { x, y } of places) {
    const { height } = await ask(`/worlds/terra/at?x=${x}&y=${y}`);
    assert.ok(height > 850, `${height} m, as far as the address can name the place`);
  }
  const distances = places.map(({ distance }) => distance);
  assert.deepEqual(distances, [...distances].sort((a, b) => a - b));
  for (const [a, b] of [[0, 1], [0, 2], [1, 2]]) {
    assert.ok(Math.hypot(places[a].x - places[b].x, places[a].y - places[b].y) > 16300);
  }
  const answer = await locate('terra', 20000, 0, { where: 'height>=900', radius: 65536, limit: 1 });
  assert.ok(Math.abs(places[0].distance - answer.distance) < 2 * answer.step, texts[0]);
  assert.equal(await page.locator('.number').count(), 3);
}));

/* A world of one line of places: each circle gives those within it that are apart. */
test('searches widen their circles, and neither repeat nor leave out a place', async () => {
  /* 3100 is too near to 3000, and 4200, in the circle of 16384 m, to 4050. */
  const line = [10, 500, 3000, 3100, 4050, 4200, 70000, 5e6].map((x) => ({ x, y: 0, distance: x }));
  const asked = [];
  const server1 = ({ radius, limit, apart, min_distance: inner }) => {
    asked.push(radius);
    const places = [];
    for (const place of line) {
      const free = places.every((other) => Math.abs(other.x - place.x) >= apart);
      if (free && place.distance >= inner && place.distance <= radius && places.length < limit) places.push(place);
    }
    return { places, step: radius / 256, complete: true };
  };
  const search = createSearch({ x: 0, y: 0 }, 300, async (circle) => server1(circle), () => {});
  const got = [];
  for (let answer = await search.next(); answer.place !== null; answer = await search.next()) got.push(answer.place.x);
  assert.deepEqual(got, [10, 500, 3000, 4050, 70000, 5e6]);
  assert.equal(Math.max(...asked), 2 ** 24);
  assert.ok(asked.length < 25, `${asked.length} requests`);
});

test('water, a place to begin, landmarks and materials are those of the server', () => visit(
  '#terra/relief/11/-247000/-40000', async (page) => {
  await open(page);
  /* The nearest place by the server, in the first of the page's circles that has one. */
  const nearest = async (where) => {
    for (let radius = 1024; ; radius *= 4) {
      const answer = await locate('terra', -247000, -40000, { where, radius });
      if (answer.found) return answer;
    }
  };
  const kilometres = (metres) => (metres === 0 ? 'Right here' : metres < 1000 ? `${Math.round(metres)}\u202fm`
    : `${Number((metres / 1000).toFixed(metres < 10000 ? 1 : 0))}\u202fkm`);
  const check = async (kind, fill, answer) => {
    await page.selectOption('#find-kind', kind);
    await fill();
    await find(page);
    const [text] = await found(page, 1);
    assert.ok(text.startsWith(kilometres(answer.distance)), `${kind}: ${text}, ${answer.distance} m`);
    const { height } = await ask(`/worlds/terra/at?x=${answer.x}&y=${answer.y}`);
    const shown = Number(height.toFixed(Math.abs(height) < 10 ? 1 : 0));
    assert.ok(text.includes(`${readable(String(shown))}\u202fm`), text);
  };
  await check('water', () => page.selectOption('#find-water', { label: 'Sea' }),
    await nearest('height<water_level,water_level<=0'));
  const spawn = await ask('/worlds/terra/spawn?x=-247000&y=-40000&radius=4096');
  const near = await ask('/worlds/terra/spawn?x=-247000&y=-40000&radius=1024');
  await check('spawn', () => {}, near.found ? near : spawn);
  await check('material', () => page.click('[data-name=sand]'), await nearest('material==sand'));
  await check('height', async () => {
    await page.selectOption('#find-side', { label: 'below' });
    await page.fill('#find-metres', '−2');
  }, await nearest('height<=-2'));
  await check('condition', () => page.fill('#find-where', 'biome==beach || height > 800'),
    await nearest('biome==beach || height > 800'));
  for (const feature of ['lake', 'peak']) {
    await check('landmark', () => page.selectOption('#find-landmark', feature),
      await locate('terra', -247000, -40000, { feature, radius: 50000 }));
  }
  const { places } = await locate('terra', -247000, -40000, { feature: 'peak', radius: 50000, limit: 3 });
  for (const [i, { distance, height, prominence }] of places.slice(1).entries()) {
    await page.getByRole('button', { name: 'Next by prominence' }).click();
    const text = (await found(page, i + 2)).at(-1);
    assert.ok(text.startsWith(kilometres(distance)), text);
    assert.ok(text.includes(`prominence ${readable(Math.min(prominence, height).toFixed(0))}`), text);
  }
}));

test('the arrow to a place stands where the way to it leaves the box', () => {
  const box = { left: 0, top: 100, right: 400, bottom: 300 };
  assert.equal(pointAtEdge(box, { x: 390, y: 110 }), null);
  assert.deepEqual(pointAtEdge(box, { x: 1200, y: 200 }), { x: 400, y: 200, degrees: 0 });
  assert.deepEqual(pointAtEdge(box, { x: 200, y: -800 }), { x: 200, y: 100, degrees: -90 });
  assert.deepEqual(pointAtEdge(box, { x: -200, y: 600 }), { x: 100, y: 300, degrees: 135 });
});

test('an arrow leads to a result out of view, and the panel says how fine its numbers are', () => visit('#terra/relief/7/-2380000/-4400000', async (page) => {
  await open(page);
  await waitForText(page, '#detail', /: a pixel is 1\u202fkm$/);
  await page.click('[data-name=jungle]');
  await find(page);
  const [text] = await found(page, 1);
  assert.match(text, /km south/, 'farther than the 400 km of the map below the middle');
  const box = await page.locator('#beacon').boundingBox();
  assert.ok(box.y > 600 && box.y + box.height <= 700, 'at the lower edge');
  const far = () => page.textContent('#beacon');
  const before = await far();
  assert.match(before, /^Place 1, [\d\u202f]+\u202fkm south/);
  await page.evaluate(() => { location.hash = '#terra/relief/7/-2380000/-3400000'; });
  const kilometres = (words) => Number(/, ([\d\u202f]+)\u202fkm/.exec(words)[1].replace('\u202f', ''));
  const nearer = kilometres(before) - 1000;
  await until(page, () => document.querySelector('#beacon').textContent, null, (words) => Math.abs(kilometres(words) - nearer) < 100);
  await page.click('#beacon');
  await until(page, () => document.querySelector('#beacon').hidden);
  await until(page, () => {
    const { left, top, right, bottom } = document.querySelector('.number').getBoundingClientRect();
    return left > 0 && top > 0 && right < innerWidth && bottom < innerHeight;
  });
  await page.evaluate(() => { location.hash = '#terra/relief/17/0/0'; });
  await waitForText(page, '#detail', /^$/);
  await page.getByRole('button', { name: /Remove from the map: 1 place/ }).click();
  assert.equal(await page.isHidden('#beacon'), true);
}));

test('errors stand at their place, and a search can be cancelled', () => visit('#terra/relief/9/0/0', async (page) => {
  await open(page);
  await find(page);
  await waitForText(page, '#find-status', /^Choose one or more biomes/);
  await page.selectOption('#find-kind', 'height');
  await page.fill('#find-metres', 'high');
  await find(page);
  await waitForText(page, '#find-status', /number of metres/);
  assert.equal(await page.getAttribute('#find-metres', 'aria-invalid'), 'true');

  await page.selectOption('#find-kind', 'condition');
  await page.fill('#find-where', 'height > 3 && dessert > 1');
  await find(page);
  await waitForText(page, '#find-status', /column 15: unknown name "dessert"/);
  const selected = await page.$eval('#find-where', ({ value, selectionStart }) => value.slice(selectionStart));
  assert.equal(selected, 'dessert > 1');

  /* Answers do not come: the page looks until it is told not to. */
  await page.route('**/locate?**', () => {});
  await page.fill('#find-where', 'height > 1500');
  await find(page);
  await waitForText(page, '#find-status', /^Looking within 1\u202fkm/);
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  assert.equal(await focused(), 'Cancel', 'the focus is on the only button that can be pressed');
  await page.keyboard.press('Enter');
  await waitForText(page, '#find-status', /^Cancelled/);
  assert.equal(await focused(), 'Find');
  await page.unroute('**/locate?**');
  await page.keyboard.press('Enter');
  await found(page, 1);
  assert.equal(await focused(), 'Find');
  assert.equal(await page.getAttribute('#find-where', 'aria-invalid'), 'false');
}, { expected: /status of 40[04]/ }));

test('all but the chosen biomes are dimmed, at any zoom and style', () => visit(
  '#terra/relief/7/56640/-41015', async (page) => {
  await open(page);
  await page.click('[data-name=jungle]');
  await page.getByText('Dim everything else').click();
  const { biomes } = await ask('/worlds/terra');
  const compare = async (zoom, chosen) => {
    const tile = await until(page, (z) => [...document.querySelectorAll('.highlight canvas')]
      .filter(({ dataset, width }) => dataset.tile.startsWith(`${z}/`) && width === 256)
      .map(({ dataset }) => dataset.tile).at(-1), zoom);
    const clear = await page.evaluate((name) => {
      const canvas = document.querySelector(`[data-tile="${name}"]`);
      const { data } = canvas.getContext('2d').getImageData(0, 0, 256, 256);
      return data.filter((_, index) => index % 4 === 3).map((alpha) => Number(alpha === 0));
    }, tile).then(Object.values);
    const response = await fetch(`${server.url}/worlds/terra/tiles/biome/${tile}.r32f`);
    const samples = new Float32Array(await response.arrayBuffer());
    const expected = [...samples].map((index) => Number(chosen.includes(biomes[index].name)));
    assert.deepEqual(clear, expected, tile);
    return expected.reduce((a, b) => a + b, 0);
  };
  await compare(7, ['jungle']);
  await page.click('[data-name=savanna]');
  await compare(7, ['jungle', 'savanna']);
  await page.evaluate(() => { location.hash = '#terra/height/12/44000/-50000'; });
  await until(page, () => document.querySelectorAll('.highlight canvas').length > 0 && location.hash.includes('/12/'));
  await compare(12, ['jungle', 'savanna']);
  await page.getByRole('button', { name: 'Remove from the map: Only Savanna, Jungle' }).click();
  assert.equal(await page.locator('.highlight').count(), 0);
  assert.equal(await page.isChecked('.check input >> nth=0'), false);
}, { viewport: { width: 800, height: 600 }, expected: /willReadFrequently/ }));

test('tiles of a highlight that did not come are asked for again', () => visit('#terra/height/7/44000/-50000', async (page) => {
  await open(page);
  const tiles = /\/tiles\/biome/;
  let refused = 0;
  await page.route(tiles, (route) => {
    refused += 1;
    route.abort();
  });
  await page.click('[data-name=jungle]');
  await page.getByText('Dim everything else').click();
  while (refused === 0) await page.waitForTimeout(20);
  await page.unroute(tiles);
  await until(page, () => {
    const canvases = [...document.querySelectorAll('.highlight canvas')];
    return canvases.length > 0 && canvases.every((canvas) => canvas.matches('.leaflet-tile-loaded'));
  });
}, { expected: /Failed to load resource/ }));

test('objects of a kind are shown in view, and found', () => visit('#terra/relief/18/56640/-41015', async (page) => {
  await open(page);
  await page.selectOption('#find-kind', 'object');
  await page.selectOption('#find-object', 'tropical');
  await page.getByText('Show those in view').click();
  const status = await waitForText(page, '#find-status', /in view/);
  /* 1000 × 700 pixels of half a metre. */
  const { count, objects } = await ask('/worlds/terra/objects?bbox=56390,-41190,56890,-40840&kind=tropical');
  assert.equal(parseInt(status, 10), count);
  await find(page);
  const [text] = await found(page, 1);
  const distances = objects.map(({ x, y }) => Math.hypot(x - 56640, y + 41015)).sort((a, b) => a - b);
  assert.ok(text.startsWith(`${Math.round(distances[0])}\u202fm`), text);
  await page.getByRole('button', { name: 'Next nearest' }).click();
  const [, second] = await found(page, 2);
  assert.ok(second.startsWith(`${Math.round(distances[1])}\u202fm`), second);
  await page.evaluate(() => { location.hash = '#terra/relief/9/56640/-41015'; });
  await waitForText(page, '#find-status', /^Zoom in to see them/);
}));

test('the card hands its place over, and results open the card, on a phone too', () => visit(
  '#terra/relief/12/5000/-7000', async (page) => {
  await loadedTiles(page);
  await page.tap('#tool-card');
  await page.getByRole('button', { name: 'Find nearest …' }).tap();
  await until(page, () => document.querySelector('#find-from')?.textContent, null,
    (text) => text === '5\u202f000, −7\u202f000');
  await page.selectOption('#find-kind', 'spawn');
  await page.locator('.find .main').tap();
  await found(page, 1);
  const small = await page.$$eval('#drawer :is(button, select, input:not([type=checkbox]))', (all) => all
    .filter((element) => element.checkVisibility())
    .map((element) => [element.textContent || element.title, element.getBoundingClientRect()])
    .filter(([, { width, height }]) => height < 40 || width < 40).map(([name]) => name));
  assert.deepEqual(small, []);
  await page.locator('.found .go').tap();
  await until(page, () => { /* above the drawer */
    const { top, bottom } = document.querySelector('.number').getBoundingClientRect();
    return top > document.querySelector('#panel').getBoundingClientRect().bottom
      && bottom < document.querySelector('#drawer').getBoundingClientRect().top;
  });
  await page.getByRole('button', { name: 'Open the card of place 1' }).tap();
  await until(page, () => document.querySelector('#card-place').textContent, null,
    (text) => !/^5\u202f000, −7\u202f000/.test(text));
  await page.tap('#tool-find');
  await page.getByRole('button', { name: /From the map’s centre/ }).tap();
  assert.equal(await page.textContent('#find-from'), 'the map’s centre');
}, { ...PHONE, viewport: { width: 390, height: 844 } }));
