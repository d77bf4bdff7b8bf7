/* The place card of the page at /: what opens it, what it says, and what can be done from a place. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readable } from '../../server/viewer/app/place.js';
import { viewshed } from '../../server/viewer/card/viewshed.js';
import { PHONE, loadedTiles, pageOfFile, readNumber, until, waitForText } from './browser.mjs';

const DESKTOP = {
  viewport: { width: 1440, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'],
};
/* Fewer tiles, for what needs no large window; the centre is 500, 350. */
const SMALL = { ...DESKTOP, viewport: { width: 1000, height: 700 } };
const phone = { ...PHONE, viewport: { width: 390, height: 844 } };
const { server, visit, newContext } = pageOfFile(SMALL);
const ask = async (path) => (await fetch(`${server.url}${path}`)).json();
const shownHeight = async (page) => readNumber(await page.textContent('#card-height'));
const rounded = (height) => Number(height.toFixed(Math.abs(height) < 10 ? 1 : 0));
const waitForPlace = (page, pattern) =>
  until(page, () => document.querySelector('#card-place')?.textContent
    ?? document.querySelector('#drawer').textContent, null, (text) => pattern.test(text));
const button = (page, name) => page.getByRole('button', { name, exact: true });
const rows = (page) => page.$$eval('.facts > div', (all) =>
  Object.fromEntries(all.map((row) => [row.children[0].textContent, row.children[1].textContent])));

/* At zoom 9 a pixel is 256 m; the page rounds to what it can point at, hundreds. The point is 20
 * pixels west and 10 south of the centre, 720, 450: 56576 − 5120 and −41216 + 2560. */
test('a click opens the card with full detail, and says what the map shows instead', () => visit(
  '#terra/relief/9/56576/-41216', async (page) => {
    await loadedTiles(page);
    const length = await page.evaluate(() => history.length);
    await page.mouse.click(700, 460);
    await waitForPlace(page, /^51\u202f500, −38\u202f700$/);
    const full = await ask('/worlds/terra/at?x=51500&y=-38700');
    const coarse = await ask('/worlds/terra/at?x=51500&y=-38700&zoom=9');
    assert.notEqual(rounded(full.height), rounded(coarse.height), 'a place where detail matters');
    assert.equal(await shownHeight(page), rounded(full.height));
    const detail = await waitForText(page, '#card-detail', /The map shows/);
    assert.equal(readNumber(/shows ([^m]+)m here/.exec(detail)[1].replace(/\u202f$/, '')),
      rounded(coarse.height));
    assert.match(detail, /a pixel is 256\u202fm wide, and shapes below 512\u202fm are left out/);

    const { biomes, materials } = await ask('/worlds/terra');
    assert.equal(await page.textContent('#card-biome'),
      biomes.find(({ name }) => name === full.biome).title);
    const facts = await rows(page);
    assert.ok(facts.Slope.startsWith(`${full.slope.toFixed(1)}°`), facts.Slope);
    assert.equal(facts.Water, 'Dry');
    assert.equal(readNumber(facts.Temperature.replace('°C', '')), Number(full.layers.temperature.toFixed(1)));
    assert.match(facts.Stream, new RegExp(`^${Math.round(full.layers.distance)}\u202fm away$`));
    assert.match(facts['It drains'], /^[\d.\u202f]+ ?k?m² of land$/);
    assert.ok(!('Relief' in facts), 'a layer without a unit, which the map of that name does not show');
    const [most] = Object.entries(full.materials).sort(([, a], [, b]) => b - a);
    assert.ok(facts.Ground.startsWith(materials.find(({ name }) => name === most[0]).title));
    assert.equal(await page.evaluate(() => history.length), length, 'no entry of the history');

    await page.evaluate(() => { location.hash = '#terra/relief/17/51500/-38700'; });
    await waitForText(page, '#card-detail', /^$/);
  }, DESKTOP));

