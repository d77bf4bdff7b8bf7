/* Statistics on the page: lengths within a ring and distributions by hand arithmetic; the drawer for worlds whose
 * shares are known, and what it says of rivers against /rivers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lengthWithin } from '../../server/viewer/stats/clip.js';
import { bandsOf, curveOf, summarize } from '../../server/viewer/stats/summary.js';
import { temporaryFolder } from '../tools/folder.mjs';
import { WIDE, pageOfFile, until, waitForHash, waitForText } from './browser.mjs';

/* A slope of half a metre a metre to the east: sea west of 0, two biomes of which one ends at 800 m. */
const folder = temporaryFolder({
  'slope.json': {
    generator: 1, seed: 7,
    layers: { height: { formula: '0.5 * x', unit: 'm' }, temperature: { formula: '20 - 0.01 * x', unit: '°C' } },
    biomes: [{ name: 'plain', title: 'Plain', color: '#7a6', when: 'x < 800' }, { name: 'alp', title: 'Alp', color: '#ccc' }],
  },
});
const { server, visit } = pageOfFile({ ...WIDE, words: ['--worlds', folder.path] });

const rows = (page, section, count) => until(page, (name) =>
  [...document.querySelectorAll(`.stats-${name} tbody tr`)].map((row) =>
    [...row.children].map((cell) => cell.textContent.replaceAll('\u202f', ' '))), section, (list) => list.length === count);
const percent = (text) => Number(text.replace(/[^\d.]/g, ''));
const near = (text, expected, error) => assert.ok(Math.abs(percent(text) - expected) <= error, `${text}: ${expected}`);

test('a line is as long within a ring as its parts there', () => {
  const square = [[0, 0], [10, 0], [10, 10], [0, 10]].map(([x, y]) => ({ x, y }));
  assert.equal(lengthWithin(square, [[-5, 5], [15, 5]]), 10);
  assert.equal(lengthWithin(square, [[1, 1], [4, 5], [4, 20]]), 10);
  assert.equal(lengthWithin(square, [[-5, -5], [-1, 30], [20, 30]]), 0);
  /* A U, open to the south, whose gap is 2 wide; also 2³⁹ m away. */
  const far = 2 ** 39;
  const shape = [[0, 0], [6, 0], [6, 6], [4, 6], [4, 2], [2, 2], [2, 6], [0, 6]].map(([x, y]) => ({ x: x + far, y }));
  assert.ok(Math.abs(lengthWithin(shape, [[far - 1, 4], [far + 9, 4]]) - 4) < 1e-9);
});

test('a distribution has the shares of its samples', () => {
  const layer = summarize(Float32Array.from({ length: 160 }, (_, i) => 159 - i), 'm');
  assert.deepEqual([layer.minimum, layer.maximum, layer.mean], [0, 159, 79.5]);
  assert.deepEqual(layer.percentiles, { 1: 1, 5: 7, 10: 15, 25: 39, 50: 79, 75: 119, 90: 143, 95: 151, 99: 158 });
  assert.deepEqual(layer.histogram, new Array(16).fill(10));
  const bands = bandsOf(layer);
  assert.deepEqual(bands[0], { from: 159 * 15 / 16, to: 159, share: 1 / 16, above: 1 / 16 });
  assert.deepEqual([bands.at(-1).from, bands.at(-1).above], [0, 1]);
  const curve = curveOf(layer);
  assert.deepEqual([curve[0], curve.at(-1)], [[0, 159], [1, 0]]);
  assert.ok(curve.some(([share, value]) => share === 0.5 && value === 79));
  assert.deepEqual(summarize(Float32Array.of(5, 5), '').histogram.slice(0, 2), [2, 0]);
});

/* 1280 pixels of 2 m: from −1280 to 1280 m. */
test('the view has its biomes, heights and climate, and is asked again only by its button', () => visit('#slope/height/16/0/0',
  async (page) => {
    const asked = [];
    page.on('request', (request) => request.url().includes('/stats?') && asked.push(request.url()));
    await page.focus('#tool-stats');
    await page.keyboard.press('Enter');
    const [[plain, most], [alp, least]] = await rows(page, 'biomes', 2);
    assert.deepEqual([plain, alp], ['Plain', 'Alp']);
    near(most, 81.25, 1);
    near(least, 18.75, 1);
    await waitForHash(page, '#slope/height/16/0/0?stats=view');
    assert.match(await page.textContent('.stats-results > p'), /^4\.096\u202fkm², 50\u202f% of it land\.$/);
    const [[name, mean]] = await rows(page, 'climate', 1);
    assert.deepEqual([name, Math.round(Number(mean))], ['Temperature, °C', 20]);
    assert.equal(await page.locator('.stats-distribution rect').count(), 16);
    assert.match(await page.getAttribute('.stats-distribution svg', 'aria-label'), /^Height from \u2212\d+\u202fm to \d+\u202fm/);
    const [top] = await rows(page, 'distribution', 16);
    near(top[1], 100 / 16, 1);
    await page.selectOption('#stats-layer', 'temperature');
    await waitForText(page, '.stats-distribution dl', /°C/);
    assert.equal(asked.length, 1);
    await page.evaluate(() => { location.hash = location.hash.replace('/0/0', '/5000/0'); });
    await waitForText(page, '#stats-status', /another part now/);
    assert.equal(asked.length, 1);
    await page.click('#stats-view');
    await rows(page, 'biomes', 1);
    assert.equal(asked.length, 2);
    assert.equal(await page.inputValue('#stats-layer'), 'temperature');
    await page.keyboard.press('Escape');
    await waitForHash(page, '#slope/height/16/5000/0');
    assert.equal(await page.locator('.stats-outline').count(), 0);
  }));

