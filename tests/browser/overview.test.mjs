/* The small map of the surroundings. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE, WIDE, loadedTiles, pageOfFile, until, waitForHash } from './browser.mjs';

const { visit } = pageOfFile(WIDE);
const small = (page, accept) => until(page, () => [...document.querySelectorAll('.overview-map img')]
  .map((image) => (image.complete && image.naturalWidth > 0 ? image.getAttribute('src') : '')), null,
(tiles) => tiles.length > 0 && tiles.every((src) => src && accept(src)));
const centre = (page) => page.evaluate(() => location.hash.split('?')[0].split('/').slice(3).map(Number));

test('a switch shows the surroundings with a frame; clicks and keys on it move the map', () => visit('#dunes/relief/9/0/0', async (page) => {
  await loadedTiles(page);
  assert.equal(await page.locator('#overview').count(), 0);
  await page.focus('#overview-switch');
  await page.keyboard.press('Space');
  await waitForHash(page, '#dunes/relief/9/0/0?overview=1');
  await small(page, (src) => /relief[^/]*\/4\//.test(src));
  /* 1280 × 800 pixels of the window, five zooms out: 40 × 25. */
  const frame = await page.locator('.overview-frame').boundingBox();
  assert.deepEqual([frame.width, frame.height], [40, 25]);
  const box = await page.locator('.overview-map').boundingBox();
  assert.ok(Math.abs(frame.x + 20 - box.x - box.width / 2) < 1.5, 'the frame is in the middle');
  /* A pixel of zoom 4 is 8192 m. */
  await page.mouse.click(box.x + box.width / 2 + 30, box.y + box.height / 2 - 10);
  const [x, y] = await centre(page);
  assert.ok(Math.abs(x - 30 * 8192) <= 8192 && Math.abs(y + 10 * 8192) <= 8192, `${x}, ${y}`);
  await page.focus('#overview');
  await page.keyboard.press('ArrowLeft');
  const [moved] = await centre(page);
  assert.ok(Math.abs(x - moved - 0.1 * box.width * 8192) <= 8192, `${x}, ${moved}`);
  await page.selectOption('#style', 'slope');
  await page.evaluate(() => { /* two at once: the first never comes, and none of its tiles or of those before stays */
    const style = document.querySelector('#style');
    for (style.value of ['contour', 'biome']) style.dispatchEvent(new Event('change'));
  });
  await small(page, (src) => src.includes('/biome'));
  await page.setViewportSize({ width: 1280, height: 600 });
  const [panel, over] = await Promise.all(['#panel', '#overview'].map((id) => page.locator(id).boundingBox()));
  assert.ok(panel.y + panel.height < over.y, 'the panel scrolls above it');
  await page.uncheck('#overview-switch');
  await waitForHash(page, /^[^?]*$/);
  assert.equal(await page.isVisible('#overview'), false);
}));

test('an address opens it, on phones, too, and 0 is the farthest zoom', () => visit('#dunes/relief/2/0/0?overview=1', async (page) => {
  await small(page, (src) => /relief[^/]*\/0\//.test(src));
  await page.tap('#overview');
}, PHONE));
