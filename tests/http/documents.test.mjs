/* Documents: the descriptors of worlds and how addresses name a world, the guide at / for curl, and what all routes
 * have in common. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { ask } from './raw.mjs';
import { floats } from './samples.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const worlds = makeWorlds();
const server = serverOfFile({ arguments: ['--worlds', worlds.folder] });
const folder = temporaryFolder().path;

const load = (path, options) => fetch(server.url + path, options);
const json = async (path, options) => (await load(path, options)).json();

test('the list of worlds and the descriptor of a world', async () => {
  const list = await json('/worlds');
  assert.equal(list.default, 'terra');
  assert.deepEqual(list.worlds.map(({ name }) => name).sort(), ['archipelago', 'canyons', 'caves', 'clock', 'clouds',
    'dunes', 'fire', 'fog', 'highlands', 'marble', 'perlin', 'slow', 'terra', 'wood']);
  const clock = await json('/worlds/clock');
  assert.equal(clock.name, 'clock');
  assert.equal(clock.title, 'Clock');
  assert.equal(clock.description, 'For tests');
  assert.equal(clock.attribution, 'Nobody');
  assert.equal(clock.seed, 'tick');
  assert.equal(clock.generator, 1);
  assert.match(clock.fingerprint, /^g1-[0-9a-f]{32}$/);
  assert.equal(clock.fingerprint, list.worlds.find(({ name }) => name === 'clock').fingerprint);
  assert.deepEqual(clock.layers.map(({ name, unit, range }) => ({ name, unit, range })), [
    { name: 'height', unit: 'm', range: [-200, 200] },
    { name: 'tide', unit: '', range: [0, 100] },
  ]);
  assert.equal(clock.layers[1].formula, 't');
  assert.deepEqual(clock.biomes, []);
  assert.ok(clock.styles.some(({ name, title }) => name === 'own' && title === 'Own'));
  assert.equal(clock.limits.maxzoom, 20);
  const { tiles, ...view } = clock.view;
  assert.deepEqual(view, { x: 4194304, y: -20000000, zoom: 9, style: 'own', t: 12.5 });
  assert.equal(tiles, clock.styles.find(({ name }) => name === 'own').tiles);
  assert.deepEqual(list.worlds.find(({ name }) => name === 'clock').view, clock.view);
  const { tiles: _, ...usual } = (await json('/worlds/slow')).view;
  assert.deepEqual(usual, { x: 0, y: 0, zoom: 9, style: 'relief', t: 0 });
  const terra = await json('/worlds/terra');
  assert.ok(terra.biomes.length > 1);
  for (const { color } of terra.biomes) assert.match(color, /^#[0-9a-f]{6}$/);
});

test('the file of a world is given as it was read', async () => {
  const text = async (path) => (await load(path)).text();
  const file = (name) => readFileSync(new URL(`../../config/worlds/${name}.json`, import.meta.url), 'utf8');
  assert.equal(await text('/world.json'), file('terra'));
  assert.equal(await text('/worlds/dunes~42/world.json'), file('dunes'));
  assert.equal(await text('/worlds/clock/world.json'), readFileSync(path.join(worlds.folder, 'clock.json'), 'utf8'));
  const { urls } = await json('/worlds/dunes');
  assert.equal(await text(urls.file), file('dunes'));
  assert.equal((await load('/worlds/dunes@g1-00000000000000000000000000000000/world.json')).status, 410);
});

test('the functions of formulas are listed with their parameters', async () => {
  const { functions } = await json('/formulas');
  const named = (name) => functions.find((row) => row.name === name);
  assert.deepEqual(named('terrace'), {
    name: 'terrace', signature: 'terrace(v, step, sharpness)',
    summary: 'v in steps; sharpness 0 changes nothing, 1 makes stairs', variadic: false,
    parameters: ['v', 'step', 'sharpness'].map((name) =>
      ({ name, kind: 'formula', optional: false, by_name: false })),
  });
  const parameter = (name) => named('ridged').parameters.find((row) => row.name === name);
  assert.deepEqual(parameter('feedback'), {
    name: 'feedback', kind: 'number', optional: true, by_name: false, minimum: 0, maximum: 16, default: 1.5,
  });
  assert.equal(parameter('octaves').kind, 'whole');
  assert.equal(parameter('wavelength_z').default_parameter, 'wavelength');
  assert.deepEqual(parameter('interpolation').choices, ['linear', 'cosine', 'cubic', 'quintic']);
  assert.equal(parameter('interpolation').default, 'quintic');
  const listed = JSON.parse(execFileSync(process.env.TERRANE_BINARY, ['formulas', '--json'], { encoding: 'utf8' }));
  assert.deepEqual(functions.map(({ name }) => name), listed.map(({ signature }) => signature.split('(')[0]));
});

test('the addresses in a descriptor work, pinned and with a seed', async () => {
  for (const name of ['clock', 'clock~%C3%A4%40~', 'terra~42']) {
    const { styles, layers, urls, seed, fingerprint } = await json(`/worlds/${name}`);
    if (name.includes('%')) assert.equal(seed, 'ä@~');
    for (const { tiles } of styles.slice(0, 2)) {
      const response = await load(tiles.replace('{z}', 3).replace('{x}', 4).replace('{y}', 2));
      assert.equal(response.status, 200, tiles);
      assert.match(response.headers.get('cache-control'), /immutable/);
    }
    for (const entry of [styles[0], layers[0]]) {
      const values = { style: entry.name, fingerprint: entry.fingerprint, z: 3, x: 4, y: 2 };
      const response = await load(urls.tiles.replace(/\{(\w+)\}/g, (_, key) => values[key]));
      assert.equal(response.status, 200, entry.name);
      assert.match(response.headers.get('cache-control'), /immutable/);
    }
    assert.equal((await json(urls.at.replace('{x}', 0).replace('{y}', 0))).fingerprint, fingerprint);
    assert.equal((await json(urls.tilejson.replace('{style}', 'height'))).tilejson, '3.0.0');
    assert.equal((await json(urls.heights, { method: 'POST', body: '{"points":[[0,0]]}' })).heights.length, 1);
  }
});

test('absolute URLs are built from trusted hosts only', async () => {
  const tiles = async (port, host) => {
    const { status, body } = await ask(port, `GET /tiles.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    return status === 200 ? JSON.parse(body).tiles[0].split('/worlds/')[0] : status;
  };
  assert.equal(await tiles(server.port, 'localhost:1234'), 'http://localhost:1234');
  assert.equal(await tiles(server.port, '[::1]:1234'), 'http://[::1]:1234');
  assert.equal(await tiles(server.port, 'evil.example'), 421);
  assert.equal(await tiles(server.port, '127.0.0.1.evil.example'), 421);
  const allowing = await startServer({ arguments: ['--allowed-hosts', 'maps.example'] });
  const fixed = await startServer({ arguments: ['--public-url', 'https://maps.example/terrane/'] });
  try {
    assert.equal(await tiles(allowing.port, 'maps.example'), 'http://maps.example');
    assert.equal(await tiles(allowing.port, 'MAPS.example:81'), 'http://MAPS.example:81');
    assert.equal(await tiles(allowing.port, 'evil.example'), 421);
    assert.equal(await tiles(fixed.port, 'evil.example'), 'https://maps.example/terrane');
  } finally {
    await allowing.stop();
    await fixed.stop();
  }
});

test('documents are revalidated by their content', async () => {
  for (const path of ['/worlds', '/worlds/clock', '/tiles.json', '/version', '/at?x=0&y=0']) {
    const response = await load(path, { headers: { 'Accept-Encoding': 'identity' } });
    const length = (await response.arrayBuffer()).byteLength;
    const etag = response.headers.get('etag');
    assert.equal(response.headers.get('cache-control'), 'no-cache', path);
    assert.equal(response.headers.get('content-type'), 'application/json');
    const host = `127.0.0.1:${server.port}`;
    const again = await ask(server.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nIf-None-Match: ${etag}\r\n\r\n`);
    assert.equal(again.status, 304, path);
    assert.equal(again.headers.etag, etag);
    assert.equal(again.headers['content-length'], String(length), path);
  }
});

test('JSON is compact and ends in a newline; pretty=1 indents', async () => {
  const compact = await (await load('/worlds/clock')).text();
  const pretty = await (await load('/worlds/clock?pretty=1')).text();
  assert.equal(compact, `${JSON.stringify(JSON.parse(compact))}\n`);
  assert.ok(pretty.startsWith('{\n  "'));
  assert.deepEqual(JSON.parse(pretty), JSON.parse(compact));
});

test('the state of the server', async () => {
  assert.equal(await (await load('/livez')).text(), 'alive\n');
  assert.equal(await (await load('/readyz')).text(), 'ready\n');
  const version = await json('/version');
  assert.equal(version.name, 'terrane');
  assert.match(version.version, /^\d+\.\d+\.\d+/);
  assert.equal((await load('/readyz')).headers.get('cache-control'), 'no-store');
});

test('/ is the page for browsers and a guide for other clients', async () => {
  const page = await load('/', { headers: { Accept: 'text/html,*/*;q=0.8' } });
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(page.headers.get('vary'), /\bAccept\b/);
  assert.equal(page.headers.get('content-security-policy'),
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  const html = await page.text();
  for (const [, file] of html.matchAll(/(?:src|href)="(viewer\/[^"]+)"/g)) {
    const response = await load(`/${file}`);
    assert.equal(response.status, 200, file);
    const type = file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
    assert.equal(response.headers.get('content-type'), type);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    const etag = response.headers.get('etag');
    assert.equal((await load(`/${file}`, { headers: { 'If-None-Match': etag } })).status, 304);
  }
  const guide = await load('/', { headers: { Accept: '*/*' } });
  assert.equal(guide.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.match(guide.headers.get('vary'), /\bAccept\b/);
  const text = await guide.text();
  const addresses = [...text.matchAll(/curl '(http[^']+)'/g)].map(([, address]) => address);
  assert.ok(addresses.length >= 4);
  for (const address of addresses) assert.equal((await fetch(address)).status, 200, address);
});