test('right clicks open it; drags and double clicks do not', () => visit(
  '#terra/relief/9/0/0', async (page) => {
    await loadedTiles(page);
    const open = () => page.isVisible('#drawer');
    await page.mouse.move(720, 600);
    await page.mouse.down();
    await page.mouse.move(800, 640, { steps: 4 });
    await page.mouse.up();
    await page.mouse.dblclick(600, 600);
    await until(page, () => location.hash, null, (hash) => hash.startsWith('#terra/relief/10/'));
    await page.waitForTimeout(400); /* longer than the page waits for a second click */
    assert.equal(await open(), false);

    await page.mouse.click(600, 500, { button: 'right' });
    await waitForPlace(page, /^[\u2212\d]/);
    await page.keyboard.press('Escape'); /* the focus is on the map, not in the drawer */
    assert.equal(await open(), false);
  }));

test('Enter and the button open it, and Escape gives the focus back', () => visit(
  '#terra/relief/12/5000/-7000', async (page) => {
    const open = () => page.isVisible('#drawer');
    await loadedTiles(page);
    await page.focus('#map');
    await page.keyboard.press('Enter');
    await waitForPlace(page, /^5\u202f000, −7\u202f000$/);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'drawer-close');
    await page.keyboard.press('Escape');
    assert.equal(await open(), false);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'map');

    await page.focus('#tool-card');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'drawer-close');
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'tool-card');

    await page.click('#tool-card');
    await waitForPlace(page, /^5\u202f000, −7\u202f000$/);
  }));

/* The world's own answer counts: another seed and another world have other heights there. */
test('nothing is done from a place before it is known', () => visit('#terra/relief/9/0/0', async (page) => {
  await loadedTiles(page);
  let answer;
  await page.route(/\/at\?/, (route) => { answer = () => route.continue(); });
  await page.click('#tool-card');
  while (!answer) await page.waitForTimeout(20);
  assert.equal(await button(page, 'Pin it').count(), 0);
  await page.unroute(/\/at\?/);
  await answer();
  await button(page, 'Pin it').click();
  assert.equal(await page.locator('ul.pins li').count(), 1);
}, SMALL));

test('the card stays over changes of world and seed, and asks again', () => visit(
  '#terra/relief/12/5000/-7000', async (page) => {
    await loadedTiles(page);
    await page.focus('#map');
    await page.keyboard.press('Enter');
    await waitForPlace(page, /^5\u202f000, −7\u202f000$/);
    for (const shown of ['terra~7/relief', 'canyons/relief', 'perlin/height']) {
      await page.evaluate((wanted) => { location.hash = `#${wanted}/12/5000/-7000`; }, shown);
      const { height } = await ask(`/worlds/${shown.split('/')[0]}/at?x=5000&y=-7000`);
      await until(page, () => document.querySelector('#card-height').textContent, null,
        (text) => readNumber(text) === rounded(height));
      assert.equal(await page.textContent('#card-place'), '5\u202f000, −7\u202f000');
    }
    assert.equal(await button(page, 'Follow the water').isVisible(), false, 'perlin has no rivers');
    assert.equal(await page.isVisible('#card-biome'), false, 'perlin has no biomes');
  }));

