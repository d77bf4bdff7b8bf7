/* Reloads: what they change, what they keep, and what they report. */

import assert from 'node:assert/strict';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { command, runReloads } from '../faults/reloads.mjs';
import { sanitizerMemory, startServer } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { withBusyRenderer, counts, eventually, reaches, startBarrier } from './busy.mjs';
import { Connection, get } from './raw.mjs';

const folders = [];
let worlds, admin, config;
beforeEach(() => {
  worlds = makeWorlds();
  folders.push(worlds);
  admin = path.join(worlds.folder, 'admin.socket');
  config = path.join(worlds.folder, 'settings.txt');
  writeFileSync(config, '{}');
});
after(() => folders.forEach((folder) => folder.remove()));

const start = (...more) =>
  startServer({ arguments: ['--worlds', worlds.folder, '--admin', admin, '--config', config, ...more] });
const reload = () => command(admin, 'POST', 'reload');
const status = async () => JSON.parse((await command(admin, 'GET', 'status')).text);
const json = async (url) => (await fetch(url)).json();
const settings = (value) => writeFileSync(config, JSON.stringify(value));
const template = async (server, name) => (await json(`${server.url}/worlds/${name}/tiles/height.json`)).tiles[0];
const tile = (pattern) => pattern.replace('{z}', 9).replace('{x}', 256).replace('{y}', 256);

