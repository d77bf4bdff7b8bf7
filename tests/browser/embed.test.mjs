/* Maps in other pages: the element <terrane-map> as the manual shows it, from another origin; and the
 * whole page in a frame, where --frame-ancestors allows it. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startServer } from '../tools/server.mjs';
import { browserOfFile, until, waitForText } from './browser.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manual = readFileSync(`${root}/server/viewer/README.md`, 'utf8');
const examples = [...manual.matchAll(/^```html\n([\s\S]*?)^```$/gm)].map(([, text]) => text);

const { newContext, open } = browserOfFile();
let pages, origin, content, policy, allowing, forbidding;
before(async () => {
  /* A site of another origin that serves one page, under a strict policy if a test sets it. */
  pages = createServer((request, response) => {
    response.writeHead(request.url === '/' ? 200 : 204, { 'content-type': 'text/html', ...(policy && { 'content-security-policy': policy }) });
    response.end(`<!doctype html><html lang="en"><title>Wiki</title>${content}`);
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  origin = `http://localhost:${pages.address().port}`;
  [allowing, forbidding] = await Promise.all([startServer({ arguments: ['--frame-ancestors', origin] }), startServer()]);
});
after(async () => {
  pages?.close();
  pages?.closeAllConnections();
  await allowing?.stop();
  await forbidding?.stop();
});

/* Opens the site's page; gives what the console said. */
async function visit(text, check, { csp = null } = {}) {
  content = text;
  policy = csp;
  const context = await newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const trouble = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(String(error.stack)));
  try {
    await page.goto(`${origin}/`);
    await check(page, trouble);
    return trouble;
  } finally {
    await context.close();
  }
}

/* The tiles in the element's shadow that have come, once all have: "world/style/z". */
const tiles = (page, wanted) => until(page, () => {
  const images = [...document.querySelector('terrane-map').shadowRoot?.querySelectorAll('.leaflet-layer:not(.backdrop) img.leaflet-tile') ?? []];
  return images.every((image) => image.complete && image.naturalWidth > 0)
    ? images.map(({ src }) => src.replace(/@[gs]1-[0-9a-f]+/g, '').replace(/^.*\/worlds\/(.*)\/tiles\/(.*?)\/(\d+)\/.*$/, '$1/$2/$3')) : [];
}, null, (found) => found.length > 0 && found.every((each) => each === wanted));

const center = (page) => page.evaluate(() => document.querySelector('terrane-map').view);

test('the example of the manual shows its map in a page of another origin, and attributes change it', async () => {
  const [example] = examples;
  assert.match(example, /<terrane-map /);
  const trouble = await visit(example.replaceAll('http://127.0.0.1:8080', forbidding.url), async (page) => {
    await tiles(page, 'archipelago/biome/9');
    const { x, y, zoom } = await center(page);
    assert.deepEqual([x, y, zoom], [1200, -350, 9]);
    const { width, height } = await page.evaluate(() => {
      const box = document.querySelector('terrane-map').shadowRoot.querySelector('.leaflet-container').getBoundingClientRect();
      return { width: box.width, height: box.height };
    });
    assert.equal(height, 400);
    assert.ok(width > 1200);
    /* Leaflet's styles have come along: its tiles are placed. */
    assert.equal(await page.evaluate(() => getComputedStyle(
      document.querySelector('terrane-map').shadowRoot.querySelector('.leaflet-tile')).position), 'absolute');
    const set = (name, value) => page.evaluate(([key, text]) => document.querySelector('terrane-map').setAttribute(key, text), [name, value]);
    await set('world', 'dunes');
    await set('seed', 'a b~c');
    await set('style', 'relief');
    await set('zoom', '11');
    await tiles(page, 'dunes~a%20b%7Ec/relief/11');
    await set('style', 'height: 300px');
    await set('map-style', 'hillshade');
    await tiles(page, 'dunes~a%20b%7Ec/hillshade/11');
    assert.equal(await page.evaluate(() => document.querySelector('terrane-map').clientHeight), 300);
    await set('x', '5000000000');
    assert.equal((await center(page)).x, 5000000000);
    await set('world', 'nowhere');
    await until(page, () => document.querySelector('terrane-map').shadowRoot.querySelector('[role=status]').textContent,
      null, (text) => /cannot be shown: there is no world "nowhere"|unknown world "nowhere"/.test(text));
  });
  assert.deepEqual(trouble.filter((text) => !/404/.test(text)), [], 'but for the world that is not there');
});