test('coordinates and addresses are copied by one click, and lead to this place', () => visit(
  '#terra~7/relief/13/5000/-7000', async (page) => {
    await loadedTiles(page);
    await page.focus('#map');
    await page.keyboard.press('Enter');
    await waitForPlace(page, /^[\u2212\d]/);
    const copied = async (name) => {
      await button(page, name).click();
      await waitForText(page, '#card-status', /copied\.$/);
      return page.evaluate(() => navigator.clipboard.readText());
    };
    assert.equal(await copied('Copy the coordinates'), '5000, -7000');
    await page.getByText('Addresses').click();
    await page.getByTitle('Copy This tile').waitFor();
    const names = await page.$$eval('.addresses button', (all) => all.map(({ title }) => title));
    const addresses = {};
    for (const name of names) addresses[name.replace('Copy ', '')] = await copied(name);

    const at = await ask('/worlds/terra~7/at?x=5000&y=-7000');
    /* A tile of zoom 13 spans 2¹² m from −2²⁴ m on: (5000 + 2²⁴) / 2¹² = 4097.2, (−7000 + 2²⁴) / 2¹² = 4094.3 */
    assert.equal(addresses['This tile'], `${server.url}/worlds/terra~7/tiles/relief/13/4097/4094.webp`);
    assert.equal(addresses['Tiles (XYZ)'].replace('{z}/{x}/{y}', '13/4097/4094'), addresses['This tile']);
    assert.equal(addresses['Link to this map'], `${server.url}/w/terra~7?x=5000&y=-7000&zoom=13&style=relief`);
    assert.equal((await fetch(addresses['This tile'])).status, 200);
    const tiles = await (await fetch(addresses.TileJSON)).json();
    assert.match(tiles.tiles[0], /terra~7@.*relief/);
    const style = await (await fetch(addresses['MapLibre style'])).json();
    assert.equal(style.version, 8);
    assert.match(await (await fetch(addresses.WMTS)).text(), /<Capabilities/);
    /* Chunks of 64 m: 78 begins at 4992 and −110 at −7040; 65 samples in a row. */
    assert.match(addresses['Chunk of 64 m'], /\/chunks\/78\/-110\.r32f/);
    const heights = new Float32Array(await (await fetch(addresses['Chunk of 64 m'])).arrayBuffer());
    assert.equal(heights[40 * 65 + 8], Math.fround(at.height));
    const [, curl] = /^curl '([^']+)'$/.exec(addresses.curl);
    assert.equal((await (await fetch(curl)).json()).height, at.height);
  }));

test('pins have names, are kept for their world and seed, and can be shared', async () => {
  const context = await newContext(SMALL);
  const page = await context.newPage();
  const openAt = async (hash) => {
    await page.goto('about:blank');
    await page.goto(`${server.url}/${hash}`);
    await loadedTiles(page);
  };
  /* A name that was replaced fades out. */
  const showsNames = (names) => until(page, () =>
    [...document.querySelectorAll('.pin-name')].map(({ textContent }) => textContent).join(), null,
  (text) => text === names.join());
  try {
    await openAt('#terra/relief/12/5000/-7000');
    await page.focus('#map');
    await page.keyboard.press('Enter');
    await waitForPlace(page, /^[\u2212\d]/);
    await button(page, 'Pin it').click();
    assert.equal(await button(page, 'Pin it').getAttribute('aria-pressed'), 'true');
    assert.equal(await page.evaluate(() => document.activeElement.tagName), 'INPUT', 'to name it at once');
    await page.keyboard.type('Löwe, <b>home</b>');
    await page.keyboard.press('Enter');
    await until(page, () => document.querySelector('.pin-name')?.textContent, null,
      (text) => text === 'Löwe, <b>home</b>');
    await button(page, 'Copy a link to Löwe, <b>home</b>').click();
    await waitForText(page, '#card-status', /^The link copied/);
    const link = await page.evaluate(() => navigator.clipboard.readText());

    await openAt('#terra/relief/12/5000/-7000');
    await showsNames(['Löwe, <b>home</b>']);
    await openAt('#terra~7/relief/12/5000/-7000');
    await showsNames([]);
    await openAt('#terra/relief/12/5000/-7000');
    await page.locator('.pin').click();
    await waitForPlace(page, /^5\u202f000, −7\u202f000$/);
    await page.locator('.pins button').last().click();
    await showsNames([]);
    assert.equal(await button(page, 'Pin it').getAttribute('aria-pressed'), 'false');

    await openAt(new URL(link).hash);
    await showsNames(['Löwe, <b>home</b>']);
    await page.locator('.pin.shared').click();
    await button(page, 'Keep Löwe, <b>home</b>').click();
    await openAt('#terra/relief/12/5000/-7000');
    await showsNames(['Löwe, <b>home</b>']);
  } finally {
    await context.close();
  }
});