test('a changed world has new pins and the old ones give 410; other worlds keep theirs', async () => {
  const server = await start();
  try {
    const before = { clock: tile(await template(server, 'clock')), slow: await template(server, 'slow'),
      seeded: tile(await template(server, 'clock~9')), perlin: tile(await template(server, 'perlin')) };
    for (const url of [before.clock, before.seeded, before.perlin]) assert.equal((await fetch(url)).status, 200);
    const perlin = Buffer.from(await (await fetch(before.perlin)).arrayBuffer());
    worlds.edit('clock', (world) => { world.seed = 'tock'; });
    const { status: code, text } = await reload();
    assert.equal(code, 200);
    assert.match(text, /^reloaded: generation 2, \d+ worlds\nchanged world clock: g1-[0-9a-f]{32} is now g1-[0-9a-f]{32}\n$/);
    /* The formulas of a reseeded world are the same, so are its pins. */
    const gone = await fetch(before.clock);
    assert.equal(gone.status, 410);
    const problem = await gone.json();
    const now = tile(await template(server, 'clock'));
    assert.notEqual(now, before.clock);
    assert.ok(now.includes(problem.current));
    assert.equal((await fetch(now)).status, 200);
    assert.equal((await fetch(before.seeded)).status, 200);
    assert.equal(await template(server, 'slow'), before.slow);
    const same = await fetch(before.perlin);
    assert.equal(same.headers.get('x-terrane-cache'), 'memory', 'what has not changed stays in the cache');
    assert.ok(Buffer.from(await same.arrayBuffer()).equals(perlin));
    assert.deepEqual((await status()).reloads, 1);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a reseeded world uses the new formulas after a reload', async () => {
  const server = await start();
  try {
    const before = tile(await template(server, 'clock~9'));
    const old = Buffer.from(await (await fetch(before)).arrayBuffer());
    worlds.edit('clock', (world) => { world.layers.height.formula += ' + 50'; });
    process.kill(server.pid, 'SIGHUP');
    await eventually(async () => (await status()).reloads === 1, 'the reload');
    assert.equal((await fetch(before)).status, 410);
    const now = tile(await template(server, 'clock~9'));
    assert.ok(!Buffer.from(await (await fetch(now)).arrayBuffer()).equals(old));
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a changed style has new pins, in every world that has it', async () => {
  const server = await start();
  try {
    const pattern = (await json(`${server.url}/worlds/clock/tiles/own.json`)).tiles[0];
    assert.equal((await fetch(tile(pattern))).status, 200);
    worlds.edit('clock', (world) => { world.styles.own.paint[0].ramp.stops[0][1] = '#f00'; });
    assert.equal((await reload()).status, 200);
    assert.equal((await fetch(tile(pattern))).status, 410);
    const now = (await json(`${server.url}/worlds/clock/tiles/own.json`)).tiles[0];
    assert.equal(now.split('/tiles/')[0], pattern.split('/tiles/')[0], 'the world is the same');
    assert.notEqual(now, pattern);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a reload with errors reports all of them and changes nothing', async () => {
  const server = await start();
  try {
    const pattern = tile(await template(server, 'clock'));
    worlds.edit('clock', (world) => { world.seed = 'another'; });
    writeFileSync(path.join(worlds.folder, 'bad.json'), '{"generator":1,"layers":{"height":"fbn(1)"}}');
    writeFileSync(path.join(worlds.folder, 'worse.json'), '{"generator":1,');
    const { status: code, text } = await reload();
    assert.equal(code, 409);
    const lines = text.trimEnd().split('\n');
    assert.equal(lines.length, 3);
    assert.match(lines[0], /bad\.json:1:36: layers\.height: unknown function "fbn" \(did you mean "fbm"\?\)$/);
    assert.match(lines[1], /worse\.json:1:16: /);
    assert.equal(lines[2], 'nothing was changed');
    for (const line of lines) await eventually(() => server.complaints().includes(` error reload: ${line}\n`), line);
    assert.equal((await fetch(pattern)).status, 200);
    assert.equal((await fetch(`${server.url}/worlds/bad`)).status, 404);
    const { generation, reloads, failed_reloads: failed } = await status();
    assert.deepEqual([generation, reloads, failed], [1, 0, 1]);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    assert.match(metrics, /^terrane_reloads_total\{result="failed"\} 1$/m);
    for (const name of ['bad', 'worse']) rmSync(path.join(worlds.folder, `${name}.json`));
    for (const [text_, message] of [
      ['{"timeout": "x"}', /settings\.txt:1:13: timeout: must be a number, not /],
      ['{"public_url": "ftp://x"}', /settings\.txt:1:16: public_url: must be like/],
      ['{"trusted_proxies": ["10.0.0.0/40"]}', /10\.0\.0\.0\/40/],
      ['{"default_world": "nowhere"}', /unknown world "nowhere"/],
      ['{"styles": ["/nonexistent"]}', /nonexistent/],
      ['{', /settings\.txt:1:2: /],
    ]) {
      writeFileSync(config, text_);
      const more = await reload();
      assert.equal(more.status, 409, text_);
      assert.match(more.text, message);
    }
    assert.equal((await status()).generation, 1);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a reload changes live settings and names the others', async () => {
  const server = await start();
  try {
    const large = `${server.url}/worlds/clock/chunks/0/0.r16?size=1024`;
    assert.equal((await fetch(large)).status, 200);
    settings({ public_url: 'https://maps.example/t', chunk_samples: 100000, cache_memory: 0, default_world: 'clock',
      loops: 3, cache_shared_timeout: 50, renderers: 3 });
    const { status: code, text } = await reload();
    assert.equal(code, 200);
    const waiting = '\nloops waits for a restart to change from 0 to 3\nrenderers waits for a restart to change from 0 to 3\n';
    assert.ok(text.endsWith(waiting), text);
    assert.equal((await fetch(large)).status, 413);
    assert.match(await template(server, 'clock'), /^https:\/\/maps\.example\/t\/worlds\/clock@/);
    assert.equal((await json(`${server.url}/worlds`)).default, 'clock');
    const cold = () => fetch(`${server.url}/worlds/clock/tiles/height/9/1/1.png`);
    for (let i = 0; i < 2; i++) assert.equal((await cold()).headers.get('x-terrane-cache'), 'render');
    settings({});
    assert.equal((await reload()).status, 200);
    assert.match(await template(server, 'clock'), /^http:\/\/127/);
    await cold();
    assert.equal((await cold()).headers.get('x-terrane-cache'), 'memory');
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a reload changes the form and the level of log messages', async () => {
  const server = await start();
  try {
    settings({ log_format: 'json' });
    assert.equal((await reload()).status, 200);
    const told = (count) => eventually(() => {
      const lines = server.complaints().split('\n');
      return lines.length > count && lines;
    }, `${count} lines`);
    const { kind, message } = JSON.parse((await told(1))[0]);
    assert.equal(kind, 'reload');
    assert.match(message, /^reloaded: generation 2, \d+ worlds$/);
    settings({ log_level: 'error' });
    assert.equal((await reload()).status, 200);
    settings({ log_level: 'loud' });
    assert.equal((await reload()).status, 409);
    assert.match((await told(3))[1], / error reload: .*log_level: must be error, warning, info or debug, not "loud"$/);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a reload changes the limits of open connections', async () => {
  const server = await start('--loops', '1');
  const opened = [];
  const open = (bytes) => {
    const connection = new Connection(server.port);
    opened.push(connection);
    connection.send(bytes);
    return connection;
  };
  const change = async (value) => {
    settings(value);
    assert.match((await reload()).text, /^reloaded: generation \d+, \d+ worlds\n$/, 'nothing waits for a restart');
  };
  try {
    const idle = open(get('/livez'));
    assert.equal((await idle.answer()).status, 200);
    const begun = open('GET /livez HTTP/1.1\r\n');
    assert.equal((await open(get('/livez')).answer()).status, 200);
    opened.pop().destroy();
    await change({ header_timeout: 1, connections_per_address: 2 });
    await begun.end(); /* its timeout was ten seconds when it connected */
    const second = open(get('/livez'));
    assert.equal((await second.answer()).status, 200);
    assert.equal(await open(get('/livez')).answer(), null, 'a third one of the address');
    await change({ connections: 2 });
    assert.equal((await open(get('/livez')).answer()).status, 200);
    await idle.end(); /* it was idle for longest and was evicted */
    await change({ connections: 10000 });
    const many = Array.from({ length: 30 }, () => open(get('/livez')));
    for (const connection of many) assert.equal((await connection.answer()).status, 200);
  } finally {
    opened.forEach((connection) => connection.destroy());
    assert.equal(await server.stop(), 0);
  }
});

/* Nine clients request one tile while the only render thread is busy. The first request began under a deadline
 * of one second and gets 503. Returns the connections of the other eight clients, which joined the first
 * client's job unless the machine needed more than that second. */
async function orphanTile({ server, whileBusy, send, startJob }, target, world) {
  const change = async (deadline) => {
    settings({ deadline });
    assert.equal((await reload()).status, 200);
    assert.equal((await fetch(`${server.url}/worlds/${world}`)).status, 200);
  };
  const waiting = async () => (await counts(server))('requests_waiting');
  const first = new Connection(server.port);
  await change(1);
  first.send(`GET ${target} HTTP/1.1\r\n`);
  /* The client that reads the counter does not count, as the count is that of the last wake-up. */
  await reaches(server, 1, 'requests_active');
  await change(3600);
  await startJob();
  first.send('Host: localhost\r\n\r\n');
  await whileBusy(async () => first.received.length > 0 || await waiting() === 2, 'him to wait');
  const others = send(Array(8).fill(target));
  await whileBusy(async () => first.received.length > 0 && await waiting() === 9, 'him to leave, and the others to wait');
  assert.equal((await first.answer()).status, 503);
  first.destroy();
  return others;
}

const orphaned = ['--header-timeout', '600'];

test('a world stays loaded while any client waits for its tile', () => withBusyRenderer(
  ['--worlds', worlds.folder, '--admin', admin, '--config', config, '--loops', '1', ...orphaned], async (held) => {
    const target = '/worlds/slow~9/tiles/height/9/256/256.r32f';
    assert.equal((await fetch(`${held.server.url}/worlds/slow~9`)).status, 200);
    const others = await orphanTile(held, target, 'slow~9');
    const answers = await Promise.all(others.map((connection) => connection.answer()));
    const wanted = Buffer.from(await (await fetch(held.server.url + target)).arrayBuffer());
    for (const { status: code, body } of answers) assert.ok(code === 200 && body.equals(wanted));
  }, { late: true }));

test('the server ends while clients wait for a tile whose first client has disconnected', async () => {
  for (let round = 0; round < 2; round++) {
    await withBusyRenderer(['--worlds', worlds.folder, '--admin', admin, '--config', config, '--loops', '64', '--drain', '0', ...orphaned], async (held) => {
      const others = await orphanTile(held, '/worlds/slow/tiles/height/9/256/256.r32f', 'slow');
      assert.equal(await held.server.stop(), 0);
      for (const connection of others) assert.equal((await connection.answer()).status, 503);
    }, { late: true });
  }
});

test('a world stays loaded for the chunk job of a disconnected client', async () => {
  const server = await start('--renderers', '1');
  try {
    assert.equal((await fetch(`${server.url}/worlds/slow~9`)).status, 200);
    const connection = new Connection(server.port);
    const body = JSON.stringify({ size: 128, chunks: Array.from({ length: 250 }, (_, i) => [i, 3]) });
    connection.send(`POST /worlds/slow~9/chunks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await connection.until(() => connection.received.length > 1000, 'the first chunks');
    assert.equal((await reload()).status, 200);
    connection.destroy();
    await eventually(async () => {
      const count = await counts(server);
      return count('requests_active') === 0 && count('queue_length') === 0;
    }, 'the end of it');
    assert.equal((await fetch(`${server.url}/worlds/slow~9`)).status, 200);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a request uses the same world from start to end', async () => {
  const barrier = await startBarrier();
  const server = await start(...barrier.words, '--cache-memory', '0');
  const connection = new Connection(server.port);
  try {
    const target = '/worlds/clock/tiles/height/9/256/256@2x.r32f';
    const old = Buffer.from(await (await fetch(`${server.url}${target}`)).arrayBuffer());
    barrier.shut();
    connection.send(get(target));
    await eventually(() => barrier.held.size === 1, 'the request to begin');
    worlds.edit('clock', (world) => { world.seed = 'tock'; });
    assert.equal((await reload()).status, 200);
    assert.equal(connection.received.length, 0);
    barrier.open();
    const late = await connection.answer();
    assert.equal(late.status, 200);
    assert.ok(late.body.equals(old));
    const now = Buffer.from(await (await fetch(`${server.url}${target}`)).arrayBuffer());
    assert.ok(!now.equals(old));
  } finally {
    barrier.open();
    connection.destroy();
    assert.equal(await server.stop(), 0);
    await barrier.end();
  }
});

test('the admin socket accepts only its commands, its owner and one server', async () => {
  const server = await start();
  try {
    for (const [method, name] of [['GET', 'reload'], ['POST', 'status'], ['GET', '']]) {
      const { status: code, text } = await command(admin, method, name);
      assert.equal(code, 404);
      assert.match(text, /POST \/reload/);
    }
    assert.equal(statSync(admin).mode & 0o777, 0o600);
    await assert.rejects(start(), /another server answers at the admin socket/);
    assert.equal((await status()).pid, server.pid);
    assert.equal((await command(admin, 'POST', 'drain')).status, 200);
    assert.equal(await server.ended(), 0);
    await assert.rejects(command(admin, 'GET', 'status'), /ENOENT/);
  } finally {
    await server.stop();
  }
});

test('20 reloads under load fail no request and mix no versions', async () => {
  const { requests, failed, failures, retried, gone, memory } = await runReloads({ reloads: 20, clients: 8, pause: 10 });
  assert.deepEqual(failures, []);
  assert.equal(failed, 0);
  assert.equal(retried, 0);
  assert.ok(requests > 100, `${requests} requests`);
  assert.ok(gone > 0, 'pins of former versions');
  assert.ok(memory.last - memory.quarter < 16 + sanitizerMemory, `${memory.quarter} MiB grew to ${memory.last}`);
});

test('with --keep-worlds 20 reloads under load leave every pin valid, bit for bit', async () => {
  const { failures, retried, gone, former } =
    await runReloads({ reloads: 20, clients: 8, pause: 10, more: ['--keep-worlds', '2'] });
  assert.deepEqual([failures, retried, gone], [[], 0, 0]);
  assert.ok(former > 100, `${former} tiles of former versions`);
});
