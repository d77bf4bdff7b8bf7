/* The page while its server is down, and after it is back with another version of a world. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startServer } from '../tools/server.mjs';
import {
  browserOfFile, chooseWorld, loadedTiles, until, waitForHash, waitForText,
} from './browser.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const worlds = fileURLToPath(new URL('../../config/worlds', import.meta.url));

/* A proxy with an address of its own whose server can be changed; null is none. */
async function openDoor() {
  const door = { target: null, url: '', close: () => listener.close() };
  const listener = http.createServer((request, response) => {
    if (door.target === null) {
      request.socket.destroy();
      return;
    }
    const { method, url, headers } = request;
    const inner = http.request(door.target + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    inner.on('error', () => response.destroy());
    request.pipe(inner);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  door.url = `http://127.0.0.1:${listener.address().port}`;
  return door;
}

const directory = temporaryFolder().path;
const { open } = browserOfFile();
let older;
let newer;
let door;

before(async () => {
  await cp(worlds, directory, { recursive: true });
  const file = path.join(directory, 'perlin.json');
  const world = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...world, seed: 'another edition' }));
  [older, newer, door] = await Promise.all([
    startServer(), startServer({ arguments: ['--worlds', directory] }), openDoor(),
  ]);
});
after(async () => {
  await Promise.all([older?.stop(), newer?.stop()]);
  door?.close();
});

const NETWORK = /Failed to load resource|dynamically imported module/;

test('tiles of a style that gave way do not end the wait for those of the next', async () => {
  door.target = older.url;
  await open(`${door.url}/#perlin/height/9/0/0`, async (page) => {
    await loadedTiles(page);
    const tiles = /\/tiles\//;
    await page.route(tiles, (route) => route.abort());
    await page.fill('#goto', '9000000, 0');
    await page.press('#goto', 'Enter');
    await waitForText(page, '#status', /Some tiles did not come/);
    await page.selectOption('#style', 'relief');
    await page.waitForTimeout(600); /* until its tiles have failed, and the older ones are gone */
    await page.unroute(tiles);
    await loadedTiles(page, ({ style }) => style === 'relief');
    await waitForText(page, '#status', /^$/);
  }, { expected: NETWORK });
});

test('failed tiles and tools are requested again', async () => {
  door.target = older.url;
  await open(`${door.url}/#perlin/height/9/0/0`, async (page) => {
    await loadedTiles(page);
    door.target = null;
    await page.fill('#goto', '9000000, 0');
    await page.press('#goto', 'Enter');
    await waitForText(page, '#status', /does not answer/);
    await page.click('#tool-scene');
    await until(page, () => document.querySelector('#tool-scene').getAttribute('aria-pressed'), null, (on) => on === 'false');
    await page.click('#tool-about');
    await waitForText(page, '#drawer', /did not load.*Try again/);
    door.target = older.url;
    await loadedTiles(page);
    await waitForText(page, '#status', /^$/);
    await waitForText(page, '#drawer', /OpenAPI/);
    /* The panel has the height of the place, not of the last one that the server knew. */
    const { layers } = await (await fetch(`${older.url}/worlds/perlin/at?x=9000000&y=0&zoom=9`)).json();
    const metres = (text) => Number(text.replace('−', '-').replace(/\s|m/g, ''));
    await until(page, () => document.querySelector('#height').textContent, null, (text) => Math.abs(metres(text) - layers.height) < 1);
  }, { expected: NETWORK });
});

test('an edited address and a new seed wait for the server', async () => {
  door.target = older.url;
  await open(`${door.url}/#perlin/height/9/0/0`, async (page) => {
    await loadedTiles(page);
    door.target = null;
    await page.click('#dice');
    await waitForText(page, '#status', /does not answer/);
    await page.evaluate(() => { location.hash = '#perlin/height/9/9000000/0'; });
    door.target = older.url;
    await waitForText(page, '#status', /^$/);
    await waitForText(page, '#place', /9\u202f000\u202f000/);
    await loadedTiles(page, ({ x }) => x > 300); /* a tile spans 2^16 m, and 9000000 + 2^24 is in the 393rd */
  }, { expected: NETWORK });
});

/* The page asks again for its world 500 ms after a seed met no server. */
test('an address that is edited while the page asks again is followed, and leaves no message', async () => {
  door.target = older.url;
  await open(`${door.url}/#perlin/height/9/0/0`, async (page) => {
    await loadedTiles(page);
    await page.route('**/worlds/perlin~*', (route) => route.abort());
    const asked = [];
    await page.route('**/worlds/perlin', (route) => asked.push(route));
    const next = async () => {
      while (asked.length === 0) await page.waitForTimeout(20);
      return asked.shift();
    };
    await page.click('#dice');
    const again = await next();
    await page.evaluate(() => { location.hash = '#perlin/height/9/9000000/0'; });
    await (await next()).abort();
    await page.waitForTimeout(100); /* the page hears of it before the older answer */
    await again.continue();
    await page.unroute('**/worlds/perlin');
    await waitForText(page, '#place', /9\u202f000\u202f000/);
    await loadedTiles(page, ({ x }) => x > 300);
    await waitForText(page, '#status', /^$/);

    await page.click('#dice');
    await waitForText(page, '#status', /does not answer/);
    await page.evaluate(() => { location.hash += '?measure=line_9000000_0'; }); /* asks for no tile */
    await waitForText(page, '#status', /^$/);
  }, { expected: NETWORK });
});