/* Opens the card of 5000, −7000 by the keyboard. */
async function openCard(page) {
  await loadedTiles(page);
  await page.focus('#map');
  await page.keyboard.press('Enter');
  await waitForPlace(page, /^[\u2212\d]/);
}

test('a pin is renamed and removed by keys, and the focus stays in the list', () => visit('#terra/relief/12/5000/-7000', async (page) => {
  await openCard(page);
  const focused = () => page.evaluate(() => document.activeElement.title || document.activeElement.value);
  await button(page, 'Pin it').click();
  await page.keyboard.type(' Home ');
  await page.keyboard.press('Enter');
  assert.equal(await focused(), 'Home', 'the field');
  await page.keyboard.press('End');
  await page.keyboard.type(' port');
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Go to Home port');

  await page.evaluate(() => { location.hash = '#terra/relief/13/6000/-7000'; });
  await loadedTiles(page, ({ z }) => z === 13);
  await page.focus('#map');
  await page.keyboard.press('Enter');
  await waitForPlace(page, /^6\u202f000/);
  await button(page, 'Pin it').click();
  await page.keyboard.type('Second');
  await button(page, 'Remove Home port').press('Enter');
  assert.equal(await focused(), 'Go to Second');
  await button(page, 'Remove Second').press('Enter');
  assert.equal(await focused(), 'Close');
  assert.equal(await page.locator('.pin').count(), 0);
}));

test('a world with as many pins as are kept takes no other one, and says so', async () => {
  const { seed } = await ask('/worlds/terra');
  const context = await newContext(SMALL);
  const pins = Array.from({ length: 200 }, (_, i) => ({ x: 9e6 + i, y: 0, name: '' }));
  await context.addInitScript(([key, text]) => localStorage.setItem(key, text), [`terrane.pins.terra~${seed}`, JSON.stringify(pins)]);
  const page = await context.newPage();
  try {
    await page.goto(`${server.url}/#terra/relief/12/5000/-7000?pin=1,2,Shared`);
    await openCard(page);
    for (const name of ['Pin it', 'Keep Shared']) {
      await page.evaluate(() => { document.querySelector('#card-status').textContent = ''; });
      await button(page, name).click();
      await waitForText(page, '#card-status', /has 200 pins, the most that are kept: remove one first/);
    }
    assert.equal(await page.locator('.pins li').count(), 201);
    await page.locator('.pins button[title^=Remove]').last().click();
    await button(page, 'Keep Shared').click();
    assert.equal(await page.locator('.pins li').count(), 200);
    assert.equal(await page.locator('.pins input').last().inputValue(), 'Shared');
  } finally {
    await context.close();
  }
});

/* A wall of 10 m stands 12 samples east of an eye at 2 m, and a post one sample west of it. */
test('a wall hides the plain behind it, and not what is higher', () => {
  const width = 65;
  const heights = new Float32Array(width * width);
  for (let row = 0; row < width; row += 1) heights[row * width + 44] = 10;
  heights[32 * width + 31] = 10;
  heights[32 * width + 60] = 21; /* 28 samples away, where the line over the wall is at 2 + 8·28/12 = 20.7 */
  heights[33 * width + 60] = 20;
  const seen = viewshed(heights, width, { column: 32, row: 32, height: 2 }, 31);
  const at = (column, row) => seen[row * width + column];
  assert.equal(at(43, 32), 1);
  assert.equal(at(44, 20), 1);
  assert.equal(at(50, 32), 0);
  assert.equal(at(60, 32), 1);
  assert.equal(at(60, 33), 0);
  assert.equal(at(10, 32), 0);
  assert.equal(at(20, 55), 1);
  assert.equal(at(0, 0), 2, 'beyond the radius');
});

/* What is drawn is by heights of zoom 14, 8 m apart, and /sight by those of full detail, a metre apart: a third of a
 * metre hides what is far, so they may differ, most of all at the edges of what is seen. */