/* A triangle whose half lies beyond 800 m: its top, a similar one of half the height. */
test('a measured area has statistics of what lies within its border', () => visit(
  '#slope/height/14/0/0?measure=area_0_-1000_1600_0_0_1000', async (page) => {
    await page.click('#measure-stats');
    const found = await rows(page, 'biomes', 2);
    near(found.find(([name]) => name === 'Plain')[1], 75, 1);
    near(found.find(([name]) => name === 'Alp')[1], 25, 1);
    await waitForHash(page, '#slope/height/14/0/0?stats=area_0_-1000_1600_0_0_1000');
    assert.match(await page.textContent('.stats-results > p'), /^1\.6\u202fkm², 100\u202f% of it land\.$/);
    /* The centroid lies at a third of the height: 533 m, 267 m up. */
    near(await page.textContent('.stats-distribution dl dd:nth-of-type(3)'), 267, 3);
    await page.evaluate(() => { location.hash = location.hash.replace(/\?.*/, '?stats=area_0_0_9_9_9_0_0_9'); });
    await waitForText(page, '#stats-status', /crosses itself/);
  }));

test('rivers have the length that /rivers gives for lines of a wide view', () => visit(
  '#terra/relief/10/-1200000/300000?stats=view', async (page) => {
    const list = await rows(page, 'rivers', 5);
    const text = (await page.textContent('.stats-rivers p')).replaceAll('\u202f', '');
    const [, total, count, least] = /^([\d.]+)km of (\d+) rivers that drain at least (\d+)km²/.exec(text);
    const corner = { x: 640 * 128, y: 400 * 128 };
    const bbox = [-1200000 - corner.x, 300000 - corner.y, -1200000 + corner.x, 300000 + corner.y];
    const { rivers } = await (await fetch(
      `${server.url}/worlds/terra/rivers?bbox=${bbox}&min_flow=${least * 1e6}`)).json();
    /* Midpoints of short steps that lie in the rectangle, in place of the crossings. */
    const isIn = (x, y) => x > bbox[0] && x < bbox[2] && y > bbox[1] && y < bbox[3];
    let metres = 0;
    for (const { line } of rivers) {
      line.slice(1).forEach(([x, y], i) => {
        const [a, b] = line[i];
        for (let k = 0.5; k < 16; k++) {
          if (isIn(a + (x - a) * k / 16, b + (y - b) * k / 16)) metres += Math.hypot(x - a, y - b) / 16;
        }
      });
    }
    assert.ok(Number(count) > 5 && Number(count) <= rivers.length && list[0].length === 3, count);
    assert.ok(Math.abs(Number(total) * 1000 - metres) < 0.002 * metres + 500, `${total} km, ${metres} m`);
    assert.ok(await page.$eval('.drawer-body', (body) => body.scrollWidth <= body.clientWidth), 'no table is cut');
    /* Closed while it waits for names, it ends its questions without an error. */
    await page.route(/\/(labels|rivers)\?/, () => {});
    await page.click('#stats-view');
    await waitForText(page, '.stats-results', /Asking for rivers/);
    await page.click('#drawer-close');
    assert.equal(await page.isVisible('#drawer'), false);
    await page.waitForTimeout(50);
  }));

test('a refusal of the server is shown in its words', () => visit('#slope/height/16/0/0', async (page) => {
  await page.route(/\/stats\?/, (route) => route.fulfill({ status: 413, contentType: 'application/problem+json',
    body: JSON.stringify({ detail: 'so many samples are too much for one answer' }) }));
  await page.click('#tool-stats');
  await until(page, () => document.querySelector('#stats-status') !== null);
  await waitForText(page, '#stats-status', /^So many samples are too much for one answer$/);
}, { expected: /413/ }));
