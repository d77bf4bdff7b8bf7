/* WMTS by parameters: GDAL draws from it, tiles are those of their addresses, errors are exception reports of the OGC. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import png from 'pngjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile } from '../tools/server.mjs';
import { gdalIn } from './gdal.mjs';

const server = serverOfFile();
const gdal = gdalIn(temporaryFolder().path);

const TILE = { SERVICE: 'WMTS', VERSION: '1.0.0', REQUEST: 'GetTile', LAYER: 'relief', STYLE: 'default', FORMAT: 'image/png',
  TILEMATRIXSET: 'WebMercatorQuad', TILEMATRIX: '5', TILEROW: '15', TILECOL: '16' };
const addressOf = (parameters) => `${server.url}/wmts?${new URLSearchParams(parameters).toString().replaceAll('%2F', '/')}`;
const getTile = (changes = {}, headers = {}) => fetch(addressOf({ ...TILE, ...changes }), { headers });

/* GDAL takes the address of a tile from the operations of the capabilities, which have no templates here. */
test('GDAL draws what tiles show', async () => {
  const source = `WMTS:${server.url}/worlds/perlin/wmts?SERVICE=WMTS&REQUEST=GetCapabilities`;
  const text = await (await fetch(source.slice(5))).text();
  assert.ok(!text.includes('ResourceURL') && text.includes('<ows:Operation name="GetTile">'));
  const { metadata } = JSON.parse(await gdal('gdalinfo', ['-json', source]));
  assert.ok(Object.values(metadata.SUBDATASETS).includes(`${source},layer=height`));
  for (const [z, column, row] of [[0, 100, 30], [5, 16 * 256 + 9, 15 * 256 + 77]]) {
    const scale = 2 ** (20 - z);
    const output = await gdal('gdallocationinfo', ['-valonly', '-overview', String(20 - z), `${source},layer=height`],
      `${column * scale} ${row * scale}\n`);
    const tile = await fetch(`${server.url}/worlds/perlin/tiles/height/${z}/${column >> 8}/${row >> 8}.png`);
    const { data } = png.PNG.sync.read(Buffer.from(await tile.arrayBuffer()));
    const start = 4 * (256 * (row & 255) + (column & 255));
    assert.deepEqual(output.trim().split(/\s+/).map(Number), [...data.subarray(start, start + 4)]);
  }
});

test('a tile is that of its address, in the same cache, whatever the case of names', async () => {
  for (const [format, extension] of [['image/png', 'png'], ['image/webp', 'webp'], ['image/tiff', 'tif']]) {
    const byAddress = await fetch(`${server.url}/tiles/relief/5/16/15.${extension}`);
    const bytes = Buffer.from(await byAddress.arrayBuffer());
    const mixed = Object.fromEntries(Object.entries({ ...TILE, FORMAT: format }).map(([name, value], i) =>
      [i % 2 ? name.toLowerCase() : name[0] + name.slice(1).toLowerCase(), value]));
    const response = await fetch(addressOf(mixed));
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, format]);
    assert.equal(response.headers.get('x-terrane-cache'), 'memory');
    assert.equal(response.headers.get('etag'), byAddress.headers.get('etag'));
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes));
  }
  const { headers } = await getTile();
  assert.equal(headers.get('cache-control'), 'no-cache');
  assert.equal((await getTile({}, { 'If-None-Match': headers.get('etag') })).status, 304);
});

test('requests as the capabilities name them are pinned', async () => {
  const text = await (await fetch(`${server.url}/wmts`)).text();
  const [, href] = /name="GetTile">.*?href="([^"]*)"/.exec(text);
  const [, style] = /<ows:Identifier>relief<.*?\n<Style[^>]*><ows:Identifier>([^<]*)</.exec(text);
  const response = await fetch(href + new URLSearchParams({ ...TILE, STYLE: style }));
  assert.equal(response.status, 200);
  assert.match(response.headers.get('cache-control'), /immutable/);
});

