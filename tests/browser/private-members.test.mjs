/* Members of Leaflet and MapLibre that their manuals do not describe, but the page uses. A new version may rename or
 * remove them: then this test says which one, and which file of server/viewer needs another way. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { browserOfFile, until } from './browser.mjs';

const viewer = new URL('../../server/viewer/', import.meta.url);
const modules = new URL('../node_modules/', import.meta.url);

/* Member: the file that uses it, and a question to the page, which is true while the member is what the file takes it
 * for. `map` is Leaflet's map, `marker` one that the pointer drags, `scene` is MapLibre's map with a terrain. */
const MEMBERS = {
  leaflet: {
    'Layer._map': ['overlays/grid.js', () => marker._map === map],
    'GridLayer._isValidTile': ['map/map.js', () => typeof L.TileLayer.prototype._isValidTile === 'function'],
    'Map._fadeAnimated': ['map/map.js', () => typeof map._fadeAnimated === 'boolean'],
    'MarkerDrag._draggable': ['take/frame.js', () => marker.dragging._draggable instanceof L.Draggable],
    'Draggable._moving': ['take/frame.js', () => marker.dragging._draggable._moving === true],
  },
  'maplibre-gl': {
    'Map._overridePixelRatio': ['scene/pace.js', () => {
      scene._overridePixelRatio = 3;
      const taken = scene.getPixelRatio() === 3;
      scene._overridePixelRatio = null;
      return taken && scene.getPixelRatio() === devicePixelRatio;
    }],
    'Map._resizeInternal': ['scene/pace.js', () => typeof scene._resizeInternal === 'function'],
    'Map.terrain.meshSize': ['scene/pace.js', () => Number.isInteger(scene.terrain.meshSize)],
    'Terrain._meshCache': ['scene/pace.js', () => {
      const meshes = Object.values(scene.terrain._meshCache);
      return meshes.length > 0 && meshes.every(({ destroy }) => typeof destroy === 'function');
    }],
    'Painter.drawFunctions.terrainDepth': ['scene/camera.js',
      () => typeof scene.painter.drawFunctions.terrainDepth === 'function'],
  },
};

const PAGE = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Libraries</title><link rel="icon" href="data:,">
<style>#map, #scene { width: 300px; height: 200px }</style><div id="map"></div><div id="scene"></div>
<script src="/leaflet/dist/leaflet.js"></script>
<script type="module">
import { Map } from '/maplibre-gl/dist/maplibre-gl.mjs';
globalThis.map = L.map('map').setView([0, 0], 3);
globalThis.marker = L.marker([0, 0], { draggable: true, icon: L.divIcon({ iconSize: [20, 20] }) }).addTo(map);
const paint = { 'background-color': '#888' };
globalThis.scene = new Map({ container: 'scene', style: { version: 8,
  sources: { dem: { type: 'raster-dem', tiles: [location.origin + '/dem/{z}/{x}/{y}'], tileSize: 256 } },
  terrain: { source: 'dem' }, layers: [{ id: 'ground', type: 'background', paint }] } });
scene.on('error', () => {});
</script></html>`;

const { open } = browserOfFile('webgl');
let pages;
before(() => new Promise((resolve) => {
  const types = { mjs: 'text/javascript', js: 'text/javascript' };
  pages = createServer((request, response) => {
    const [url] = request.url.split('?');
    const file = /^\/(leaflet|maplibre-gl)\/dist\/[\w-]+\.(mjs|js)$/.exec(url);
    if (url !== '/' && !file) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': file ? types[file[2]] : 'text/html' });
    response.end(file ? readFileSync(new URL(url.slice(1), modules)) : PAGE);
  });
  pages.listen(0, '127.0.0.1', resolve);
}));
after(() => pages.close());

function versionsOf(folder) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
  return { ...dependencies, ...devDependencies };
}

test('the tests have the versions of the libraries that the page has', () => {
  const [page, tests] = [viewer, new URL('../', import.meta.url)].map(versionsOf);
  for (const name of Object.keys(MEMBERS)) assert.equal(tests[name], page[name], name);
});

test('each private member that the page uses is in the list', () => {
  const nameOf = (member) => member.split('.').find((part) => part.startsWith('_'));
  const listed = Object.values(MEMBERS).flatMap((members) => Object.entries(members))
    .filter(([member]) => nameOf(member)).map(([member, [file]]) => `${file} ${nameOf(member)}`);
  const used = readdirSync(viewer, { recursive: true }).filter((name) => name.endsWith('.js')).flatMap((file) => {
    const found = readFileSync(new URL(file, viewer), 'utf8').matchAll(/(?:\.|^ {2})(_[a-z]\w*)/gm);
    return [...found].map(([, member]) => `${file} ${member}`);
  });
  assert.deepEqual([...new Set(used)].sort(), listed.sort());
});

test('the libraries have the private members that the page uses', () =>
  open(`http://127.0.0.1:${pages.address().port}/`, async (page) => {
    await until(page, () => Object.keys(globalThis.scene?.terrain?._meshCache ?? {}).length > 0
      || globalThis.scene?.loaded());
    const { x, y, width, height } = await page.locator('.leaflet-marker-draggable').boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + 40, y + 40);
    for (const [library, members] of Object.entries(MEMBERS)) {
      for (const [member, [file, ask]] of Object.entries(members)) {
        const holds = await page.evaluate(ask).catch(({ message }) => message);
        assert.equal(holds, true, `${library} ${versionsOf(viewer)[library]} has no ${member} as server/viewer/${file} uses it`);
      }
    }
  }, { expected: /GPU stall due to ReadPixels|404/ }));
