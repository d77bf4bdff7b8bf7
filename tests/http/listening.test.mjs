/* Where the daemon listens: several addresses, unix sockets, TLS, sockets from the service manager. */

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { X509Certificate } from 'node:crypto';
import {
  chmodSync, copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync,
} from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { before, test } from 'node:test';
import tls from 'node:tls';
import { command } from '../faults/reloads.mjs';
import { refusedStart, startServer } from '../tools/server.mjs';
import { eventually, startHeartbeat } from './busy.mjs';
import { parseAnswer } from './raw.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const folder = temporaryFolder().path;
const file = (name) => path.join(folder, name);

function certify(name) {
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt',
    'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext',
    'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', file(`${name}.key`), '-out',
    file(`${name}.crt`)], { stdio: 'ignore' });
}

before(() => {
  certify('one');
  certify('other');
});

/* A GET by Node's own clients; `options` as theirs. */
function ask(options, module = http) {
  return new Promise((resolve, reject) => {
    const request = module.request({ agent: false, ...options }, async (answer) => {
      const parts = [];
      for await (const part of answer) parts.push(part);
      const body = Buffer.concat(parts).toString();
      resolve({ status: answer.statusCode, headers: answer.headers, body, version: answer.socket?.getProtocol?.() });
    });
    request.on('error', reject);
    request.end();
  });
}

const serve = (words, environment = {}) => {
  const { status, stdout, stderr } = spawnSync(process.env.TERRANE_BINARY, ['serve', ...words],
    { encoding: 'utf8', env: { ...process.env, ...environment }, timeout: 120000 });
  return { status, stdout, stderr };
};

test('the server prints a line for each of several addresses', async () => {
  const socket = file('several.sock');
  const server = await startServer({ arguments: ['--listen', '127.0.0.1:0', '--listen',
    '127.0.0.2:0', '--listen', `unix:${socket}`] });
  const second = await server.further();
  assert.match(second, /^http:\/\/127\.0\.0\.2:\d+$/);
  assert.equal(await server.further(), `unix:${socket}`);
  for (const url of [server.url, second]) {
    const { hostname, port } = new URL(url);
    assert.equal((await ask({ hostname, port, path: '/livez' })).body, 'alive\n');
  }
  assert.equal((await ask({ socketPath: socket, path: '/livez' })).body, 'alive\n');
  assert.equal(await server.stop(), 0);
});

test('a port, a port behind a colon and localhost are addresses', async () => {
  for (const [text, host] of [['0', '127.0.0.1'], [':0', '0.0.0.0'], ['*:0', '0.0.0.0'], ['localhost:0', '127.0.0.1']]) {
    const server = await startServer({ arguments: ['--listen', text] });
    assert.equal(server.url, `http://${host}:${server.port}`);
    assert.equal((await ask({ port: server.port, path: '/livez' })).body, 'alive\n');
    assert.equal(await server.stop(), 0);
  }
  const { status, stderr } = await refusedStart(['--listen', 'nas.local:8080']);
  assert.equal(status, 2);
  assert.match(stderr, /"nas\.local" is not an address to listen on: .* 127\.0\.0\.1 .* 0\.0\.0\.0 .*localhost/);
});

test('a certificate without an https address stops the start', async () => {
  for (const words of [['--tls-cert', file('one.crt'), '--tls-key', file('one.key')], ['--tls-cert', file('one.crt')], ['--tls-key', file('one.key')]]) {
    const { status, stdout, stderr } = await refusedStart(words);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, new RegExp(`${words[0]} is for https addresses, and there is none: --listen https://`));
  }
});

test('a reload that adds a certificate without an https address changes nothing', async () => {
  const admin = file('plain.admin'), settings = file('plain.json');
  writeFileSync(settings, '{}');
  const server = await startServer({ arguments: ['--config', settings, '--admin', admin] });
  writeFileSync(settings, JSON.stringify({ tls_cert: file('one.crt'), tls_key: file('one.key') }));
  const { status, text } = await command(admin, 'POST', 'reload');
  assert.equal(status, 409);
  assert.match(text, /--tls-cert is for https addresses/);
  writeFileSync(settings, '{}');
  assert.equal((await command(admin, 'POST', 'reload')).status, 200);
  assert.equal(await server.stop(), 0);
});

