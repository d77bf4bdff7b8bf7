/* The map of the page at /: tiles, panning without end, the place under the cursor. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import png from 'pngjs';
import { WIDE, loadedTiles, pageOfFile, readNumber, tileAt, until, waitForHash, waitForText } from './browser.mjs';

const { server, visit } = pageOfFile(WIDE);


test('the content security policy forbids foreign content', () => visit('', async (page) => {
  const { headers } = await fetch(server.url, { headers: { accept: 'text/html' } });
  const policy = headers.get('content-security-policy').split(/;\s*/);
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]) {
    assert.ok(policy.includes(rule), rule);
  }
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.inlineRan = true';
    document.body.append(script);
    return globalThis.inlineRan === true;
  });
  assert.equal(ran, false);
}, { expected: /Content Security Policy/ }));

test('the page shows whole tiles', () => visit('', async (page) => {
  const tiles = await loadedTiles(page);
  assert.ok(tiles.length >= 20, '1280 × 800 pixels need 5 × 4 tiles and more');
  for (const { src, width } of tiles) {
    assert.match(src, /\.webp$/);
    assert.equal(width, 256);
  }
}));

test('numbers in grey are PNG, which has them in fewer bytes', () => visit('#terra/temperature/9/0/0', async (page) => {
  for (const { src } of await loadedTiles(page)) assert.match(src, /\.png$/);
}));

test('high-resolution screens get high-resolution tiles', () => visit('', async (page) => {
  for (const { src, width } of await loadedTiles(page)) {
    assert.match(src, /@2x\.webp$/);
    assert.equal(width, 512);
  }
}, { deviceScaleFactor: 2 }));

test('a browser decodes the same pixels as another decoder', () => visit('', async (page) => {
  const answer = await fetch(`${server.url}/tiles/3/4/2.png`);
  const expected = png.PNG.sync.read(Buffer.from(await answer.arrayBuffer()));
  const decoded = await page.evaluate(async () => {
    const image = new Image();
    image.src = '/tiles/3/4/2.png';
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    return { width: canvas.width, height: canvas.height, pixels: [...data] };
  });
  assert.deepEqual([expected.width, expected.height], [256, 256]);
  assert.deepEqual([decoded.width, decoded.height], [256, 256]);
  assert.ok(Buffer.from(decoded.pixels).equals(expected.data), 'pixels differ');
  assert.ok(new Set(expected.data).size > 8, 'a picture of one colour proves nothing');
}));

/* A tile of zoom 9 spans 2^16 m; −10⁸ m is (−10⁸ + 2^24) / 2^16 = −1269.87 tiles. */
test('tiles with negative indices are shown', () => visit('#terra/relief/9/-100000000/-100000000',
  async (page) => {
    const tiles = await loadedTiles(page);
    for (const { x, y, width } of tiles) assert.ok(x < 0 && y < 0 && width === 256);
    assert.match(await tileAt(page, 640, 400), /\/9\/-1270\/-1270\.webp$/);
  }));

/* 2⁴⁰ m − 10⁶ m, in tiles of 32 m from −2²⁴ m on. */
test('tiles far out are shown', () => visit('#terra/relief/20/1099510627776/-1099510627776',
  async (page) => {
    const index = (metres) => (metres + (1n << 24n)) / 32n;
    const east = index((1n << 40n) - 1000000n);
    const north = index(-(1n << 40n) + 1000000n);
    await loadedTiles(page);
    /* The centre lies on a corner of four tiles; south-east of it is the one of these indices. */
    assert.match(await tileAt(page, 650, 410), new RegExp(`/20/${east}/${north}\\.webp$`));
  }));

test('the mouse drags the map over any distance', () => visit('#terra/relief/5/-4096000/0',
  async (page) => {
    await loadedTiles(page);
    await page.mouse.move(640, 600);
    for (let drag = 0; drag < 4; drag += 1) {
      await page.mouse.move(400, 600);
      await page.mouse.down();
      await page.mouse.move(1200, 600, { steps: 8 });
      await page.waitForTimeout(400); /* held still, so that it does not fly on */
      await page.mouse.up();
    }
    /* 4200 pixels of 4096 m to the west of 0, in tiles of 2²⁰ m from −2²⁴ m on: tile −0.4 … */
    await waitForHash(page, '#terra/relief/5/-17203000/0');
    await loadedTiles(page);
    assert.match(await tileAt(page, 640, 410), /\/5\/-1\/16\.webp$/);
  }));

