/* /w/{world}: what programs that show links and readers without scripts get of a place. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PNG } from 'pngjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { localLimit, pricesOf } from './busy.mjs';

const HOSTILE = '</title><script>alert(1)</script>"\'&amp;<!--';
const worlds = temporaryFolder({
  'hostile.json': {
    generator: 1, seed: 1, title: HOSTILE, description: HOSTILE,
    layers: { height: { formula: '100 * perlin(wavelength=4096)', unit: 'm' }, heat: { formula: '10', unit: '"><b>°C' } },
    biomes: [{ name: 'only', title: HOSTILE, color: '#ffffff' }],
  },
});
const server = serverOfFile({ arguments: ['--worlds', worlds.path] });
const LAND = 'x=58410&y=50896';

/* The characters that xml_text() writes by number. */
const plain = (text) => text.replace(/&(lt|gt|amp|#(\d+));/g, (_, name, code) => (
  code ? String.fromCharCode(code) : { lt: '<', gt: '>', amp: '&' }[name]));

async function pageOf(path, options = {}, url = server.url) {
  const response = await fetch(url + path, options);
  const html = await response.text();
  assert.equal(response.status, 200, html);
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
  const tags = Object.fromEntries([...html.matchAll(/<meta (?:name|property)="([^"]*)" content="([^"]*)">/g)]
    .map(([, name, content]) => [name, plain(content)]));
  const rows = Object.fromEntries([...html.matchAll(/<th scope="row">([^<]*)<\/th><td>([^<]*)<\/td>/g)]
    .map(([, name, text]) => [plain(name), plain(text)]));
  return { html, tags, rows, headers: response.headers, image: new URL(tags['og:image']) };
}

test('the picture is absolute, pinned, and of the ground around the place', async () => {
  const { tags, image, html } = await pageOf(`/w/terra~sea?${LAND}&zoom=9&style=biome`);
  assert.equal(image.origin, server.url);
  assert.match(image.pathname, /^\/worlds\/terra~sea@g1-[0-9a-f]{32}\/render$/);
  const [x0, y0, x1, y1] = image.searchParams.get('bbox').split(',').map(Number);
  assert.deepEqual([(x0 + x1) / 2, (y0 + y1) / 2], [58410, 50896]);
  assert.equal((x1 - x0) / 1200, 256, 'a pixel of zoom 9 in metres');
  const answer = await fetch(image);
  assert.match(answer.headers.get('cache-control'), /immutable/);
  const { width, height } = PNG.sync.read(Buffer.from(await answer.arrayBuffer()));
  assert.deepEqual([width, height].map(String), [tags['og:image:width'], tags['og:image:height']]);
  assert.equal(tags['twitter:image'], image.href);
  assert.equal(tags['twitter:card'], 'summary_large_image');
  assert.equal(tags['og:url'], `${server.url}/w/terra~sea?${LAND}&zoom=9&style=biome`);
  assert.equal(tags['terrane-place'], '#terra~sea/biome/9/58410/50896');
  assert.equal((await fetch(tags['og:url'])).status, 200);
  assert.match(html, /<base href="\.\.\/">/);
});

test('title, description and table tell what /at knows', async () => {
  const { tags, rows, html } = await pageOf(`/w/terra?${LAND}`);
  const at = await (await fetch(`${server.url}/at?${LAND}&named=1`)).json();
  const world = await (await fetch(`${server.url}/worlds/terra`)).json();
  assert.equal(tags['og:title'], `${at.named.in[0].name}, ${world.title}`);
  assert.ok(html.includes(`<title>${at.named.in[0].name}, ${world.title} – Terrane</title>`));
  assert.equal(rows.Height, `${Math.round(at.height)} m`);
  assert.equal(rows.Water, `${at.water.depth.toFixed(at.water.depth < 10 ? 1 : 0)} m deep`);
  assert.equal(rows.Biome, world.biomes.find(({ name }) => name === at.biome).title);
  assert.equal(rows.Temperature, `${at.layers.temperature.toFixed(1)} °C`);
  assert.equal(rows.Precipitation, `${at.layers.precipitation.toFixed(0)} mm/a`);
  assert.equal(rows.Place, '58410 m east, 50896 m south');
  for (const { name } of [...at.named.in.slice(0, 1), at.named.on, ...at.named.near]) assert.ok(rows.Names.includes(name), name);
  for (const text of Object.values(rows)) if (text !== rows.Place) assert.ok(tags.description.includes(text), text);
});

