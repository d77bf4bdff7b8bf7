/* 3-D on the page: MapLibre draws the world from its tiles. What else needs WebGL is in long/scene.test.mjs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import png from 'pngjs';
import {
  heightFactor, metreInMercator, serverTile, squareAround, toLngLat, toMercator, toPlace,
} from '../../server/viewer/scene/square.js';
import { createGovernor, createPace } from '../../server/viewer/scene/pace.js';
import { until, waitForHash, waitForText } from './browser.mjs';
import { SMALL, TIMES, eyeAtRest, pageOfScenes } from './scene.mjs';

const { visit, visitPage } = pageOfScenes();

async function coloursOf(page, top, bottom) {
  const { width, height, data } = png.PNG.sync.read(await page.screenshot());
  const colours = new Set();
  for (let row = Math.floor(top * height); row < bottom * height; row += 1) {
    for (let column = 0; column < width; column += 1) colours.add(data.readUInt32BE(4 * (row * width + column)));
  }
  return colours.size;
}

/* At zoom z a tile spans 2^(25−z) m, and tile (z, 0, 0) begins at −2^24 m. */
test('places and tiles of the square are those of the world, as far as it goes', () => {
  const far = 2 ** 40 - 3;
  for (const place of [{ x: 0, y: 0 }, { x: 5e7, y: -16777217 }, { x: far, y: -far }, { x: -far, y: 12345.5 }]) {
    const square = squareAround(place);
    const [lng, lat] = toLngLat(square, place);
    assert.ok(Math.abs(lng) < 15 && Math.abs(lat) < 15, `${lng}, ${lat} is near the middle`);
    const back = toPlace(square, { lng, lat });
    assert.ok(Math.hypot(back.x - place.x, back.y - place.y) < 0.001, `${back.x}, ${back.y} m for ${place.x}, ${place.y}`);
    for (const zoom of [1, 7, 20]) {
      const z = zoom + 4;
      const [x, y] = toMercator(square, place).map((share) => Math.floor(share * 2 ** z));
      const index = (metres) => Number((BigInt(Math.floor(metres)) + (1n << 24n)) >> BigInt(25 - zoom));
      assert.deepEqual(serverTile(square, z, x, y), { z: zoom, x: index(place.x), y: index(place.y) });
    }
  }
});

/* MapLibre's earth has a radius of 6371008.8 m; a metre of altitude is its share of the equator. */
test('a metre up is as long as a metre along', () => {
  assert.ok(Math.abs(heightFactor / (2 * Math.PI * 6371008.8) / metreInMercator - 1) < 1e-9);
  assert.equal(metreInMercator, 2 ** -29);
});

/* A movement of a second, whose frames take so many milliseconds each. */
const second = (governor, ms) => {
  governor.restart();
  for (let time = 0; time < 1000; time += ms) governor.add(ms);
  return governor.level();
};

test('slow frames cost detail, quick ones bring it back, and a level that was too slow is tried less often', () => {
  const governor = createGovernor();
  assert.equal(second(governor, 16), 0);
  for (const ms of [300, ...Array(40).fill(16)]) governor.add(ms); /* one has waited for something */
  assert.equal(governor.level(), 0);
  assert.equal(second(governor, 60), 1);
  const secondsUntilFiner = () => {
    for (let seconds = 1; seconds < 100; seconds += 1) if (second(governor, 10) === 0) return seconds;
    return Infinity;
  };
  const first = secondsUntilFiner();
  second(governor, 60);
  assert.ok(secondsUntilFiner() > first);
  assert.equal(second(governor, 500), 3, 'at once, not step by step');
  assert.equal(second(governor, 500), 3);
});

/* A map that fires what MapLibre does, and frames that are drawn on demand. */
test('a picture that was drawn coarsely, because movements before were slow, is drawn in full', (t) => {
  let now = 1;
  let frames = [];
  const listeners = { move: [], render: [], terrain: [] };
  const fire = (type) => listeners[type].forEach((listener) => listener());
  const draw = () => {
    const due = frames;
    frames = [];
    due.forEach((task) => task());
  };
  t.mock.method(performance, 'now', () => now);
  /* Not mock.timers, whose options differ between releases of Node. */
  const rests = new Set();
  const { clearTimeout: clear } = globalThis;
  t.mock.method(globalThis, 'setTimeout', (task, ms, ...words) => {
    const rest = () => task(...words);
    rests.add(rest);
    return rest;
  });
  t.mock.method(globalThis, 'clearTimeout', (timer) => rests.delete(timer) || clear(timer));
  Object.assign(globalThis, { devicePixelRatio: 1, requestAnimationFrame: (task) => frames.push(task), cancelAnimationFrame() {} });
  const pace = createPace({ on: (type, listener) => listeners[type].push(listener), redraw: () => fire('render'), _resizeInternal() {} }, () => {});
  const settle = () => {
    const due = [...rests];
    rests.clear();
    due.forEach((rest) => rest());
    for (let count = 0; count < 5; count += 1) draw();
  };
  for (let count = 0; count < 5; count += 1) {
    fire('move');
    fire('render');
    draw();
    now += 500;
  }
  assert.equal(pace.coarse(), true);
  settle();
  assert.equal(pace.coarse(), false);
  fire('move'); /* and its only frame is the one that makes the picture coarse */
  draw();
  assert.equal(pace.coarse(), true);
  settle();
  assert.equal(pace.coarse(), false);
});

test('the button shows the place in 3-D, and leaving it goes back', TIMES, () => visit('#terra/relief/14/-8600/-2740', async (page, tiles) => {
  await page.click('#tool-scene');
  await eyeAtRest(page);
  assert.ok(tiles.some(({ style }) => style === 'terrarium-water'));
  await waitForHash(page, '#terra/relief/14/-8600/-2740?pitch=60&bearing=0');
  const colours = await coloursOf(page, 0.5, 0.8);
  assert.ok(colours > 1000, `${colours} colours`);
  await page.selectOption('.scene-bar select', '2');
  await waitForHash(page, /&exaggeration=2$/);
  await page.click('#fold');
  await page.selectOption('#style', 'biome');
  await page.click('#fold');
  await waitForHash(page, /^#terra\/biome\//);
  await until(page, () => document.querySelector('.scene-map').getAttribute('aria-busy'), null, (busy) => busy === 'false');
  assert.ok(tiles.some(({ style }) => style === 'biome'));
  await page.click('.scene-bar button');
  await waitForHash(page, '#terra/biome/14/-8600/-2740');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tool-scene');
}));

test('without WebGL the map stays, and says why', () => visitPage('#terra/relief/9/0/0', async (page) => {
  await page.addInitScript(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function get(kind, ...rest) {
      return /webgl/.test(kind) ? null : getContext.call(this, kind, ...rest);
    };
  });
  await page.reload();
  await waitForText(page, '#biome', /\S/);
  await page.click('#tool-scene');
  await waitForText(page, '#status', /WebGL/);
  assert.equal(await page.getAttribute('#tool-scene', 'aria-pressed'), 'false');
  await waitForHash(page, '#terra/relief/9/0/0');
}, SMALL));