test('the arrow keys, plus and minus move the map', () => visit('#terra/relief/9/0/0',
  async (page) => {
    await loadedTiles(page);
    await page.focus('#map');
    await page.keyboard.press('ArrowRight');
    await waitForHash(page, '#terra/relief/9/20500/0'); /* 80 pixels of 256 m */
    await page.keyboard.press('ArrowUp');
    await waitForHash(page, '#terra/relief/9/20500/-20500');
    await page.keyboard.press('+');
    await waitForHash(page, /^#terra\/relief\/10\//);
    const tiles = await loadedTiles(page);
    assert.ok(tiles.some(({ z }) => z === 10));
  }));

/* 260 pixels right of and 100 above the centre, 256 m each: x 66560, y −25600 m. */
/* At zoom 9 a pixel is 256 m: (900 − 640)·256 = 66560 m east, −25600 m south; the page rounds what it
 * shows, and asks there. */
test('place and height under the cursor are those of /at', () => visit('#terra/relief/9/0/0',
  async (page) => {
    await loadedTiles(page);
    await page.mouse.move(900, 300);
    await waitForText(page, '#place', /66.600.*25.600/);
    const answer = await fetch(`${server.url}/worlds/terra/at?x=66600&y=-25600&zoom=9`);
    const at = await answer.json();
    const { biomes } = await (await fetch(`${server.url}/worlds/terra`)).json();
    const digits = Math.abs(at.height) < 10 ? 1 : 0;
    const { title } = biomes.find(({ name }) => name === at.biome);
    const height = Number(at.height.toFixed(digits));
    await until(page, () => document.querySelector('#height').textContent, null,
      (text) => readNumber(text) === height);
    await waitForText(page, '#biome', new RegExp(`^${title}$`));
  }));

test('at most one /at request is running', () => visit('#terra/relief/9/0/0',
  async (page) => {
    await loadedTiles(page);
    await page.route(/\/at\?/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue().catch(() => {}); /* the page may have cancelled the request */
    });
    await page.evaluate(() => {
      const count = { asked: 0, open: 0, most: 0 };
      const { fetch } = globalThis;
      globalThis.fetch = (address, options) => {
        let over = false;
        const end = () => {
          count.open -= over ? 0 : 1;
          over = true;
        };
        count.asked += 1;
        count.open += 1;
        count.most = Math.max(count.most, count.open);
        options.signal.addEventListener('abort', end);
        return fetch(address, options).finally(end);
      };
      globalThis.questions = count;
    });
    for (let step = 0; step < 12; step += 1) {
      await page.mouse.move(400 + 20 * step, 500);
      await page.waitForTimeout(100);
    }
    const settled = await until(page, () => globalThis.questions, null, ({ open }) => open === 0);
    assert.ok(settled.asked > 2, 'it asked');
    assert.equal(settled.most, 1);
  }));

test('a bar says that tiles are on their way, over a ground that is no sea', () => visit('#dunes/relief/9/0/0', async (page) => {
  await loadedTiles(page);
  await until(page, () => document.querySelector('.loading-bar').hidden);
  const held = [];
  await page.route(/\/tiles\//, (route) => held.push(route));
  await page.evaluate(() => { location.hash = '#dunes/relief/9/9000000/0'; });
  await until(page, () => !document.querySelector('.loading-bar').hidden);
  const [red, , blue] = (await page.$eval('#map', (map) => getComputedStyle(map).backgroundColor)).match(/\d+/g).map(Number);
  assert.ok(red > blue);
  await page.unroute(/\/tiles\//);
  for (const route of held) route.continue().catch(() => {});
  await until(page, () => document.querySelector('.loading-bar').hidden);
  await loadedTiles(page);
}));

/* What ::before of the map draws is the frame. */
const hasFrame = () => getComputedStyle(document.querySelector('#map'), '::before').content !== 'none';

test('the map has a frame for keys, and none for the mouse', () => visit('#terra/relief/9/0/0', async (page) => {
  await loadedTiles(page);
  await page.mouse.click(900, 500);
  await until(page, () => document.activeElement.id === 'map');
  assert.equal(await page.evaluate(hasFrame), false);
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(hasFrame), true);
  await page.mouse.click(900, 500);
  assert.equal(await page.evaluate(hasFrame), false);
}));

test('nothing covers the zoom buttons in a low window', () => visit('#terra/relief/9/0/0', async (page) => {
  await page.locator('.leaflet-control-zoom-in').click({ trial: true });
  const [zoom, tools] = await Promise.all(['.leaflet-control-zoom', '#toolbar'].map((name) => page.locator(name).boundingBox()));
  assert.ok(tools.y + tools.height < zoom.y, `${tools.y + tools.height}, ${zoom.y}`);
  await page.click('#tool-find');
  const drawer = await page.locator('#drawer').boundingBox();
  assert.ok(drawer.x + drawer.width <= tools.x);
}, { viewport: { width: 844, height: 390 } }));

test('the scale bar shows metres', () => visit('#terra/relief/17/0/0', async (page) => {
  await waitForText(page, '.leaflet-control-scale-line', /^100 m$/);
  const width = await page.$eval('.leaflet-control-scale-line', (line) => line.style.width);
  assert.equal(width, '100px'); /* zoom 17 is 1 m a pixel */
}));

/* A tile of zoom 0 spans 2^25 m from −2^24 m on: the one with index 32768 would reach 2^24 m beyond the edge, and the
 * server has none. Zoom 3 shows those of zoom 0 until its own have come. */
test('the corner of the world is shown at every zoom', { timeout: 60_000 }, async () => {
  for (const zoom of [20, 3, 0])
    await visit(`#dunes/relief/${zoom}/1099511627775/-1099511627776`, async (page) => {
      await loadedTiles(page, ({ z }) => z === zoom);
      await waitForHash(page, new RegExp(`^#dunes/relief/${zoom}/10994?5?\\d{8,9}(\\.\\d+)?/-10994?5?`));
      assert.equal(await page.textContent('#status'), '');
    });
});
