/* The base of absolute URLs behind a proxy, and with clients that pretend to be one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serversOfFile, startServer } from '../tools/server.mjs';
import { ask } from './raw.mjs';

/* The arguments of each server. The tests' own address is 127.0.0.1. */
const settings = {
  plain: [],
  trusting: ['--trusted-proxies', '10.0.0.0/8', '--trusted-proxies', '127.0.0.0/8', '--allowed-hosts', 'maps.example'],
  distant: ['--trusted-proxies', '10.0.0.0/8'],
  fixed: ['--trusted-proxies', '127.0.0.1', '--public-url', 'https://public.example/maps/'],
};
const servers = serversOfFile(settings);

function request(server, headers = {}, host = 'localhost:1234') {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}\r\n`)).join('');
  return ask(servers[server].port, `GET /tiles.json HTTP/1.1\r\nHost: ${host}\r\n${lines}\r\n`);
}

/* The text before "/worlds/" in the document; the status if there is none. */
async function base(...words) {
  const { status, body } = await request(...words);
  return status === 200 ? JSON.parse(body).tiles[0].split('/worlds/')[0] : status;
}

const forged = {
  'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Prefix': '/evil',
};

test('only the configured proxies are trusted', async () => {
  for (const server of ['plain', 'distant']) {
    assert.equal(await base(server, forged), 'http://localhost:1234');
    assert.equal(await base(server, forged, 'evil.example'), 421);
    /* Malformed headers are ignored, too. */
    assert.equal(await base(server, { 'X-Forwarded-Host': 'a b"', 'X-Forwarded-Proto': 'javascript' }), 'http://localhost:1234');
  }
});

const told = [
  [{ 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'www.example', 'X-Forwarded-Prefix': '/terrane' }, 'https://www.example/terrane'],
  [{ 'X-Forwarded-Host': 'www.example:8443' }, 'http://www.example:8443'],
  [{ 'X-Forwarded-Host': '[2001:db8::1]:8443' }, 'http://[2001:db8::1]:8443'],
  [{ 'X-Forwarded-Proto': 'HTTPS' }, 'https://localhost:1234'],
  [{ 'X-Forwarded-Prefix': '/a/b-c_d.e~f/' }, 'http://localhost:1234/a/b-c_d.e~f'],
  [{ 'X-Forwarded-Prefix': '/' }, 'http://localhost:1234'],
  [{ 'X-Forwarded-Prefix': '' }, 'http://localhost:1234'],
  [{ 'X-Forwarded-Host': '' }, 'http://localhost:1234'],
  /* Entries before the proxy's own may come from any client. */
  [{ 'X-Forwarded-Host': 'evil.example, www.example' }, 'http://www.example'],
  [{ 'X-Forwarded-Host': ['evil.example', 'www.example'] }, 'http://www.example'],
  [{ 'X-Forwarded-Proto': 'javascript,https' }, 'https://localhost:1234'],
  [{ 'X-Forwarded-Prefix': '"><script> ,\t/b ' }, 'http://localhost:1234/b'],
  /* The server does not read Forwarded: see base_url.h. */
  [{ Forwarded: 'host=evil.example;proto=https' }, 'http://localhost:1234'],
];

test('a trusted proxy\'s headers give the scheme, host and path', async () => {
  for (const [headers, expected] of told) {
    assert.equal(await base('trusting', headers), expected, JSON.stringify(headers));
  }
});

test('without a forwarded host the Host header must be an allowed one', async () => {
  assert.equal(await base('trusting', { 'X-Forwarded-Proto': 'https' }, 'maps.example'), 'https://maps.example');
  assert.equal(await base('trusting', { 'X-Forwarded-Proto': 'https' }, 'evil.example'), 421);
});

const hostile = [
  ...['a b', 'a"b', "a'b", 'a<b', 'a/b', 'a\\b', 'user@a', 'a:b', 'a:123456', 'a?b', 'a#b', '[::1', '{x}', '${x}', 'a%0d%0ab',
    'javascript:alert(1)', 'http://a', '\u00e4', 'a'.repeat(256)].map((value) => ({ 'X-Forwarded-Host': value })),
  ...['javascript', 'ftp', 'https:', 'http s', '"', 'h'.repeat(300)].map((value) => ({ 'X-Forwarded-Proto': value })),
  ...['a', 'javascript:alert(1)', '//evil.example', '/a//b', '/..', '/a/../b', '/.', '/a b', '/a"b', "/a'b", '/<b>', '/a?b', '/a#b', '/%2e%2e',
    '/{x}', '/a\\b', 'https://evil.example', `/${'a'.repeat(255)}`].map((value) => ({ 'X-Forwarded-Prefix': value })),
];

test('an invalid scheme, host or path is refused even from a trusted proxy', async () => {
  for (const headers of hostile) {
    const { status, body, headers: answered } = await request('trusting', headers);
    assert.equal(status, 400, JSON.stringify(headers));
    const [[name, value]] = Object.entries(headers);
    assert.equal(answered['cache-control'], 'no-store');
    assert.ok(JSON.parse(body).detail.includes(name));
    if (value.length > 10) assert.ok(!body.includes(value));
  }
});

test('a line break cannot get into a forwarded header', async () => {
  const { status } = await request('trusting', { 'X-Forwarded-Host': 'a\rX: b' });
  assert.equal(status, 400);
  assert.equal(await base('trusting', { 'X-Forwarded-Host': 'www.example\r\nX: b' }), 'http://www.example');
});

test('the public URL overrides forwarded headers', async () => {
  assert.equal(await base('fixed', forged), 'https://public.example/maps');
  assert.equal(await base('fixed', { 'X-Forwarded-Host': 'a b' }), 'https://public.example/maps');
  assert.equal(await base('fixed', {}, 'evil.example'), 'https://public.example/maps');
});

test('the Vary header names what the URLs depend on', async () => {
  const one = await request('trusting', { 'X-Forwarded-Host': 'one.example' });
  const two = await request('trusting', { 'X-Forwarded-Host': 'two.example' });
  assert.notEqual(one.headers.etag, two.headers.etag);
  assert.equal(one.headers.vary, 'Accept-Encoding, X-Forwarded-Proto, X-Forwarded-Host, X-Forwarded-Prefix, Accept');
  const again = (host) => request('trusting', { 'X-Forwarded-Host': host, 'If-None-Match': one.headers.etag });
  const same = await again('one.example');
  assert.equal(same.status, 304);
  assert.equal(same.headers.vary, one.headers.vary);
  assert.equal((await again('two.example')).status, 200);
  for (const server of ['plain', 'fixed']) assert.equal((await request(server)).headers.vary, 'Accept-Encoding, Accept');
});

test('contradictory proxy settings are refused at start-up', async () => {
  for (const [words, complaint] of [
    [['--trusted-proxies', 'localhost'], /--trusted-proxies: must be an address such as 127\.0\.0\.1 .* not "localhost"/],
    [['--public-url', 'maps.example'], /--public-url: must be like https:.* not "maps\.example"/],
  ]) {
    await assert.rejects(startServer({ arguments: words }), complaint);
  }
});

test('the environment separates addresses by commas', async () => {
  const server = await startServer({ env: { TERRANE_TRUSTED_PROXIES: '::1,127.0.0.1' } });
  try {
    const { tiles } = await (await fetch(`${server.url}/tiles.json`, { headers: { 'X-Forwarded-Host': 'www.example' } })).json();
    assert.match(tiles[0], /^http:\/\/www\.example\/worlds\//);
  } finally {
    await server.stop();
  }
});
