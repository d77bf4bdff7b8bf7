/* The panel of the page at /: worlds, styles, seeds, going places, permalinks, phones. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount } from '../tools/amount.mjs';
import {
  PHONE, chooseWorld, loadedTiles, pageOfFile, tileAt, until, waitForHash, waitForText,
} from './browser.mjs';

const { server, visit } = pageOfFile();

const describe = async (world) => (await fetch(`${server.url}/worlds/${world}`)).json();
const hexColour = (rgb) =>
  `#${rgb.match(/\d+/g).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;

test('another style loads other tiles and has a legend for biomes', () => visit('#terra/relief/9/0/0',
  async (page) => {
    await loadedTiles(page);
    assert.equal(await page.isHidden('#legend li'), true);
    await page.selectOption('#style', 'biome');
    await loadedTiles(page, ({ style }) => style === 'biome');
    await waitForHash(page, '#terra/biome/9/0/0');
    const { biomes } = await describe('terra');
    const rows = await page.$$eval('#legend li', (items) => items.map((item) =>
      [item.textContent, getComputedStyle(item.querySelector('.swatch')).backgroundColor]));
    assert.deepEqual(rows.map(([title, colour]) => [title, hexColour(colour)]),
      biomes.map(({ title, color }) => [title, color]));
  }));

test('any layer is a map, with its range and value', () => visit('', async (page) => {
  await loadedTiles(page);
  const { layers, styles } = await describe('terra');
  const raw = layers.map(({ name }) => name).filter((name) => !styles.some((s) => s.name === name));
  const forPrograms = ['grey16', 'height', 'mapbox', 'normal', 'terrarium', 'terrarium-water'];
  const names = styles.map(({ name }) => name);
  assert.deepEqual(await page.$$eval('#style > option', (all) => all.map(({ value }) => value)),
    names.filter((name) => !forPrograms.includes(name)));
  assert.deepEqual(await page.$$eval('#style > optgroup[label="For programs"] > option', (all) => all.map(({ value }) => value)),
    names.filter((name) => forPrograms.includes(name)));
  assert.equal(await page.isHidden('#layer'), true);
  await page.click('#layers-fold');
  assert.deepEqual(await page.$$eval('#layer option:not([hidden])', (all) => all.map(({ value }) => value)), raw);
  const layer = layers.find(({ name }) => name === raw[0]);
  await page.selectOption('#layer', layer.name);
  await loadedTiles(page, ({ style }) => style === layer.name);
  await waitForText(page, '#layer-value', /\d/);
  assert.equal(await page.textContent('#layer-name'), layer.name);
  assert.equal(await page.isVisible('#legend .bar'), true);
  await page.selectOption('#style', 'slope');
  await loadedTiles(page, ({ style }) => style === 'slope');
  assert.equal(await page.inputValue('#layer'), '');
}));

test('a seed loads another world at the same place', () => visit('#terra/relief/9/500/-700', async (page) => {
  const [own] = await loadedTiles(page);
  await page.fill('#seed', 'hello wörld');
  await page.press('#seed', 'Enter');
  const { fingerprint } = await describe('terra~hello%20w%C3%B6rld');
  assert.notEqual(fingerprint, own.fingerprint);
  await loadedTiles(page, (tile) =>
    tile.world === 'terra~hello wörld' && tile.fingerprint === fingerprint);
  await waitForHash(page, '#terra~hello%20w%C3%B6rld/relief/9/500/-700');

  await page.fill('#seed', '');
  await page.press('#seed', 'Enter');
  await loadedTiles(page, (tile) => tile.fingerprint === own.fingerprint);
  await waitForHash(page, '#terra/relief/9/500/-700');
}));

test('the dice chooses a seed, and lands on land if the world has a rule for its view', () => visit('#terra/biome/9/0/0', async (page) => {
  await loadedTiles(page);
  await waitForText(page, '#height', /\d/);
  const seeds = new Set();
  for (const answers of [true, false]) {
    if (!answers) await page.route(/\/at\?/, () => {});
    await page.click('#dice');
    const seed = await page.inputValue('#seed');
    assert.match(seed, /^\d+$/);
    seeds.add(seed);
    const world = `${server.url}/worlds/terra~${seed}`;
    const { view: { x, y, zoom } } = await (await fetch(world)).json();
    await waitForHash(page, `#terra~${seed}/biome/${zoom}/${x}/${y}`);
    if (!answers) assert.equal(await page.textContent('#height'), '–', 'not the height of another place');
    const { height } = await (await fetch(`${world}/at?x=${x}&y=${y}`)).json();
    assert.ok(height > 0, `${seed}: ${height} m`);
    await loadedTiles(page, (tile) => tile.world === `terra~${seed}`);
  }
  assert.equal(seeds.size, 2);
}));

test('the open card follows the dice where its mark would be cut, covered or out of view', () => visit('#terra/biome/7/0/0', async (page) => {
  let view;
  await page.route(/\/worlds\/terra~\d+$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...await response.json(), view } });
  });
  await loadedTiles(page);
  await page.click('#map', { position: { x: 512, y: 320 } });
  await waitForText(page, '#drawer', /Slope/);
  let card = { x: 0, y: 0 };
  /* A pixel of zoom 7 is 1024 m: where each view has the place of the card, which is the view's middle if it follows. */
  const { x: behindX, y: behindY } = await page.$eval('#panel', (panel) => panel.getBoundingClientRect());
  for (const [left, top, follows] of [
    [512, 4, true], [4, 600, true], [1020, 600, true], [behindX + 40, behindY + 40, true], [-3000, 9000, true], [500, 100, false],
  ]) {
    view = { x: card.x + 1024 * (512 - left), y: card.y + 1024 * (320 - top), zoom: 7, where: 'height > 0' };
    await page.click('#dice');
    await waitForHash(page, `#terra~${await page.inputValue('#seed')}/biome/7/${view.x}/${view.y}`);
    if (follows) card = view;
    const middle = await page.$eval('.mark', (mark) => {
      const box = mark.getBoundingClientRect();
      return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    });
    const expected = follows ? [512, 320] : [left, top];
    middle.forEach((at, i) => assert.ok(Math.abs(at - expected[i]) <= 1, `the mark is at ${middle}, not ${expected}`));
  }
}));

