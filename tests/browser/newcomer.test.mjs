/* The way of a newcomer: the image is run, its map opened under the name of the machine, and nginx put in front, with
 * and without a prefix, by the lines of server/README.md. The image's root is laid out and entered as docker/ does it;
 * without root's rights the program runs beside it, with the same words and variables. */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import png from 'pngjs';
import { Part, accepts, binary, freePort, missing } from '../fleet/parts.mjs';
import { amount } from '../tools/amount.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { browserOfFile, loadedTiles } from './browser.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = (name) => readFileSync(path.join(root, name), 'utf8');
const skip = missing('nginx').length > 0 && 'nginx not installed';

/* ---- the image */

/* What docker/Dockerfile says of a run. */
const dockerfile = text('docker/Dockerfile');
const word = (pattern) => pattern.exec(dockerfile)[1];
const image = {
  user: word(/^USER (\S+)$/m),
  program: word(/^ENTRYPOINT \["(.*)"\]$/m),
  words: JSON.parse(word(/^CMD (\[.*\])$/m)),
  /* The container has a network of its own; here the port must be a free one. */
  environment: { TERRANE_LISTEN: word(/^ENV TERRANE_LISTEN=(\S+)$/m).replace(/:8080$/, ':0') },
};

/* Lays out the root of the image; all containers use one. */
async function layOut() {
  const folder = path.join(temporaryFolder().path, 'root');
  mkdirSync(folder, { mode: 0o755 });
  await promisify(execFile)('sh', [path.join(root, 'docker/gather.sh'), binary, folder]);
  return folder;
}

let laidOut;
async function command(more) {
  if (process.getuid() !== 0) return [binary, ...image.words, ...more];
  laidOut ??= layOut();
  const folder = await laidOut;
  const program = path.join('/usr/local/bin', path.basename(binary));
  assert.equal(program, image.program);
  return ['chroot', `--userspec=${image.user}`, folder, program, ...image.words, ...more];
}

/* { port, said(), stop() } of a running image. */
async function runImage(...more) {
  const [program, ...words] = await command(more);
  const child = spawn(program, words, { env: { PATH: process.env.PATH, ...image.environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data) => { said += data; });
  const exited = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await Promise.race([lines.next(), exited.then(() => ({}))]);
  const listening = /^listening on http:\/\/0\.0\.0\.0:(\d+)$/.exec(first.value ?? '');
  assert.ok(listening, first.value ?? said);
  return {
    port: Number(listening[1]),
    said: () => said,
    async stop() {
      child.kill('SIGTERM');
      const [status] = await exited;
      assert.equal(status, 0);
    },
  };
}

/* ---- nginx */

/* nginx with this text in a server, started; as maps.example, which the browser knows. */
async function startNginx(locations) {
  const folder = temporaryFolder().path, port = await freePort(), config = path.join(folder, 'nginx.conf');
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  writeFileSync(config, `pid ${folder}/pid; error_log stderr; worker_processes 1; events {}
http { access_log off; ${folders} server { listen 127.0.0.1:${port}; ${locations} } }`);
  const user = process.getuid() === 0 ? ' user root;' : '';
  const nginx = new Part('nginx', port, ['nginx', '-p', folder, '-c', config, '-g', `daemon off;${user}`], accepts);
  await nginx.start();
  return { url: `http://maps.example:${port}`, stop: () => nginx.end('SIGQUIT') };
}

/* The lines of the manual, for this server; without the prefix as it says. */
const [, recipe] = /```nginx\n([^`]*)```/.exec(text('server/README.md'));
const withPrefix = (port) => recipe.replace('127.0.0.1:8080', `127.0.0.1:${port}`);
const atRoot = (port) => withPrefix(port).replace('location /terrane/', 'location /').replace(/^.*X-Forwarded-Prefix.*\n/m, '');
/* What one writes who has not read it. */
const bare = (port) => `location /terrane/ { proxy_pass http://127.0.0.1:${port}/; }`;

/* ---- what the browser shows */

const LIBRARY = new URL('../node_modules/maplibre-gl/dist/', import.meta.url);
const PAGE = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Map</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="maplibre-gl.css">
<style>html, body, #map { height: 100%; margin: 0 }</style><div id="map"></div><script type="module">
import { Map } from './maplibre-gl.mjs';
globalThis.show = (style) => {
  const map = new Map({ container: 'map', style, center: [0, 0], zoom: 6, fadeDuration: 0 });
  map.on('error', ({ error }) => { globalThis.failed = String(error?.message ?? error); });
  map.on('idle', () => { globalThis.idle = true; });
};
</script></html>`;

const SIZE = { width: 480, height: 360 };
const { open } = browserOfFile();
const { newContext } = browserOfFile('webgl'); /* takes longer than the other */
let pages;

before(async () => {
  pages = createServer((request, response) => {
    const name = request.url.slice(1).split('?')[0];
    if (!/^([\w-]+\.(mjs|css))?$/.test(name)) return response.writeHead(404).end();
    const type = { mjs: 'text/javascript', css: 'text/css' }[name.split('.')[1]] ?? 'text/html';
    return response.writeHead(200, { 'Content-Type': type }).end(name === '' ? PAGE : readFileSync(new URL(name, LIBRARY)));
  });
  await once(pages.listen(0, '127.0.0.1'), 'listening');
});
after(() => pages?.close());

/* The colours of what is on the screen. */
async function colours(page, name) {
  const picture = await page.screenshot(process.env.TERRANE_PICTURES ? { path: `${process.env.TERRANE_PICTURES}/${name}.png` } : {});
  const { data } = png.PNG.sync.read(picture);
  return new Set(new Uint32Array(data.buffer, data.byteOffset, data.length / 4)).size;
}

/* The map page at an address, and a style.json beside it in MapLibre: both show a map. */
async function showsMap(address, name) {
  await open(address, async (page) => {
    assert.ok((await loadedTiles(page)).length >= 4);
    assert.ok(await colours(page, `${name}-page`) > 1000);
  }, { viewport: SIZE });
}

async function showsStyle(address, name) {
  const context = await newContext({ viewport: SIZE });
  const page = await context.newPage();
  try {
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`http://127.0.0.1:${pages.address().port}/`);
    await page.waitForFunction(() => typeof globalThis.show === 'function');
    await page.evaluate((style) => globalThis.show(style), `${address}style.json`);
    await page.waitForFunction(() => globalThis.idle || globalThis.failed);
    assert.equal(await page.evaluate(() => globalThis.failed), undefined);
    assert.ok(asked.filter((url) => url.startsWith(`${address}worlds/terra@`)).length >= 6, 'tiles come from the address of the style');
    assert.ok(await colours(page, `${name}-style`) > 1000);
  } finally {
    await context.close();
  }
}

