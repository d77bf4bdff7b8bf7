/* POST /preview: world files that clients send are served like worlds of the server, errors have their places, the
 * store is bounded, and other sites may not use it. TERRANE_POSTS=10000 is the long run. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { command } from '../faults/reloads.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { patientFetch } from '../tools/patient.mjs';
import { sanitizerMemory, serversOfFile } from '../tools/server.mjs';
import { ask } from './raw.mjs';

const terra = (seed) => JSON.stringify({ ...JSON.parse(readFileSync('config/worlds/terra.json', 'utf8')), seed });
const folder = temporaryFolder({ 'terra.json': terra(5) });
after(() => folder.remove());
const admin = path.join(folder.path, 'admin.socket');
const disk = path.join(folder.path, 'tiles.db');

const servers = serversOfFile({
  local: ['--worlds', folder.path, '--cache-disk', disk, '--admin', admin],
  few: ['--previews', '3'],
  small: ['--cache-memory', '8M', '--network-memory', '8M', '--previews', '1000'],
  everywhere: ['--listen', '0.0.0.0:0'],
  given: ['--listen', '0.0.0.0:0', '--previews', '2', '--allowed-hosts', 'maps.example'],
  proxied: ['--public-url', 'https://maps.example/t'],
  proxiedGiven: ['--public-url', 'https://maps.example/t', '--previews', '2'],
  none: ['--previews', '0'],
});

const post = (server, body, headers = {}) => patientFetch(`${servers[server].url.replace('0.0.0.0', '127.0.0.1')}/preview`, { method: 'POST', body, headers });
const bytesOf = async (url) => {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  return Buffer.from(await response.arrayBuffer());
};
const hills = (seed) => JSON.stringify({ generator: 1, seed, title: 'Hills', layers: { height: { formula: '200 * perlin(wavelength=1000)' } } });
async function made(server, body) {
  const response = await post(server, body);
  assert.equal(response.status, 201, await response.clone().text());
  return response.json();
}
async function metrics(server) {
  const text = await (await fetch(`${servers[server].url}/metrics`)).text();
  return (name) => Number(new RegExp(`^terrane_${name.replace(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(text)[1]);
}

test('a preview is the world that the file is with --worlds: tiles, points, chunks, seeds, pins and styles', async () => {
  const text = readFileSync(path.join(folder.path, 'terra.json'));
  const response = await post('local', text, { 'Content-Type': 'application/json' });
  assert.equal(response.status, 201);
  const preview = await response.json();
  const { url } = servers.local;
  const name = `preview-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  const served = await (await fetch(`${url}/worlds/terra`)).json();
  assert.deepEqual(preview, { name, title: 'Terra', fingerprint: served.fingerprint, url: `/worlds/${name}`, warnings: [] });
  assert.equal(response.headers.get('location'), preview.url);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const routes = ['/tiles/relief/9/260/255.png', '/tiles/biome/6/33/31.webp', '/tiles/terrarium/12/2049/2050.png',
    '/at?x=1234&y=-5678', '/chunks/3/-2.r32f?size=32', '/profile?line=0,0;5000,900&samples=9'];
  for (const route of routes) {
    for (const seed of ['', '~77']) {
      const [bytes, wanted] = [await bytesOf(`${url}${preview.url}${seed}${route}`), await bytesOf(`${url}/worlds/terra${seed}${route}`)];
      assert.equal(bytes.toString('latin1').replaceAll(name, 'terra'), wanted.toString('latin1'), route);
    }
  }
  const described = await (await fetch(url + preview.url)).json();
  assert.deepEqual(described.styles.map((style) => style.name), served.styles.map((style) => style.name));
  assert.deepEqual(described.versions, [preview.fingerprint]);
  const pinned = described.styles[0].tiles.replace('{z}/{x}/{y}', '3/4/3');
  assert.ok(pinned.startsWith(`/worlds/${name}@${preview.fingerprint}/`));
  assert.ok((await bytesOf(url + pinned)).length > 100);
  assert.equal((await fetch(`${url}${preview.url}@g1-${'0'.repeat(32)}/at?x=0&y=0`)).status, 410);
  const diff = await (await fetch(`${url}/diff?a=${name}&b=terra&bbox=0,0,9000,9000&samples=8`)).json();
  assert.equal(diff.changed, 0);
});

test('the same file has the same address, and stands in no list', async () => {
  const [first, second] = [await made('few', hills(1)), await made('few', hills(1))];
  assert.deepEqual(first, second);
  assert.notEqual((await made('few', hills(2))).name, first.name);
  const { worlds } = await (await fetch(`${servers.few.url}/worlds`)).json();
  assert.ok(worlds.every(({ name }) => !name.startsWith('preview-')));
});

test('styles of the file are those of the preview', async () => {
  const world = JSON.parse(hills(3));
  world.styles = { red: { paint: [{ ramp: { layer: 'height', stops: [[0, '#f00'], [1, '#f00']] } }] } };
  const { url } = await made('few', JSON.stringify(world));
  const text = (await bytesOf(`${servers.few.url}${url}/tiles/red/5/16/16.ansi?cols=10`)).toString();
  assert.match(text, /255;0;0/);
});

/* The error stands where the » is. */
const broken = [
  ['{"generator":1,"layers":{"height":{"formula":"»perlim(wavelength=9)"}}}', /unknown function "perlim".*"perlin"/, '/layers/height/formula'],
  ['{"generator":1,\n "layers":{"height":{"formula":"1 + »* 2"}}}', /./, '/layers/height/formula'],
  ['{"generator":1,\n "layers":{"height":{"formula":"x"},\n "layer":»{}}}', /missing/, '/layers/layer/formula'],
  ['{"generator":1,"layers":{"height":{"formula":"x"}},\n»"biome":[]}', /biomes/, ''],
  ['{"generator":1,"layers":{"height":{"formula":"»nothing"}}}', /nothing/, '/layers/height/formula'],
  ['»{"layers":{"height":{"formula":"x"}}}', /missing/, '/generator'],
  ['{"generator":»7,"layers":{"height":{"formula":"x"}}}', /./, '/generator'],
  ['{"generator":1,"layers":{"height":{"formula":"x","range":»[3]}}}', /./, '/layers/height/range'],
  ['{"generator":1,\n\n"layers":{"height":{"formula":"x"}»]}', /expected/, ''],
  ['{"generator":1,"layers":{"height":{"formula":"x"}},"styles":{"a":{"paint":[»{"rampe":1}]}}}', /ramp/, '/styles/a/paint/0'],
];