test('the dice of any other world stays at the place', () => visit('#wood/wood/11/500/-700', async (page) => {
  await loadedTiles(page);
  await page.click('#dice');
  await waitForHash(page, /^#wood~\d+\/wood\/11\/500\/-700$/);
}));

test('an address without a place begins on land for each seed', async () => {
  for (const seed of amount(['1005'], ['1000', '1005', '1010'])) {
    const { view: { x, y, zoom } } = await (await fetch(`${server.url}/worlds/terra~${seed}`)).json();
    await visit(`#terra~${seed}`, async (page) => {
      await waitForHash(page, `#terra~${seed}/relief/${zoom}/${x}/${y}`);
      await waitForText(page, '#biome', /^(?!.*[Ss]ea).+/);
    });
  }
});

test('a refused seed keeps the map and shows the reason, until another seed or address', () => visit('#terra/relief/9/0/0',
  async (page) => {
    await loadedTiles(page);
    await page.fill('#seed', 'ü'.repeat(200)); /* 400 bytes of at most 256 */
    await page.press('#seed', 'Enter');
    await waitForText(page, '#status', /256/);
    await page.evaluate(() => { location.hash = '#perlin/relief/9/0/0'; });
    await waitForText(page, '#status', /^$/);
    await page.evaluate(() => { location.hash = '#terra/relief/9/0/0'; });
    await loadedTiles(page, ({ world }) => world === 'terra');

    await page.fill('#seed', 'ü'.repeat(200));
    await page.press('#seed', 'Enter');
    await waitForText(page, '#status', /256/);
    assert.equal(await page.getAttribute('#seed', 'aria-invalid'), 'true');
    await loadedTiles(page, ({ world }) => world === 'terra');
    await page.fill('#seed', 'short');
    await page.press('#seed', 'Enter');
    await loadedTiles(page, ({ world }) => world === 'terra~short');
    await waitForText(page, '#status', /^$/);
  }, { expected: /status of 400/ }));

test('the page goes to a place', () => visit('#terra/relief/12/0/0', async (page) => {
  await loadedTiles(page);
  await page.fill('#goto', '-40 000 000, 1234567');
  await page.press('#goto', 'Enter');
  await waitForHash(page, '#terra/relief/12/-40000000/1234567');
  await loadedTiles(page);
  /* Tiles of 2^13 m from −2^24 m on: −2834.8… and 2198.7… */
  assert.match(await tileAt(page, 512, 320), /\/12\/-2835\/2198\.webp$/);

  await page.fill('#goto', 'the moon');
  await page.press('#goto', 'Enter');
  await waitForText(page, '#status', /x, y in metres/);
  assert.equal(await page.getAttribute('#goto', 'aria-invalid'), 'true');
  assert.equal(new URL(page.url()).hash, '#terra/relief/12/-40000000/1234567');
}));

test('the address is a permalink', () => visit('#perlin~42/height/13/-123450/67890',
  async (page) => {
    const before = await loadedTiles(page);
    await waitForHash(page, '#perlin~42/height/13/-123450/67890');
    assert.equal(await page.textContent('#world-title'), 'Perlin');
    assert.equal(await page.inputValue('#seed'), '42');
    assert.equal(await page.inputValue('#style'), 'height');
    await page.reload();
    const sources = (tiles) => tiles.map(({ src }) => src).sort();
    assert.deepEqual(sources(await loadedTiles(page)), sources(before));
    await page.evaluate(() => {
      location.hash = '#terra/biome/6/1000000/2000000';
    });
    await loadedTiles(page, ({ world, style, z }) =>
      world === 'terra' && style === 'biome' && z === 6);
    assert.equal(await page.inputValue('#seed'), '');
  }));

test('an invalid address shows the default and a message', () => visit('#nowhere/foo/99/a/7',
  async (page) => {
    const { view } = await describe('terra');
    await loadedTiles(page, ({ world, style, z }) =>
      world === 'terra' && style === 'relief' && z === view.zoom);
    const hint = await waitForText(page, '#status', /shown instead/);
    for (const part of ['zoom', 'x', 'nowhere', 'foo']) assert.match(hint, new RegExp(part));
    await waitForHash(page, `#terra/relief/${view.zoom}/${view.x}/${view.y}`);
    await chooseWorld(page, 'perlin');
    await waitForText(page, '#status', /^$/);
  }));

test('a moment is read up to the last that there is; what is none is named', () => visit('#fire/fire/9/0/0?t=1000000000', async (page) => {
  await loadedTiles(page, ({ src }) => src.endsWith('t=1000000000'));
  await page.evaluate(() => { location.hash = '#fire/fire/9/0/0?t=soon'; });
  await waitForText(page, '#status', /no valid time.*shown instead/);
  await waitForHash(page, '#fire/fire/9/0/0');
}));

test('every control has a name and can be reached from the keyboard', () => visit('', async (page) => {
  await loadedTiles(page);
  const reached = [];
  for (let press = 0; press < 20; press += 1) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate(() => {
      const { id, tagName, labels, title } = document.activeElement;
      const label = document.activeElement.getAttribute('aria-label') ?? title;
      return { id, tagName, name: label || labels?.[0]?.textContent || '' };
    }));
  }
  for (const id of ['map', 'link', 'fold', 'world', 'style', 'layers-fold', 'seed', 'dice', 'seeds', 'goto']) {
    const found = reached.find((element) => element.id === id);
    assert.ok(found, `Tab should come to #${id}`);
    assert.notEqual(found.name, '', `#${id} should have a name`);
  }
}));

