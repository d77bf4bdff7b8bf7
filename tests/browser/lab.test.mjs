/* The lab: writing a world with the map following, errors at their places, numbers, layers, comparing, and the noise
 * page. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { PHONE, WIDE, loadedTiles, until, waitForHash } from './browser.mjs';
import {
  server, open, REFUSED, HILLS, worldFile, editorText, isPreview, textOf, status, visit, openFile, openHills, number,
} from './lab.mjs';

test('the lab begins with the file of the world on the map', () => visit(async (page) => {
  assert.equal((await editorText(page)).trim(), worldFile('caves').trim());
  await loadedTiles(page, ({ world }) => world === 'caves');
  await textOf(page, '#drawer-title', /^Lab: Caves$/);
  await openHills(page);
  await textOf(page, '#drawer-title', /^Lab: Hills$/);
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
  /* A sea level of 50 m: the ground is so much lower, beside the map before. */
  await page.click('.lab button:has-text("Sea level")');
  const [, third] = await until(page, () => /^#(preview-\w+)/.exec(location.hash), null, (shown) =>
    shown !== null && ![first.world, second.world].includes(shown[1]));
  const [before, now] = await Promise.all([first.world, third].map(async (world) =>
    (await (await fetch(`${server.url}/worlds/${world}/at?x=1000&y=2000`)).json()).height));
  assert.ok(Math.abs(before - now - 50) < 0.01, `${before} m, then ${now} m`);
  await textOf(page, '.slider-row output', /^50$/);
  await until(page, () => document.querySelector('.swipe')?.hidden === false);
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
  assert.match(await page.getAttribute('.swipe-handle', 'aria-valuetext'), /^3.% The version before$/);
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
