/* The access log: a line for every request, in both forms, whatever a client sends; and a reader who hangs holds up
 * nobody. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { readMetrics } from '../tools/promtool.mjs';
import { startServer } from '../tools/server.mjs';
import { eventually } from './busy.mjs';
import { Connection, ask as rawAsk } from './raw.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const folder = temporaryFolder().path;
let files = 0;

/* Runs `act` against a server that logs; the text of its log after the stop. With one loop, lines are in order. */
async function logged(format, act, loops = 1) {
  const file = path.join(folder, `${files += 1}.log`);
  const server = await startServer({ arguments: ['--access-log', file, '--access-log-format', format, '--loops', loops] });
  try {
    await act(server, () => readFileSync(file, 'utf8'));
  } finally {
    assert.equal(await server.stop(), 0);
  }
  return readFileSync(file, 'utf8');
}

const records = (text) => {
  assert.ok(text.endsWith('\n'));
  return text.slice(0, -1).split('\n').map((line) => JSON.parse(line));
};

const read = async (url, options) => (await fetch(url, options)).arrayBuffer();

test('the access log is off by default', async () => {
  const server = await startServer();
  await read(`${server.url}/livez`);
  await server.stop();
  assert.equal(server.complaints(), '');
  assert.ok(!existsSync('access.log'));
});

test('JSON has every field, for rendered tiles, cached tiles and errors', async () => {
  let tile;
  const begun = Date.now();
  const lines = records(await logged('json', async ({ url }) => {
    const headers = { 'user-agent': 'test/1', referer: 'http://a.example/map?b' };
    tile = await read(`${url}/tiles/3/4/2.png?size=256`, { headers });
    const answer = await fetch(`${url}/tiles/3/4/2.png?size=256`, { headers });
    await answer.arrayBuffer();
    await read(`${url}/tiles/3/4/2.png?size=256`, { headers: { 'user-agent': 'test/2', 'if-none-match': answer.headers.get('etag') } });
    await read(`${url}/tiles/3/4/2.png?size=256`, { method: 'HEAD', headers: { 'user-agent': 'test/2' } });
    await read(`${url}/nowhere`);
    await read(`${url}/at?x=1&y=2`);
  }));
  assert.deepEqual(lines.map(({ method, target, status, bytes, cache, route, referer, agent }) => (
    [method, target, status, bytes, cache, route, referer, agent])).slice(0, 4), [
    ['GET', '/tiles/3/4/2.png?size=256', 200, tile.byteLength, 'render', '/tiles/{z}/{x}/{y}', 'http://a.example/map?b', 'test/1'],
    ['GET', '/tiles/3/4/2.png?size=256', 200, tile.byteLength, 'memory', '/tiles/{z}/{x}/{y}', 'http://a.example/map?b', 'test/1'],
    ['GET', '/tiles/3/4/2.png?size=256', 304, 0, 'memory', '/tiles/{z}/{x}/{y}', null, 'test/2'],
    ['HEAD', '/tiles/3/4/2.png?size=256', 200, 0, 'memory', '/tiles/{z}/{x}/{y}', null, 'test/2'],
  ]);
  assert.deepEqual([lines[4].status, lines[4].route, lines[4].cache], [404, null, null]);
  assert.deepEqual([lines[5].route, lines[5].cache], ['/at', 'render']);
  assert.equal(lines.length, 6);
  for (const line of lines) {
    assert.equal(line.client, '127.0.0.1');
    assert.equal(line.version, 'HTTP/1.1');
    assert.ok(line.bytes > 0 || line.status === 304 || line.method === 'HEAD');
    assert.ok(Date.parse(line.time) >= begun - 1000 && Date.parse(line.time) <= Date.now() + 1000, line.time);
  }
  assert.ok(lines[0].seconds > 0 && lines[0].seconds <= (Date.now() - begun) / 1000);
});

test('"bytes" is the length of the body of every kind of response', async () => {
  const post = { method: 'POST', body: '{"chunks":[[0,0],[1,0]],"size":4}' };
  const targets = [['/chunks/0/0.r32f?size=4'], ['/chunks/0/0.r32f?size=4'], ['/chunks/0/0.json?size=4'], ['/chunks', post],
    ['/volumes/0/0/0.r8?layer=height&size=4'], ['/tiles/3/4/2.json'], ['/style.json'], ['/'], ['/viewer/main.js'], ['/livez'],
    ['/metrics'], ['/chunks/0/0.r32f?size=0'], ['/livez', { method: 'OPTIONS' }]];
  const wanted = [];
  const lines = records(await logged('json', async ({ url }) => {
    for (const [target, options] of targets)
      wanted.push([target, (await read(url + target, { ...options, headers: { 'accept-encoding': 'identity' } })).byteLength]);
  }));
  assert.deepEqual(lines.map(({ target, bytes }) => [target, bytes]), wanted);
});

