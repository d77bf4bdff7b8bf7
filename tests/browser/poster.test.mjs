/* The poster: papers, scales and grids by arithmetic; then one sheet as a picture and for the printer. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import png from 'pngjs';
import { cellSizes, cellsOf, columnLetters } from '../../server/viewer/poster/cells.js';
import { SCALES, areaAt, fitted, isWithin, layOut, paperSize, pictureSize, roundDown, scaleBar, scaleOf } from '../../server/viewer/poster/paper.js';
import { WIDE, download, pageOfFile, until, waitForHash, waitForText } from './browser.mjs';

const { visit } = pageOfFile(WIDE);

/* ISO 216; an inch is 25.4 mm and 96 pixels of CSS. */
it('papers have the sizes of ISO 216', () => {
  for (const [name, long, short] of [['A4', 297, 210], ['A3', 420, 297], ['A2', 594, 420]]) {
    const paper = paperSize(name, true);
    assert.deepEqual(paper.millimetres, [long, short]);
    const { width, height } = pictureSize(paper, paper, 254);
    assert.deepEqual([width, height], [long * 10, short * 10]);
    assert.deepEqual(paperSize(name, false).millimetres, [short, long]);
  }
});

it('what lies on a sheet lies within it, from top to bottom', () => {
  const paper = paperSize('A4', false);
  const { head, map, foot, legend } = layOut(paper, 120);
  const order = [head, map, foot, legend];
  order.slice(1).forEach((box, i) => assert.ok(order[i].top + order[i].height <= box.top));
  assert.ok(head.top > 0 && legend.top + legend.height < paper.height && map.height > 700);
  assert.ok(layOut(paper, 0).map.height > map.height + 120);
});

it('a rectangle keeps its middle and takes a shape', () => {
  assert.deepEqual(fitted({ west: 0, north: 0, east: 300, south: 100 }, { width: 20, height: 10 }),
    { west: 50, north: 0, east: 250, south: 100 });
  assert.deepEqual(pictureSize({ width: 960, height: 480 }, { magnified: 2 }, 96, 4096), { width: 1920, height: 960 });
  assert.deepEqual(pictureSize({ width: 960, height: 480 }, { magnified: 1 }, 960, 4096), { width: 4096, height: 2048 });
});

/* 1 km a pixel of CSS is 96 km an inch: 1 : 3.7795 million. A unit of 1.6 pixels makes it 1 : 2.3622 million. */
it('scales are round', () => {
  assert.deepEqual([0.7, 1, 4.9, 5, 99, 100, 230].map(roundDown), [0.5, 1, 2, 5, 50, 100, 200]);
  assert.deepEqual(scaleBar(30, 200), { metres: 5000, units: 500 / 3 });
  assert.equal(scaleOf(1000, { magnified: 1 }), 3800000);
  assert.equal(scaleOf(1000, { magnified: 1.6 }), 2400000);
});

/* 5 cm are 50 units of a millimetre: 5 km of ground at 1 : 100 000, on every paper. */
it('a scale holds on every paper', () => {
  assert.deepEqual([SCALES.at(0), SCALES.at(-1)], [25000, 5000000]);
  for (const [name, unitMm] of [['A4', 25.4 / 96], ['A3', 1.25 * 25.4 / 96], ['A2', 1.6 * 25.4 / 96]]) {
    const paper = paperSize(name, false);
    for (const scale of SCALES) {
      const area = areaAt(scale, { x: 1000, y: -7000 }, { width: 50 / unitMm, height: 20 / unitMm }, paper);
      const [wide, high] = [area.east - area.west, area.south - area.north];
      assert.ok(Math.abs(wide / (scale / 20) - 1) < 1e-9 && Math.abs(high / (scale / 50) - 1) < 1e-9, `${name} ${scale}`);
      assert.ok(Math.abs(area.east + area.west - 2000) < 1e-6 && Math.abs(area.north + area.south + 14000) < 1e-6);
      const perUnit = wide / (50 / unitMm);
      assert.equal(scaleOf(perUnit, paper), scale);
      const { metres, units } = scaleBar(perUnit, 200);
      assert.ok(Math.abs(metres * 1000 / (units * unitMm) / scale - 1) < 1e-9, 'the bar is as long as it says');
    }
  }
  assert.ok(isWithin(box, { ...box, east: 701 }) && !isWithin(box, { ...box, west: 1 }));
});

const numbered = (...cells) => cellsOf(...cells).filter(({ label }) => label !== '');
const box = { west: 0, north: 0, east: 700, south: 400 };

