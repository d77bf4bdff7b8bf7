/* The legend: what the style files say, at the zoom that is shown. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { legendParts } from '../../server/viewer/panel/parts.js';
import { cropStops, labelled, positions } from '../../server/viewer/panel/ramp.js';
import { PHONE, loadedTiles, pageOfFile, until, waitForText } from './browser.mjs';

const { server, visit } = pageOfFile();

const plain = (text) => text.replace(/[\u202f\u00a0]/g, ' ');
const legend = async (page) => plain(await page.innerText('#legend'));
const figures = (page) => page.$$eval('#legend figure', (all) => all.map((figure) => ({
  title: figure.querySelector('figcaption').textContent,
  values: [...figure.querySelectorAll('.values span')].map((span) => span.textContent.replace(/[\u202f\u00a0]/g, ' ')),
  colours: figure.querySelector('.bar').style.background,
})));

test('stops stand by their values, or evenly where some would be too near', () => {
  assert.deepEqual(positions([[0, ''], [10, ''], [40, '']]), [0, 0.25, 1]);
  assert.deepEqual(positions([[-4000, ''], [0, ''], [0, ''], [20, ''], [3000, '']]), [0, 1 / 3, 1 / 3, 2 / 3, 1]);
  assert.deepEqual(positions([[7, '']]), [0]);
});

test('a ramp is cut at the range of its layer', () => {
  const stops = [[-100, '#000000'], [100, '#c8c8c8'], [300, '#ffffff']];
  assert.deepEqual(cropStops(stops, [0, 300]), [[0, '#646464'], [100, '#c8c8c8'], [300, '#ffffff']]);
  assert.deepEqual(cropStops(stops, [-500, 500]), stops);
  assert.deepEqual(cropStops(stops, [-100, 300]), stops);
  assert.deepEqual(cropStops(stops, [120, 200]), [[120, '#cecece'], [200, '#e4e4e4']]);
  assert.deepEqual(cropStops(stops, [200, 500]), [[200, '#e4e4e4'], [300, '#ffffff']]);
  assert.deepEqual(cropStops(stops, [400, 500]), stops);
});

test('the ends of a bar and its edge are labelled, and labels have room', () => {
  const stops = [[-4000, ''], [-80, ''], [0, ''], [0, ''], [20, ''], [90, ''], [3000, '']];
  const at = positions(stops);
  const chosen = labelled(stops, at);
  assert.deepEqual([chosen[0], chosen.at(-1)], [0, 6]);
  assert.ok(chosen.some((i) => stops[i][0] === 0));
  for (const [k, i] of chosen.entries()) if (k > 0) assert.ok(at[i] - at[chosen[k - 1]] >= 0.22);
});

test('steps in some places are named by words, whatever layer their mask has', () => {
  const step = (mask, kind = 'ramp') => ({ kind, layer: 'tone', unit: '', mask: { layer: mask }, stops: [[0, '#102030'], [1, '#405060']] });
  const world = { layers: [], styles: [{ name: 'relief', legend: [step('arid'), step('pale'), step('snow_line'), step('depth', 'water')] }] };
  const [samples] = legendParts(world, 'relief', 100);
  assert.deepEqual(samples.rows.map(({ title }) => title), ['Dry land', 'Snow and beaches', 'Snow line', 'Lakes, rivers']);
});

/* config/styles/contour.json: from 30 m a pixel on every 50 m, from 120 on every 100; each fifth is bold. */
test('contours tell their interval at the zoom that is shown', () => visit('#terra/contour/11/0/0', async (page) => {
  await waitForText(page, '#legend', /every 50\sm.*every 250\sm/su);
  await page.click('.leaflet-control-zoom-out');
  await waitForText(page, '#legend', /every 100\sm.*every 500\sm/su);
}));

/* Of their files: the caves lie 60 to 180 m high, without water; fog has a sea 80 m deep, canyons water up to 50 m deep. */
test('ramps have the values that a world can have', () => visit('#caves/contour/15/0/0', async (page) => {
  const shows = (style, wanted) => until(page, ([name, expected]) => document.querySelector('#style').value === name
    && [...document.querySelectorAll('#legend figure')].map((figure) => figure.getAttribute('aria-label').replace(/\s/g, ' ')).join() === expected,
  [style, wanted]);
  const show = (hash) => page.evaluate((wanted) => { location.hash = wanted; }, hash);
  await shows('contour', 'Height: 60 m to 180 m');
  await show('#fog/slope/9/0/0');
  await shows('slope', 'Slope: 0° to 65°,Depth of water: 0 m to 80 m');
  await show('#canyons/slope/9/0/0');
  await shows('slope', 'Slope: 0° to 65°,Depth of water: 0 m to 50 m');
}));

