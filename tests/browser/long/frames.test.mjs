/* 3-D on the page where frames are slow: the picture that moves has fewer pixels. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../browser.mjs';
import { TIMES, eyeAtRest, pageOfScenes } from '../scene.mjs';

const WIDTH = 660;
const { visit } = pageOfScenes();

test('where frames are slow the moving picture has fewer pixels, gestures go on, and at rest it has all of them', TIMES, () => visit('#terra/relief/12/-8600/-2740?pitch=60&bearing=0', async (page) => {
  await eyeAtRest(page);
  await page.evaluate(() => {
    const work = () => {
      for (const end = performance.now() + 80; performance.now() < end;);
      if (!globalThis.rested) requestAnimationFrame(work);
    };
    requestAnimationFrame(work);
  });
  const width = () => document.querySelector('.maplibregl-canvas').width;
  assert.equal(await page.evaluate(width), WIDTH);
  const bearing = () => document.querySelector('.compass svg').style.transform;
  await page.mouse.move(330, 150);
  await page.mouse.down({ button: 'right' });
  for (let step = 1; await page.evaluate(width) > 0.8 * WIDTH; step += 1) {
    await page.mouse.move(330 + step % 100, 150);
    await page.waitForTimeout(60);
  }
  const turned = await page.evaluate(bearing);
  await page.mouse.move(600, 150, { steps: 4 });
  await until(page, bearing, null, (now) => now !== turned);
  await page.mouse.up({ button: 'right' });
  await page.evaluate(() => { globalThis.rested = true; });
  await until(page, width, null, (pixels) => pixels === WIDTH);
}, { viewport: { width: WIDTH, height: 420 } }));