for (const [what, changes, status, code, locator, text] of [
  ['a missing parameter', { TILECOL: undefined }, 400, 'MissingParameterValue', 'TILECOL', 'TILECOL is missing'],
  ['a missing layer', { LAYER: undefined }, 400, 'MissingParameterValue', 'LAYER', 'LAYER is missing'],
  ['a column beyond the matrix', { TILECOL: '32' }, 400, 'TileOutOfRange', 'TILECOL', 'from 0 to 31, not to 32'],
  ['a row beyond the matrix', { TILEROW: '32' }, 400, 'TileOutOfRange', 'TILEROW', 'from 0 to 31, not to 32'],
  ['a matrix that is none', { TILEMATRIX: 'EPSG:3857:5' }, 400, 'InvalidParameterValue', 'TILEMATRIX', 'from 0 to 20'],
  ['another operation', { REQUEST: 'GetFeatureInfo' }, 400, 'OperationNotSupported', 'REQUEST', 'GetCapabilities or GetTile'],
  ['another service', { SERVICE: 'WFS' }, 400, 'InvalidParameterValue', 'SERVICE', 'must be WMTS'],
  ['another format', { FORMAT: 'image/jpeg' }, 400, 'InvalidParameterValue', 'FORMAT', 'image/png or image/webp or image/tiff'],
  ['an unknown layer', { LAYER: 'releif' }, 400, 'InvalidParameterValue', 'LAYER', 'did you mean'],
  ['an unknown style', { STYLE: 'blue' }, 400, 'InvalidParameterValue', 'STYLE', 'must be default'],
  ['a style that has changed', { STYLE: 's1-0000000000000000' }, 410, 'InvalidParameterValue', 'STYLE', 'has changed'],
  ['a fingerprint that is none', { STYLE: 's1-abc' }, 400, 'InvalidParameterValue', 'STYLE', '16 digits'],
  ['an unknown layer with a fingerprint', { LAYER: 'releif', STYLE: 's1-0000000000000000' }, 400, 'InvalidParameterValue', 'LAYER',
    'did you mean'],
  ['16 bits in WebP', { LAYER: 'grey16', FORMAT: 'image/webp' }, 400, 'InvalidParameterValue', 'FORMAT', '16 bits'],
  ['an unknown parameter', { '<"&': '1' }, 400, 'InvalidParameterValue', '&#60;&#34;&#38;', 'unknown parameter'],
]) {
  test(`an exception report for ${what}`, async () => {
    const all = Object.entries({ ...TILE, ...changes }).filter(([, value]) => value !== undefined);
    const response = await fetch(addressOf(Object.fromEntries(all)));
    const body = await response.text();
    assert.deepEqual([response.status, response.headers.get('content-type')], [status, 'application/xml']);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const [, found, where, said] = /<ows:Exception exceptionCode="(\w+)" locator="([^"]+)"><ows:ExceptionText>([^<]*)</.exec(body);
    assert.deepEqual([found, where], [code, locator]);
    assert.ok(said.includes(text), said);
  });
}

/* Texts of problems are cut to 511 bytes, and names of parameters to 63; a character here has two. */
for (const before of ['', 'a']) {
  test(`an exception report is UTF-8 where a long text is cut, behind "${before}"`, async () => {
    const long = before + 'ä'.repeat(240);
    for (const changes of [{ [long]: '1' }, { STYLE: long }, { TILEROW: long }]) {
      const response = await getTile(changes);
      assert.equal(response.status, 400);
      new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer());
    }
  });
}

test('an exception report for a world that is unknown, and for another method', async () => {
  const lost = await fetch(`${server.url}/worlds/nobody/wmts`);
  assert.equal(lost.status, 404);
  assert.match(await lost.text(), /exceptionCode="InvalidParameterValue" locator="world"/);
  const put = await fetch(`${server.url}/wmts`, { method: 'DELETE' });
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
  assert.match(await put.text(), /exceptionCode="NoApplicableCode"/);
});
