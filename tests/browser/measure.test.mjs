/* The measure tool of the page: lengths and areas by hand arithmetic, ascent against /profile, and its
 * files as other programs read them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  areaOf, boundsOf, crossesItself, crossings, legs, nearestOnLine, placeAlong, signedArea,
} from '../../server/viewer/measure/geometry.js';
import { ticks } from '../../server/viewer/measure/chart.js';
import { parsePath, pathText } from '../../server/viewer/measure/path.js';
import { areaText, bytesText, lengthText } from '../../server/viewer/app/units.js';
import { temporaryFolder } from '../tools/folder.mjs';
import { PHONE, WIDE, download, pageOfFile, until, waitForHash, waitForText } from './browser.mjs';

/* A slope that rises half a metre a metre to the east, and level ground with a lake 10 m deep. */
const folder = temporaryFolder({
  'plane.json': { generator: 1, seed: 7, layers: { height: { formula: '0.5 * x', unit: 'm' } } },
  'lake.json': { generator: 1, seed: 1,
    layers: { height: '50', water_level: 'distance(0, 0) < 400 ? 60 : 0' } },
});
const { server, visit } = pageOfFile({ ...WIDE, words: ['--worlds', folder.path] });

const place = (x, y) => ({ x, y });

/* The facts of the drawer, by name, when `name` is among them. */
async function factsWith(page, name) {
  const ask = () => Object.fromEntries([...document.querySelectorAll('#measure-facts dt')]
    .map((term) => [term.textContent, term.nextElementSibling.textContent]));
  return until(page, ask, null, (facts) => name in facts);
}
const save = async (page, selector) => String((await download(page, selector)).bytes);
/* Where a place is in the window: the map's centre is (0, 0) and a pixel 2^(17 − zoom) m. */
const pixel = (x, y, zoom) => [640 + x / 2 ** (17 - zoom), 400 + y / 2 ** (17 - zoom)];

test('lengths and areas are those of the plane', () => {
  const line = [place(0, 0), place(3, 4), place(3, -8), place(8, -8)];
  assert.deepEqual(legs(line), [5, 12, 5]);
  assert.deepEqual(legs(line.slice(0, 3), true), [5, 12, Math.hypot(3, 8)]);
  assert.deepEqual(placeAlong(line, 11), place(3, -2));
  assert.deepEqual(placeAlong(line, 99), place(8, -8));
  assert.deepEqual(nearestOnLine(line, place(5, -9)), { leg: 2, along: 19, apart: 1 });
  assert.equal(nearestOnLine(line.slice(0, 1), place(5, -9)), null);
  /* An L of 4 × 4 less 2 × 2, also 2³⁹ m away; clockwise on a map whose y runs south. */
  const corners = [[0, 0], [4, 0], [4, 2], [2, 2], [2, 4], [0, 4]];
  const far = 2 ** 39;
  const shape = corners.map(([x, y]) => place(x + far, y - far));
  assert.equal(signedArea(shape), 12);
  assert.equal(areaOf([...shape].reverse()), 12);
  assert.deepEqual(crossings(shape, 1 - far), [far, far + 4]);
  assert.deepEqual(crossings(shape, 3 - far), [far, far + 2]);
  assert.deepEqual(boundsOf(line), { west: 0, north: -8, east: 8, south: 4 });
  assert.equal(crossesItself(shape), false);
  assert.equal(crossesItself([place(0, 0), place(4, 4), place(4, 0), place(0, 4)]), true);
});

test('measures are written for people', () => {
  assert.equal(lengthText(12.346), '12.35\u202fm');
  assert.equal(lengthText(999.9), '999.9\u202fm');
  assert.equal(lengthText(12346), '12.35\u202fkm');
  assert.equal(lengthText(12345678), '12\u202f346\u202fkm');
  assert.equal(areaText(99_000), '99\u202f000\u202fm²');
  assert.equal(areaText(250_000), '0.25\u202fkm²');
  assert.equal(bytesText(1_234_567), '1.2\u202fMB');
  assert.deepEqual(ticks(-3, 41, 4), [0, 20, 40]);
  assert.deepEqual(ticks(0, 1000, 4), [0, 500, 1000]);
});

