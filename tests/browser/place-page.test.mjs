/* Pages of places, /w/WORLD?x=…&y=…: the map where scripts run, a picture and a table where they do not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE, loadedTiles, pageOfFile, waitForHash, waitForText } from './browser.mjs';

const { open, server } = pageOfFile();
const path = 'w/terra~7?x=5000&y=-7000&zoom=12&style=biome';

test('a page of a place becomes the map at that place', () => open(`${server.url}/${path}`, async (page) => {
  await loadedTiles(page, ({ z }) => z === 12);
  await waitForHash(page, '#terra~7/biome/12/5000/-7000');
  assert.equal(page.url(), `${server.url}/#terra~7/biome/12/5000/-7000`);
  await waitForText(page, '#world-title', /^Terra$/);
}));

test('what tools keep in a link stands behind the #', () => open(
  `${server.url}/${path}#terra~7/biome/12/5000/-7000?pin=5000,-7000,Camp`, async (page) => {
    await loadedTiles(page);
    await waitForText(page, '.pin-name', /^Camp$/);
    assert.ok(page.url().startsWith(`${server.url}/#terra~7/biome/12/5000/-7000`), page.url());
  }));

test('a link that was copied leads back to the view', () => open(`${server.url}/#terra/relief/9/-5524729/-12529825`, async (page) => {
  await loadedTiles(page);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.click('#link');
  await waitForText(page, '#status', /^Link copied\.$/);
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, `${server.url}/w/terra?x=-5524729&y=-12529825&zoom=9&style=relief`);
  await page.goto(link);
  await loadedTiles(page);
  await waitForHash(page, '#terra/relief/9/-5524729/-12529825');
}));

for (const size of [{}, PHONE]) {
  test(`without scripts there are a picture and a table${size === PHONE ? ', on a phone too' : ''}`, () => open(`${server.url}/${path}`, async (page) => {
    const image = page.locator('.place-page img');
    await image.waitFor();
    assert.deepEqual(await image.evaluate(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight]), [1200, 630]);
    const rows = await page.locator('.place-page th').allTextContents();
    assert.deepEqual(rows.slice(0, 2), ['Place', 'Height']);
    const { width } = await page.locator('.place-page').evaluate((plain) => ({ width: plain.scrollWidth - plain.clientWidth }));
    assert.equal(width, 0, 'nothing is cut off');
  }, { ...size, javaScriptEnabled: false }));
}
