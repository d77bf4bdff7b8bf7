/* The lab: writing a world with the map following, errors at their places, numbers, layers, comparing,
 * links, files, what is kept, and the noise page. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { PHONE, WIDE, loadedTiles, pageOfFile, until, waitForHash } from './browser.mjs';

const { server, open, visit: visitPage } = pageOfFile();

/* Chromium writes a refused preview to the console. */
const REFUSED = { expected: /status of (422|403)/ };
const HILLS = `{
  "title": "Hills",
  "generator": 1,
  "seed": 7,
  "layers": {
    "hills": "fbm(wavelength=8192, octaves=4, persistence=0.5)",
    "height": { "formula": "300 * hills", "unit": "m", "range": [-400, 400] }
  },
  "biomes": [
    { "name": "sea", "color": "#2a6fb0", "when": "height < 0" },
    { "name": "land", "color": "#9bc53d" }
  ]
}
`;

const worldFile = (name) =>
  readFileSync(new URL(`../../config/worlds/${name}.json`, import.meta.url), 'utf8');
const editorText = (page) => page.evaluate(() => [...document.querySelector('.lab-editor').shadowRoot
  .querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'));
const isPreview = ({ world }) => world.startsWith('preview-');
const shownWorld = (page) => page.evaluate(() => location.hash.slice(1).split('/')[0]);
const textOf = (page, selector, pattern) => until(page, (wanted) => document.querySelector(wanted)?.textContent ?? '',
  selector, (text) => pattern.test(text));
const status = (page, pattern) => textOf(page, '.lab-world .lab-status', pattern);

/* Opens the lab on a small world. */
const visit = (check, options = {}, hash = '#caves/relief/12/0/0') =>
  visitPage(hash, async (page) => {
    await loadedTiles(page);
    await page.click('#tool-lab');
    await status(page, /This is the file of/);
    await check(page);
  }, options);

/* Puts a text into the editor as a file that is opened. */
async function openFile(page, text, name = 'hills.json') {
  await page.setInputFiles('.lab input[type=file]', { name, mimeType: 'application/json', buffer: Buffer.from(text) });
}

async function openHills(page) {
  await openFile(page, HILLS);
  await status(page, /^3 layers\.$/);
  return loadedTiles(page, isPreview);
}

const number = (page, text) => page.locator('.lab-editor .formula-number', { hasText: text }).first();

test('the lab begins with the file of the world on the map', () => visit(async (page) => {
  assert.equal((await editorText(page)).trim(), worldFile('caves').trim());
  await loadedTiles(page, ({ world }) => world === 'caves');
}));

test('the map follows what is typed', () => visit(async (page) => {
  const [first] = await openHills(page);
  await number(page, /^300$/).dblclick();
  await page.keyboard.insertText('500'); /* one step of undo */
  const [second] = await loadedTiles(page, (tile) => isPreview(tile) && tile.world !== first.world);
  const descriptor = await (await fetch(`${server.url}/worlds/${second.world}`)).json();
  assert.equal(descriptor.layers.find(({ name }) => name === 'height').formula, '500 * hills');
  await waitForHash(page, new RegExp(`^#${second.world}/`));
  await page.click('button[aria-label=Undo]');
  await loadedTiles(page, ({ world }) => world === first.world);
  await textOf(page, '.lab-time', /On the map after \d+/);
}));

/* What is broken, and then for each error the line and what is underlined. */
const replaced = (a, b) => HILLS.replace(a, b);
const BROKEN = [
  [replaced('"seed": 7,', '"seed": 7'), [[5, '"layers"']]],
  [replaced('"seed": 7,', '"seed": 7').replace('[-400, 400]', '[-400 400]').replace(/(height < 0" }),/, '$1'),
    [[5, '"layers"'], [7, '400'], [11, '{']]],
  [replaced('"seed": 7,', '"seed": 7').replace('octaves=4', 'octave=4').replace('300 * hills', 'sine(hils'),
    [[5, '"layers"'], [6, 'octave'], [7, 'sine'], [7, '(']]],
  [replaced('"title"', '} "title"'), [[2, '"title"']]],
  [replaced('octaves=4', 'octaves=40'), [[6, '40']]],
  [replaced('fbm(', 'fbmm('), [[6, 'fbmm']]],
  [replaced('300 * hills', '300 * hils'), [[7, 'hils']]],
  [replaced('=0.5)', '=0.5'), [[6, '"']]],
  [replaced('"unit": "m"', '"units": "m"'), [[7, '"units"']]],
  [replaced('[-400, 400]', '[400, -400]'), [[7, '[']]],
  [replaced('#2a6fb0', 'blue'), [[10, '"blue"']]],
  [replaced('height < 0', 'hight < 0').replace('octaves=4', 'octave=4'), [[6, 'octave'], [10, 'hight']]],
  [replaced('"generator": 1', '"generator": 2').replace('#9bc53d', '#9'), [[3, '2'], [11, '"#9"']]],
];

/* The line that the list gives of each error, and what is underlined for it. */
const shownErrors = () => {
  const marked = document.querySelector('.lab-editor').shadowRoot.querySelectorAll('.cm-lintRange-error');
  return [...document.querySelectorAll('.problems button')].map((row, at) =>
    [Number(/^Line (\d+)/.exec(row.textContent)[1]), marked[at]?.textContent]);
};

test('every error is shown at its place', () => visit(async (page) => {
  const [tile] = await openHills(page);
  for (const [text, expected] of BROKEN) {
    await openFile(page, text);
    const seen = (shown) => JSON.stringify(shown) === JSON.stringify(expected);
    await until(page, shownErrors, null, seen);
    const lines = new Set(expected.map(([line]) => line));
    assert.equal(await page.locator('.lab-editor .cm-lint-marker-error').count(), lines.size);
  }
  /* A click goes there, and the map still shows the last world without errors. */
  await page.click('.problems li:last-child button');
  assert.match(await page.locator('.lab-editor .cm-activeLine').first().textContent(), /"land"/);
  await loadedTiles(page, ({ world }) => world === tile.world);
}, REFUSED));

test('numbers change by dragging, by the handle and by keys, within their range', () => visit(async (page) => {
  await openHills(page);
  const height = await number(page, /^300$/).boundingBox();
  await page.keyboard.down('Alt');
  await page.mouse.move(height.x + 4, height.y + 8);
  await page.mouse.down();
  await page.mouse.move(height.x + 4 + 70, height.y + 8, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Alt');
  assert.match(await editorText(page), /"400 \* hills"/); /* ten steps of 10 */

  await number(page, /^0.5$/).click();
  await textOf(page, '.number-bar', /persistence: a number, 0.01 … 2/);
  await page.keyboard.press('Alt+ArrowUp');
  assert.match(await editorText(page), /persistence=0.51\)/);
  for (let press = 0; press < 8; press += 1) await page.keyboard.press('Shift+Alt+ArrowUp');
  assert.match(await editorText(page), /persistence=2\)/);
  await page.click('.number-bar [aria-label^=Less]');
  assert.match(await editorText(page), /persistence=1\)/);
  const grip = await page.locator('.number-bar .grip').boundingBox();
  await page.mouse.move(grip.x + 20, grip.y + 10);
  await page.mouse.down();
  await page.mouse.move(grip.x + 20 - 280, grip.y + 10, { steps: 4 });
  await page.mouse.up();
  assert.match(await editorText(page), /persistence=0.01\)/);
  await status(page, /^3 layers\.$/);
}, WIDE));

test('functions, arguments, choices, layers and keys are completed and explained', () => visit(async (page) => {
  await openHills(page);
  const options = (pattern) => until(page, () => [...document.querySelector('.lab-editor').shadowRoot
    .querySelectorAll('.cm-tooltip-autocomplete li')].map((row) => row.textContent), null,
  (rows) => rows.some((row) => pattern.test(row)));
  const shows = (text) => until(page, (wanted) => document.querySelector('.lab-editor').shadowRoot.textContent
    .includes(wanted), text);
  const write = async (text) => page.keyboard.type(text, { delay: 15 });
  const choose = (text) => page.locator('.cm-tooltip-autocomplete li', { hasText: text }).first().click();
  await number(page, /^300$/).dblclick();
  await write('rid');
  await options(/^ridged/);
  assert.match(await page.locator('.cm-completionInfo').textContent(),
    /sharp crests.*octaves – a whole number, 1 … 24/s);
  await choose('ridged');
  await shows('"ridged(wavelength=4096, octaves=6) * hills"');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  await write(', ba');
  await options(/^basis=/);
  await choose('basis=');
  await page.keyboard.press('Control+Space');
  await options(/simplex/);
  await choose('value');
  await shows('"ridged(wavelength=4096, octaves=6, basis=\\"value\\") * hills"');
  await page.keyboard.press('Escape'); /* closes no drawer */
  await status(page, /^3 layers\.$/);
  await number(page, /^6$/).hover();
  await until(page, () => document.querySelector('.lab-editor').shadowRoot
    .querySelector('.cm-tooltip-hover')?.textContent.includes('A whole number, 1 … 24'));
}, REFUSED));

test('a click shows a layer, how its values are spread, and a profile', () => visit(async (page) => {
  await openHills(page);
  await page.click('.layer-list button:has-text("hills")');
  await loadedTiles(page, ({ style }) => style === 'hills');
  await textOf(page, '.charts', /hills: values in the view/);
  assert.equal(await page.locator('.charts svg').count(), 2);
  const ends = await page.locator('.charts .ends span').allTextContents();
  const [low, high] = [ends[0], ends[2]].map((text) => Number(text.replace('\u2212', '-')));
  assert.ok(low >= -1 && low < high && high <= 1, ends.join());
  assert.equal(await page.locator('#map path.leaflet-interactive, #map svg path').count(), 1);
  const pressed = () => page.$$eval('.layer-list [aria-pressed=true]', (all) => all.map((row) => row.textContent));
  assert.deepEqual(await pressed(), ['hills']);
  await page.click('.layer-list button:has-text("The whole map")');
  await loadedTiles(page, ({ style }) => style === 'relief');
  assert.deepEqual(await pressed(), ['The whole map']);
  await textOf(page, '.charts', /height: values in the view/);

  /* A layer may have the name of the style. */
  await openFile(page, replaced('"hills":', '"relief": "y",\n    "hills":'));
  await status(page, /^4 layers/);
  assert.deepEqual(await pressed(), ['The whole map']);
  await page.click('.layer-list button:text-is("relief")');
  await textOf(page, '.charts', /relief: values in the view/);
  assert.deepEqual(await pressed(), ['relief']);
}));

test('a divider compares with the version before', () => visit(async (page) => {
  const [before] = await openHills(page);
  await number(page, /^300$/).click();
  await page.keyboard.press('Alt+ArrowUp');
  await loadedTiles(page, (tile) => isPreview(tile) && tile.world !== before.world);
  await page.click('.lab button:has-text("Compare")');
  const clip = () => document.querySelector('.leaflet-lab-before-pane, .leaflet-labBefore-pane')?.style.clip ?? '';
  await until(page, clip, null, (text) => text.startsWith('rect('));
  const tiles = await until(page, () => [...document.querySelectorAll('[class*="lab"][class*="pane"] img')]
    .map((image) => image.getAttribute('src')), null, (all) => all.length > 0);
  assert.ok(tiles.every((src) => src.includes(before.world)), tiles[0]);
  const wide = await page.evaluate(clip);
  await page.focus('.swipe-handle');
  const value = () => page.getAttribute('.swipe-handle', 'aria-valuenow');
  assert.equal(await value(), '50');
  for (let press = 0; press < 10; press += 1) await page.keyboard.press('ArrowLeft');
  assert.equal(await value(), '30');
  assert.notEqual(await page.evaluate(clip), wide);
  for (const [key, expected] of [['PageUp', '40'], ['ArrowUp', '42'], ['End', '97'], ['PageDown', '87'], ['Home', '3']]) {
    await page.keyboard.press(key);
    assert.equal(await value(), expected, key);
  }
  assert.match(await page.getAttribute('.swipe-handle', 'aria-valuetext'), /^3.% the version before$/);
  await page.click('#drawer-close');
  assert.equal(await page.isHidden('.swipe'), true);
}));

test('the version before is of the moment that the map shows', () => visit(async (page) => {
  const moment = (accept) => until(page, () => [...new Set([...document.querySelectorAll('.leaflet-lab-before-pane img')]
    .map((image) => /t=(.*)$/.exec(image.src)?.[1] ?? '0'))].join(), null, accept);
  await page.click('.lab button:has-text("Compare")');
  await moment((shown) => shown === '0');
  await page.evaluate(() => { location.hash += '?t=3'; });
  await moment((shown) => shown === '3');
  /* Time may play on while the lab is open. */
  await page.click('#tool-time');
  await page.click('#time-play');
  await page.click('#tool-lab');
  await page.click('.lab button:has-text("Compare")');
  await moment((shown) => shown > '3.1');
}, {}, '#fire/fire/9/0/0'));

test('a link has the whole world in it', () => visit(async (page) => {
  const [tile] = await openHills(page);
  await page.selectOption('#style', 'biome').catch(() => {});
  await page.click('.lab button:has-text("Share")');
  const link = await until(page, () => document.querySelector('.share input').value);
  assert.match(link, /#terra\/relief\/12\/0\/0\?lab=[\w-]+&labmap=\w+$/);
  await open(link, async (other) => {
    await loadedTiles(other, ({ world }) => world === tile.world);
    assert.equal((await editorText(other)).trim(), HILLS.trim());
    assert.equal(await other.textContent('#status'), '');
    await other.evaluate(() => {
      location.hash = location.hash.replace(/lab=.*/, 'lab=AAAAbroken');
    });
    await status(other, /This link is broken/);
    assert.equal((await editorText(other)).trim(), HILLS.trim());
  });
}));

/* The reader's server knows nothing of the preview, as one that was started again. */
test('a copied link of a preview has its world in it, and outlives the server', { timeout: 30_000 }, () => visit(async (page) => {
  await openHills(page);
  await number(page, /^300$/).dblclick();
  await page.keyboard.insertText('400');
  const shown = async () => (await (await fetch(`${server.url}/worlds/${await shownWorld(page)}`)).json()).layers?.find(({ name }) => name === 'height').formula;
  while (await shown() !== '400 * hills') await page.waitForTimeout(50);
  await page.click('#drawer-close');
  await page.fill('#seed', '99');
  await page.press('#seed', 'Enter');
  await waitForHash(page, /^#preview-\w+~99\//);
  const { fingerprint } = await (await fetch(`${server.url}/worlds/${await shownWorld(page)}`)).json();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.focus('#map');
  await page.keyboard.press('Enter');
  await page.getByText('Addresses', { exact: true }).click();
  await textOf(page, '.addresses code', /#terra\/relief\/12\/0\/0\?lab=/);
  await page.click('#link');
  await textOf(page, '#status', /^Link copied\.$/);
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  const bare = (await page.evaluate(() => location.hash)).replace(/^#/, '');
  const restarted = await startServer();
  try {
    await open(`${restarted.url}/${link.hash}`, async (other) => {
      await loadedTiles(other, (tile) => tile.fingerprint === fingerprint);
      assert.equal(await other.textContent('#status'), '');
    });
    await open(`${restarted.url}/#${bare}`, (other) => textOf(other, '#status', /does not have this world of the lab any more. “Copy the link” makes/),
      { expected: /status of 404/ });
  } finally {
    await restarted.stop();
  }
}));

/* Other previews push out the one of the page; a server that was started again has none, either. */
test('a reload posts the world of its window again when the server has dropped it', { timeout: 60_000 }, async () => {
  const small = await startServer({ arguments: ['--previews', '1'] });
  try {
    await open(`${small.url}/#caves/relief/12/0/0`, async (page) => {
      await loadedTiles(page);
      await page.click('#tool-lab');
      await status(page, /This is the file of/);
      await openHills(page);
      await number(page, /^300$/).dblclick();
      await page.keyboard.insertText('450');
      const layersOf = async () => (await (await fetch(`${small.url}/worlds/${await shownWorld(page)}`)).json()).layers;
      while (!(await layersOf())?.some(({ formula }) => formula === '450 * hills')) await page.waitForTimeout(50);
      const name = await shownWorld(page);
      const others = async (seed) => (await fetch(`${small.url}/preview`, { method: 'POST', body: HILLS.replace('7', seed) })).status;
      assert.deepEqual([await others('8'), await others('9')], [201, 201]);
      assert.equal((await fetch(`${small.url}/worlds/${name}`)).status, 404);
      await page.reload();
      await loadedTiles(page, ({ world }) => world === name);
      assert.equal(await page.textContent('#status'), '');
    }, { expected: /status of 40[04]/ });
  } finally {
    await small.stop();
  }
});

/* With the page alone: a continent is broken up into islands that have a beach of their own; the biome is on the map, in
 * the legend and to be found, and whoever opens the link sees the same world. */
test('a newcomer forks terra, makes an archipelago with a beach, and shares it', { timeout: 60_000 }, () => visit(async (page) => {
  const search = async (text) => {
    await page.keyboard.press('Control+f');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
  };
  const replace = async (text, by) => {
    await search(text);
    await page.keyboard.insertText(by);
  };
  await page.selectOption('.lab select', 'terra');
  await until(page, () => document.querySelector('.lab-editor').shadowRoot.textContent.includes('"Terra"'));
  await page.locator('.lab-editor .cm-content').click();
  await replace('"Terra"', '"My isles"');
  await replace('wavelength=12582912', 'wavelength=786432');
  await replace('0.65, rotate_octaves=1) - 0.06', '0.65, rotate_octaves=1) - 0.3');
  await search('"biomes": [');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.insertText('{ "name": "white_beach", "title": "White beach", "color": "#fff6d0", "when": "height > 0 && height < 9 && plan < 25" },');
  const isMine = async () => (await page.title()).startsWith('My isles') &&
    (await (await fetch(`${server.url}/worlds/${await shownWorld(page)}`)).json()).biomes[0].name === 'white_beach';
  while (!await isMine()) await page.waitForTimeout(50);
  await status(page, /^\d+ layers/);

  await page.click('.lab button:has-text("Share")');
  const link = await until(page, () => document.querySelector('.share input').value);
  const { fingerprint } = await (await fetch(`${server.url}/worlds/${await shownWorld(page)}`)).json();
  await open(link, async (other) => {
    await loadedTiles(other, (tile) => tile.fingerprint === fingerprint);
    await other.click('#drawer-close');
    await other.selectOption('#style', 'biome');
    await until(other, () => document.querySelector('#legend').textContent.includes('White beach'));
    await other.click('#tool-find');
    await other.locator('[data-name=white_beach]').click();
    await other.locator('.find .main').click();
    await other.getByRole('button', { name: 'Open the card of place 1' }).click();
    await until(other, () => document.querySelector('#card-biome')?.textContent, null, (text) => text === 'White beach');
  });
}, { viewport: { width: 900, height: 600 } }));

test('what is written is kept, and not replaced without a question', () => visit(async (page) => {
  await openHills(page);
  await number(page, /^300$/).click();
  await page.keyboard.press('Alt+ArrowUp');
  await status(page, /^3 layers/);
  await page.goto('about:blank');
  await page.goto(`${server.url}/#terra/relief/9/0/0`);
  await loadedTiles(page, ({ world }) => world === 'terra');
  await page.click('#tool-lab');
  await status(page, /“Hills” is as you left it/);
  await loadedTiles(page, isPreview);
  assert.match(await editorText(page), /"310 \* hills"/);

  await page.selectOption('.lab select', 'dunes');
  await textOf(page, '.question', /“Hills” has changes/);
  await page.click('[data-answer=keep]');
  assert.match(await editorText(page), /"310 \* hills"/);
  await page.selectOption('.lab select', 'perlin');
  const download = page.waitForEvent('download');
  await page.click('[data-answer=save]');
  assert.equal((await download).suggestedFilename(), 'hills.json');
  await until(page, () => document.querySelector('.lab-editor').shadowRoot.textContent.includes('"Perlin"'));
  await page.click('button[aria-label=Undo]');
  assert.match(await editorText(page), /"310 \* hills"/);
}));

test('a question stays for the world that was chosen last, and so does what is compared', () => visit(async (page) => {
  await openHills(page);
  await number(page, /^300$/).click();
  await page.keyboard.press('Alt+ArrowUp');
  await status(page, /^3 layers/);
  const sources = () => [...document.querySelectorAll('.leaflet-lab-before-pane img')].map((image) => image.src).join();
  await page.click('.lab button:has-text("Compare")');
  const before = await until(page, sources);
  await page.selectOption('.lab select', 'dunes');
  await textOf(page, '.question', /“Hills” has changes/);
  await page.selectOption('.lab select', 'perlin');
  await page.waitForTimeout(100);
  await page.click('[data-answer=replace]');
  await until(page, () => document.querySelector('.lab-editor').shadowRoot.textContent.includes('"Perlin"'));
  assert.equal(await page.isVisible('.question'), false);
  await until(page, sources, null, (now) => now !== '' && !now.split(',').some((src) => before.includes(src)));
}));

test('a preview that has the tiles of the map is shown at once', () => visit(async (page) => {
  await openHills(page);
  await page.evaluate(() => { document.querySelector('.lab-time').textContent = ''; });
  await openFile(page, HILLS);
  const said = await textOf(page, '.lab-time', /./);
  await page.click('.lab button:has-text("Compare")');
  await until(page, () => [...document.querySelectorAll('.leaflet-lab-before-pane img')].some(({ complete }) => complete));
  await page.waitForTimeout(200);
  assert.equal(await page.textContent('.lab-time'), said);
}));

/* Two windows write at the same time: each finds its own text again, and a new one the other's too. */
test('each window has a text of its own', () => visit(async (page) => {
  const change = async (window, keys) => {
    await number(window, /^300$/).click();
    for (let press = 0; press < keys; press += 1) await window.keyboard.press('Alt+ArrowUp');
    await status(window, /^3 layers/);
  };
  const shows = (window, text) => until(window, (wanted) => document.querySelector('.lab-editor')?.shadowRoot.textContent
    .includes(wanted), text);
  const reopen = async (window) => {
    await window.reload();
    await window.click('#tool-lab');
  };
  const openAnother = async () => {
    const window = await page.context().newPage();
    await window.goto(`${server.url}/#caves/relief/12/0/0`);
    await window.click('#tool-lab');
    return window;
  };
  await openHills(page);
  await change(page, 1);
  await page.waitForTimeout(600); /* longer than the page waits to keep it */
  const other = await openAnother();
  await shows(other, '310 * hills'); /* the text that was written last */
  await number(other, /^310$/).click();
  for (let press = 0; press < 4; press += 1) await other.keyboard.press('Alt+ArrowUp');
  await other.waitForTimeout(600);
  await reopen(page);
  await shows(page, '310 * hills');
  await reopen(other);
  await shows(other, '350 * hills');
  await page.goto('about:blank');
  await other.close({ runBeforeUnload: true });

  const third = await openAnother();
  await shows(third, '350 * hills');
  const kept = () => third.$$eval('.lab select optgroup option', (all) => all.map(({ text, value }) => ({ text, value })));
  assert.ok((await kept()).every(({ text }) => text.startsWith('Hills, ')));
  /* What is chosen leaves the list, and what was there before comes into it. */
  for (let turn = 0; turn < 8 && !(await editorText(third)).includes('310 * hills'); turn += 1) {
    const all = await kept();
    await third.selectOption('.lab select', all[turn % all.length].value, { timeout: 1000 }).catch(() => {});
    await third.waitForTimeout(200);
    if (await third.isVisible('.question')) await third.click('[data-answer=replace]');
    await third.waitForTimeout(200);
  }
  await shows(third, '310 * hills');
}));

test('a preview that comes when the lab is closed is not shown, until it is open again', () => visit(async (page) => {
  const held = [];
  await page.route('**/preview', (route) => held.push(route));
  await openFile(page, HILLS);
  while (held.length === 0) await page.waitForTimeout(20);
  await page.click('#drawer-close');
  for (const route of held.splice(0)) await route.continue().catch(() => {});
  await page.unroute('**/preview');
  await page.waitForTimeout(300);
  await loadedTiles(page, ({ world }) => world === 'caves');
  await page.click('#tool-lab');
  await loadedTiles(page, isPreview);
}));

test('without previews the lab says how to have them, and checks what it can', async () => {
  const other = await startServer({ arguments: ['--previews', '0'] });
  try {
    await open(`${other.url}/#caves/relief/12/0/0`, async (page) => {
      await loadedTiles(page);
      await page.click('#tool-lab');
      await status(page, /This is the file of/);
      await openFile(page, replaced('fbm(', 'fbmm(').replace('"unit"', '"units"').replace('[-400, 400]', '[-400 400]'));
      await status(page, /--previews/);
      const rows = await page.$$eval('.problems button', (all) => all.map((row) => row.textContent));
      assert.deepEqual(rows.map((row) => Number(/^Line (\d+)/.exec(row)[1])), [6, 7, 7], rows.join('\n'));
      await loadedTiles(page, ({ world }) => world === 'caves');
    }, REFUSED);
  } finally {
    await other.stop();
  }
});

test('the noise page shows octaves and their sum, and puts the formula into the world', () => visit(async (page) => {
  await openHills(page);
  await page.click('#lab-tab-noise');
  const rows = (count) => until(page, () => document.querySelectorAll('.octaves li').length, null,
    (shown) => shown === count);
  await rows(6); /* the sum and five octaves */
  const pixels = () => page.evaluate(() => [...document.querySelectorAll('.octaves canvas')].map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(data.filter((_, at) => at % 4 === 0)).size;
  }));
  const greys = await pixels();
  assert.ok(greys[0] > 200, greys.join());
  assert.ok(greys[5] < greys[1], 'fine octaves have less contrast');
  await page.focus('#noise-octaves');
  await page.keyboard.press('ArrowLeft');
  await rows(5);
  await page.selectOption('#noise-kind', 'single');
  await rows(1);
  assert.equal(await page.isHidden('#noise-octaves'), true);
  await page.selectOption('#noise-basis', 'worley');
  await page.selectOption('#noise-feature', 'cell');
  assert.equal(await page.textContent('.formula'), 'worley(wavelength=4096, feature="cell")');
  await page.click('text=Put into the world');
  await status(page, /^4 layers/);
  assert.match(await editorText(page), /"noise": "worley\(wavelength=4096, feature=\\"cell\\"\)",/);
}));

test('the lab fits a phone, and speaks of no keys there', () => visit(async (page) => {
  await openHills(page);
  await textOf(page, '.number-bar', /Change the number at the cursor here\./);
  assert.deepEqual(await page.$$eval('.number-bar button', (all) => all.map(({ title }) => title)), ['Less', 'More']);
  for (const tab of ['world', 'noise']) {
    await page.click(`#lab-tab-${tab}`);
    if (tab === 'noise') await until(page, () => document.querySelector('.octaves li') !== null);
    const wrong = await page.evaluate(() => [...document.querySelectorAll('#drawer *')]
      .filter((element) => element.checkVisibility())
      .map((element) => [element, element.getBoundingClientRect()])
      .filter(([element, { left, right, height }]) => left < 0 || right > innerWidth ||
        (element.matches('button, select') && height < 39.5))
      .map(([{ tagName, className, textContent }, { height }]) => `${tagName} ${className} ${textContent} ${height}`));
    assert.deepEqual(wrong, []);
  }
}, PHONE));
