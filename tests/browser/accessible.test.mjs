/* axe finds nothing to complain of on the page, in the gallery and in every tool: in light and dark,
 * on a desktop and on a phone, both of each in the long run. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { amount } from '../tools/amount.mjs';
import { PHONE, loadedTiles, pageOfFile, until } from './browser.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const { visit } = pageOfFile();

/* What axe says of the page as it is, when nothing fades or slides any more. */
async function complaints(page) {
  await until(page, () => document.getAnimations().every(({ playState, effect }) =>
    playState !== 'running' || effect.getComputedTiming().endTime === Infinity));
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html, any }) =>
      `${id}: ${help}: ${html.slice(0, 160)} ${any.map(({ message }) => message).join('; ')}`));
  });
}

/* The buttons that open something: those of the toolbar, and two of the panel. */
const buttons = (page) => page.evaluate(() =>
  [...document.querySelectorAll('#toolbar button:not([hidden]), #world, #seeds')].map(({ id }) => id));

/* Presses a button by the keyboard, and waits until what it opens has come. */
async function press(page, id) {
  await page.focus(`#${id}`);
  await page.keyboard.press('Enter');
  await until(page, () => document.querySelector('.tool') && !document.querySelector('.tool[aria-busy]'));
}

const sizes = { desktop: { viewport: { width: 1024, height: 640 } }, phone: { ...PHONE, deviceScaleFactor: 1 } };
const usual = [['desktop', 'light'], ['phone', 'dark']];
for (const [size, colorScheme] of amount(usual, [...usual, ['desktop', 'dark'], ['phone', 'light']]))
  test(`no violations on a ${size} in ${colorScheme} colours`, { timeout: 120_000 }, () =>
    visit('#fire/relief/4/0/0', async (page) => {
      await loadedTiles(page);
      await page.evaluate(axe);
      await page.evaluate(() => { /* axe does not look at what the processor would draw in 3-D */
        for (const name of ['drawElements', 'drawArrays']) WebGL2RenderingContext.prototype[name] = () => {};
      });
      if (size === 'phone') await page.click('#fold');
      const found = { page: await complaints(page) };
      await page.fill('#goto', 'fire');
      await until(page, () => document.querySelectorAll('#search-list [role=option]').length > 0);
      found.search = await complaints(page);
      await page.press('#goto', 'Escape');
      const opened = await buttons(page);
      assert.ok(opened.length >= 8 && opened.includes('world'), opened.join());
      for (const id of opened) {
        await press(page, id);
        found[id] = await complaints(page);
        if (await page.getAttribute(`#${id}`, 'aria-pressed') === 'true') await press(page, id); /* leaves a mode */
      }
      assert.deepEqual(Object.entries(found).filter(([, list]) => list.length > 0), []);
    }, { ...sizes[size], colorScheme, expected: /WebGL/ }));
