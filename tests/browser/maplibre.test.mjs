/* MapLibre and Mapbox GL, from which it came, show style.json, from a page of another origin; and the XML documents
 * are XML. More of the map is in long/maplibre.test.mjs. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SIZE, TIMES, countColours, mapsOfFile, tilesOf } from './maplibre.mjs';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/* The page of README.md, as it stands there but for the address of the daemon. */
function readmePage(url) {
  const [, html] = /^MapLibre, with 3-D terrain:\n\n```html\n(.*?)```/ms.exec(README);
  assert.ok(html.includes('http://127.0.0.1:8080/'));
  return `<link rel="icon" href="data:,">${html.replaceAll('http://127.0.0.1:8080', url)}`;
}

const { newContext, urlOf, urlOfServer, withMap } = mapsOfFile((url) => ({ readme: readmePage(url) }));

test('the page of README.md shows the land', TIMES, async () => {
  const context = await newContext({ viewport: SIZE });
  try {
    const page = await context.newPage();
    const trouble = [];
    page.on('pageerror', (error) => trouble.push(String(error.stack)));
    await page.goto(urlOf('readme'));
    await page.waitForSelector('canvas.maplibregl-canvas');
    for (let end = Date.now() + 45_000, colours = 0; colours < 1000; ({ colours } = await countColours(page, 'readme')))
      assert.ok(Date.now() < end, `${colours} colours`);
    assert.deepEqual(trouble, []);
  } finally {
    await context.close();
  }
});

test('Mapbox GL 1.13 shows relief and contours', TIMES, () => withMap({ center: [-0.3, 0.1], zoom: 8.5 }, async (page, loaded) => {
  assert.ok(tilesOf(loaded, 'relief').length >= 6);
  assert.ok(await page.evaluate(() => map.queryRenderedFeatures({ layers: ['contour'] }).length) > 0, 'contours are drawn');
  const { colours, commonest } = await countColours(page, 'mapbox');
  assert.ok(colours > 1000 && commonest < 0.2, `${colours} colours, ${commonest} of the picture in one`);
}, { library: 'mapbox' }));

test('the XML documents are well-formed', async () => {
  const context = await newContext();
  const page = await context.newPage();
  await page.goto(urlOf(''));
  const parse = async (path) => page.evaluate((text) => {
    const found = new DOMParser().parseFromString(text, 'application/xml');
    const names = [...found.getElementsByTagNameNS('http://www.opengis.net/ows/1.1', 'Title')].map((title) => title.textContent);
    return { root: found.documentElement.nodeName, space: found.documentElement.namespaceURI, names, wrong: found.querySelector('parsererror')?.textContent };
  }, await (await fetch(urlOfServer() + path)).text());
  const wmts = await parse('/wmts.xml');
  assert.equal(wmts.wrong, undefined);
  assert.equal(wmts.root, 'Capabilities');
  assert.equal(wmts.space, 'http://www.opengis.net/wmts/1.0');
  const { title, styles } = await (await fetch(`${urlOfServer()}/worlds/terra`)).json();
  /* GDAL's WMTS would clamp 16 bits to 8. */
  const listed = styles.filter(({ name }) => name !== 'grey16');
  assert.deepEqual(wmts.names, [title, ...listed.map((style) => `${title} – ${style.title}`)]);
  const gdal = await parse('/worlds/terra~%26%3C%22/gdal.xml');
  assert.equal(gdal.wrong, undefined);
  assert.equal(gdal.root, 'GDAL_WMS');
  await context.close();
});
