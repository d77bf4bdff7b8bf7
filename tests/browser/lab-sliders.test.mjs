/* Sliders of the lab: which numbers a formula has and what each may be, by the manual of formulas; the text, the map,
 * undo and reset in a browser. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { literalsOf, placeOf, rangeOf, textAt } from '../../server/viewer/lab/slider-model.js';
import { PHONE, loadedTiles, until } from './browser.mjs';
import { editorText, isPreview, number, openHills, server, textOf, visit } from './lab.mjs';

const functions = async () => (await (await fetch(`${server.url}/formulas`)).json()).functions;
const rangesOf = async (formula) => literalsOf(formula, await functions()).map((literal) =>
  ({ text: literal.text, name: literal.parameter?.name ?? null, ...rangeOf(literal, literal.text) }));

test('a number has a range by what it is given for', async () => {
  assert.deepEqual(await rangesOf('0.3 * fbm(8192, octaves=5, persistence=0.4, rotate_octaves=1) + 0 - 2e-3'), [
    { text: '0.3', name: null, low: 0.03, high: 3, log: true, whole: false },
    { text: '8192', name: 'wavelength', low: 819.2, high: 81920, log: true, whole: false },
    { text: '5', name: 'octaves', low: 1, high: 12, log: false, whole: true },
    { text: '0.4', name: 'persistence', low: 0.01, high: 1, log: false, whole: false },
    { text: '1', name: 'rotate_octaves', low: 0, high: 1, log: false, whole: true },
    { text: '0', name: null, low: 0, high: 1, log: false, whole: false },
    { text: '2e-3', name: null, low: 0.0002, high: 0.02, log: true, whole: false },
  ]);
  /* A number within a sum is none of the argument's own. */
  assert.deepEqual((await rangesOf('fbm(64 + 2 * 3, 4)')).map(({ name }) => name), [null, null, null, 'octaves']);
});

test('places of a slider are numbers of three digits', () => {
  const factors = { low: 10, high: 1000, log: true, whole: false };
  assert.deepEqual([0, 60, 120, 240].map((place) => textAt(factors, place)), ['10', '31.6', '100', '1000']);
  assert.deepEqual([10, 100, 1000, 9999].map((value) => placeOf(factors, value)), [0, 120, 240, 240]);
  const octaves = { low: 1, high: 12, log: false, whole: true };
  for (let value = 1; value <= 12; value += 1) assert.equal(textAt(octaves, placeOf(octaves, value)), String(value));
});

const rows = (page, count) => until(page, () => [...document.querySelectorAll('.slider-row')].map((row) =>
  `${row.querySelector('input').ariaLabel} ${row.querySelector('output').textContent}`), null, (list) => list.length === count);

test('a slider changes the text and the map, and is undone and reset', () => visit(async (page) => {
  const [before] = await openHills(page);
  await number(page, '8192').click();
  await page.focus('.sliders summary');
  await page.keyboard.press('Enter');
  assert.deepEqual(await rows(page, 3), ['wavelength of fbm 8192', 'octaves of fbm 4', 'persistence of fbm 0.5']);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight'); /* its reset button has nothing to do yet: the slider of octaves */
  assert.match(await editorText(page), /fbm\(wavelength=8192, octaves=5, persistence=0\.5\)/);
  await loadedTiles(page, (tile) => isPreview(tile) && tile.world !== before.world);
  await page.keyboard.press('End');
  await textOf(page, '.slider-row:nth-child(2) output', /^12$/);
  await page.click('.slider-row:nth-child(2) button');
  await textOf(page, '.slider-row:nth-child(2) output', /^4$/);
  assert.match(await editorText(page), /octaves=4/);
  assert.equal(await page.isVisible('.slider-row:nth-child(2) button'), false);
  await page.click('.lab [aria-label=Undo]');
  await textOf(page, '.slider-row:nth-child(2) output', /^12$/);
  /* Another formula has other sliders. */
  await number(page, '300').click();
  assert.deepEqual(await rows(page, 1), ['number 1 300']);
}));

test('without a cursor in a formula the sliders are those of the layer on the map', () => visit(async (page) => {
  await openHills(page);
  await page.tap('.sliders summary');
  await textOf(page, '.sliders', /Put the cursor into a formula/);
  await page.locator('.layer-list button', { hasText: 'hills' }).tap();
  await rows(page, 3);
}, PHONE));
