/* `serve --watch`: files that change are reloaded by themselves, and GET /events tells of it. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { eventually } from './busy.mjs';
import { ask, Connection, get } from './raw.mjs';

const world = (seed) => ({ title: 'Hills', generator: 1, seed, layers: { height: '100 * perlin(wavelength=256)' } });
const text = (seed) => JSON.stringify(world(seed));
const makeFolder = () => temporaryFolder({ 'hills.json': world(1) }).path;
const start = (folder, ...more) => startServer({ arguments: ['--watch', '--worlds', folder, ...more] });

/* The fingerprint that a server of its own, without --watch, computes for hills with that seed. */
const known = new Map();
async function fingerprint(seed) {
  if (!known.has(seed)) {
    const binary = process.env.TERRANE_BINARY ?? 'build/release/terrane';
    const list = JSON.parse(execFileSync(binary, ['worlds', '--json', '--worlds', temporaryFolder({ 'hills.json': world(seed) }).path]));
    known.set(seed, list.find(({ name }) => name === 'hills').fingerprint);
  }
  return known.get(seed);
}

/* A client of /events: next() is the next event, {event, data}; ended() waits for the end. */
async function listen(server) {
  const stop = new AbortController();
  const response = await fetch(`${server.url}/events`, { signal: stop.signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffered = '';
  const next = async () => {
    for (;;) {
      const end = buffered.indexOf('\n\n');
      if (end >= 0) {
        const block = buffered.slice(0, end);
        buffered = buffered.slice(end + 2);
        const found = /^event: (.*)\ndata: (.*)$/.exec(block);
        if (found) return { event: found[1], data: JSON.parse(found[2]) };
        assert.match(block, /^(retry: \d+|:.*)$/);
        continue;
      }
      const { value, done } = await reader.read();
      if (done) return null;
      buffered += value;
    }
  };
  return { response, next, close: () => stop.abort() };
}

async function withServer(folder, more, run) {
  const server = await start(folder, ...more);
  const clients = [];
  try {
    await run(server, async () => clients[clients.push(await listen(server)) - 1]);
  } finally {
    for (const client of clients) client.close();
    assert.equal(await server.stop(), 0);
  }
}

const expectWorlds = async (client, seed) => {
  const { event, data } = await client.next();
  assert.equal(event, 'worlds', JSON.stringify(data));
  assert.equal(data.worlds.hills, seed === null ? undefined : await fingerprint(seed));
  return data;
};

test('a client hears of the worlds at once, and of each change, however the file is written', async () => {
  const folder = makeFolder();
  const file = path.join(folder, 'hills.json');
  await withServer(folder, [], async (server, connect) => {
    const client = await connect();
    assert.equal(client.response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(client.response.headers.get('cache-control'), 'no-store');
    const first = await expectWorlds(client, 1);
    assert.equal(first.generation, 1);
    /* In place. */
    writeFileSync(file, text(2));
    assert.equal((await expectWorlds(client, 2)).generation, 2);
    assert.equal((await (await fetch(`${server.url}/worlds/hills`)).json()).fingerprint, await fingerprint(2));
    /* Another file that takes the name. */
    writeFileSync(path.join(folder, '.hills.json.swp'), 'not JSON');
    writeFileSync(path.join(folder, 'hills.json~'), 'not JSON');
    writeFileSync(path.join(folder, 'new'), text(3));
    renameSync(path.join(folder, 'new'), file);
    await expectWorlds(client, 3);
    /* Truncated, and written in several parts. */
    const descriptor = openSync(file, 'w');
    for (const part of text(4).match(/.{1,20}/g)) writeSync(descriptor, part);
    closeSync(descriptor);
    await expectWorlds(client, 4);
    /* A folder that is replaced as a whole. */
    renameSync(folder, `${folder}-old`);
    mkdirSync(`${folder}-new`);
    writeFileSync(path.join(`${folder}-new`, 'hills.json'), text(5));
    renameSync(`${folder}-new`, folder);
    let answer = await client.next();
    if (answer.event === 'errors') answer = await client.next(); /* the folder was gone for a moment */
    assert.equal(answer.data.worlds.hills, await fingerprint(5));
    /* The new folder is watched, too; a file that goes takes its world along. */
    writeFileSync(file, text(6));
    await expectWorlds(client, 6);
    rmSync(file);
    await expectWorlds(client, null);
    rmSync(`${folder}-old`, { recursive: true });
  });
});

test('a symbolic link to the folder is followed to its new target, as in configuration maps', async () => {
  const { path: folder } = temporaryFolder();
  for (const seed of [1, 2]) {
    mkdirSync(path.join(folder, `v${seed}`));
    writeFileSync(path.join(folder, `v${seed}`, 'hills.json'), text(seed));
  }
  symlinkSync('v1', path.join(folder, 'current'));
  await withServer(path.join(folder, 'current'), [], async (server, connect) => {
    const client = await connect();
    await expectWorlds(client, 1);
    symlinkSync('v2', path.join(folder, 'next'));
    renameSync(path.join(folder, 'next'), path.join(folder, 'current'));
    await expectWorlds(client, 2);
  });
});

test('a broken file keeps its world and is told with its place, to clients that come later too', async () => {
  const folder = makeFolder();
  const file = path.join(folder, 'hills.json');
  await withServer(folder, [], async (server, connect) => {
    const client = await connect();
    await expectWorlds(client, 1);
    writeFileSync(file, text(2).replace('perlin', 'pearlin'));
    const wanted = [`${file}:1:${text(2).indexOf('perlin') + 1}: layers.height: unknown function "pearlin" (did you mean "perlin"?)`];
    const told = await client.next();
    assert.deepEqual(told, { event: 'errors', data: { errors: wanted } });
    await eventually(() => server.complaints().includes(`error reload: ${wanted[0]}`), 'the errors in the log');
    assert.equal((await (await fetch(`${server.url}/worlds/hills`)).json()).fingerprint, await fingerprint(1));
    const later = await connect();
    await expectWorlds(later, 1);
    assert.deepEqual((await later.next()).data.errors, wanted);
    writeFileSync(file, text(3));
    for (const each of [client, later]) await expectWorlds(each, 3);
    const last = await (await fetch(`${server.url}/events?once=1`)).text();
    assert.match(last, /^retry: \d+\n\nevent: worlds\ndata: \{.*\}\n\n$/, 'the errors are gone');
  });
});

/* Host, Origin, status; the server's name in the settings is maps.example. */
const askers = [
  ['127.0.0.1:PORT', undefined, 200],
  ['localhost:PORT', 'http://localhost:PORT', 200],
  ['maps.example', undefined, 200],
  ['maps.example', 'https://maps.example', 200],
  ['127.0.0.1:PORT', 'https://elsewhere.example', 403],
  ['127.0.0.1:PORT', 'null', 403],
  ['rebound.example:PORT', undefined, 403],
  ['rebound.example:PORT', 'http://rebound.example:PORT', 403],
];

test('pages of other sites, by whatever name, cannot read the events, which name files', async () => {
  await withServer(makeFolder(), ['--allowed-hosts', 'maps.example'], async (server) => {
    for (const [host, origin, wanted] of askers) {
      for (const method of ['GET', 'HEAD']) {
        const filled = (text) => text.replace('PORT', server.port);
        const { status, headers } = await ask(server.port, `${method} /events?once=1 HTTP/1.1\r\nHost: ${filled(host)}\r\n`
          + `${origin === undefined ? '' : `Origin: ${filled(origin)}\r\n`}\r\n`, method);
        assert.equal(status, wanted, `${method} ${host}, ${origin}`);
        assert.deepEqual(Object.keys(headers).filter((name) => name.startsWith('access-control')), []);
      }
    }
    assert.equal((await fetch(`${server.url}/worlds`)).headers.get('access-control-allow-origin'), '*');
  });
});

test('HEAD has the headers of GET, and nothing behind them', async () => {
  await withServer(makeFolder(), [], async (server) => {
    for (const target of ['/events', '/events?once=1']) {
      const connection = new Connection(server.port);
      connection.send(get(target).replace('GET', 'HEAD') + get('/livez'));
      const bytes = await connection.end();
      const [line, ...fields] = bytes.toString('latin1').slice(0, -4).split('\r\n');
      assert.ok(bytes.toString('latin1').endsWith('\r\n\r\n') && !fields.includes(''), JSON.stringify(bytes.toString('latin1')));
      assert.equal(line, 'HTTP/1.1 200 OK');
      for (const field of ['Connection: close', 'Content-Type: text/event-stream; charset=utf-8', 'Cache-Control: no-store', 'X-Accel-Buffering: no'])
        assert.ok(fields.includes(field), field);
      assert.ok(!fields.some((field) => /^(content-length|transfer-encoding):/i.test(field)), 'GET has another length');
    }
  });
});

test('clients that wait hold no thread, and leave without a trace', async () => {
  const folder = makeFolder();
  await withServer(folder, ['--loops', '1', '--renderers', '1'], async (server, connect) => {
    const clients = [];
    for (let i = 0; i < 30; i++) clients.push(await connect());
    for (const client of clients) await expectWorlds(client, 1);
    assert.equal((await fetch(`${server.url}/tiles/9/256/256.png`)).status, 200);
    for (const client of clients.slice(1)) client.close();
    writeFileSync(path.join(folder, 'hills.json'), text(2));
    await expectWorlds(clients[0], 2);
  });
});

test('a quarter of the connections may be clients of events', async () => {
  await withServer(makeFolder(), ['--connections', '8'], async (server, connect) => {
    const clients = [await connect(), await connect(), await connect()];
    for (const client of clients) assert.equal(client.response.status, 200);
    const refused = await fetch(`${server.url}/events`);
    assert.equal(refused.status, 503);
    assert.match((await refused.json()).detail, /too many clients wait for events/);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    clients[0].close();
    let again;
    do again = (await connect()).response.status; while (again === 503);
    assert.equal(again, 200);
  });
});

test('SIGTERM ends the streams at once and the server with status 0', async () => {
  const folder = makeFolder();
  const server = await start(folder, '--drain', '60');
  const clients = await Promise.all([listen(server), listen(server)]);
  for (const client of clients) await expectWorlds(client, 1);
  const stopped = server.stop();
  for (const client of clients) assert.equal(await client.next(), null, 'the response ends regularly');
  assert.equal(await stopped, 0);
});

test('without --watch there are no events, and the page does not ask for them', async () => {
  const server = await startServer();
  try {
    const answer = await fetch(`${server.url}/events`);
    assert.equal(answer.status, 404);
    assert.match((await answer.json()).detail, /started without --watch/);
    assert.deepEqual((await (await fetch(`${server.url}/worlds`)).json()).page,
      { events: false, markers: null, markers_interval: 10 });
  } finally {
    assert.equal(await server.stop(), 0);
  }
});
