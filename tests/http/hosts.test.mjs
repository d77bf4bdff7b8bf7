/* The names by which clients ask for the server, and the addresses that documents have then. */

import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { refusedStart, serversOfFile, startServer } from '../tools/server.mjs';
import { gdalIn } from './gdal.mjs';
import { ask } from './raw.mjs';

const gdal = gdalIn(temporaryFolder().path);

/* The arguments of each server. Other machines could ask the first three. */
const everywhere = ['--listen', '0.0.0.0:0'];
const settings = {
  open: everywhere,
  named: [...everywhere, '--allowed-hosts', 'maps.example', '--allowed-hosts', '[2001:db8::1]'],
  any: [...everywhere, '--allowed-hosts', '*'],
  local: [],
  trusting: ['--trusted-proxies', '127.0.0.1'],
  fixed: [...everywhere, '--public-url', 'https://maps.example/t3'],
};
const servers = serversOfFile(settings);

const documents = ['/tiles.json', '/tiles/terrarium.json', '/style.json', '/wmts.xml', '/gdal.xml', '/'];

async function request(server, path, host, headers = {}) {
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return ask(servers[server].port, `GET ${path} HTTP/1.1\r\n${lines}\r\n`);
}

/* The origins with prefix of a document's own addresses. */
const bases = (body) => new Set([...body.toString().matchAll(/(https?:\/\/[^"'<>\s]*?)\/(?:worlds|locate|at|profile|tiles|chunks)[/?]/g)]
  .map(([, base]) => base));

/* Whoever runs it in a container or on a machine at home sees a map, whatever it is called there. */
for (const host of ['nas.local:8080', '192.168.1.5:8080', 'terrane:8080', '[fd00::5]:8080', 'box']) {
  test(`a public listener that is told no name gives addresses of the Host ${host}`, async () => {
    for (const path of documents) {
      const { status, headers, body } = await request('open', path, host);
      assert.equal(status, 200, path);
      assert.deepEqual([...bases(body)], [`http://${host}`], path);
      assert.equal(headers['cache-control'], 'no-store', path);
      assert.match(headers.vary, /\bHost\b/, path);
    }
    const [tile] = JSON.parse((await request('open', '/tiles.json', host)).body).tiles;
    const path = tile.slice(`http://${host}`.length).replace('{z}', '3').replace('{x}', '4').replace('{y}', '2');
    assert.equal((await request('open', path, host)).status, 200);
  });
}

/* No name has to be known for that: another machine would ask by this address, too. */
const outside = Object.values(networkInterfaces()).flat().find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

test('GDAL opens gdal.xml and wmts.xml by the address of this machine', { skip: !outside && 'the machine has no address but loopback' }, async () => {
  for (const source of ['/gdal.xml?style=terrarium', 'WMTS:/wmts.xml,layer=relief']) {
    const url = source.replace(/^(WMTS:)?\//, `$1http://${outside}:${servers.open.port}/`);
    const values = await gdal('gdal_translate', ['-q', '-of', 'XYZ', '-b', '1', '-outsize', '1', '1',
      '-projwin', '0', '9000', '9000', '0', url, '/vsistdout/']);
    assert.match(values, /^4500\.?\d* 4500\.?\d* \d+$/m, url);
  }
});

test('caches may keep documents with the names of the server', async () => {
  for (const [server, host] of [['open', 'localhost:1'], ['open', 'terrane.localhost:1'], ['local', '127.0.0.2'], ['named', 'MAPS.example:81'],
    ['named', '[2001:db8::1]:81'], ['fixed', 'nas.local']]) {
    for (const path of documents) {
      const { status, headers } = await request(server, path, host);
      assert.equal(status, 200, `${host}${path}`);
      assert.equal(headers['cache-control'], 'no-cache', `${host}${path}`);
      assert.doesNotMatch(headers.vary, /\bHost\b/, `${host}${path}`);
    }
  }
});

test('the allowed host "*" is every Host, and caches keep one document for each', async () => {
  for (const host of ['nas.local:8080', 'maps.example']) {
    const { status, headers, body } = await request('any', '/tiles.json', host);
    assert.equal(status, 200);
    assert.deepEqual([...bases(body)], [`http://${host}`]);
    assert.equal(headers['cache-control'], 'no-cache');
    assert.match(headers.vary, /\bHost\b/);
  }
});

/* localhost.example is a name of anybody. */
const foreign = [['local', 'nas.local:8080', /listens on loopback alone/], ['local', 'localhost.example', /listens on loopback alone/],
  ['local', 'xlocalhost', /listens on loopback alone/], ['named', 'nas.local', /other allowed hosts/], ['named', 'maps.example.evil', /other allowed hosts/]];

test('a Host that is refused is told which options help, in every document but the guide', async () => {
  for (const [server, host, reason] of foreign) {
    for (const path of documents.filter((each) => each !== '/')) {
      const { status, headers, body } = await request(server, path, host);
      assert.equal(status, 421, `${host}${path}`);
      assert.equal(headers['cache-control'], 'no-store');
      const { detail } = JSON.parse(body);
      assert.ok(detail.includes(`"${host}"`), detail);
      assert.match(detail, reason);
      for (const option of ['--public-url', '--allowed-hosts', '--trusted-proxies']) assert.ok(detail.includes(option), detail);
    }
    const guide = await request(server, '/', host);
    assert.equal(guide.status, 200);
    assert.equal(guide.headers['cache-control'], 'no-store');
    assert.deepEqual([...bases(guide.body)], [`http://${host}`]);
  }
});

test('a trusted proxy may pass on the Host instead of X-Forwarded-Host', async () => {
  const { status, headers, body } = await request('trusting', '/tiles.json', 'nas.local', { 'X-Forwarded-Proto': 'https' });
  assert.equal(status, 200);
  assert.deepEqual([...bases(body)], ['https://nas.local']);
  assert.equal(headers['cache-control'], 'no-store');
});

test('an allowed host that no Host header can be is refused at the start', async () => {
  for (const host of ['http://maps.example', 'maps.example:8080', '*.example', 'a b', '::1', 'a,b', '**']) {
    const { status, stderr } = await refusedStart(['--allowed-hosts', host]);
    assert.equal(status, 2, host);
    assert.match(stderr, /--allowed-hosts: must be a name or an address without scheme and port, .* or \* for every Host/, host);
  }
});

test('the environment separates allowed hosts by commas', async () => {
  const server = await startServer({ env: { TERRANE_ALLOWED_HOSTS: 'maps.example,[2001:db8::1]' } });
  try {
    for (const host of ['maps.example', '[2001:db8::1]:81']) {
      assert.equal((await ask(server.port, `GET /tiles.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status, 200, host);
    }
  } finally {
    await server.stop();
  }
});

test('the start says so where other machines may connect and no name is known', async () => {
  for (const [name, server] of Object.entries(servers)) {
    const said = /other machines may connect.*--public-url URL or --allowed-hosts HOST/.test(server.complaints());
    assert.equal(said, name === 'open', name);
  }
});

/* ---- prefixes */

const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'www.example:8443', 'X-Forwarded-Prefix': '/t3' };

test('behind a prefix every document has it', async () => {
  for (const [server, headers, base] of [['trusting', forwarded, 'https://www.example:8443/t3'], ['fixed', {}, 'https://maps.example/t3']]) {
    for (const path of documents) {
      assert.deepEqual([...bases((await request(server, path, 'localhost', headers)).body)], [base], path);
    }
    const json = async (path) => JSON.parse((await request(server, path, 'localhost', headers)).body);
    for (const { name, url } of (await json('/worlds')).worlds) assert.equal(url, `/t3/worlds/${name}`);
    const world = await json('/worlds/terra');
    for (const { tiles } of world.styles) assert.match(tiles, /^\/t3\/worlds\/terra@/);
    for (const url of Object.values(world.urls)) assert.match(url, /^\/t3\/worlds\/terra@/);
    for (const path of ['/openapi.json', '/openapi.json?pretty=1']) assert.deepEqual((await json(path)).servers, [{ url: '/t3' }]);
    assert.match((await json('/at')).example, /^\/t3\/at\?/);
    assert.equal((await json('/worlds/nobody')).list, '/t3/worlds');
  }
});

test('without a prefix the paths in documents begin at the root', async () => {
  const json = async (path) => JSON.parse((await request('trusting', path, 'localhost')).body);
  assert.deepEqual((await json('/openapi.json')).servers, [{ url: '/' }]);
  assert.equal((await json('/worlds')).worlds.find(({ name }) => name === 'terra').url, '/worlds/terra');
  assert.match((await json('/at')).example, /^\/at\?/);
});

test('documents that have the prefix of a proxy vary by it', async () => {
  for (const path of ['/worlds', '/worlds/terra', '/openapi.json', '/']) {
    assert.match((await request('trusting', path, 'localhost')).headers.vary, /X-Forwarded-Prefix/, path);
    assert.doesNotMatch((await request('local', path, 'localhost')).headers.vary, /X-Forwarded-Prefix/, path);
  }
});

test('a malformed prefix is refused in the documents that would have it', async () => {
  for (const path of ['/worlds', '/worlds/terra', '/openapi.json', '/', '/tiles.json']) {
    const { status, body } = await request('trusting', path, 'localhost', { 'X-Forwarded-Prefix': 't3' });
    assert.equal(status, 400, path);
    assert.match(JSON.parse(body).detail, /X-Forwarded-Prefix/);
  }
  assert.equal((await request('trusting', '/nothing', 'localhost', { 'X-Forwarded-Prefix': 't3' })).status, 404);
});

test('the log says once that a proxy is not trusted', async () => {
  const lines = (server) => server.complaints().split('\n').filter((line) => /no trusted proxy/.test(line));
  for (const [header, words] of [['X-Forwarded-Host', []], ['X-Forwarded-For', ['--trusted-proxies', '10.0.0.0/8']]]) {
    const server = await startServer({ arguments: words });
    for (let i = 0; i < 20; i++) await fetch(`${server.url}/livez`, { headers: { [header]: 'maps.example' } });
    await server.stop();
    assert.equal(lines(server).length, 1, server.complaints());
    assert.ok(lines(server)[0].includes(`127.0.0.1 sends ${header}`) && lines(server)[0].includes('--trusted-proxies 127.0.0.1'));
  }
  const trusting = await startServer({ arguments: ['--trusted-proxies', '127.0.0.1'] });
  await fetch(`${trusting.url}/livez`, { headers: { 'X-Forwarded-Host': 'maps.example' } });
  await fetch(`${trusting.url}/livez`);
  await trusting.stop();
  assert.deepEqual(lines(trusting), []);
});