test('the page fits a phone, with the panel folded and unfolded', () => visit('#terra/biome/9/0/0', async (page) => {
  await loadedTiles(page);
  const overflow = () => page.evaluate(() => {
    const outside = [...document.querySelectorAll('#panel, #panel *, .leaflet-control')]
      .filter((element) => element.checkVisibility())
      .map((element) => [element.id || element.className, element.getBoundingClientRect()])
      .filter(([, { left, right }]) => left < 0 || right > innerWidth)
      .map(([name]) => name);
    const { scrollWidth, scrollHeight } = document.documentElement;
    return { outside, page: [scrollWidth > innerWidth, scrollHeight > innerHeight] };
  });
  const none = { outside: [], page: [false, false] };
  assert.equal(await page.isHidden('#controls'), true);
  assert.equal(await page.isVisible('#shown-world'), true);
  assert.equal(await page.textContent('h1'), 'TerraneTerra');
  assert.deepEqual(await overflow(), none);
  await page.tap('#fold');
  assert.equal(await page.isVisible('#seed'), true);
  assert.deepEqual(await overflow(), none);
  const height = await page.$eval('#panel', (panel) => panel.getBoundingClientRect().bottom);
  assert.ok(height <= 640, 'the panel scrolls in itself');
}, PHONE));

