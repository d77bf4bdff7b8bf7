/* Two maps side by side: what the address says of the left one, the drawer, and that both move together. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherText, parseOther } from '../../server/viewer/compare/other.js';
import { PHONE, WIDE, loadedTiles, pageOfFile, parseTile, until, waitForHash, waitForText } from './browser.mjs';

const { visit } = pageOfFile(WIDE);
const nothing = { world: null, seed: null, style: null, time: null };
const beside = async (page, accept) => (await until(page, () =>
  [...document.querySelectorAll('.leaflet-beside-pane img')].map((image) => (image.complete ? image.getAttribute('src') : '')),
null, (tiles) => tiles.length > 0 && tiles.every((src) => src && accept(src)))).map(parseTile);
const texts = (page) => page.evaluate(() => [...document.querySelectorAll('.swipe:not([hidden]) span')].map((span) => span.textContent));

test('what is compared with is written to the address and read from it', () => {
  for (const [text, other] of [
    ['terra~7', { ...nothing, world: 'terra', seed: '7' }], ['/biome', { ...nothing, style: 'biome' }],
    ['//12.5', { ...nothing, time: 12.5 }], ['fire/fire/-3', { ...nothing, world: 'fire', style: 'fire', time: -3 }],
    ['w~a%7E%2Fb', { ...nothing, world: 'w', seed: 'a~/b' }],
  ]) {
    assert.deepEqual(parseOther(text), other);
    assert.equal(otherText(other), text);
  }
  for (const bad of ['~7', 'a/b/c', 'a/b/1/2', '%E0', '//1e3']) assert.equal(parseOther(bad), null, bad);
});

test('an address shows both maps, which move together', () => visit('#dunes/relief/9/0/0?beside=dunes~77', async (page) => {
  const right = (await loadedTiles(page)).find(({ world }) => world === 'dunes');
  const left = await beside(page, (src) => src.startsWith('worlds/dunes~77@'));
  assert.ok(left.every(({ fingerprint, style, z }) => fingerprint !== right.fingerprint && style === 'relief' && z === 9));
  assert.deepEqual(await texts(page), ['seed 77', 'seed 24']);
  /* Names are those of the right side, from the divider on. */
  await until(page, () => document.querySelector('.leaflet-names-pane')?.style.clip, null, (clip) => /^rect\(.*, 99999px, /.test(clip));
  await page.focus('#map');
  await page.keyboard.press('+');
  await beside(page, (src) => /relief[^/]*\/10\//.test(src));
  await page.selectOption('#style', 'contour');
  await beside(page, (src) => src.includes('/contour'));
  const handle = page.locator('.swipe:not([hidden]) .swipe-handle');
  const box = await handle.boundingBox();
  await page.mouse.move(box.x + 21, box.y + 21);
  await page.mouse.down();
  await page.mouse.move(320, 400);
  await page.mouse.up();
  assert.equal(await handle.getAttribute('aria-valuenow'), '25');
  await page.click('#chips [aria-label^="Remove"]');
  await waitForHash(page, /^#dunes\/contour\/10\/[^?]*$/);
  assert.equal(await page.locator('.leaflet-beside-pane img').count(), 0);
}));

test('the drawer chooses seed, style and world, swaps sides and ends, by keys', () => visit('#dunes/relief/9/0/0', async (page) => {
  await loadedTiles(page);
  await page.focus('#tool-compare');
  await page.keyboard.press('Enter');
  await page.locator('#compare-seed').fill('4');
  await page.keyboard.press('Enter');
  await waitForHash(page, '#dunes/relief/9/0/0?beside=dunes%7E4');
  await page.selectOption('#compare-style', 'biome');
  await beside(page, (src) => /dunes~4@.*\/biome/.test(src));
  await page.click('#compare-swap');
  await waitForHash(page, /^#dunes~4\/biome\/9\/0\/0\?beside=dunes%2Frelief$/);
  await beside(page, (src) => /dunes@.*\/relief/.test(src));
  assert.ok((await loadedTiles(page)).some(({ world, style }) => world === 'dunes~4' && style === 'biome'));
  await page.selectOption('#compare-world', 'fire');
  await beside(page, (src) => src.startsWith('worlds/fire@'));
  assert.ok((await texts(page))[0].startsWith('Fire'));
  await page.focus('#compare-end');
  await page.keyboard.press('Enter');
  await waitForHash(page, '#dunes~4/biome/9/0/0');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'compare-dice');
  await page.selectOption('#compare-style', '');
  await waitForText(page, '#compare-status', /choose another seed/);
}));

test('moments are compared, what the server refuses is said, and phones can do it', () => visit(
  '#fire/fire/9/0/0?t=1&beside=//3', async (page) => {
    await beside(page, (src) => src.endsWith('?t=3'));
    assert.deepEqual(await texts(page), ['3\u202fs', '1\u202fs']);
    await page.locator('.swipe:not([hidden]) .swipe-handle').tap();
    await page.evaluate(() => { location.hash = location.hash.replace(/beside=.*/, 'beside=nowhere'); });
    await waitForText(page, '#status', /^Not compared: /);
    assert.equal(await page.isVisible('.swipe'), false);
    await page.evaluate(() => { location.hash = location.hash.replace('nowhere', 'a/b/c'); });
    await waitForText(page, '#status', /no valid world to compare with/);
  }, { ...PHONE, expected: /404/ }));