test('the error for a port in use names the address', async () => {
  const server = await startServer();
  const { status, stdout, stderr } = serve(['--listen', '127.0.0.1:0', '--listen',
    `127.0.0.1:${server.port}`]);
  assert.equal(status, 1);
  assert.equal(stdout, '');
  assert.match(stderr, new RegExp(`port ${server.port} is in use`));
  await server.stop();
});

test('a unix socket has the mode of the setting and is removed at the end', async () => {
  for (const [suffix, mode] of [['', 0o660], ['?mode=0600', 0o600], ['?mode=0666', 0o666]]) {
    const socket = file('mode.sock');
    const server = await startServer({ arguments: ['--listen', '127.0.0.1:0', '--listen',
      `unix:${socket}${suffix}`] });
    await server.further();
    assert.equal(statSync(socket).mode & 0o777, mode);
    assert.equal(await server.stop(), 0);
    assert.ok(!existsSync(socket), 'the file is gone');
  }
});

test('the unix socket of a killed server is replaced; a socket in use or another file is not', async () => {
  const socket = file('stale.sock');
  const words = ['--listen', '127.0.0.1:0', '--listen', `unix:${socket}`];
  const killed = await startServer({ arguments: words });
  await killed.further();
  await killed.stop('SIGKILL');
  assert.ok(existsSync(socket));
  const server = await startServer({ arguments: words });
  await server.further();
  const { status, stderr } = serve(words);
  assert.equal(status, 1);
  assert.match(stderr, /stale\.sock: it is in use/);
  assert.equal((await ask({ socketPath: socket, path: '/livez' })).status, 200);
  assert.equal(await server.stop(), 0);
  writeFileSync(file('file'), 'kept');
  assert.equal(serve(['--listen', `unix:${file('file')}`]).status, 1);
  assert.equal(readFileSync(file('file'), 'utf8'), 'kept');
});

/* What may be at the path of a socket, as an error names it. */
const obstacles = {
  'a regular file': (name) => writeFileSync(name, 'kept'),
  'a directory': (name) => mkdirSync(name),
  'a symbolic link': (name) => symlinkSync('one.crt', name),
  'a named pipe': (name) => execFileSync('mkfifo', [name]),
};
const look = (name) => {
  const { mode, ino, size } = lstatSync(name);
  return { mode, ino, size };
};

for (const [kind, put] of Object.entries(obstacles)) {
  test(`${kind} at the path of a socket stops the start and is left alone`, async () => {
    const name = file(kind.replaceAll(' ', '-'));
    put(name);
    const before = look(name);
    for (const words of [['--admin', name], ['--listen', '127.0.0.1:0', '--listen', `unix:${name}`]]) {
      const { status, stdout, stderr } = await refusedStart(words);
      assert.equal(status, 1);
      assert.equal(stdout, '');
      assert.match(stderr, new RegExp(`${kind}.*name another path, or remove`));
      assert.deepEqual(look(name), before);
    }
  });
}

test('at its end a server removes only its own sockets', async () => {
  const names = [file('own.sock'), file('own.admin')];
  const server = await startServer({ arguments: ['--listen', '127.0.0.1:0', '--listen', `unix:${names[0]}`, '--admin', names[1]] });
  await server.further();
  for (const name of names) {
    renameSync(name, `${name}.before`);
    writeFileSync(name, 'kept');
  }
  assert.equal(await server.stop(), 0);
  for (const name of names) assert.equal(readFileSync(name, 'utf8'), 'kept');
});