test('"bytes" is right for a response that does not go through the library', async () => {
  let answer;
  const lines = records(await logged('json', async ({ port }) => {
    answer = await rawAsk(port, 'GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 5x\r\n\r\n');
  }));
  assert.equal(answer.status, 400);
  assert.deepEqual(lines.map(({ status, bytes }) => [status, bytes]), [[400, answer.body.length]]);
});

test('messages about the access log have the form of the log, and a full disk delays no request', async () => {
  const server = await startServer({ arguments: ['--access-log', '/dev/full', '--log-format', 'json', '--loops', '1'] });
  for (let i = 0; i < 50; i++) await read(`${server.url}/livez`);
  await eventually(async () => (await readMetrics(server.url)).value('access_log_lost_total') >= 50, 'fifty lost lines');
  assert.equal(await server.stop(), 0);
  const said = server.complaints().trim().split('\n').map((line) => JSON.parse(line));
  assert.equal(said.length, 1);
  assert.deepEqual([said[0].level, said[0].kind, said[0].message],
    ['error', 'access', '/dev/full cannot be written, lines are lost: No space left on device']);
});

test('SIGHUP closes a moved file and opens a new one', async () => {
  const file = path.join(folder, 'rotated.log');
  const server = await startServer({ arguments: ['--access-log', file, '--loops', '1'] });
  await read(`${server.url}/livez?a=1`);
  await eventually(() => readFileSync(file, 'utf8').endsWith('\n'), 'the first line');
  renameSync(file, `${file}.1`);
  process.kill(server.pid, 'SIGHUP');
  await eventually(() => existsSync(file), 'a new file');
  await read(`${server.url}/livez?a=2`);
  assert.equal(await server.stop(), 0);
  assert.deepEqual(records(readFileSync(`${file}.1`, 'utf8')).map(({ target }) => target), ['/livez?a=1']);
  assert.deepEqual(records(readFileSync(file, 'utf8')).map(({ target }) => target), ['/livez?a=2']);
});

test('behind a trusted proxy the address is the client that the proxy names', async () => {
  const file = path.join(folder, 'proxied.log');
  const server = await startServer({ arguments: ['--access-log', file, '--loops', '1', '--trusted-proxies', '127.0.0.1'] });
  for (const named of ['198.51.100.7', '6.6.6.6, 2001:db8::1:2', 'rubbish"'])
    await read(`${server.url}/livez`, { headers: { 'x-forwarded-for': named } });
  await server.stop();
  assert.deepEqual(records(readFileSync(file, 'utf8')).map(({ client }) => client), ['198.51.100.7', '2001:db8::1:2', '127.0.0.1']);
});

const COMBINED = /^(\S+) - - \[(\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000)\] "((?:[^"\\]|\\x[0-9A-F]{2})*)" (\d{3}) (\d+) "((?:[^"\\]|\\x[0-9A-F]{2})*)" "((?:[^"\\]|\\x[0-9A-F]{2})*)"$/;

test('the combined form', async () => {
  let guide;
  const text = await logged('combined', async ({ url }) => {
    guide = await read(`${url}/livez`, { headers: { 'user-agent': 'a "b" \\c', referer: 'http://a.example/' } });
    await read(`${url}/livez?a=1`);
  });
  const lines = text.trimEnd().split('\n').map((line) => COMBINED.exec(line).slice(1));
  assert.equal(lines.length, 2);
  const [client, , request, status, bytes, referer, agent] = lines[0];
  assert.deepEqual([client, request, status, bytes, referer, agent],
    ['127.0.0.1', 'GET /livez HTTP/1.1', '200', String(guide.byteLength), 'http://a.example/', 'a \\x22b\\x22 \\x5Cc']);
  assert.deepEqual(lines[1].slice(2, 4), ['GET /livez?a=1 HTTP/1.1', '400']);
});