it('squares are lettered across and numbered down, and keep to the origin of the world', () => {
  const cells = numbered('squares', 100, box);
  assert.equal(cells.length, 7 * 4);
  assert.deepEqual(cells.find(({ label }) => label === 'C2').corners, [[200, 100], [300, 100], [300, 200], [200, 200]]);
  const moved = numbered('squares', 100, { west: -30, north: -1030, east: 670, south: -630 });
  assert.deepEqual([moved[0].label, moved[0].x, moved[0].y], ['A1', 50, -950]);
  assert.deepEqual([0, 25, 26, 51, 701, 702].map(columnLetters), ['A', 'Z', 'AA', 'AZ', 'ZZ', 'AAA']);
});

/* A hex 100 m high has sides of 100/√3 m; columns are 1.5 sides apart, every other one half a hex lower. */
it('hexes are numbered by column and row', () => {
  const cells = numbered('hexes', 100, box);
  const at = (label) => cells.find((cell) => cell.label === label);
  assert.deepEqual(['0101', '0104', '0201', '0701'].map((label) => [Math.round(at(label).x * 10) / 10, at(label).y]),
    [[86.6, 50], [86.6, 350], [173.2, 100], [606.2, 50]]);
  assert.equal(cells.length, 4 * 4 + 3 * 3); /* columns of four and of three */
  assert.equal(new Set(cells.map(({ label }) => label)).size, cells.length);
  const [[x0, y0], [x1, y1]] = at('0302').corners;
  assert.ok(Math.abs(Math.hypot(x1 - x0, y1 - y0) - 100 / Math.sqrt(3)) < 1e-9);
});

it('sizes of cells suit the sheet', () => {
  assert.deepEqual(cellSizes({ west: 0, east: 640000 }), { sizes: [20000, 50000, 100000, 200000], usual: 50000 });
});

it('a sheet is saved as a picture, and printed on its paper', () => visit('#highlands/relief/9/0/0', async (page) => {
  await page.click('#toolbar button[title="Poster"]');
  await page.fill('#poster-title', 'For tonight');
  await page.selectOption('#poster-grid', 'hexes');
  const { name, bytes } = await download(page, '#poster-save');
  assert.match(name, /^highlands-\d+-x.*-relief-A4\.png$/);
  const { width, height, data } = png.PNG.sync.read(bytes);
  assert.deepEqual([width, height], [1754, 1240]); /* A4 across, 150 pixels an inch */
  assert.deepEqual([...data.subarray(0, 3)], [255, 255, 255], 'the margin is white');
  const middle = 4 * (600 * width + 877);
  assert.notDeepEqual([...data.subarray(middle, middle + 3)], [255, 255, 255], 'the map is not');
  assert.equal(bytes.toString('latin1', 37, 41), 'pHYs');
  assert.deepEqual([bytes.readUInt32BE(41), bytes.readUInt32BE(45), bytes[49]], [5906, 5906, 1]); /* 150 / 0.0254 m */
  await waitForText(page, '#poster-status', /is saved/);

  await page.selectOption('#poster-paper', 'A3');
  await page.selectOption('#poster-way', 'portrait');
  await page.selectOption('#poster-scale', '50000');
  await waitForHash(page, /\/relief\/1[12]\//); /* 25 cm are 12.5 km: some 700 pixels of 16 or 32 m */
  await waitForText(page, '#poster-hint', /move the map/);
  await page.evaluate(() => { window.print = () => {}; }); /* the dialog */
  await page.click('#poster-print');
  const texts = await until(page, () => [...document.querySelectorAll('#poster-print text')].map((text) => text.textContent),
    null, ({ length }) => length > 0);
  for (const wanted of ['For tonight', '0101', 'N', '0']) assert.ok(texts.includes(wanted), wanted);
  assert.ok(texts.some((text) => text.includes('1 : 50\u202f000')), 'the scale is said');
  /* The bar has four parts; A3 upright is 297 mm wide. */
  const [bar, sheet, said] = await page.evaluate(() => [
    [...document.querySelectorAll('#poster-print .poster-scale rect')].reduce((sum, rect) => sum + rect.width.baseVal.value, 0),
    document.querySelector('#poster-print > svg').viewBox.baseVal.width,
    [...document.querySelectorAll('#poster-print .poster-scale text')].at(-1).textContent]);
  assert.ok(Math.abs(parseFloat(said) * 1e6 / (bar / sheet * 297) / 50000 - 1) < 1e-4, `${said} are ${bar / sheet * 297} mm`);
  const paper = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  const [, wide, high] = /MediaBox \[0 0 ([\d.]+) ([\d.]+)/.exec(paper);
  assert.deepEqual([wide, high].map((points) => Math.round(points / 72 * 25.4)), [297, 420]);
  assert.equal(paper.match(/\/Type\s*\/Page\b/g).length, 1);
}));