test('a client of a unix socket is a trusted proxy', async () => {
  const socket = file('proxy.sock');
  const server = await startServer({ arguments: ['--listen', '127.0.0.1:0', '--listen',
    `unix:${socket}`] });
  await server.further();
  const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'maps.example' };
  const through = await ask({ socketPath: socket, path: '/style.json', headers });
  assert.match(through.body, /"https:\/\/maps\.example\//);
  const beside = await ask({ port: server.port, path: '/style.json', headers });
  assert.ok(!beside.body.includes('maps.example'));
  assert.match(through.headers.vary, /X-Forwarded-Host/);
  assert.doesNotMatch(beside.headers.vary, /X-Forwarded-Host/);
  assert.equal(await server.stop(), 0);
});

test('an https address speaks TLS beside a plain one', async (t) => {
  const server = await startServer({ arguments: ['--listen', '127.0.0.1:0', '--listen',
    'https://127.0.0.1:0', '--tls-cert', file('one.crt'), '--tls-key', file('one.key'),
    '--header-timeout', '2', '--timeout', '20'] });
  const url = new URL(await server.further());
  const ca = readFileSync(file('one.crt'));
  assert.equal(url.protocol, 'https:');

  await t.test('each port accepts only its own protocol', async () => {
    const secure = await ask({ port: url.port, path: '/livez', ca }, https);
    assert.equal(secure.body, 'alive\n');
    assert.equal((await ask({ port: server.port, path: '/livez' })).status, 200);
    await assert.rejects(ask({ port: url.port, path: '/livez' }));
  });

  await t.test('documents name https, and a tile has the same bytes', async () => {
    const style = await ask({ port: url.port, path: '/style.json', ca }, https);
    assert.ok(style.body.includes(`"https://localhost:${url.port}/`));
    const path_ = '/tiles/3/4/2.json';
    const secure = await ask({ port: url.port, path: path_, ca }, https);
    assert.equal(secure.body, (await ask({ port: server.port, path: path_ })).body);
  });

  await t.test('TLS connections are included in terrane_connections', async () => {
    const agent = new https.Agent({ keepAlive: true, ca });
    const open = async () => Number(/^terrane_connections (\d+)$/m.exec((await ask({ port: server.port, path: '/metrics' })).body)[1]);
    await Promise.all(Array.from({ length: 5 }, () => ask({ port: url.port, agent, path: '/livez' }, https)));
    assert.ok(await open() >= 6);
    agent.destroy();
    await eventually(async () => await open() <= 3, 'them to be gone');
  });

  await t.test('many requests on one connection, some large', async () => {
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca });
    for (let i = 0; i < 8; i++) {
      const answer = await ask({ port: url.port, agent, path: '/worlds/perlin/chunks/0/0.r32f?size=400' }, https);
      assert.equal(answer.status, 200);
    }
    agent.destroy();
  });

  await t.test('TLS 1.2 and 1.3 are accepted, older versions are refused', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3']) {
      const socket = tls.connect({ port: Number(url.port), ca, servername: 'localhost',
        minVersion: version, maxVersion: version });
      await once(socket, 'secureConnect');
      assert.equal(socket.getProtocol(), version);
      socket.destroy();
    }
    const old = tls.connect({ port: Number(url.port), ca, servername: 'localhost',
      minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
    await assert.rejects(once(old, 'secureConnect'));
  });

  await t.test('the client can read the response to a malformed request', async () => {
    for (const [headers, status] of [['Content-Length: x', 400], [`Cookie: ${'a'.repeat(5000)}`, 431]]) {
      const socket = tls.connect({ port: Number(url.port), ca, servername: 'localhost' });
      socket.write(`POST /heights HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n`);
      const parts = [];
      for await (const part of socket) parts.push(part);
      const { status: answered, body, rest } = parseAnswer(Buffer.concat(parts));
      assert.equal(answered, status);
      assert.equal(JSON.parse(body).status, status);
      assert.equal(rest.length, 0);
    }
  });

  await t.test('an unfinished handshake ends at the header timeout', async () => {
    const hello = Buffer.from('16030100fa010000f60303', 'hex');
    const heartbeat = startHeartbeat(server.port);
    const started = performance.now();
    const seconds = await Promise.all([[], [...hello], [...hello, ...Buffer.alloc(100)]].map(
      (bytes) => new Promise((resolve) => {
        const socket = net.connect(Number(url.port), '127.0.0.1');
        const timer = setInterval(() => {
          if (bytes.length) socket.write(Buffer.from([bytes.shift()]));
        }, 100);
        socket.on('error', () => {});
        socket.on('close', () => {
          clearInterval(timer);
          resolve((performance.now() - started) / 1000);
        });
        socket.resume();
      })));
    const holdUp = await heartbeat.stop();
    for (const one of seconds) assert.ok(one > 1.95 && one < 3 + 5 * holdUp, `${one} s, held up for ${holdUp}`);
  });

  assert.equal(server.complaints(), '');
  assert.equal(await server.stop(), 0);
});