test('looking around shows what /sight says', () => visit('#terra/relief/14/80000/-60008', async (page) => {
  await loadedTiles(page);
  await page.focus('#map');
  await page.keyboard.press('Enter');
  await waitForPlace(page, /^[\u2212\d]/);
  await button(page, 'Look around').click();
  await waitForText(page, '#card-status', /within 1\u202fkm is seen, by heights 8\u202fm apart/);
  await page.selectOption('#sight-far', { label: '4.1\u202fkm' });
  await waitForText(page, '#card-status', /% of what lies within 4\.1\u202fkm is seen/);
  await page.selectOption('#sight-far', { label: '1\u202fkm' });
  await waitForText(page, '#card-status', /within 1\u202fkm is seen/);
  const cells = [];
  for (let turn = 0; turn < 40; turn += 1) {
    const far = 10 + 2.8 * turn;
    cells.push([128 + Math.round(far * Math.cos(turn)), 128 + Math.round(far * Math.sin(turn))]);
  }
  const seen = await page.evaluate((wanted) => {
    const context = document.querySelector('canvas.viewshed').getContext('2d');
    const { data, width } = context.getImageData(0, 0, 257, 257);
    return wanted.map(([column, row]) => data[4 * (row * width + column)] > 100);
  }, cells);
  const [left, top] = [Math.floor(80000 / 8) - 128, Math.floor(-60008 / 8) - 128];
  const said = await Promise.all(cells.map(([column, row]) =>
    ask(`/worlds/terra/sight?from=80000,-60008,2&to=${(left + column) * 8},${(top + row) * 8},0`)));
  const same = said.filter(({ clear }, index) => clear === seen[index]).length;
  assert.ok(new Set(said.map(({ clear }) => clear)).size === 2, 'some are seen and some are hidden');
  assert.ok(same >= 30, `${same} of 40 agree`);

  await button(page, 'Check a place').click();
  await page.mouse.click(540, 250);
  /* 8 m a pixel: 40 pixels east and 100 north of the centre. */
  const exact = await ask('/worlds/terra/sight?from=80000,-60008,2&to=80320,-60808,0');
  await waitForText(page, '#card-status', exact.clear ? /is seen/ : /is hidden/);
  assert.equal(await page.textContent('#card-place'), '80\u202f000, −60\u202f008', 'the card stays');
  await page.getByRole('button', { name: /Remove from the map: What is seen/ }).click();
  assert.equal(await page.locator('canvas.viewshed').count(), 0);
}));

