/* The gallery of worlds, the history of the browser, places that stay exact, and the list of seeds. */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { PHONE, loadedTiles, pageOfFile, until, waitForHash, waitForText } from './browser.mjs';

const { server, visit, newContext } = pageOfFile();
let worlds;
/* Terra first, then the other lands, then the patterns. */
const patterns = ['caves', 'clouds', 'fire', 'marble', 'wood'];
const rank = ({ name }) => (name === 'terra' ? 0 : 1 + patterns.includes(name));
let gallery;
before(async () => {
  await server.ready;
  ({ worlds } = await (await fetch(`${server.url}/worlds`, { headers: { accept: 'image/webp' } })).json());
  gallery = worlds.toSorted((one, other) => rank(one) - rank(other));
});

const viewOf = (name) => worlds.find((world) => world.name === name).view;
const hashOf = (name, { style, zoom, x, y }) => `#${name}/${style}/${zoom}/${x}/${y}`;
const openGallery = async (page) => {
  await page.click('#world');
  await page.waitForSelector('.world-card');
};
const focusedWorld = (page) => page.evaluate(() => document.activeElement.dataset.world);
const historyLength = (page) => page.evaluate(() => history.length);

test('without an address the page shows the view of the default world', () => visit('', async (page) => {
  await loadedTiles(page);
  await waitForHash(page, hashOf('terra', viewOf('terra')));
}));

test('the address may leave out the place, the zoom, the style', () => visit('#fire', async (page) => {
  await loadedTiles(page, ({ style }) => style === 'fire');
  await waitForHash(page, hashOf('fire', viewOf('fire')));
}));

test('the gallery has a picture of every world, all of whose tiles come', () => visit('#fire', async (page) => {
  await openGallery(page);
  assert.deepEqual(await page.$$eval('.world-card', (cards) => cards.map((card) =>
    [card.dataset.world, card.textContent])), gallery.map(({ name, title }) => [name, title]));
  assert.deepEqual(await page.$$eval('.gallery > li', (all) => all.slice(all.findIndex((each) => each.className === 'heading') + 1)
    .map((each) => each.textContent)), gallery.slice(-patterns.length).map(({ title }) => title));
  const pictures = await page.$$eval('.world-card', (cards) => cards.map((card) =>
    [...card.querySelectorAll('image')].map((image) => image.getAttribute('href'))));
  for (const [i, addresses] of pictures.entries()) {
    const { name, fingerprint, view } = gallery[i];
    assert.ok(addresses.length >= 1 && addresses.length <= 4, `${name}: ${addresses.length} tiles`);
    for (const address of addresses) {
      assert.match(address, /^worlds\//, 'relative, for a page behind a path prefix');
      assert.ok(address.includes(`worlds/${name}@${fingerprint}/tiles/${view.style}@`), address);
      const answer = await fetch(new URL(address, server.url));
      assert.equal(answer.status, 200, address);
      assert.match(answer.headers.get('cache-control'), /immutable/);
    }
  }
}));

/* The centre of a view lies in one of its picture's tiles: floor((x + 2^24) / 2^(25 − z)), likewise y. */
test('a picture shows the middle of its view', () => visit('#terra/relief/9/0/0', async (page) => {
  await openGallery(page);
  for (const { name, view } of worlds) {
    const z = view.zoom - 1;
    const index = (metres) => Math.floor((metres + 2 ** 24) / 2 ** (25 - z));
    const found = await page.$eval(`.world-card[data-world=${name}]`, (card, end) =>
      [...card.querySelectorAll('image')].some((image) => image.getAttribute('href').endsWith(end)),
    `/${z}/${index(view.x)}/${index(view.y)}.webp`);
    assert.ok(found, name);
  }
}));

test('the keyboard chooses a world in the gallery', () => visit('#terra/relief/9/0/0', async (page) => {
  await loadedTiles(page);
  await page.focus('#world');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.world-card');
  assert.equal(await page.getAttribute('#world', 'aria-expanded'), 'true');
  assert.equal(await focusedWorld(page), 'terra');
  const names = gallery.map(({ name }) => name);
  const columns = await page.$$eval('.world-card', (cards) =>
    cards.filter(({ offsetTop }) => offsetTop === cards[0].offsetTop).length);
  assert.ok(columns > 1);
  await page.keyboard.press('Home');
  assert.equal(await focusedWorld(page), names[0]);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await focusedWorld(page), names[0], 'there is none before the first');
  await page.keyboard.press('ArrowDown');
  assert.equal(await focusedWorld(page), names[columns]);
  await page.keyboard.press('ArrowRight');
  assert.equal(await focusedWorld(page), names[columns + 1]);
  await page.keyboard.press('ArrowUp');
  assert.equal(await focusedWorld(page), names[1]);
  assert.equal(await page.textContent('#world-note'), gallery[1].description);
  await page.keyboard.press('Enter');
  const view = viewOf(names[1]);
  await waitForHash(page, hashOf(names[1], view));
  await loadedTiles(page, ({ world, style }) => world === names[1] && style === view.style);
  assert.match(await page.title(), new RegExp(`^${gallery[1].title} · `));
  assert.equal(await page.isHidden('#drawer'), true);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'world', 'the focus comes back');
}));