test('ten broken files are answered 422 with the places of their errors', async () => {
  for (const [marked, message, pointer] of broken) {
    const at = Buffer.from(marked.slice(0, marked.indexOf('»')));
    const lines = at.toString().split('\n');
    const response = await post('local', marked.replace('»', ''));
    const problem = await response.json();
    assert.equal(response.status, 422, marked);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    const [error] = problem.errors;
    assert.deepEqual([error.line, error.column], [lines.length, Buffer.byteLength(lines.at(-1)) + 1], `${marked} ${JSON.stringify(error)}`);
    assert.match(error.message, message, marked);
    assert.ok(error.pointer.startsWith(pointer), `${marked}: ${error.pointer}`);
  }
});

test('all errors of a file come at once, by place', async () => {
  const response = await post('local', '{"generator":1,"layers":{"height":{"formula":"perlim()"},\n"b":{"formula":"height +"},\n"c":{"formula":"zz"}}}');
  const { errors, detail } = await response.json();
  assert.deepEqual(errors.map(({ line }) => line), [1, 2, 3]);
  assert.deepEqual(errors.map(({ pointer }) => pointer), ['/layers/height/formula', '/layers/b/formula', '/layers/c/formula']);
  assert.match(detail, /^3 errors/);
});

test('a warp that folds the plane is a warning at its place', async () => {
  const world = '{"generator":1,\n"layers":{"height":{"formula":"drainage(\\"height\\")"}},\n"drainage":{"potential":"perlin(wavelength=90000)","target":"100","relief":"9","warp_x":"2000*perlin(wavelength=100)","warp_y":"0"}}';
  const response = await post('local', world);
  const preview = await response.json();
  if (response.status === 422) assert.fail(JSON.stringify(preview.errors));
  assert.match(preview.warnings[0].message, /folds the plane/);
  assert.deepEqual([preview.warnings[0].line, preview.warnings[0].pointer], [3, '/drainage']);
});

test('a warp that moves neighbours far apart is a warning at its place', async () => {
  const world = '{"generator":1,"layers":{"height":"drainage(\\"height\\")"},\n"drainage":{"potential":"perlin(90000)","target":"100","relief":"9","warp_x":"99*x","warp_y":"24*y"}}';
  const { warnings } = await (await post('local', world)).json();
  assert.equal(warnings.length, 1);
  assert.match(warnings[0].message, /neighbours 50 times as far apart/); /* the root of 100 · 25 */
  assert.deepEqual([warnings[0].line, warnings[0].pointer], [2, '/drainage']);
});

const wide = (count, each) => JSON.stringify({ generator: 1, layers: Object.fromEntries(
  Array.from({ length: count }, (_, i) => [i ? `l${i}` : 'height', { formula: each(i) }])) });