/* Requests that would forge a line or a field if the log did not escape them. */
const hostile = [
  'GET /a"%20200%20"forged HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /a"\x1b]0;title\x07 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /a\\",\\"status\\":200 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /\xff\xfe\xc0\xaf HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /\xe2\x80\xa8forged HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /x\x0bforged HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /\n127.0.0.1 - - forged HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /ok HTTP/1.1\r\nHost: x\r\nUser-Agent: a"} \x85\x9b\r\nReferer: \\\\"\xff\r\n\r\n',
  'GET /ok HTTP/1.1\r\nHost: x\r\nUser-Agent: a\n forged\r\n\r\n',
  '"} {"forged HTTP/1.1\r\nHost: x\r\n\r\n',
  `GET /${'a'.repeat(3000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'GET /length HTTP/1.1\r\nHost: x\r\nContent-Length: 5x\r\n\r\n',
  'GET /half HTTP/1.1\r\nHo',
];

/* One after another, each on a connection of its own, until the line of the last is written. */
async function attack({ port }, written) {
  for (const bytes of hostile) {
    const connection = new Connection(port);
    connection.send(Buffer.from(bytes, 'latin1'));
    if (bytes.endsWith('\r\n\r\n')) {
      await connection.until(() => connection.received.length > 0 || connection.closed, 'an answer');
      connection.socket.destroy();
    } else {
      connection.socket.end();
    }
  }
  await eventually(() => written().includes('/half'), 'the last line');
}

test('no request forges a line: JSON', async () => {
  const text = await logged('json', attack);
  const lines = records(text);
  for (const line of lines) {
    assert.equal(line.client, '127.0.0.1');
    assert.deepEqual(Object.keys(line), ['time', 'client', 'method', 'target', 'version', 'status', 'bytes', 'seconds',
      'route', 'cache', 'cost', 'referer', 'agent']);
    assert.notEqual(line.status, 200);
  }
  assert.ok(lines.length >= 8 && lines.length <= hostile.length, `${lines.length} lines`);
  /* No control character and no separator of lines that a program might know. */
  assert.doesNotMatch(text, /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]/);
  assert.equal(lines.find(({ target }) => target?.startsWith('/aaaa')).target, `/${'a'.repeat(1999)}`);
  assert.deepEqual(lines.filter(({ target }) => target === '/length').map(({ status }) => status), [400]);
  assert.deepEqual(lines.filter(({ target }) => target === '/half').map(({ status }) => status), [null]);
});

test('no request forges a line: combined', async () => {
  const text = await logged('combined', attack);
  assert.match(text, /^[\n\x20-\x7e]*$/);
  for (const line of text.trimEnd().split('\n')) {
    assert.match(line, COMBINED);
    assert.notEqual(COMBINED.exec(line)[4], '200');
  }
});

test('many clients at once give as many whole lines as requests', async () => {
  const lines = records(await logged('json', async ({ url }) => {
    await Promise.all(Array.from({ length: 24 }, async (_, i) => {
      for (let k = 0; k < 25; k++) await read(`${url}/livez`, { headers: { 'user-agent': `client ${i}.${k}` } });
    }));
  }, 3));
  assert.equal(lines.length, 600);
  assert.equal(new Set(lines.map(({ agent }) => agent)).size, 600);
});

test('the access log can go to standard output', async () => {
  const child = spawn(process.env.TERRANE_BINARY, ['serve', '--port', '0', '--access-log', '-'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const output = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const url = /^listening on (\S+)$/.exec((await output.next()).value)[1];
  await read(`${url}/livez`);
  assert.equal(JSON.parse((await output.next()).value).target, '/livez');
  child.kill();
  await once(child, 'close');
});

test('a blocked reader of the log loses counted lines and delays no request', async () => {
  const pipe = path.join(folder, 'pipe');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const server = await startServer({ arguments: ['--access-log', pipe, '--loops', '1'] });
  /* The ring takes a megabyte, the pipe and a batch 64 KiB each; a line is of 1500 bytes and more. */
  const target = `${server.url}/${'a'.repeat(1500)}`;
  for (let i = 0; i < 60; i++) await Promise.all(Array.from({ length: 25 }, () => read(target)));
  const { value } = await readMetrics(server.url);
  assert.ok(value('access_log_lost_total') > 200 && value('access_log_lost_total') < 1500, value('access_log_lost_total'));
  const stopping = performance.now();
  assert.equal(await server.stop(), 0);
  assert.ok(performance.now() - stopping < 60000);
  closeSync(reader);
});

test('a log file that cannot be opened ends the program with a message', () => {
  const run = (...words) => {
    const { status, stderr } = spawnSync(process.env.TERRANE_BINARY, ['serve', '--port', '0', ...words], { encoding: 'utf8' });
    return [status, stderr.trim().replace(folder, '')];
  };
  assert.deepEqual(run('--access-log', path.join(folder, 'no', 'such.log')),
    [1, 'terrane: access log /no/such.log: cannot be opened: No such file or directory']);
  assert.deepEqual(run('--access-log-format', 'xml'),
    [2, 'terrane: --access-log-format: must be json or combined, not "xml"\nSee "terrane serve --help".']);
});