test('OPTIONS works on every route without rendering', async () => {
  const reads = 'GET, HEAD, OPTIONS';
  for (const [path, allow] of [['/', reads], ['/worlds', reads], ['/tiles/3/4/2.png', reads], ['/at', reads],
    ['/worlds/nobody/tiles/nothing/3/4/2.png', reads], ['/heights', 'POST, OPTIONS']]) {
    const response = await load(path, {
      method: 'OPTIONS',
      headers: { Origin: 'https://example.com', 'Access-Control-Request-Method': 'POST' },
    });
    assert.equal(response.status, 204, path);
    assert.equal(response.headers.get('allow'), allow);
    assert.equal(response.headers.get('access-control-allow-methods'), allow);
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    assert.match(response.headers.get('access-control-allow-headers'), /Content-Type/);
    assert.ok(Number(response.headers.get('access-control-max-age')) > 0);
    assert.equal(response.headers.get('content-length'), null);
  }
  const refused = await load('/livez', { method: 'PUT' });
  assert.equal(refused.status, 405);
  assert.equal(refused.headers.get('allow'), reads);
});

/* Runs the commands of a server's guide: { text, commands, outputs }. */
function follow({ url }) {
  const text = execFileSync('curl', ['-sS', url], { encoding: 'utf8' });
  const commands = [...text.matchAll(/^ {2}(curl .*)$/gm)].map(([, command]) => command);
  const outputs = commands.map((command) => execFileSync('sh', ['-c', command.replace('curl ', 'curl -sS --fail ')],
    { cwd: folder, encoding: 'utf8' }));
  return { text, commands, outputs };
}

