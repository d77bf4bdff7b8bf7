/* The page in the language of the browser, and in the one that is chosen. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loadedTiles, pageOfFile, until, waitForText } from './browser.mjs';

const { visit } = pageOfFile({ locale: 'de-AT' });
const HASH = '#highlands/relief/8/1000/2000';
const languageOf = (page) => page.evaluate(() => document.documentElement.lang);

it('speaks the language of the browser, and keeps another one that is chosen', () => visit(HASH, async (page) => {
  await waitForText(page, '#world-label', /^Welt$/);
  assert.equal(await languageOf(page), 'de');
  assert.equal(await page.getAttribute('#goto', 'placeholder'), 'Name, Biom, x, y');
  assert.equal(await page.getAttribute('.leaflet-control-zoom-in', 'title'), 'Hineinzoomen');
  await loadedTiles(page);
  await page.fill('#goto', 'hight>1');
  await page.press('#goto', 'Enter');
  await waitForText(page, '#status', /^Das kennt der Server nicht: .*hight/);
  await page.click('#toolbar button[title="Über"]');
  await Promise.all([page.waitForEvent('load'), page.selectOption('#language', 'en')]);
  await waitForText(page, '#world-label', /^World$/);
  assert.equal(await languageOf(page), 'en');
  assert.equal(await until(page, () => location.hash), HASH);
  await page.reload();
  await waitForText(page, '#world-label', /^World$/);
}, { expected: /status of 40\d/ }));