test('the element works under a policy without inline styles, and tells of moves', async () => {
  const { url } = forbidding;
  const csp = `default-src 'none'; script-src ${url}; connect-src ${url}; img-src ${url}`;
  const page = `<script type="module" src="${url}/viewer/terrane-map.js"></script><terrane-map world="dunes" map-style="biome" zoom="8"></terrane-map>`;
  const trouble = await visit(page, async (opened) => {
    await tiles(opened, 'dunes/biome/8');
    const start = await center(opened);
    const { view } = await (await fetch(`${url}/worlds/dunes`)).json();
    assert.deepEqual([start.x, start.y], [view.x, view.y], 'the view of the world\'s file');
    const moved = opened.evaluate(() => new Promise((resolve) => {
      document.addEventListener('terrane-move', ({ detail }) => resolve(detail), { once: true });
    }));
    await opened.mouse.move(400, 200);
    await opened.mouse.down();
    await opened.mouse.move(300, 200, { steps: 4 });
    await opened.mouse.up();
    const { x, zoom } = await moved;
    assert.equal(zoom, 8);
    assert.ok(x > start.x, 'dragging to the left moves to the east');
  }, { csp });
  /* Leaflet gives a tile that it gives up an empty picture, which such a policy refuses: nothing is lost. */
  assert.deepEqual(trouble.filter((text) => !text.startsWith("Loading the image 'data:image/gif;")), []);
});

test('an unknown world is said in the middle of an empty map, in the language of the place', async () => {
  const { url } = forbidding;
  const page = `<script type="module" src="${url}/viewer/terrane-map.js"></script><p lang="de-AT"><terrane-map world="nowhere"></terrane-map>`;
  const trouble = await visit(page, async (opened) => {
    const [text, top, bottom, zoom] = await until(opened, () => {
      const note = document.querySelector('terrane-map').shadowRoot?.querySelector('[role=status]');
      const [{ top: y, height }, box] = [note, document.querySelector('terrane-map')].map((each) => each?.getBoundingClientRect() ?? {});
      return [note?.textContent, y - box?.top, box?.bottom - y - height, note?.parentNode.querySelector('.leaflet-control-zoom-in').title];
    }, null, ([said]) => Boolean(said));
    assert.match(text, /kann nicht gezeigt werden: unknown world "nowhere"/);
    assert.equal(zoom, 'Hineinzoomen');
    assert.ok(Math.abs(top - bottom) < 2, `${top}, ${bottom}`);
    /* Its own `lang` is stronger; one that it does not have is English. */
    for (const [lang, said] of [['en', /^The map cannot be shown/], ['de', /^Die Karte/], ['fr', /^The map/]]) {
      await opened.evaluate((value) => { document.querySelector('terrane-map').lang = value; }, lang);
      await until(opened, () => document.querySelector('terrane-map').shadowRoot.querySelector('[role=status]').textContent, null, (now) => said.test(now));
    }
  });
  assert.match(trouble.join(), /404/);
});