const hostile = {
  'a formula of 100,000 operators': [wide(1, () => `x${'+x'.repeat(100_000)}`), 422, /at most 8192/],
  '100,000 operators in many layers': [wide(200, (i) => Array.from({ length: 150 }, (_, k) => `perlin(wavelength=${i * 500 + k + 9})`).join('+')), 422, /8192 operations/],
  'deep formulas': [wide(1, () => `${'('.repeat(4000)}x${')'.repeat(4000)}`), 422, /deep|nested/],
  'deep JSON': [`{"layers":${'['.repeat(400_000)}`, 422, /32 levels/],
  'a cost of 20,000 octaves': [wide(1, () => Array.from({ length: 20 }, (_, i) => `fbm(wavelength=${1e6 + i},octaves=24)`).join('+')), 422, /400/],
  'sums that double from layer to layer': [wide(200, (i) => (i === 0 ? 'l199' : i === 1 ? 'perlin(wavelength=9)' : `fbm(wavelength=l${i - 1})+l${i - 1}`)), 422, /./],
};
for (const [name, [body, status, message]] of Object.entries(hostile))
  test(`${name}: refused with the limit`, async () => {
    const response = await post('local', body);
    const text = await response.text();
    assert.equal(response.status, status, text.slice(0, 300));
    assert.match(text, message);
  });

test('a body of 10 MB is refused before it is sent', async () => {
  const { status, body } = await ask(servers.local.port, 'POST /preview HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10485760\r\n\r\n');
  assert.equal(status, 413);
  assert.match(body.toString(), /1048576 bytes/);
});

test('the least recently used preview is dropped, and says what to do', async () => {
  const { url } = servers.few;
  const first = await made('few', hills(10));
  await made('few', hills(11));
  await made('few', hills(12));
  await bytesOf(`${url}${first.url}/at?x=1&y=1`);
  const fourth = await made('few', hills(13));
  const gone = await fetch(`${url}/worlds/preview-${createHash('sha256').update(hills(11)).digest('hex').slice(0, 32)}/at?x=1&y=1`);
  assert.equal(gone.status, 404);
  assert.match((await gone.json()).detail, /POST its world file to \/preview again/);
  for (const preview of [first, fourth]) await bytesOf(`${url}${preview.url}/at?x=1&y=1`);
  assert.equal((await made('few', hills(11))).fingerprint, (await made('small', hills(11))).fingerprint);
});

const cacheOf = async (url) => (await fetch(url)).headers.get('x-terrane-cache');

test('tiles of previews are in memory alone', async () => {
  const { url } = await made('local', hills(20));
  const looked = async () => (await metrics('local'))('cache_requests_total{tier="disk",result="miss"}');
  const before = await looked();
  for (let x = 0; x < 8; x += 1) assert.equal(await cacheOf(`${servers.local.url}${url}/tiles/height/9/${x}/1.png`), 'render');
  assert.equal(await cacheOf(`${servers.local.url}${url}/tiles/height/9/1/1.png`), 'memory');
  assert.equal(await looked(), before);
  await bytesOf(`${servers.local.url}/worlds/terra/tiles/height/9/1/1.png`);
  assert.equal(await looked(), before + 1);
  assert.ok(statSync(disk).size > 0);
});

test('a tile of a preview is not taken for that of a world with the same fingerprint', async () => {
  const { url } = await made('local', terra(5));
  const tile = '/tiles/height/9/77/1.png';
  assert.equal(await cacheOf(`${servers.local.url}${url}${tile}`), 'render');
  assert.equal(await cacheOf(`${servers.local.url}/worlds/terra${tile}`), 'render');
  assert.equal(await cacheOf(`${servers.local.url}${url}/chunks/4/4.r32f?size=8`), 'render');
  assert.equal(await cacheOf(`${servers.local.url}/worlds/terra/chunks/4/4.r32f?size=8`), 'render');
});

test('a reload keeps previews', async () => {
  const { url } = await made('local', hills(30));
  const before = await bytesOf(`${servers.local.url}${url}~4/at?x=1&y=1`);
  assert.equal((await command(admin, 'POST', 'reload')).status, 200);
  assert.deepEqual(await bytesOf(`${servers.local.url}${url}~4/at?x=1&y=1`), before);
});

test('previews are on if nobody but this machine can connect, or if they are given', async () => {
  const status = async (server) => (await post(server, hills(1))).status;
  assert.equal(await status('local'), 201);
  for (const server of ['everywhere', 'proxied', 'none']) {
    const response = await post(server, hills(1));
    assert.equal(response.status, 403);
    assert.match((await response.json()).detail, /--previews N/);
  }
  assert.equal(await status('given'), 201);
  assert.equal(await status('proxiedGiven'), 201);
});