test('a button that has nothing more to do hands the focus on', () => visit('#plane/height/12/0/0?measure=line_0_0_900_0', async (page) => {
  await factsWith(page, 'Ascent');
  const press = async (name) => {
    await page.getByRole('button', { name, exact: true }).focus();
    await page.keyboard.press('Enter');
    return page.evaluate(() => document.activeElement.textContent);
  };
  assert.equal(await press('Clear'), 'Undo');
  assert.equal(await press('Undo'), 'Clear');
}));

test('a line in the address is read as it is written', () => {
  const line = [place(-1.25, 1e12), place(0, 7)];
  assert.deepEqual(parsePath(pathText('area', line)), { kind: 'area', points: line });
  const finest = [place(1e-9, -1e-7), place(2 ** 40, -1099511627775.5)];
  assert.equal(pathText('line', finest), 'line_0.000000001_-0.0000001_1099511627776_-1099511627775.5');
  assert.deepEqual(parsePath(pathText('line', finest)).points, finest);
  for (const bad of [undefined, '', 'line', '1_2', 'line_1', 'line_1_2_3', 'line_1_a', 'line_1_1e3',
    'line_1_1099511627777', 'circle_1_2']) assert.equal(parsePath(bad), null);
});

test('an address with a line opens it, with lengths, ascent and a cursor', () =>
  visit('#plane/height/12/0/0?measure=line_0_0_3000_4000_3000_-4000', async (page) => {
    const facts = await factsWith(page, 'Ascent');
    /* 5 and 8 km; half of 3000 m up, then none. The surface of the first leg: √(5² + 1.5²). Slopes: arctan of 1.5 / 13 and
     * of 1.5 / 5. */
    assert.deepEqual(facts, {
      Length: '13\u202fkm', Walked: '13.22\u202fkm', Ascent: '1\u202f500\u202fm', Descent: '0\u202fm',
      Lowest: '0\u202fm', Highest: '1\u202f500\u202fm', 'Mean slope': '6.6°', Steepest: '16.7°',
    });
    await page.focus('.measure .chart');
    await page.keyboard.press('End');
    assert.equal(await page.textContent('.chart-text'), '13\u202fkm: 1\u202f500\u202fm');
    const at = await page.locator('.measure-cursor').boundingBox();
    const [x, y] = pixel(3000, -4000, 12);
    assert.ok(Math.hypot(at.x + at.width / 2 - x, at.y + at.height / 2 - y) < 2);
    /* And back: the mouse near the first corner moves the chart's cursor to 5 km. */
    await page.mouse.move(...pixel(3000, 4000, 12));
    await waitForText(page, '.chart-text', /^(4\.9[5-9]\d?|5(\.0\d*)?)\u202fkm: 1\u202f[45]/);
  }));