test('a world and tiles that did not come are asked for again', async () => {
  const { url } = forbidding;
  const page = `<script type="module" src="${url}/viewer/terrane-map.js"></script><terrane-map style="relief" x="0" y="0" zoom="9"></terrane-map>`;
  const note = (opened, pattern) => until(opened, () => document.querySelector('terrane-map').shadowRoot?.querySelector('[role=status]').textContent ?? '',
    null, (text) => pattern.test(text));
  await visit(page, async (opened) => {
    await tiles(opened, 'terra/relief/9');
    for (const [broken, said] of [[/\/tiles\//, /Some tiles did not come/], [/\/worlds/, /cannot be shown/]]) {
      await opened.route(broken, (route) => route.abort());
      await opened.evaluate((name) => document.querySelector('terrane-map').setAttribute('world', name), 'perlin');
      await note(opened, said);
      await opened.unroute(broken);
      await tiles(opened, 'perlin/relief/9');
      await note(opened, /^$/);
      await opened.evaluate(() => document.querySelector('terrane-map').removeAttribute('world'));
      await tiles(opened, 'terra/relief/9');
    }
  });
});

test('the script may come twice; an element that leaves its page holds no map, and shows its view when it is back', async () => {
  const { url } = forbidding;
  const page = `<script type="module" src="${url}/viewer/terrane-map.js"></script><script type="module" src="${allowing.url}/viewer/terrane-map.js"></script>
    <div id="one"><terrane-map world="perlin" style="relief" x="0" y="0" zoom="9"></terrane-map></div><div id="two"></div>`;
  const trouble = await visit(page, async (opened) => {
    await tiles(opened, 'perlin/relief/9');
    await opened.mouse.move(400, 200);
    await opened.mouse.down();
    await opened.mouse.move(300, 200, { steps: 4 });
    await opened.mouse.up();
    await until(opened, () => document.querySelector('terrane-map').view.x, null, (x) => x > 20000);
    const before = await center(opened);
    const gone = await opened.evaluate(() => {
      globalThis.map = document.querySelector('terrane-map');
      globalThis.map.remove();
      globalThis.map.setAttribute('style', 'hillshade');
      return [globalThis.map.view, globalThis.map.shadowRoot.querySelectorAll('.leaflet-tile').length];
    });
    assert.deepEqual(gone, [null, 0]);
    await opened.evaluate(() => document.getElementById('two').append(globalThis.map));
    await tiles(opened, 'perlin/hillshade/9');
    assert.deepEqual(await center(opened), before);
    /* Moved within the page at once, as lists do that are sorted. */
    await opened.evaluate(() => document.getElementById('one').append(globalThis.map));
    await tiles(opened, 'perlin/hillshade/9');
    assert.deepEqual(await center(opened), before);
    await opened.evaluate(() => {
      globalThis.map.remove();
      globalThis.map.setAttribute('x', '512000');
      document.getElementById('one').append(globalThis.map);
    });
    assert.equal((await center(opened)).x, 512000);
  });
  assert.deepEqual(trouble, []);
});

test('the page works in a frame of an origin that --frame-ancestors allows, and in no other', async () => {
  const frame = examples.find((text) => text.includes('<iframe'));
  assert.deepEqual(await visit(frame.replaceAll('http://127.0.0.1:8080', allowing.url), async (page) => {
    const inner = await (await page.$('iframe')).contentFrame();
    await until(inner, () => [...document.querySelectorAll('.leaflet-tile-loaded')].length > 0);
    assert.equal(await inner.evaluate(() => location.hash), '#terra/relief/9/0/0');
  }), []);
  await visit(frame.replaceAll('http://127.0.0.1:8080', forbidding.url), (page, trouble) =>
    until(page, () => true, null, () => /frame-ancestors 'none'/.test(trouble.join('\n'))));
});

test('About has links that work, the guide, and the code of the map that is shown', async () => {
  const place = '#dunes~7/biome/10/2000/-1000';
  let code;
  await open(`${forbidding.url}/${place}`, async (page) => {
    await page.click('#tool-about');
    await waitForText(page, '#drawer', /Version \d+\.\d+\.\d+/);
    const links = await page.$$eval('#drawer a', (anchors) => anchors.map(({ href }) => href));
    assert.deepEqual(links.map((href) => href.replace(forbidding.url, '')),
      ['/openapi.json', '/worlds', '/metrics', '/version', '/viewer/licenses.txt']);
    for (const href of links) assert.equal((await fetch(href)).status, 200, href);
    await page.click('#drawer summary');
    await waitForText(page, '#drawer details', /curl .*\/locate\?min_height=1800/);
    code = await page.inputValue('#embed-code');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.click('#drawer button >> text=Copy');
    await waitForText(page, '#drawer [role=status]', /Copied/);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), code);
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'tool-about');
  });
  assert.deepEqual(await visit(code, async (page) => {
    await tiles(page, 'dunes~7/biome/10');
    assert.deepEqual(await center(page), { x: 2000, y: -1000, zoom: 10 });
  }), []);
});
