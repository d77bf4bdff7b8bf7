/* MapLibre shows contours, the ground raised to the heights of the world, and pictures of twice the size. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TIMES, countColours, mapsOfFile, tilesOf } from '../maplibre.mjs';

const { urlOfServer, withMap } = mapsOfFile();

test('MapLibre shows relief, terrain and contours', TIMES, () => withMap({ center: [-0.3, 0.1], zoom: 8.5, pitch: 50 }, async (page, loaded) => {
  assert.ok(tilesOf(loaded, 'relief').length >= 6);
  assert.ok(tilesOf(loaded, 'terrarium-water').length >= 4);
  const drawn = await page.evaluate(() => ['contour', 'contour-index'].map((layer) =>
    map.queryRenderedFeatures({ layers: [layer] }).map(({ properties }) => properties)));
  for (const features of drawn) assert.ok(features.length > 0, 'contours are drawn');
  for (const { index } of drawn[0]) assert.notEqual(index, true);
  for (const { index, height } of drawn[1]) assert.ok(index === true && Number.isFinite(height));
  const { colours, commonest } = await countColours(page, 'terrain');
  assert.ok(colours > 1000 && commonest < 0.2, `${colours} colours, ${commonest} of the picture in one`);
  const flat = await page.evaluate(() => new Promise((resolve) => {
    const pixels = () => map.getCanvas().toDataURL();
    const raised = pixels();
    map.setTerrain(null);
    map.once('idle', () => resolve(raised === pixels()));
  }));
  assert.equal(flat, false, 'the ground is raised');
}));

test('the terrain in MapLibre has the heights of the world', TIMES, () => withMap({ center: [14.5, 1.5], zoom: 12 }, async (page) => {
  const places = [[14.5, 1.5], [14.53, 1.52], [14.46, 1.47]];
  for (const [lon, lat] of places) {
    const raised = await page.evaluate((place) => map.queryTerrainElevation(place) / map.getTerrain().exaggeration, [lon, lat]);
    /* Between samples that stand 32 m apart or, at a lower zoom of the mesh, 64. */
    const [near, far] = await Promise.all([12, 11].map(async (zoom) =>
      (await fetch(`${urlOfServer()}/at?lon=${lon}&lat=${lat}&zoom=${zoom}`)).json()));
    const away = ({ height, slope }) => Math.abs(raised - height) - 128 * Math.tan((slope * Math.PI) / 180);
    assert.ok(Math.min(away(near), away(far)) < 1, `${raised} m for ${near.height} or ${far.height} m`);
  }
}));

test('a style of size 512 has @2x pictures, and heights once', TIMES, () => withMap({ center: [14.5, 1.5], zoom: 6 }, async (page, loaded) => {
  const relief = tilesOf(loaded, 'relief');
  assert.ok(relief.length > 0 && relief.every((path) => path.endsWith('@2x.webp')), relief.join());
  const heights = tilesOf(loaded, 'terrarium-water');
  assert.ok(heights.length > 0 && heights.every((path) => /\/\d+\.png$/.test(path)), heights.join());
}, { deviceScaleFactor: 2, document: '/style.json?format=webp&size=512' }));
