/* The settings of the map page: who may show it in a frame, and the markers of the operator. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusedStart, startServer } from '../tools/server.mjs';

/* The directives of the page's Content-Security-Policy by name, and what /worlds says of the page. */
async function pageOf(...words) {
  const server = await startServer({ arguments: words });
  try {
    const { headers } = await fetch(`${server.url}/`, { headers: { accept: 'text/html' } });
    const policy = headers.get('content-security-policy').split('; ');
    const { page } = await (await fetch(`${server.url}/worlds`)).json();
    return { ...Object.fromEntries(policy.map((each) => [each.split(' ')[0], each.replace(/^\S+ /, '')])), page };
  } finally {
    assert.equal(await server.stop(), 0);
  }
}

test('nobody may show the page in a frame but those that --frame-ancestors names', async () => {
  assert.equal((await pageOf())['frame-ancestors'], '\'none\'');
  const several = ['self', 'https://wiki.example', 'http://localhost:3000', 'https://*.example:8443', 'http://[::1]:80'];
  const given = several.flatMap((each) => ['--frame-ancestors', each]);
  assert.equal((await pageOf(...given))['frame-ancestors'],
    '\'self\' https://wiki.example http://localhost:3000 https://*.example:8443 http://[::1]:80');
  assert.equal((await pageOf('--frame-ancestors', '*'))['frame-ancestors'], '*');
});

test('what is no origin is refused, above all what could end the directive', async () => {
  const bad = ['https://a.example; script-src *', 'https://a.example\nX: y', 'https://a.example/', 'https://a.example/wiki',
    'a.example', '\'self\'', 'https://', 'https://a b', 'ftp://a.example', 'https://*', 'https://a.*', 'https://a.example:99999', 'https://a,b'];
  for (const each of bad) {
    const { status, stderr } = await refusedStart(['--frame-ancestors', each]);
    assert.equal(status, 2, each);
    assert.match(stderr, /--frame-ancestors: must be an origin such as https:\/\/wiki\.example/, each);
  }
});

test('the page learns of markers, and may ask their host alone besides its own', async () => {
  const none = await pageOf();
  assert.equal(none['connect-src'], '\'self\'');
  const away = await pageOf('--markers', 'https://game.example:8443/players.geojson?world=1', '--markers-interval', '2');
  assert.equal(away['connect-src'], '\'self\' https://game.example:8443');
  assert.deepEqual(away.page, { events: false, markers: 'https://game.example:8443/players.geojson?world=1', markers_interval: 2 });
  for (const path of ['players.geojson', '/maps/players.geojson', '../players?all=1']) {
    const near = await pageOf('--markers', path);
    assert.equal(near['connect-src'], '\'self\'', path);
    assert.equal(near.page.markers, path);
  }
});

test('markers that are no such address are refused', async () => {
  const bad = ['javascript:alert(1)', 'data:application/json,{}', '//game.example/x', 'https://game.example;script-src', 'https:///x',
    'a\nb', 'a;b', 'a\'b', 'https://user@game.example/', 'ws://game.example/'];
  for (const each of bad) {
    const { status, stderr } = await refusedStart(['--markers', each]);
    assert.equal(status, 2, each);
    assert.match(stderr, /--markers: must be an http or https URL such as/, each);
  }
});