test('an unusable certificate stops the server before it prints its address', () => {
  writeFileSync(file('empty'), '');
  writeFileSync(file('secret'), 'x');
  chmodSync(file('secret'), 0);
  const cases = [
    [[], /needs the certificate and the key: --tls-cert FILE and --tls-key FILE/],
    [['--tls-cert', file('one.crt')], /--tls-key FILE/],
    [['--tls-cert', '/nonexistent/a.crt', '--tls-key', file('one.key')], /\/nonexistent\/a\.crt: /],
    [['--tls-cert', file('one.crt'), '--tls-key', file('other.key')],
      /certificate and key cannot be used: .*do not match/],
    [['--tls-cert', file('empty'), '--tls-key', file('one.key')], /cannot be used: .*certificate/],
    [['--tls-cert', file('one.crt'), '--tls-key', file('one.crt')], /cannot be used: /],
  ];
  for (const [words, message] of cases) {
    const { status, stdout, stderr } = serve(['--listen', 'https://127.0.0.1:0', ...words]);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, message);
    assert.equal(stderr.trim().split('\n').length, 1);
  }
});

test('a reload reads the certificate and key again', async (t) => {
  const admin = file('admin.sock');
  const settings = file('settings.json');
  const put = (certificate, key) => {
    copyFileSync(file(certificate), file('live.crt'));
    copyFileSync(file(key), file('live.key'));
  };
  put('one.crt', 'one.key');
  writeFileSync(settings, JSON.stringify({ tls_cert: file('live.crt'), tls_key: file('live.key') }));
  const server = await startServer({ arguments: ['--listen', '127.0.0.1:0', '--listen',
    'https://127.0.0.1:0', '--config', settings, '--admin', admin] });
  const { port } = new URL(await server.further());
  const reload = () => command(admin, 'POST', 'reload');
  const fingerprint = (name) => new X509Certificate(readFileSync(file(name))).fingerprint256;
  const open = async () => {
    const socket = tls.connect({ port: Number(port), rejectUnauthorized: false, servername: 'localhost' });
    await once(socket, 'secureConnect');
    return socket;
  };
  /* The fingerprint of the certificate that a new connection gets. */
  const shown = async () => {
    const socket = await open();
    const { fingerprint256 } = socket.getPeerX509Certificate();
    socket.destroy();
    return fingerprint256;
  };
  const old = await open();
  const statusOn = async (socket) => {
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [data] = await once(socket, 'data');
    return data.toString().slice(0, 15);
  };
  assert.equal(await statusOn(old), 'HTTP/1.1 200 OK');

  await t.test('after a failed reload the old certificate stays in use', async () => {
    const cases = [
      [() => put('other.crt', 'one.key'), /certificate and key cannot be used: .*do not match/],
      [() => put('empty', 'one.key'), /certificate and key cannot be used/],
      [() => { put('one.crt', 'one.key'); rmSync(file('live.key')); }, /live\.key: /],
      [() => writeFileSync(settings, '{}'), /--tls-cert FILE and --tls-key FILE/],
    ];
    writeFileSync(file('empty'), '');
    for (const [spoil, message] of cases) {
      spoil();
      const { status, text } = await reload();
      assert.equal(status, 409);
      assert.match(text, message);
      assert.match(text, /nothing was changed/);
      assert.equal(await shown(), fingerprint('one.crt'));
    }
  });

  await t.test('new connections get the new certificate, under any file name', async () => {
    for (const [name, certificate, key] of [['other', 'live.crt', 'live.key'], ['one', 'one.crt', 'one.key'],
      ['other', 'other.crt', 'other.key']]) {
      put('other.crt', 'other.key');
      writeFileSync(settings, JSON.stringify({ tls_cert: file(certificate), tls_key: file(key) }));
      const { status, text } = await reload();
      assert.equal(status, 200);
      assert.doesNotMatch(text, /restart/);
      for (let i = 0; i < 8; i++) assert.equal(await shown(), fingerprint(`${name}.crt`));
      assert.equal(await statusOn(old), 'HTTP/1.1 200 OK');
    }
  });

  old.destroy();
  assert.equal(await server.stop(), 0);
});