test('a screen of high resolution has tiles of twice the resolution, and their interval', () => visit('#terra/contour/10/0/0',
  async (page) => {
    await page.click('#fold');
    assert.ok((await page.locator('#legend summary').boundingBox()).height >= 40, 'large enough for a finger');
    await waitForText(page, '#legend', /every 50\sm.*every 250\sm/su);
  }, PHONE));

test('hillshade tells where the light stands', () => visit('#terra/hillshade/10/0/0', async (page) => {
  await waitForText(page, '#legend', /Light from the north-west, 45° above the horizon; heights × 1\.7 at this zoom/);
}));

test('ramps have their units, rivers too', () => visit('#terra/flow/8/0/0', async (page) => {
  await until(page, () => document.querySelectorAll('#legend figure').length, null);
  const shown = await figures(page);
  const flow = shown.find(({ title }) => title === 'Flow');
  assert.deepEqual([flow.values[0], flow.values.at(-1)], ['0 m²', '1 000 km²']);
  assert.match(flow.colours, /^linear-gradient\(to right, rgb\(230, 239, 238\) 0%.*rgb\(63, 127, 186\) 100%\)$/);
  assert.deepEqual(shown.find(({ title }) => title === 'Height').values.at(-1), '3 000 m');
  await page.selectOption('#style', 'slope');
  await waitForText(page, '#legend', /65°/);
  await page.selectOption('#style', 'temperatures'); /* the ends of its ramp in config/styles */
  await waitForText(page, '#legend', /Temperature\u221230.*40\u202f°C/);
  await page.selectOption('#style', 'yearly-rain');
  await waitForText(page, '#legend', /Precipitation0.*3.000\u202fmm\/a/);
}));

test('materials are those of the world', () => visit('#terra/materials/9/0/0', async (page) => {
  const { materials } = await (await fetch(`${server.url}/worlds/terra`)).json();
  await until(page, () => document.querySelectorAll('#legend li').length, null);
  const rows = await page.$$eval('#legend li', (items) => items.map((item) => item.textContent));
  assert.deepEqual(rows, materials.map(({ title }) => title));
  /* On paper below the map of 1024 × 640 pixels of 256 m, on one sheet of this width; a pixel is 3/4 pt. */
  const paper = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  assert.match(paper, /MediaBox \[0 0 768 /);
  assert.equal(paper.match(/\/Type\s*\/Page\b/g).length, 1);
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.match(await page.innerText('#print'),
    /Terra\s+Materials, seed 916, zoom 9\s+Centre 0, 0 m.*256.m\.\s+North-west corner \u2212131.072, \u221281.920;/);
  assert.equal(await page.locator('#print li:visible').count(), materials.length);
  assert.equal(await page.isVisible('.leaflet-control-scale'), true);
  assert.equal(await page.isVisible('#panel') || await page.isVisible('#toolbar'), false);
  await page.emulateMedia({ media: 'screen' });
  assert.equal(await page.isVisible('#print'), false);
}));

test('the legend of the relief is closed at first, and stays as one has left it', () => visit('#terra/relief/9/0/0', async (page) => {
  await loadedTiles(page);
  assert.equal(await page.isVisible('#legend figure'), false);
  await page.focus('#legend summary');
  await page.keyboard.press('Enter');
  assert.match(await legend(page), /Land by height/);
  await page.click('#legend summary');
  await page.selectOption('#style', 'slope');
  await loadedTiles(page, ({ style }) => style === 'slope');
  assert.equal(await page.isVisible('#legend figure'), false);
}));

test('every style has a legend, and layers have', () => visit('#canyons/slope/3/0/0', async (page) => {
  const empty = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==', 'base64');
  await page.route(/\/tiles\/.*\/\d+\/-?\d+\/-?\d+/, (route) => route.fulfill({ contentType: 'image/png', body: empty }));
  await until(page, () => !document.querySelector('#legend').hidden);
  for (const name of ['canyons', 'clouds']) {
    await page.evaluate((hash) => { location.hash = hash; }, `${name}/height/3/0/0`);
    await until(page, (wanted) => document.querySelector('#style').value === 'height' && document.title.startsWith(wanted),
      name[0].toUpperCase() + name.slice(1));
    const styles = await page.$$eval('#style option', (all) => all.map(({ value }) => value));
    for (const style of styles.slice(0, 16)) { /* all styles, and some layers */
      await page.selectOption('#style', style);
      assert.ok((await page.textContent('#legend')).length > 'Legend'.length + 3, `${name}/${style}`);
    }
  }
}, { viewport: { width: 660, height: 440 } })); /* lower ones fold the panel */