const raw = (server, headers) => {
  const body = hills(1);
  const lines = Object.entries({ 'Content-Length': body.length, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return ask(servers[server].port, `POST /preview HTTP/1.1\r\n${lines}\r\n${body}`);
};

/* Server, Host, Origin, status. */
const askers = [
  ['local', '127.0.0.1:PORT', undefined, 201],
  ['local', '127.0.0.1:PORT', 'http://127.0.0.1:PORT', 201],
  ['local', 'LOCALHOST:PORT', 'http://localhost:PORT', 201],
  ['local', '127.0.0.1:PORT', 'http://127.0.0.1:1', 403],
  ['local', '127.0.0.1:PORT', 'http://localhost:PORT', 403],
  ['local', '127.0.0.1:PORT', 'http://127.0.0.1:PORT.evil.example', 403],
  ['local', '127.0.0.1:PORT', 'https://evil.example', 403],
  ['local', '127.0.0.1:PORT', 'null', 403],
  ['local', '127.0.0.1:PORT', '', 403],
  ['local', 'evil.example:PORT', 'http://evil.example:PORT', 403],
  ['local', 'evil.example', undefined, 403],
  ['given', 'maps.example', 'https://maps.example', 201],
  ['given', '192.0.2.7:PORT', 'http://192.0.2.7:PORT', 403],
  ['proxiedGiven', 'maps.example', 'https://maps.example', 201],
  ['proxiedGiven', '127.0.0.1:PORT', 'https://maps.example', 201],
  ['proxiedGiven', 'maps.example', 'https://maps.example.evil.example', 403],
];

test('pages of other sites, by whatever name, may not post', async () => {
  for (const [server, host, origin, wanted] of askers) {
    const filled = (text) => text.replace('PORT', servers[server].port);
    const { status, headers } = await raw(server, { Host: filled(host), ...(origin === undefined ? {} : { Origin: filled(origin) }) });
    assert.equal(status, wanted, `${server}: ${host}, ${origin}`);
    assert.equal(headers['access-control-allow-origin'], undefined);
  }
});

test('two Origin headers are of no site', async () => {
  const own = `http://127.0.0.1:${servers.local.port}`;
  for (const [first, status] of [[undefined, 201], [own, 403], ['https://evil.example', 403]]) {
    const lines = `${first === undefined ? '' : `Origin: ${first}\r\n`}Origin: ${own}\r\nHost: 127.0.0.1:${servers.local.port}\r\n`;
    const body = hills(1);
    const bytes = `POST /preview HTTP/1.1\r\n${lines}Content-Length: ${body.length}\r\n\r\n${body}`;
    assert.equal((await ask(servers.local.port, bytes)).status, status, lines);
  }
});

test('the preflight request of another site finds no CORS header', async () => {
  const { status, headers } = await ask(servers.local.port, 'OPTIONS /preview HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n'
    + 'Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n\r\n');
  assert.equal(status, 204);
  assert.equal(headers.allow, 'POST, OPTIONS');
  assert.deepEqual(Object.keys(headers).filter((name) => name.startsWith('access-control')), []);
});

/* A point of the preview with another seed. The store holds three previews of terra, so that those of other clients may
 * drop this one before it is asked for: then it is posted again, as the answer says. */
async function askOtherSeed(seed, preview) {
  for (let tries = 0; tries < 10; tries += 1) {
    const response = await patientFetch(`${servers.small.url}${preview.url}~${seed}/at?x=1&y=1`);
    const text = await response.text();
    if (response.status === 200) return;
    assert.equal(response.status, 404, text);
    assert.match(text, /POST its world file to \/preview again/);
    await made('small', terra(seed));
  }
  assert.fail(`${preview.url} is dropped again and again`);
}

/* A preview takes some milliseconds of a processor, and longer beside other tests. */
const total = Number(process.env.TERRANE_POSTS ?? 200);
test('the store is bounded in number and memory', { timeout: 60_000 + 200 * total }, async () => {
  const send = async (seed) => {
    const preview = await made('small', terra(seed));
    if (seed % 4 === 0) await askOtherSeed(seed, preview);
  };
  for (let i = 0; i < 20; i += 1) await send(i);
  const before = (await metrics('small'))('process_resident_memory_bytes');
  for (let i = 20; i < total; i += 4) {
    await Promise.all([0, 1, 2, 3].map((k) => send(i + k)));
  }
  const count = await metrics('small');
  assert.ok(count('previews_bytes') <= 4 << 20, 'an eighth of 8 MB, and at least 4 MB');
  assert.ok(count('previews') < 20 && count('previews') > 0);
  assert.ok(count('previews_dropped_total') >= total - 20);
  const grown = (count('process_resident_memory_bytes') - before) / 2 ** 20;
  assert.ok(grown < 40 + sanitizerMemory, `${grown} MB`);
  if (total > 200) console.log(`${total} previews of terra: ${grown.toFixed(1)} MB more than after 20`);
});