/* The daemon with Node's own listening sockets as descriptors 3, 4 …, by the shell that stays its
 * process. Node gives its own up, so that nobody else accepts. */
async function handOver(places, variables, words = []) {
  const sockets = [];
  for (const place of places) {
    const listening = net.createServer();
    listening.listen(place);
    await once(listening, 'listening');
    sockets.push(listening);
  }
  const addresses = sockets.map((socket) => socket.address());
  const child = spawn('sh', ['-c', `${variables} exec "$0" serve "$@"`,
    process.env.TERRANE_BINARY, ...words],
  { stdio: ['ignore', 'pipe', 'pipe', ...sockets.map((socket) => socket._handle.fd)] });
  let complaints = '';
  child.stderr.on('data', (data) => { complaints += data; });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = once(child, 'close');
  return { addresses, lines, exited, complaints: () => complaints, async stop() {
    child.kill('SIGTERM');
    const [status] = await exited;
    for (const socket of sockets) socket.close();
    return status;
  }, give: () => { for (const socket of sockets) socket.close(); } };
}

test('sockets from the service manager replace the configured addresses', async () => {
  const daemon = await handOver([{ port: 0, host: '127.0.0.1' }, { port: 0, host: '127.0.0.1' }],
    'LISTEN_PID=$$ LISTEN_FDS=2 LISTEN_FDNAMES=plain:https',
    ['--listen', '127.0.0.1:1', '--tls-cert', file('one.crt'), '--tls-key', file('one.key')]);
  const [plain, secure] = daemon.addresses.map((address) => address.port);
  assert.equal((await daemon.lines.next()).value, `listening on http://127.0.0.1:${plain}`);
  assert.equal((await daemon.lines.next()).value, `listening on https://127.0.0.1:${secure}`);
  daemon.give();
  const ca = readFileSync(file('one.crt'));
  for (let i = 0; i < 30; i++) {
    assert.equal((await ask({ port: plain, path: '/livez' })).body, 'alive\n');
    assert.equal((await ask({ port: secure, path: '/livez', ca }, https)).body, 'alive\n');
  }
  assert.equal(await daemon.stop(), 0);
});

test('a unix socket from the service manager keeps its file', async () => {
  const socket = file('handed.sock');
  const daemon = await handOver([{ path: socket }], 'LISTEN_PID=$$ LISTEN_FDS=1');
  assert.equal((await daemon.lines.next()).value, `listening on unix:${socket}`);
  const keep = file('handed.kept');
  execFileSync('ln', [socket, keep]);
  daemon.give();
  assert.equal((await ask({ socketPath: keep, path: '/livez' })).status, 200);
  assert.equal(await daemon.stop(), 0);
  assert.ok(existsSync(keep));
});

test('LISTEN_PID of another process is ignored; an invalid descriptor is an error', async () => {
  const daemon = await handOver([], 'LISTEN_PID=1 LISTEN_FDS=1', ['--port', '0']);
  assert.match((await daemon.lines.next()).value, /^listening on http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(await daemon.stop(), 0);
  const bad = await handOver([], 'LISTEN_PID=$$ LISTEN_FDS=1', ['--port', '0']);
  const [status] = await bad.exited;
  assert.equal(status, 1);
  assert.match(bad.complaints(), /descriptor 3 of LISTEN_FDS/);
});