test('a page opened while the server is down starts when it is back', async () => {
  door.target = older.url;
  await open(`${door.url}/#perlin/height/9/0/0`, async (page) => {
    await loadedTiles(page);
    await page.route('**/worlds', (route) => route.abort());
    await page.reload();
    await waitForText(page, '#status', /does not answer/);
    await page.unroute('**/worlds');
    await loadedTiles(page, ({ world }) => world === 'perlin');
    await waitForText(page, '#status', /^$/);
  }, { expected: NETWORK });
});

test('Back and a roll that met no server are followed by what they asked for', async () => {
  door.target = older.url;
  await open(`${door.url}/#perlin/height/9/0/0`, async (page) => {
    await loadedTiles(page);
    await chooseWorld(page, 'wood');
    await loadedTiles(page, ({ world }) => world === 'wood');
    door.target = null;
    await page.goBack();
    await waitForText(page, '#status', /does not answer/);
    door.target = older.url;
    await loadedTiles(page, ({ world }) => world === 'perlin');
    await waitForText(page, '#status', /^$/);
    await waitForHash(page, '#perlin/height/9/0/0');
    door.target = null;
    await page.click('#dice');
    const seed = await page.inputValue('#seed');
    await waitForText(page, '#status', /does not answer/);
    await page.waitForTimeout(1000); /* the page asks again in vain */
    door.target = older.url;
    await loadedTiles(page, ({ world }) => world === `perlin~${seed}`);
    await waitForText(page, '#status', /^$/);
    assert.equal(await page.inputValue('#seed'), seed);
  }, { expected: NETWORK });
});

test('what did not come into a drawer is asked for when it is opened again', async () => {
  door.target = older.url;
  await open(`${door.url}/#perlin/height/9/0/0`, async (page) => {
    await loadedTiles(page);
    await page.route('**/version', (route) => route.abort());
    await page.click('#tool-about');
    await waitForText(page, '#drawer', /does not answer/);
    await page.unroute('**/version');
    await page.click('#tool-about');
    await page.click('#tool-about');
    await waitForText(page, '#drawer', /^(?!.*does not answer).*Version \d/s);
    await page.route(`${door.url}/`, (route) => route.abort());
    await page.click('#drawer summary');
    await waitForText(page, '#drawer details', /does not answer/);
    await page.unroute(`${door.url}/`);
    await page.click('#drawer summary');
    await page.click('#drawer summary');
    await waitForText(page, '#drawer details', /curl/);
  }, { expected: NETWORK });
});

const hasSeedStyles = () => [...document.styleSheets].some(({ href }) => href?.endsWith('/seeds.css'));

test('the styles of a tool come after a break', async () => {
  door.target = older.url;
  await open(`${door.url}/#perlin/height/9/0/0`, async (page) => {
    await loadedTiles(page);
    await page.route('**/seeds.css', (route) => route.abort(), { times: 1 });
    const come = page.waitForResponse('**/seeds.css');
    await page.click('#seeds');
    await come;
    await until(page, hasSeedStyles);
    assert.equal(await page.locator('link[href$="seeds.css"]').count(), 1);
  }, { expected: NETWORK });
});

test('the styles of a tool come when it is opened again, or another one', { timeout: 60_000 }, async () => {
  door.target = older.url;
  await open(`${door.url}/#perlin/height/9/0/0`, async (page) => {
    await loadedTiles(page);
    let refused = 0;
    await page.route('**/seeds.css', (route) => {
      refused += 1;
      route.abort();
    });
    await page.click('#seeds');
    while (refused < 3) await page.waitForTimeout(20); /* for 5 s: then nothing asks any more */
    await page.unroute('**/seeds.css');
    await until(page, () => getComputedStyle(document.querySelector('.tool.seeds')).visibility, null, (now) => now === 'visible');
    const come = page.waitForResponse('**/seeds.css');
    await page.click('#tool-card');
    await come;
    await until(page, hasSeedStyles);
  }, { expected: NETWORK });
});

test('a new version of the world replaces the old one on the whole map', async () => {
  door.target = older.url;
  await open(`${door.url}/#perlin/height/9/0/0`, async (page) => {
    const [{ fingerprint: before }] = await loadedTiles(page);
    const { fingerprint } = await (await fetch(`${newer.url}/worlds/perlin`)).json();
    assert.notEqual(fingerprint, before);
    door.target = newer.url;
    await page.fill('#goto', '9000000, 0'); /* tiles that no cache has: 410 */
    await page.press('#goto', 'Enter');
    await waitForText(page, '#status', /new version/);
    await loadedTiles(page, (tile) => tile.fingerprint === fingerprint);
    await waitForText(page, '#status', /^$/); /* there may be other things to say */
  }, { expected: NETWORK });
});