test('water is followed to its end, and every layer is explained', () => visit('#terra/relief/12/0/0', async (page) => {
  await loadedTiles(page);
  await page.focus('#map');
  await page.keyboard.press('Enter');
  await waitForPlace(page, /^0, 0$/);
  await button(page, 'Follow the water').click();
  const text = await waitForText(page, '#card-status', /The water reaches/);
  const trace = await ask('/worlds/terra/trace?x=0&y=0');
  const end = { sea: 'the sea', lake: 'a lake' }[trace.end.water];
  assert.equal(text, `The water reaches ${end} after ${readable(String(Math.round(trace.length / 1000)))}\u202fkm, `
    + `${readable(String(Math.round(trace.fall)))}\u202fm lower.`);
  assert.equal(await page.locator('#map path.leaflet-interactive, #map .leaflet-overlay-pane path').count(), 2);

  /* The way is longer than the view is wide at this zoom: it is drawn, and the map stays until more is asked for. */
  assert.match(await page.evaluate(() => location.hash), /^#terra\/relief\/12\/0\/0/);
  await button(page, 'Show the whole way').click();
  await until(page, () => { /* between the panel and the drawer */
    const [panel, line, drawer] = ['#panel', '#map .leaflet-overlay-pane path', '#drawer']
      .map((selector) => document.querySelector(selector).getBoundingClientRect());
    return line.left > panel.right && line.right < drawer.left && line.top > 0 && line.bottom < innerHeight;
  });

  await page.getByText('Objects near').click();
  const { objects } = await ask('/worlds/terra/objects?bbox=-50,-50,50,50');
  await until(page, () => document.querySelectorAll('.rows li').length, null, (count) =>
    count === new Set(objects.map(({ kind }) => kind)).size);
  const counts = await page.$$eval('.rows li', (all) => all.map((row) => parseInt(row.textContent, 10)));
  assert.equal(counts.reduce((a, b) => a + b, 0), objects.length);

  await page.getByText('Explain').click();
  const { layers } = await ask('/worlds/terra/explain?x=0&y=0');
  await until(page, () => document.querySelectorAll('.formulas li').length, null, (count) => count === layers.length);
  const explained = await page.$$eval('.formulas li', (all) => all.map((row) =>
    [row.querySelector('strong').textContent, row.querySelector('code').textContent]));
  assert.deepEqual(explained, layers.map(({ name, formula }) => [name, formula]));
}));

test('a pattern has a number, and neither water nor slopes', () => visit('#marble/marble/11/0/0', async (page) => {
  await loadedTiles(page);
  await page.focus('#map');
  await page.keyboard.press('Enter');
  await waitForPlace(page, /^0, 0$/);
  const { height } = await ask('/worlds/marble/at?x=0&y=0');
  assert.equal(readNumber(await page.textContent('#card-height')), Number(height.toPrecision(4)));
  assert.deepEqual(await rows(page), {});
  await until(page, () => document.querySelector('#height').textContent, null, (text) => /^[−\d.\u202f]+$/.test(text));
}));

/* Moves a finger by so many pixels, in steps. */
async function drag(page, [x, y], [right, down]) {
  const session = await page.context().newCDPSession(page);
  const touch = (type, part) => session.send('Input.dispatchTouchEvent', { type,
    touchPoints: part === null ? [] : [{ x: x + right * part, y: y + down * part }] });
  await touch('touchStart', 0);
  for (const part of [0.25, 0.5, 0.75, 1]) await touch('touchMove', part);
  await touch('touchEnd', null);
}

test('on a phone a tap or a long press opens the card, the place stays in sight, and a finger drags the card away', () => visit(
  '#terra/relief/11/56640/-41015', async (page) => {
    await loadedTiles(page);
    await page.touchscreen.tap(200, 700);
    await waitForPlace(page, /^[\u2212\d]/);
    /* 5 pixels right of and 278 below the middle of 390 × 844, of 64 m: x 56960, y −23223. The readout is about it, too. */
    await waitForText(page, '#place', /56.[89]\d0.*\u221223.[12]\d0/);
    const { x, y } = await page.locator('#drawer > header').boundingBox();
    await drag(page, [x + 60, y + 15], [0, 30]);
    assert.equal(await page.isVisible('#drawer'), true, 'too short a way');
    await drag(page, [x + 60, y + 15], [0, 200]);
    assert.equal(await page.isVisible('#drawer'), false);
    const session = await page.context().newCDPSession(page);
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: 195, y: 700 }] });
    await until(page, () => !document.querySelector('#drawer').hidden);
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await waitForPlace(page, /^[\u2212\d]/);
    const before = await page.textContent('#card-place');
    const free = () => page.evaluate(() => {
      const { x, y, height } = [...document.querySelectorAll('.mark')].at(-1).getBoundingClientRect();
      return document.querySelector('#drawer').getBoundingClientRect().top - (y + height);
    });
    await until(page, () => {
      const { bottom } = [...document.querySelectorAll('.mark')].at(-1).getBoundingClientRect();
      return bottom < document.querySelector('#drawer').getBoundingClientRect().top;
    });
    assert.ok(await free() > 0);
    await page.touchscreen.tap(120, 200);
    await until(page, () => document.querySelector('#card-place').textContent, null, (text) => text !== before);
    const small = await page.$$eval('#drawer :is(button, input, select, summary)', (all) => all
      .filter((element) => element.checkVisibility())
      .map((element) => [element.textContent || element.title, element.getBoundingClientRect()])
      .filter(([, { width, height }]) => height < 40 || width < 40).map(([name]) => name));
    assert.deepEqual(small, []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.equal(wide, false);
  }, phone));