const number = (table, name) => Number(new RegExp(`^${name}\t([^\t\n]*)`, 'm').exec(table)[1]);

test('the five commands of the guide work', async () => {
  const { text, commands, outputs } = follow(server);
  assert.equal(commands.length, 5);
  assert.ok(text.split('\n').every((line) => line.length <= 120));
  const [mountain, summit, way, picture] = outputs;
  assert.match(mountain, /^found\tyes\t/);
  assert.ok(number(mountain, 'height') >= 1000);
  const height = number(summit, 'height');
  assert.ok(height > 1000);

  /* A summit is higher than everything around it. */
  const [x, y] = [number(summit, 'x'), number(summit, 'y')];
  const points = [30, 300, 1000].flatMap((r) => Array.from({ length: 32 },
    (_, i) => [x + r * Math.cos(i * Math.PI / 16), y + r * Math.sin(i * Math.PI / 16)].map((each) => Number(each.toFixed(3)))));
  const answer = await fetch(`${server.url}/heights`, { method: 'POST', body: JSON.stringify({ points }) });
  assert.ok(Math.max(...(await answer.json()).heights) < height);

  const heights = way.trim().split('\n').slice(1).map((line) => Number(line.split('\t')[1]));
  assert.equal(heights.length, 5);
  assert.equal(heights[4], height);
  const river = /line=([-\d]+),([-\d]+);/.exec(commands[2]);
  assert.equal((await (await fetch(`${server.url}/at?x=${river[1]}&y=${river[2]}`)).json()).biome, 'river');

  assert.match(picture, /\u001b\[38;2;\d+;\d+;\d+/);
  const tile = /(\d+)\/(\d+)\/(\d+)\.ansi/.exec(commands[3]).slice(1).map(Number);
  const at = (await (await fetch(`${server.url}/at?x=${x}&y=${y}&zoom=${tile[0]}`)).json()).tile;
  assert.deepEqual([at.z, at.x, at.y], tile, 'the summit is in the picture');

  const ground = floats(readFileSync(path.join(folder, 'ground.r32f')));
  assert.equal(ground.length, 65 * 65);
  const [, cx, cy] = /chunks\/(-?\d+)\/(-?\d+)/.exec(commands[4]).map(Number);
  const near = ground[(Math.round(y) - cy * 64) * 65 + Math.round(x) - cx * 64];
  assert.ok(Math.abs(near - height) < 1, 'the summit is in the chunk');
});

test('the guide names every format and query and links the rest', async () => {
  const { text } = follow(server);
  const document = await (await fetch(`${server.url}/openapi.json`)).json();
  const formats = (name) => document.paths[name].parameters.find((each) => each.name === 'format' && each.in === 'path')
    .schema.enum.map((each) => `.${each}`).join(' ');
  assert.ok(text.includes(formats('/tiles/{style}/{z}/{x}/{y}.{format}')));
  assert.ok(text.includes(formats('/chunks/{cx}/{cy}.{format}')));
  for (const [name, { get, post }] of Object.entries(document.paths)) {
    const [tag] = (get ?? post).tags;
    if (tag === 'questions' && !name.startsWith('/worlds/') && !name.includes('.')) assert.ok(text.includes(name), name);
  }
  assert.ok(text.includes('/openapi.json') && text.includes('/verify'));
});

test('the guide works with another default world', async () => {
  const other = await startServer({ arguments: ['--default-world', 'caves'] });
  try {
    const { text, outputs } = follow(other);
    assert.match(text, /caves .*\(the default\)/);
    assert.match(outputs[0], /^found\tyes\t/);
    assert.ok(number(outputs[1], 'height') > 1000);
  } finally {
    assert.equal(await other.stop(), 0);
  }
});

/* The marks "~" and "@", plain or percent-encoded, in paths and in parameters. */
const world = async (name) => {
  const answer = await load(`/worlds/${name}`);
  assert.equal(answer.status, 200, name);
  return answer.json();
};

test('"%7E" and "%40" in a path mean "~" and "@"', async () => {
  const { fingerprint, name, seed } = await world('terra~42');
  assert.deepEqual([name, seed], ['terra', '42']);
  for (const text of ['terra%7E42', 'terra%7e42', `terra~42@${fingerprint}`, `terra%7E42%40${fingerprint}`, `terra~42%40${fingerprint}`,
    'te%72ra~4%32']) {
    assert.equal((await world(text)).fingerprint, fingerprint, text);
  }
  const pinned = await load(`/worlds/terra%7E42%40${fingerprint}/at?x=0&y=0`);
  assert.match(pinned.headers.get('cache-control'), /immutable/);
  assert.equal((await load(`/worlds/terra%7E43%40${fingerprint}/at?x=0&y=0`)).status, 410);
});

test('"%7E" and "%40" in ?world= mean "~" and "@", as URLSearchParams writes them', async () => {
  const { fingerprint } = await world('terra~42');
  const expected = Buffer.from(await (await load('/worlds/terra~42/tiles/relief/6/30/31.png')).arrayBuffer());
  const first = Buffer.from(await (await load('/tiles/6/30/31.png')).arrayBuffer());
  assert.ok(!first.equals(expected));
  for (const name of ['terra~42', `terra~42@${fingerprint}`]) {
    const written = new URLSearchParams({ world: name });
    assert.match(String(written), /%7E/);
    for (const query of [String(written), `world=${name}`, `world=${encodeURIComponent(name)}`]) {
      const answer = await load(`/tiles/6/30/31.png?${query}`);
      assert.equal(answer.status, 200, query);
      assert.ok(Buffer.from(await answer.arrayBuffer()).equals(expected), query);
    }
  }
});

test('"%40" marks the pin of a style', async () => {
  const { fingerprint, styles } = await world('terra');
  const relief = styles.find(({ name }) => name === 'relief');
  const style = `relief@${relief.fingerprint}`;
  for (const target of [`/worlds/terra@${fingerprint}/tiles/${style.replace('@', '%40')}/3/4/2.png`,
    `/tiles/3/4/2.png?${new URLSearchParams({ world: `terra@${fingerprint}`, style })}`]) {
    const answer = await load(target);
    assert.equal(answer.status, 200, target);
    assert.match(answer.headers.get('cache-control'), /immutable/);
  }
  assert.equal((await load('/tiles/3/4/2.png?style=relief%40s1-0123456789abcdef')).status, 410);
});

test('"%7E" and "%40" in /diff mean "~" and "@"', async () => {
  const area = 'bbox=0,0,90,90&samples=3';
  const { fingerprint } = await world('terra~2');
  const expected = await (await load(`/diff?a=terra&b=terra~2&${area}`)).json();
  assert.equal(expected.b.fingerprint, fingerprint);
  for (const b of ['terra%7E2', `terra~2%40${fingerprint}`, `terra%7E2%40${fingerprint}`]) {
    assert.deepEqual(await (await load(`/diff?a=terra&b=${b}&${area}`)).json(), expected, b);
  }
  const swapped = await (await load(`/diff?a=terra%7E2&b=terra&${area}`)).json();
  assert.equal(swapped.a.fingerprint, fingerprint);
});

test('a seed may contain "~" and "@"', async () => {
  for (const [text, seed] of [['terra~a@b', 'a@b'], ['terra~a%40b', 'a@b'], ['terra~a~b', 'a~b'], ['terra%7Ea%7Eb', 'a~b'],
    ['terra~%40', null], ['terra~@x', '@x'], ['terra~a%2540b', 'a%40b'], ['terra~me@example.org', 'me@example.org']]) {
    if (seed === null) assert.equal((await load(`/worlds/${text}`)).status, 400, text);
    else assert.equal((await world(text)).seed, seed, text);
  }
  const { urls, fingerprint } = await world('terra~a@g~1');
  const chunk = await load(urls.chunk.replace(server.url, '').replace('{cx}', 0).replace('{cy}', 0).replace('{format}', 'r32f'));
  assert.equal(chunk.status, 200, urls.chunk);
  assert.equal(chunk.headers.get('x-terrane-world'), fingerprint);
});

test('an invalid seed or pin is named, encoded or not', async () => {
  for (const text of ['terra~', 'terra%7E', 'terra@', 'terra%40', 'terra@x', 'terra%40x', 'terra~1@g1-0', 'terra%7E1%40g1-0',
    `terra@g1-${'0'.repeat(33)}`, `terra@s1-${'0'.repeat(16)}`]) {
    for (const target of [`/worlds/${text}`, `/tiles/3/4/2.png?world=${text}`, `/diff?b=${text}&bbox=0,0,9,9`]) {
      const answer = await load(target);
      const problem = await answer.json();
      assert.equal(answer.status, 400, target);
      assert.match(problem.detail, /behind "[~@]" stands/);
    }
  }
});

/* A client with an old pin learns of it, whatever else is wrong with its request. */
/* Of several faults the first is reported, in one order on all routes: of the parameters and the rest of the path,
 * of the world's name, its pin, and what is named in the world or by the body. Each row has targets below a world:
 * right but for the world, with a wrong parameter as well, and with a wrong name or body. */
test('faults of a request are reported in one order on all routes', async () => {
  const { fingerprint } = await (await fetch(`${server.url}/worlds/terra`)).json();
  const old = fingerprint.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  const place = 'x=0&y=0', box = 'bbox=0,0,99,99';
  const rows = [
    ['tiles/relief/3/4/2.png', 'tiles/relief/3/4/2.png?t=q', 'tiles/nothing/3/4/2.png', 404],
    ['tiles/relief.json', 'tiles/relief.json?size=q', 'tiles/nothing.json', 404],
    ['tiles.json', 'tiles.json?size=q'], ['style.json', 'style.json?size=q'], ['world.json', 'world.json?size=q'],
    ['wmts.xml', 'wmts.xml?service=q', 'wmts.xml?style=nothing', 404], ['gdal.xml', 'gdal.xml?format=q', 'gdal.xml?style=nothing', 404],
    ['chunks/0/0.r32f', 'chunks/0/q.r32f', 'chunks/0/0.r32f?layers=nothing', 404],
    ['volumes/0/0/0.r32f?layer=height', 'volumes/0/0/0.r32f?size=q', 'volumes/0/0/0.r32f?layer=nothing', 404],
    [`at?${place}`, 'at?x=q'], [`explain?${place}`, 'explain?x=q'], [`trace.svg?${place}`, 'trace.svg?x=q'], [`spawn?${place}`, 'spawn?x=q'],
    [`stats?${box}`, 'stats?bbox=q'], [`rivers?${box}`, 'rivers?bbox=q'], ['profile.svg?line=0,0;9,9', 'profile.svg?line=q'],
    [`objects.geojson?${box}`, 'objects.geojson?bbox=q', `objects.geojson?${box}&kind=nothing`, 404],
    [`locate?${place}&biome=river`, 'locate?radius=q', `locate?${place}&biome=nothing`, 404],
    ['sight?from=0,0,1&to=9,9,1', 'sight?from=q'],
    [`diff?${box}&b=terra`, 'diff?bbox=q&b=terra', `diff?${box}&b=nope`, 404],
    [`diff?${box}&a=terra&b=terra`, 'diff?bbox=q&b=terra', `diff?${box}&a=terra&b=terra@${old}`, 410],
    ['verify?chunk=0,0', 'verify?chunk=q', 'verify?chunk=0,0&layers=nothing', 404],
    ['heights', 'heights?zoom=q', 'heights', 400, '{"points":[[0]]}'], ['chunks', 'chunks?size=1', 'chunks', 400, '{"chunks":[[0]]}'],
    ['volumes', 'volumes?size=1', 'volumes', 400, '{"layer":"height","volumes":[[0]]}'], ['digests', 'digests?size=1', 'digests', 400, '{"chunks":[[0]]}'],
    ['digests', 'digests?size=1', 'digests', 410, `{"chunks":[[0,0]],"against":"terra@${old}"}`],
  ];
  for (const [right, parameter, name, status, body] of rows) {
    const ask = async (world, target) =>
      (await fetch(`${server.url}/worlds/${world}/${target}`, body ? { method: 'POST', body } : {})).status;
    for (const target of name ? [right, name] : [right]) {
      assert.equal(await ask('nope', target), 404, target);
      assert.equal(await ask('terra@g0', target), 400, target);
      assert.equal(await ask(`terra@${old}`, target), 410, target);
    }
    for (const world of ['nope', 'terra@g0', `terra@${old}`, 'terra']) assert.equal(await ask(world, parameter), 400, parameter);
    if (name) assert.equal(await ask('terra', name), status, name);
  }
  assert.equal((await fetch(`${server.url}/worlds/nope?pretty=q`)).status, 400);
  assert.equal((await fetch(`${server.url}/tiles/3/4/2.png?world=nope&style=nothing`)).status, 404);
  assert.equal((await fetch(`${server.url}/tiles/3/4/2.png?world=terra@${old}&style=nothing`)).status, 410);
  assert.equal((await fetch(`${server.url}/tiles/3/4/2.png?world=nope&t=q`)).status, 400);
});
