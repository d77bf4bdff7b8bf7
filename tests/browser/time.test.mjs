/* Time: worlds that move, play, and the address. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE, loadedTiles, pageOfFile, until, waitForHash, waitForText } from './browser.mjs';

const { visit } = pageOfFile();

const timeOf = (src) => Number(/\?t=(.*)/.exec(src)?.[1] ?? 0);
/* The moments of the tiles on the map. */
const shown = (page) => page.evaluate(() => [...new Set([...document.querySelectorAll('.leaflet-layer:not(.backdrop) img.leaflet-tile')]
  .map((image) => /\?t=(.*)/.exec(image.getAttribute('src'))?.[1] ?? '0'))].map(Number));
const opened = async (page) => {
  await loadedTiles(page);
  await page.click('#tool-time');
  await until(page, () => document.querySelector('#time-play') !== null);
};

test('worlds that move have the tool, others do not', () => visit('#terra/relief/6/0/0', async (page) => {
  await loadedTiles(page);
  assert.equal(await page.isVisible('#tool-time'), false);
  const follow = (hash) => page.evaluate((wanted) => { location.hash = wanted; }, hash);
  await follow('fire/fire/6/0/0');
  await until(page, () => !document.querySelector('#tool-time').hidden);
  await follow('terra/relief/6/0/0');
  await until(page, () => document.querySelector('#tool-time').hidden);
}));

test('play shows a moment when all its tiles have come, and pause puts it into the address', () => visit('#fire/fire/9/0/0', async (page) => {
  await opened(page);
  assert.equal(await page.inputValue('#time-step'), '0.2', 'the fastest noise of the world takes 9 s');
  await page.selectOption('#time-step', '1');
  const held = [];
  await page.route(/\?t=2$/, (route) => held.push(route));
  await page.click('#time-play');
  await until(page, () => document.querySelector('#time-seconds').value === '1');
  while (held.length < 4) await page.waitForTimeout(20);
  await page.waitForTimeout(400);
  assert.deepEqual(await shown(page), [1], 'tiles of 2 s are under way');
  for (const route of held.splice(0)) await route.continue();
  await page.unroute(/\?t=2$/);
  await until(page, () => Number(document.querySelector('#time-seconds').value) >= 3);
  assert.doesNotMatch(await page.evaluate(() => location.hash), /t=/);
  await page.click('#time-play');
  const moment = Number(await page.inputValue('#time-seconds'));
  await waitForHash(page, new RegExp(`[?&]t=${moment}$`));
  await loadedTiles(page, ({ src }) => timeOf(src) === moment);
  assert.equal(await page.getAttribute('#time-play', 'aria-label'), 'Play');
}));

test('play ends at a moment whose tiles do not come', () => visit('#fire/fire/9/0/0', async (page) => {
  await opened(page);
  await page.selectOption('#time-step', '1');
  await page.route(/\?t=3$/, (route) => route.abort());
  await page.click('#time-play');
  await waitForText(page, '.tool.time [role=status]', /Some tiles of 3 s did not come/);
  assert.equal(await page.getAttribute('#time-play', 'aria-label'), 'Play');
  assert.equal(await page.inputValue('#time-seconds'), '2');
  await waitForHash(page, /t=2$/);
}, { expected: /Failed to load resource/ }));

test('play goes on behind a closed drawer, and a chip on the map says so and pauses it', () => visit('#fire/fire/9/0/0', async (page) => {
  await opened(page);
  await page.click('#time-play');
  assert.equal(await page.isVisible('[data-chip=time]'), false, 'the drawer says it');
  await page.click('#drawer-close');
  const [before] = await shown(page);
  await until(page, (earlier) => [...document.querySelectorAll('.leaflet-layer:not(.backdrop) img.leaflet-tile')]
    .some((image) => Number(/t=(.*)/.exec(image.src)?.[1] ?? 0) > earlier), before);
  await page.getByRole('button', { name: 'Pause: Time plays' }).click();
  await waitForHash(page, /[?&]t=[\d.]+$/);
  assert.equal(await page.locator('[data-chip=time]').count(), 0);
  await page.click('#tool-time');
  assert.equal(await page.getAttribute('#time-play', 'aria-label'), 'Play');
}));

/* The tiles of the moment come when another world is shown, or another moment by Back. */
test('a moment that was wanted of another world, or before Back, does not come later', () => visit('#fire/fire/9/0/0', async (page) => {
  await opened(page);
  const held = [];
  await page.route(/\?t=8$/, (route) => held.push(route));
  const want = async () => {
    await page.fill('#time-seconds', '8');
    await page.press('#time-seconds', 'Enter');
    while (held.length < 4) await page.waitForTimeout(20);
  };
  const follow = async (hash, address) => {
    await page.evaluate((wanted) => { location.hash = wanted; }, hash);
    await loadedTiles(page, ({ src }) => src.includes(address));
    for (const route of held.splice(0)) await route.continue();
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => location.hash), hash);
  };
  await want();
  await follow('#fire/fire/9/0/0?t=3', 't=3');
  await want();
  await follow('#clouds/clouds/7/0/0', 'clouds@');
}));

test('a world that is chosen while another one plays begins at its own moment', () => visit('#fire/fire/9/0/0', async (page) => {
  await opened(page);
  await page.click('#time-play');
  await until(page, () => Number(document.querySelector('#time-seconds').value) > 0);
  await page.evaluate(() => { location.hash = '#clouds/clouds/7/0/0'; });
  await loadedTiles(page, ({ world, src }) => world === 'clouds' && !src.includes('t='));
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => location.hash), '#clouds/clouds/7/0/0');
}));

test('an address has its moment; the slider and the number choose another', () => visit('#clouds/clouds/7/0/0?t=1234.5', async (page) => {
  await loadedTiles(page, ({ src }) => timeOf(src) === 1234.5);
  await page.click('#tool-time');
  await until(page, () => document.querySelector('#time-seconds')?.value === '1234.5');
  await page.fill('#time-seconds', '60');
  await page.press('#time-seconds', 'Enter');
  await waitForHash(page, /t=60$/);
  await loadedTiles(page, ({ src }) => timeOf(src) === 60);
  await page.focus('#time-slider');
  await page.keyboard.press('ArrowRight');
  await waitForHash(page, /t=70$/); /* a step of 10 s: the fastest noise takes 600 s */
  await page.fill('#time-seconds', '1e12');
  await page.press('#time-seconds', 'Enter');
  assert.equal(await page.inputValue('#time-seconds'), '70');
}));

test('nothing plays by itself, and a map that does not move says which do', () => visit('#fog/ground/7/0/0', async (page) => {
  await opened(page);
  await waitForText(page, '.tool.time [role=status]', /does not move.*fog/i);
  assert.equal(await page.isDisabled('#time-play'), true);
  await page.selectOption('#style', 'fog');
  await waitForText(page, '.tool.time [role=status]', /^$/);
  assert.equal(await page.isDisabled('#time-play'), false);
  await page.waitForTimeout(600);
  assert.equal(await page.inputValue('#time-seconds'), '0');
}, { reducedMotion: 'reduce' }));

test('on a phone the controls are large enough for fingers', () => visit('#fire/fire/8/0/0', async (page) => {
  await opened(page);
  for (const control of ['#time-play', '#time-seconds', '#time-step', '#time-slider']) {
    const { height } = await page.locator(control).boundingBox();
    assert.ok(height >= 40, `${control}: ${height}`);
  }
}, PHONE));