test('without a place it is where the map of the world begins', async () => {
  for (const { name, view } of (await (await fetch(`${server.url}/worlds`)).json()).worlds) {
    const { tags } = await pageOf(`/w/${name}`);
    const time = view.t ? `?t=${view.t}` : '';
    assert.equal(tags['terrane-place'], `#${name}/${view.style}/${view.zoom}/${view.x}/${view.y}${time}`);
  }
});

test('a picture at the edge of the world stays within it', async () => {
  const { image } = await pageOf('/w/perlin?x=1099511627776&y=-1099511627776&zoom=12&style=height');
  assert.equal((await fetch(image)).status, 200);
});

test('patterns have no water, no slope and no names', async () => {
  const { rows, tags } = await pageOf('/w/wood?x=0&y=0');
  assert.deepEqual(Object.keys(rows), ['Place', 'Height']);
  assert.doesNotMatch(rows.Height, /m/);
  assert.equal(tags['og:title'], 'Wood');
});

test('no text of a world, seed or address becomes markup', async () => {
  const { html: usual } = await pageOf('/w/terra?x=0&y=0');
  const elements = (html) => [...html.matchAll(/<([a-z!/][^\s>]*)/g)].map(([, name]) => name).filter((name) => !/^\/?t[rhd]$/.test(name));
  const seed = encodeURIComponent('"><script>alert(1)<!--&\'');
  for (const path of ['/w/hostile?x=0&y=0', `/w/hostile~${seed}?x=0&y=0`, `/w/terra~${seed}?x=0&y=0`]) {
    const { html, tags } = await pageOf(path);
    assert.deepEqual(elements(html), elements(usual), path);
    assert.ok(!html.includes('alert(1)<'), path);
    if (path.includes('hostile')) assert.ok(tags['og:title'].endsWith(HOSTILE));
  }
  for (const [path, status] of [[`/w/terra?x=0&y=0&style=${seed}`, 404], [`/w/${seed}`, 404], [`/w/terra?x=${seed}&y=0`, 400]]) {
    const response = await fetch(server.url + path);
    assert.equal(response.status, status, path);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
  }
});

test('errors say what is missing or unknown', async () => {
  for (const [path, status, parameter] of [
    ['/w/terra?x=5', 400, 'y'], ['/w/terra?y=5', 400, 'x'], ['/w/terra?x=1&y=2&zoom=21', 400, 'zoom'], ['/w/terra?style=releif', 404, 'style'],
    ['/w/tera', 404, 'world'], [`/w/terra@g1-${'0'.repeat(32)}`, 410, 'world']]) {
    const response = await fetch(server.url + path);
    assert.equal(response.status, status, path);
    const document = await response.json();
    assert.equal(document.parameter, parameter, path);
    if (status === 400) assert.ok(document.detail.startsWith(`${parameter}: `), document.detail);
  }
});

/* The limit is the price of one page and a half. What a page has not used of its price comes back, and half a
 * millisecond a second. */
test('a page is paid by the client', async () => {
  const page = '/w/terra?x=-5530000&y=-12535000';
  const [price] = await pricesOf([], [page]);
  const limited = await startServer({ arguments: localLimit(1.5 * price) });
  try {
    const answers = [];
    while (answers.length < 300 && answers.at(-1)?.status !== 429)
      answers.push(await fetch(`${limited.url}${page.replace('=-5530000', `=${-5530000 + 40000 * answers.length}`)}`));
    assert.equal(answers[0].status, 200);
    assert.equal(answers.at(-1).status, 429, `${answers.length} pages for the price of one and a half`);
    assert.ok(Number(answers.at(-1).headers.get('retry-after')) >= 1);
  } finally {
    assert.equal(await limited.stop(), 0);
  }
});

test('addresses are those of the public URL and of proxies; only the page of a place may have a base', async () => {
  const proxied = await startServer({ arguments: ['--public-url', 'https://maps.example/terrane', '--frame-ancestors', 'self'] });
  try {
    const { tags, html, headers } = await pageOf('/w/terra?x=0&y=0', {}, proxied.url);
    assert.ok(tags['og:image'].startsWith('https://maps.example/terrane/worlds/terra@g1-'));
    assert.ok(tags['og:url'].startsWith('https://maps.example/terrane/w/terra?x=0'));
    assert.match(html, /<img src="worlds\/terra@g1-/);
    const policy = headers.get('content-security-policy');
    const page = await fetch(proxied.url, { headers: { accept: 'text/html' } });
    assert.equal(policy.replace("base-uri 'self'", "base-uri 'none'"), page.headers.get('content-security-policy'));
  } finally {
    assert.equal(await proxied.stop(), 0);
  }
});