test('Back from a world of the gallery brings the line back', () =>
  visit('#plane/height/12/0/0?measure=line_0_0_3000_4000', async (page) => {
    await factsWith(page, 'Ascent');
    await page.click('#world');
    await waitForHash(page, '#plane/height/12/0/0');
    await page.click('.world-card[data-world=lake]');
    await waitForHash(page, /^#lake\/[^?]*$/);
    await page.goBack();
    await waitForHash(page, '#plane/height/12/0/0?measure=line_0_0_3000_4000');
    assert.equal((await factsWith(page, 'Ascent')).Ascent, '1\u202f500\u202fm');
  }));

test('points are added, dragged, typed, removed and brought back', () => visit('#plane/height/9/0/0',
  async (page) => {
    await page.click('#tool-measure');
    await until(page, () => document.querySelector('#measure-note')?.textContent.startsWith('Click'));
    await page.mouse.click(...pixel(0, 0, 9));
    await page.mouse.click(...pixel(25600, 0, 9));
    await page.mouse.click(...pixel(25600, 0, 9));
    await waitForHash(page, '#plane/height/9/0/0?measure=line_0_0_25600_0');
    await page.mouse.move(...pixel(25600, 0, 9));
    await page.mouse.down();
    await page.mouse.move(...pixel(12800, 12800, 9), { steps: 3 });
    await waitForText(page, '#measure-facts', /18\.1\d?\u202fkm/); /* while it is dragged */
    await page.mouse.up();
    await waitForHash(page, '#plane/height/9/0/0?measure=line_0_0_12800_12800');
    await page.mouse.click(...pixel(6400, 6400, 9));
    await waitForHash(page, '#plane/height/9/0/0?measure=line_0_0_6400_6400_12800_12800');
    await page.keyboard.press('Backspace');
    await waitForHash(page, '#plane/height/9/0/0?measure=line_0_0_6400_6400');
    await page.keyboard.press('Control+z');
    await waitForHash(page, '#plane/height/9/0/0?measure=line_0_0_6400_6400_12800_12800');
    await page.focus('.measure-corner >> nth=1');
    await page.keyboard.press('ArrowLeft');
    await waitForHash(page, '#plane/height/9/0/0?measure=line_0_0_3800_6400_12800_12800');
    await page.keyboard.press('Delete');
    await page.fill('#measure-place', '0, 500');
    await page.keyboard.press('Enter');
    await waitForHash(page, '#plane/height/9/0/0?measure=line_0_0_12800_12800_0_500');
    await page.fill('#measure-place', 'nowhere');
    await page.keyboard.press('Enter');
    assert.equal(await page.getAttribute('#measure-place', 'aria-invalid'), 'true');
    assert.match(await page.textContent('#measure-note'), /^A place is x, y in metres, such as/);
    await page.click('#measure-clear');
    await waitForHash(page, '#plane/height/9/0/0');
    await page.fill('#measure-place', '');
    await page.press('#measure-place', 'Enter');
    await waitForHash(page, '#plane/height/9/0/0?measure=line_0_0');
    await page.click('#drawer-close');
    await waitForHash(page, '#plane/height/9/0/0');
    assert.equal(await page.locator('.measure-corner').count(), 0);
  }));

test('what has no length or is too wide says so', async () => {
  await visit('#plane/height/9/0/0?measure=line_5_5_5_5', async (page) => {
    await until(page, () => document.querySelector('#measure-note')?.textContent.startsWith('Click on'));
  });
  await visit('#plane/height/2/0/0?measure=area_0_0_9000000_0_0_9000000', async (page) => {
    await until(page, () => /up to 8000 km/.test(document.querySelector('#measure-note')?.textContent));
    assert.match(await page.textContent('#measure-facts'), /40\u202f500\u202f000\u202fkm²/);
  });
});

/* Two triangles, one of them run through backwards: the shoelace formula gives 0. */
test('an area that crosses itself says so instead of 0 m²', () => visit(
  '#plane/height/12/0/0?measure=area_0_0_1000_1000_1000_0_0_1000', async (page) => {
    await until(page, () => document.querySelector('#measure-note')?.textContent.startsWith('The border crosses itself'));
    assert.equal((await factsWith(page, 'Perimeter')).Area, 'crosses itself');
    assert.match(await page.textContent('#map'), /crosses itself/);
  }));

test('a line of 80 points has the ascent of its samples', () => {
  const points = Array.from({ length: 80 }, (_, i) => place(-4000 + 100 * i, i % 2 === 0 ? 0 : 75));
  return visit(`#terra/relief/12/0/0?measure=${pathText('line', points)}`, async (page) => {
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.reload();
    const facts = await factsWith(page, 'Ascent');
    assert.equal(facts.Length, '9.875\u202fkm'); /* 79 legs of 125 m */
    const profiles = [...new Set(asked.filter((address) => address.includes('/profile?')))];
    assert.ok(profiles.length > 1, 'the server takes 64 corners at once');
    let [ascent, descent] = [0, 0];
    for (const address of profiles) {
      const { heights } = await (await fetch(address)).json();
      heights.slice(1).forEach((height, i) => {
        ascent += Math.max(0, height - heights[i]);
        descent += Math.max(0, heights[i] - height);
      });
    }
    const metres = (text) => Number(text.replace(/[^\d]/g, ''));
    assert.ok(ascent > 100 && descent > 100, 'level ground proves nothing');
    assert.equal(metres(facts.Ascent), Math.round(ascent));
    assert.equal(metres(facts.Descent), Math.round(descent));
  });
});

test('a profile is saved as CSV, SVG and GeoJSON, with its water', () =>
  visit('#lake/height/9/0/0?measure=line_-600_0_600_0', async (page) => {
    const facts = await factsWith(page, 'Under water');
    assert.match(facts['Under water'], /^(79|80)\d?(\.\d)?\u202fm \(6[67]\u202f%\)$/);
    const csv = await download(page, '#measure-csv');
    assert.equal(csv.name, 'lake-1-x-600-y0-line.csv');
    const rows = String(csv.bytes).trim().split('\r\n').map((row) => row.split(','));
    assert.deepEqual(rows[0], ['distance', 'x', 'y', 'height', 'water_level']);
    assert.deepEqual(rows[1], ['0', '-600', '0', '50', '']);
    assert.deepEqual(rows.at(-1), ['1200', '600', '0', '50', '']);
    for (const [, x, , height, level] of rows.slice(1)) {
      assert.deepEqual([height, level], ['50', Math.abs(x) < 400 ? '60' : '']);
    }
    const svg = await save(page, '#measure-svg');
    const colours = await page.evaluate((text) => {
      const document = new DOMParser().parseFromString(text, 'image/svg+xml');
      return [...document.querySelectorAll('svg > g > path[fill]')].map((path) => path.getAttribute('class'));
    }, svg);
    assert.deepEqual(colours, ['water', 'ground']);
    const geojson = JSON.parse(await save(page, '#measure-geojson'));
    const [{ geometry, properties }] = geojson.features;
    assert.deepEqual([geometry.type, properties.length, properties.ascent], ['LineString', 1200, 0]);
    const [lon, lat] = geometry.coordinates[0];
    const { x, y } = await (await fetch(`${server.url}/at?lon=${lon}&lat=${lat}`)).json();
    assert.ok(Math.hypot(x + 600, y) < 0.01, `${x}, ${y}`);
  }));

test('an area has the heights of its ground', () =>
  visit('#plane/height/12/0/0?measure=area_100_0_1100_0_1100_500_100_500', async (page) => {
    const facts = await factsWith(page, 'Mean height');
    assert.deepEqual([facts.Area, facts.Perimeter], ['0.5\u202fkm²', '3\u202fkm']);
    /* From 50 to 550 m; a step of the grid is 8 m, so 4 m up. */
    const [lowest, mean, highest] = ['Lowest', 'Mean height', 'Highest'].map((name) => parseFloat(facts[name]));
    assert.ok(Math.abs(mean - 300) <= 2 && lowest >= 50 && lowest <= 54 && highest >= 546 && highest <= 550);
    assert.equal(await page.isVisible('#measure-svg'), false);
    const { features: [{ geometry, properties }] } = JSON.parse(await save(page, '#measure-geojson'));
    assert.equal(properties.area, 500_000);
    const [ring] = geometry.coordinates;
    assert.deepEqual(ring[0], ring.at(-1));
    const turning = ring.slice(1).reduce((all, [x, y], i) => all + ring[i][0] * y - x * ring[i][1], 0);
    assert.ok(turning > 0, 'rings run anticlockwise');
  }));

test('another seed is measured again, and phones can do it', () => visit('#terra/relief/9/0/0?measure=line_0_0_20000_0',
  async (page) => {
    const first = await factsWith(page, 'Ascent');
    await page.click('#fold');
    await page.fill('#seed', '5');
    await page.press('#seed', 'Enter');
    const ask = () => document.querySelector('#measure-facts').textContent;
    await until(page, ask, null, (text) => text.includes('Ascent') && !text.includes(`${first.Ascent}Descent`));
    await page.click('#fold');
    await page.touchscreen.tap(60, 200);
    await waitForHash(page, /measure=line_0_0_20000_0_-?\d+_-?\d+$/);
  }, PHONE));
