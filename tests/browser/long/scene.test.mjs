/* 3-D on the page: the eye goes anywhere, flies and walks, and fingers hit its buttons. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE, until, waitForHash } from '../browser.mjs';
import { TIMES, eyeAtRest, pageOfScenes } from '../scene.mjs';

const { server, visit } = pageOfScenes();

/* A tile of zoom 14 spans 2^11 m. The eye looks straight down on its place, so the ground below it is the place's. */
const down = (x, y) => `#terra/relief/14/${x}/${y}?pitch=0&bearing=0`;
const tileOf = (metres) => Math.floor((metres + 2 ** 24) / 2 ** 11);

async function checkPlace(page, tiles, x, y) {
  const { altitude, above } = await eyeAtRest(page);
  assert.ok(tiles.some((tile) => tile.style === 'relief' && tile.z === 14 && tile.x === tileOf(x) && tile.y === tileOf(y)));
  const { height, slope } = await (await fetch(`${server.url}/at?x=${x}&y=${y}&zoom=12`)).json();
  /* A sample of the mesh stands for 4 pixels: the vertices are 32 m apart, those of tiles of zoom 12. */
  const tolerance = 2 + 16 * Math.tan((slope * Math.PI) / 180);
  assert.ok(Math.abs(altitude - above - Math.max(0, height)) < tolerance, `${altitude} − ${above} m for ${height} m, slope ${slope}`);
}

test('the square moves with the eye: places have their tiles and heights at 2^40 m, and after a jump', TIMES, async () => {
  const [far, near] = [2 ** 40 - 5000000, 7000];
  await visit(down(far, -far), async (page, tiles) => {
    await checkPlace(page, tiles, far, -far);
    await page.click('#fold');
    await page.fill('#goto', `${near}, -${near}`);
    await page.press('#goto', 'Enter');
    await waitForHash(page, /\/7000\/-7000\?/);
    await until(page, () => document.querySelector('.still') === null);
    await checkPlace(page, tiles, near, -near);
  });
});

test('keys walk over the ground, at the height of a person', TIMES, () => visit('#terra/relief/17/-8600/-2740?pitch=90&bearing=90&walk=1', async (page) => {
  const start = await eyeAtRest(page);
  assert.ok(start.above > 1 && start.above < 3, `${start.above} m above the ground`);
  const readPlace = () => location.hash.split('?')[0].split('/').slice(3).map(Number);
  await page.focus('.maplibregl-canvas');
  await page.keyboard.down('Shift');
  await page.keyboard.down('w');
  await page.waitForTimeout(600);
  await page.keyboard.up('w');
  await page.keyboard.up('Shift');
  const [x, y] = await until(page, readPlace, null, ([east]) => east > -8599.9);
  assert.ok(Math.abs(y + 2740) < 0.02, `${x}, ${y} is due east`);
  const { above } = await eyeAtRest(page);
  assert.ok(above > 1 && above < 3, `${above} m above the ground`);
  const tapped = await page.evaluate(() => {
    for (const type of ['keydown', 'keyup']) {
      document.activeElement.dispatchEvent(new KeyboardEvent(type, { code: 'ArrowRight', bubbles: true }));
    }
    return document.querySelector('.compass svg').style.transform;
  });
  await until(page, () => document.querySelector('.compass svg').style.transform, null, (now) => now !== tapped);
  await page.keyboard.press('Escape');
  await until(page, () => location.hash.includes('walk'), null, (walks) => !walks);
  assert.equal(await page.getAttribute('#tool-scene', 'aria-pressed'), 'true');
  await page.keyboard.press('Escape');
  await until(page, () => location.hash.includes('?'), null, (scene) => !scene);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tool-scene');
}));

test('a phone has buttons that fingers hit', TIMES, () => visit('#terra/relief/16/-8600/-2740?pitch=60&bearing=20&walk=1&sun=9', async (page) => {
  await until(page, () => document.querySelector('.scene-steps')?.hidden === false);
  const boxes = await page.evaluate(() => [...document.querySelectorAll('.scene :is(button, select, input)')].map((button) => {
    const { left, top, right, bottom } = button.getBoundingClientRect();
    const below = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return { name: button.className, width: right - left, height: bottom - top, hit: button.contains(below) };
  }));
  assert.ok(boxes.length >= 11);
  for (const { name, width, height, hit } of boxes) assert.ok(width >= 40 && height >= 40 && hit, `${name}: ${width} × ${height}, ${hit}`);
}, { ...PHONE, deviceScaleFactor: 1 }));