test('worlds, jumps and the dice are steps that Back undoes', () => visit('#terra/relief/9/5000/0', async (page) => {
  await loadedTiles(page);
  const start = await historyLength(page);
  const { x, y } = { x: 56640, y: -41015 };
  await page.fill('#goto', `${x}, ${y}`);
  await page.press('#goto', 'Enter');
  await waitForHash(page, `#terra/relief/9/${x}/${y}`);
  await page.click('#dice');
  const dice = await waitForHash(page, /^#terra~\d+\/relief\/7\/-?\d+\/-?\d+$/);
  await openGallery(page);
  await page.click('.world-card[data-world=wood]');
  await waitForHash(page, hashOf('wood', viewOf('wood')));
  assert.equal(await historyLength(page), start + 3);

  await page.goBack();
  await waitForHash(page, dice);
  const seed = /~(\d+)/.exec(dice)[1];
  await loadedTiles(page, ({ world, style }) => world === `terra~${seed}` && style === 'relief');
  assert.equal(await page.inputValue('#seed'), seed);
  await page.goBack();
  await loadedTiles(page, ({ world }) => world === 'terra');
  await waitForHash(page, `#terra/relief/9/${x}/${y}`);
  await page.goBack();
  await waitForHash(page, '#terra/relief/9/5000/0');
  await waitForText(page, '#place', /^x.5.000\s/);
  await page.goForward();
  await waitForHash(page, `#terra/relief/9/${x}/${y}`);
  await waitForText(page, '#place', /^x.56.6\d\d\s/);
}));

test('Back brings the time back', () => visit('#clouds/clouds/10/5000/0?t=12.5', async (page) => {
  await loadedTiles(page, ({ src }) => src.endsWith('?t=12.5'));
  await openGallery(page);
  await page.click('.world-card[data-world=fire]');
  await waitForHash(page, hashOf('fire', viewOf('fire')));
  await loadedTiles(page, ({ src }) => !src.includes('?t='));
  await page.goBack();
  await loadedTiles(page, ({ world, src }) => world === 'clouds' && src.endsWith('?t=12.5'));
  await waitForHash(page, '#clouds/clouds/10/5000/0?t=12.5');
}));

test('moving the map makes no entries', () => visit('#terra/relief/9/0/0', async (page) => {
  await loadedTiles(page);
  const start = await historyLength(page);
  await page.focus('#map');
  await page.keyboard.press('ArrowRight');
  await waitForHash(page, '#terra/relief/9/20500/0');
  await page.keyboard.press('+');
  await waitForHash(page, /^#terra\/relief\/10\//);
  assert.equal(await historyLength(page), start);
}));

test('a place stays exact while the map is zoomed, resized and reloaded', () => visit('#terra/relief/7/1/2', async (page) => {
  await loadedTiles(page);
  await page.fill('#goto', '56640, −41015');
  await page.press('#goto', 'Enter');
  await waitForHash(page, '#terra/relief/7/56640/-41015');
  await page.focus('#map');
  for (let zoom = 8; zoom <= 15; zoom += 1) {
    await page.keyboard.press('+');
    await waitForHash(page, `#terra/relief/${zoom}/56640/-41015`);
    if (zoom === 10) await page.setViewportSize({ width: 1001, height: 701 });
    await until(page, () => !document.querySelector('.leaflet-zoom-anim'));
  }
  const middle = () => page.evaluate(() => {
    const { left, top, width, height } = document.querySelector('#map').getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const tile = [...document.querySelectorAll('.leaflet-layer:not(.backdrop) img.leaflet-tile')]
      .map((image) => ({ src: image.getAttribute('src'), box: image.getBoundingClientRect() }))
      .find(({ box }) => box.left <= x && x < box.right && box.top <= y && y < box.bottom);
    return { src: tile.src, x: x - tile.box.left, y: y - tile.box.top };
  });
  await loadedTiles(page, ({ z }) => z === 15);
  /* At zoom 15 a tile spans 1024 m: (56640 + 2²⁴) / 1024 = 16439.3125, (−41015 + 2²⁴) / 1024 = 16343.9463. Tiles stand
     at whole pixels, the middle of an odd height does not, and the map's height has a fraction, too: each half a pixel. */
  const at = await middle();
  assert.match(at.src, /\/15\/16439\/16343\./);
  assert.ok(Math.abs(at.x - 0.3125 * 256) <= 1.5 && Math.abs(at.y - 0.9463 * 256) <= 1.5, JSON.stringify(at));
  await page.reload();
  await loadedTiles(page, ({ z }) => z === 15);
  await waitForHash(page, '#terra/relief/15/56640/-41015');
  await page.focus('#map');
  await page.keyboard.press('ArrowRight');
  await waitForHash(page, /^#terra\/relief\/15\/5696\d\/-4101\d$/); /* 80 pixels of 4 m, by whole pixels */
}));

test('the link is copied, and the page says so', () => visit('#terra~7/slope/9/1/2', async (page) => {
  await loadedTiles(page);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.click('#link');
  await waitForText(page, '#status', /^Link copied\.$/);
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()),
    page.url().replace(/#.*/, 'w/terra~7?x=1&y=2&zoom=9&style=slope'));
}));

const seedRows = (page) => page.$$eval('.seed-list li', (rows) => rows.map((row) =>
  [row.querySelector('.title').textContent, row.querySelector('.detail').textContent]));

test('seeds are listed, named, removed, and kept', () => visit('#terra~one/relief/9/0/0', async (page) => {
  await loadedTiles(page);
  for (const seed of ['two', 'three']) {
    await page.fill('#seed', seed);
    await page.press('#seed', 'Enter');
    await waitForHash(page, `#terra~${seed}/relief/9/0/0`);
  }
  await page.click('#seeds');
  await page.waitForSelector('.seed-list');
  assert.deepEqual(await seedRows(page), [['three', 'Terra'], ['two', 'Terra'], ['one', 'Terra']]);
  await page.click('li[data-seed=two] [aria-label^=Name]');
  await page.keyboard.type('Fine islands');
  await page.keyboard.press('Enter');
  await page.click('li[data-seed=one] [aria-label^=Remove]');
  assert.deepEqual(await seedRows(page), [['Fine islands', 'two · Terra'], ['three', 'Terra']]);
  await page.click('li[data-seed=two] .seed');
  await waitForHash(page, '#terra~two/relief/9/0/0');
  assert.equal(await page.getAttribute('li[data-seed=two] .seed', 'aria-current'), 'true');

  await page.reload();
  await loadedTiles(page);
  await page.click('#seeds');
  await page.waitForSelector('.seed-list');
  assert.deepEqual(await seedRows(page), [['Fine islands', 'two · Terra'], ['three', 'Terra']]);
  await page.click('li[data-seed=two] [aria-label^=Name]');
  await page.keyboard.press('Escape');
  assert.equal(await page.isVisible('#drawer'), true, 'Escape leaves the field, not the list');
  await page.click('li[data-seed=two] [aria-label^=Name]');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  assert.deepEqual(await seedRows(page), [['two', 'Terra'], ['three', 'Terra']]);
}));

test('in the list of seeds the focus stays, and so does a name that is being written', () => visit('#terra~one/relief/9/0/0', async (page) => {
  await loadedTiles(page);
  await page.evaluate(() => { location.hash = '#terra~two/relief/9/0/0'; });
  await loadedTiles(page, ({ src }) => src.includes('terra~two'));
  await page.click('#seeds');
  await page.focus('li[data-seed=one] .seed');
  await page.keyboard.press('Enter');
  await waitForHash(page, '#terra~one/relief/9/0/0');
  const focused = () => page.evaluate(() => document.activeElement.closest('li')?.dataset.seed);
  assert.equal(await focused(), 'one');
  await page.click('li[data-seed=two] [aria-label^=Name]');
  await page.keyboard.type('Fine ');
  /* Another window shows a seed. */
  await page.evaluate(() => dispatchEvent(new StorageEvent('storage', { key: 'terrane.seeds' })));
  await page.keyboard.type('islands');
  await page.keyboard.press('Enter');
  assert.equal(await page.textContent('li[data-seed=two] .title'), 'Fine islands');
  assert.equal(await focused(), 'two');
}));

test('a tool is not seen before its stylesheet', () => visit('#perlin/height/9/0/0', async (page) => {
  let come;
  await page.route('**/seeds.css', (route) => { come = () => route.continue(); });
  await page.click('#seeds');
  while (!come) await page.waitForTimeout(20);
  await page.waitForTimeout(200);
  const visibility = () => getComputedStyle(document.querySelector('.tool.seeds')).visibility;
  assert.equal(await page.evaluate(visibility), 'hidden');
  await come();
  await until(page, visibility, null, (now) => now === 'visible');
}));

test('a seed of another world leads there', () => visit('#terra~one/relief/9/0/0', async (page) => {
  await loadedTiles(page);
  await openGallery(page);
  await page.click('.world-card[data-world=wood]');
  await waitForHash(page, hashOf('wood', viewOf('wood')));
  await page.click('#seeds');
  await page.click('li[data-seed=one] .seed');
  const { view } = await (await fetch(`${server.url}/worlds/terra~one`)).json();
  await waitForHash(page, hashOf('terra~one', view));
}));

/* What the storage holds before the page begins, or how it refuses. */
const STORAGES = {
  'no JSON': () => localStorage.setItem('terrane.seeds', '{"world":'),
  'other JSON': () => localStorage.setItem('terrane.seeds', JSON.stringify([null, 5, { world: 'terra' },
    { world: 'terra', seed: 7, name: null }, { world: 'terra', seed: 'good', name: null, more: 1 }])),
  refusing: () => Object.defineProperty(Storage.prototype, 'setItem', {
    value() {
      throw new DOMException('full', 'QuotaExceededError');
    },
  }),
  forbidden: () => Object.defineProperty(window, 'localStorage', {
    get() {
      throw new DOMException('denied', 'SecurityError');
    },
  }),
};

test('a storage that is broken or refused does no harm', async () => {
  for (const [name, prepare] of Object.entries(STORAGES)) {
    const other = await newContext();
    const fresh = await other.newPage();
    const errors = [];
    fresh.on('pageerror', (error) => errors.push(String(error)));
    await fresh.addInitScript(prepare);
    await fresh.goto(`${server.url}/#terra~one/relief/9/0/0`);
    await loadedTiles(fresh);
    await fresh.click('#seeds');
    await fresh.waitForSelector('.seed-list');
    const expected = name === 'other JSON' ? [['one', 'Terra'], ['good', 'Terra']] : [['one', 'Terra']];
    assert.deepEqual(await seedRows(fresh), expected, name);
    const note = await fresh.textContent('.tool.seeds .note');
    assert.equal(/keeps nothing/.test(note), ['refusing', 'forbidden'].includes(name), name);
    assert.deepEqual(errors, [], name);
    await other.close();
  }
});

test('on a phone the gallery is a sheet that fits', () => visit('#terra/relief/9/0/0', async (page) => {
  await loadedTiles(page);
  await page.tap('#fold');
  await page.tap('#world');
  await page.waitForSelector('.world-card');
  const boxes = await page.$$eval('#drawer, .world-card', (all) => all.map((element) => {
    const { left, right, bottom, width, height } = element.getBoundingClientRect();
    return { fits: left >= 0 && right <= innerWidth, isLarge: width >= 40 && height >= 40, bottom };
  }));
  assert.ok(boxes.every(({ fits, isLarge }) => fits && isLarge));
  assert.ok(boxes[0].bottom <= 640);
  await page.tap('.world-card[data-world=caves]');
  await waitForHash(page, hashOf('caves', viewOf('caves')));
}, PHONE));
