/* The page follows a server that watches its files: new worlds are shown, errors are listed. */

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { browserOfFile, loadedTiles, until, waitForText } from './browser.mjs';

const world = (seed, title = 'Hills') =>
  ({ title, generator: 1, seed, layers: { height: { formula: '100 * perlin(wavelength=256)', range: [-100, 100] } } });

let folder, file, server;
const { open } = browserOfFile();
const write = (content) => writeFileSync(file, JSON.stringify(content));
before(async () => {
  ({ path: folder } = temporaryFolder({ 'hills.json': world(1) }));
  file = path.join(folder, 'hills.json');
  server = await startServer({ arguments: ['--watch', '--worlds', folder] });
});
after(() => server?.stop());

const fingerprint = async () => (await (await fetch(`${server.url}/worlds/hills`)).json()).fingerprint;
test('a changed world is shown by itself; the map is never empty', () => open(`${server.url}/#hills/height/10/0/0`, async (page) => {
  const [{ fingerprint: first }] = await loadedTiles(page);
  assert.equal(first, await fingerprint());
  /* At each change of the map: how many tiles it shows. */
  await page.evaluate(() => {
    window.fewest = Infinity;
    new MutationObserver(() => {
      window.fewest = Math.min(window.fewest, document.querySelectorAll('.leaflet-layer:not(.backdrop) img.leaflet-tile-loaded').length);
    }).observe(document.querySelector('#map'), { childList: true, subtree: true });
  });
  write(world(2, 'Other hills'));
  const tiles = await loadedTiles(page, (tile) => tile.fingerprint !== first);
  assert.equal(tiles[0].fingerprint, await fingerprint());
  await until(page, () => document.title, null, (title) => title.startsWith('Other hills'));
  assert.ok(await page.evaluate(() => window.fewest) >= 4, 'old tiles stayed until new ones came');
}));

test('errors are listed with file and place until they are mended', () => open(`${server.url}/#hills/height/10/0/0`, async (page) => {
  const [{ fingerprint: before_ }] = await loadedTiles(page);
  writeFileSync(file, '{\n  "title": "Hills",\n  "generator": 1, "seed": 3,\n  "layers": { "height": "perlin(wavelength=256) + nose" },\n  "bioms": []\n}\n');
  await waitForText(page, '#reload', /2 errors.*hills\.json:4:\d+layers\.height: unknown name "nose".*hills\.json:5:\d+.*unknown key "bioms"/s);
  assert.equal(await page.getAttribute('#reload', 'role'), 'status');
  assert.equal((await loadedTiles(page))[0].fingerprint, before_, 'the last version without errors');
  /* Another page is told at once. */
  const second = await page.context().newPage();
  await second.goto(`${server.url}/#hills/height/10/0/0`);
  await waitForText(second, '#reload', /2 errors/);
  await second.close();
  await page.click('#reload button');
  assert.equal(await page.isHidden('#reload'), true);
  write(world(4));
  await loadedTiles(page, (tile) => tile.fingerprint !== before_);
  await until(page, () => document.querySelector('#reload').hidden);
}));

test('what can be found follows the new version of a world', () => open(`${server.url}/#hills/height/10/0/0`, async (page) => {
  const biomes = (...names) => ({ biomes: names.map((name, i) => (
    { name, color: `#10203${i}`, ...(i < names.length - 1 ? { when: 'height < 0' } : {}) })) });
  const offers = (names) => until(page, () => [...document.querySelectorAll('#find-fields [data-name]')]
    .map(({ dataset }) => dataset.name).join(), null, (shown) => shown === names);
  await loadedTiles(page);
  await page.click('#tool-find');
  await until(page, () => document.querySelector('#find-kind')?.value);
  write({ ...world(11), ...biomes('bog', 'moor') });
  await page.selectOption('#find-kind', 'biome');
  await offers('bog,moor');
  write({ ...world(12), ...biomes('fen', 'bog', 'moor') });
  await offers('fen,bog,moor');
  await page.click('[data-name=bog]');
  const [{ fingerprint: second }] = await loadedTiles(page);
  write({ ...world(13), ...biomes('fen', 'bog', 'moor') });
  await loadedTiles(page, (tile) => tile.fingerprint !== second);
  assert.equal(await page.getAttribute('[data-name=bog]', 'aria-pressed'), 'true', 'the same biomes');
}));

test('new worlds are in the list, a world that is gone is reported', () => open(`${server.url}/#hills/height/10/0/0`, async (page) => {
  await loadedTiles(page);
  writeFileSync(path.join(folder, 'valleys.json'), JSON.stringify(world(9, 'Valleys')));
  await page.click('#world');
  await until(page, () => document.querySelector('#drawer').textContent.includes('Valleys'));
  rmSync(file);
  await waitForText(page, '#status', /hills/);
  write(world(5));
  await waitForText(page, '#status', /^$/);
}, { expected: /404|410/ })); /* 410: tiles of the world that is gone */

test('the page leaves a server in peace that watches its files no more', async () => {
  const { port } = server;
  const again = async (...words) => {
    assert.equal(await server.stop(), 0);
    server = await startServer({ arguments: ['--port', String(port), '--worlds', folder, ...words] });
  };
  try {
    await open(`${server.url}/#hills/height/10/0/0`, async (page) => {
      await loadedTiles(page);
      const answered = [];
      page.on('response', (response) => {
        const [path, status] = [new URL(response.url()).pathname, response.status()];
        if (path === '/events' && status === 200) return; /* the first server's, which may come late */
        if (path === '/events' || (path === '/worlds' && answered.length > 0)) answered.push(`${path} ${status}`);
      });
      await again();
      while (answered.length < 2) await page.waitForTimeout(20);
      await page.waitForTimeout(1500); /* it would have asked again after 0.5 or 1 s */
      assert.deepEqual(answered, ['/events 404', '/worlds 200']);
    }, { expected: /ERR_|404/ });
  } finally {
    await again('--watch');
  }
});

test('the page leaves a server in peace that refuses its events at this Host', async () => {
  const exposed = await startServer({ arguments: ['--watch', '--worlds', folder, '--listen', '0.0.0.0:0'] });
  try {
    await open('about:blank', async (page) => {
      const answered = [];
      page.on('response', (response) => {
        if (new URL(response.url()).pathname === '/events') answered.push(`${response.request().method()} ${response.status()}`);
      });
      await page.goto(`${exposed.url}/#hills/height/10/0/0`);
      while (answered.length < 2) await page.waitForTimeout(20);
      await page.waitForTimeout(1500); /* it would have asked again after 1 s */
      assert.deepEqual(answered, ['GET 403', 'HEAD 403']);
    }, { expected: /403/, others: [exposed.url] });
  } finally {
    assert.equal(await exposed.stop(), 0);
  }
});

test('the page connects again to a server that was restarted', async () => {
  const { port } = server;
  await open(`${server.url}/#hills/height/10/0/0`, async (page) => {
    const [{ fingerprint: first }] = await loadedTiles(page);
    assert.equal(await server.stop(), 0);
    write(world(6));
    server = await startServer({ arguments: ['--port', String(port), '--watch', '--worlds', folder] });
    await loadedTiles(page, (tile) => tile.fingerprint !== first);
    writeFileSync(file, '{');
    await waitForText(page, '#reload', /An error/);
    write(world(7));
    await until(page, () => document.querySelector('#reload').hidden);
  }, { expected: /ERR_|410/ });
});
