/* The slider of the hour changes the light of the scene. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import png from 'pngjs';
import { until, waitForHash } from '../browser.mjs';
import { TIMES, eyeAtRest, pageOfScenes } from '../scene.mjs';

const { visit } = pageOfScenes();

/* Of a part of the picture, when it is what `accept` wants. */
async function brightness(page, accept = () => true) {
  for (let left = 20; ; left -= 1) {
    const found = await meanOf(page);
    if (accept(found) || left === 0) return found;
    await page.waitForTimeout(200);
  }
}
async function meanOf(page) {
  const { data } = png.PNG.sync.read(await page.screenshot({ clip: { x: 255, y: 130, width: 80, height: 50 } }));
  return data.reduce((sum, part, i) => (i % 4 === 3 ? sum : sum + part), 0) / (0.75 * data.length);
}

test('a slider makes it night, by keys, and the button beside it gives the day back', TIMES, () => visit(
  '#terra/relief/14/-8600/-2740?pitch=60&bearing=0', async (page) => {
    await eyeAtRest(page);
    const day = await brightness(page);
    const slider = page.locator('.sun input');
    await slider.focus();
    await page.keyboard.press('End');
    await waitForHash(page, /&sun=24$/);
    await eyeAtRest(page);
    const night = await brightness(page, (mean) => mean < 0.6 * day);
    assert.ok(night < 0.6 * day, `${night} of ${day}`);
    assert.equal(await slider.getAttribute('aria-valuetext'), '24:00');
    await page.click('.sun button');
    await waitForHash(page, /bearing=0$/);
    await eyeAtRest(page);
    const again = await brightness(page, (mean) => Math.abs(mean - day) < 3);
    assert.ok(Math.abs(again - day) < 3, `${again}, not ${day}`);
    assert.equal(await until(page, () => document.activeElement.type), 'range');
  }));