test('on a phone that is held across, panel and drawer leave some of the map, scroll and close', () => visit('#terra/biome/9/0/0', async (page) => {
  await loadedTiles(page);
  assert.equal(await page.isHidden('#controls'), true);
  await page.tap('#tool-about');
  await waitForText(page, '#drawer', /OpenAPI/);
  const [panel, drawer] = await Promise.all(['#panel', '#drawer'].map((id) => page.locator(id).boundingBox()));
  assert.ok(drawer.x - panel.x - panel.width > 100 && panel.height < 200, JSON.stringify([panel, drawer]));
  const rest = await page.$eval('.drawer-body', (body) => {
    body.scrollTop = 1e6;
    return [body.scrollTop, document.querySelector('#drawer').getBoundingClientRect().bottom];
  });
  assert.ok(rest[0] > 100 && rest[1] <= 390, rest.join());
  await page.tap('#drawer-close');
  assert.equal(await page.isVisible('#drawer'), false);
}, { ...PHONE, viewport: { width: 844, height: 390 } }));

test('a line says what one may do until one has done it; wide windows name the tools', () => visit('#terra/relief/5/0/0', async (page) => {
  await loadedTiles(page);
  await waitForText(page, '#welcome', /Drag .* scroll .* click/);
  assert.equal(await page.innerText('#tool-measure'), 'Measure');
  await page.mouse.move(700, 400);
  await page.mouse.wheel(0, -200);
  await until(page, () => document.querySelector('#welcome') === null);
  await page.setViewportSize({ width: 1024, height: 640 });
  assert.equal(await page.isVisible('#tool-measure .tool-name'), false);
  await page.reload();
  await loadedTiles(page);
  await waitForText(page, '#height', /\d/);
  assert.equal(await page.locator('#welcome').count(), 0);
}, { viewport: { width: 1440, height: 900 } }));

/* 60 pixels right of and 100 below the centre of 360 × 640, 4096 m each: x 245760, y 409600 m. */
test('a tap shows the values of a place', () => visit('#terra/relief/5/0/0', async (page) => {
  await loadedTiles(page);
  await page.touchscreen.tap(240, 420);
  await waitForText(page, '#place', /246.000.*410.000/);
  assert.equal(await page.isVisible('.mark'), true);
  await waitForText(page, '#height', /\d/);
}, PHONE));