/* ---- the ways */

/* MapLibre takes far longer than the page: an ordinary run has it once, where the address is hardest to know. */
const everyStyle = amount(false, true);

/* One image is told nothing, the other one which proxy to trust; so few, as each renders the map once. */
let silent, trusting;
before(async () => {
  [silent, trusting] = await Promise.all([runImage(), runImage('--trusted-proxies', '127.0.0.1')]);
}, { timeout: 60_000 }); /* laying out asks dpkg for the licence of each library */
after(() => Promise.all([silent?.stop(), trusting?.stop()]));

test('the image shows its map under the name of the machine', { timeout: 120_000 }, async () => {
  await showsMap(`http://nas.local:${silent.port}/`, 'nas.local');
  if (everyStyle) await showsStyle(`http://nas.local:${silent.port}/`, 'nas.local');
  assert.match(silent.said(), /this server is not told its name/);
});

test('and under the name of its service, and on the machine itself', { timeout: 120_000 }, async () => {
  for (const host of ['terrane', 'localhost']) await showsMap(`http://${host}:${silent.port}/`, host);
});

async function withNginx(locations, check) {
  const nginx = await startNginx(locations);
  try {
    await check(nginx.url);
  } finally {
    await nginx.stop();
  }
}

for (const [name, locations, prefix] of [['without a prefix', atRoot, '/'], ['with a prefix', withPrefix, '/terrane/']]) {
  test(`behind nginx ${name}, by the lines of the manual, the image shows its map`, { skip, timeout: 120_000 }, () =>
    withNginx(locations(trusting.port), async (url) => {
      await showsMap(url + prefix, `nginx ${name}`);
      if (prefix !== '/' || everyStyle) await showsStyle(url + prefix, `nginx ${name}`);
    }));
}

test('behind an nginx that nobody trusts the page shows its map, and the log says what is missing', { skip, timeout: 120_000 }, () =>
  withNginx(withPrefix(silent.port), async (url) => {
    await showsMap(`${url}/terrane/`, 'nginx untrusted');
    assert.match(silent.said(), /127\.0\.0\.1 sends X-Forwarded-Host and is no trusted proxy.*--trusted-proxies 127\.0\.0\.1/);
  }));

test('behind an nginx without headers a public URL gives documents their address', { skip, timeout: 120_000 }, async () => {
  const port = await freePort();
  await withNginx(bare(port), async (url) => {
    const server = await runImage('--port', String(port), '--public-url', `${url}/terrane`);
    try {
      await showsMap(`${url}/terrane/`, 'nginx bare');
      const { tiles } = await (await fetch(`http://127.0.0.1:${port}/tiles.json`)).json();
      assert.ok(tiles[0].startsWith(`${url}/terrane/worlds/terra@`), tiles[0]);
    } finally {
      await server.stop();
    }
  });
});
