/* The cache on a disk against the real world: killed while writing, damaged in every way, and with
 * no room left. Whatever happens to the file, no wrong byte is served and the daemon lives.
 *
 * TERRANE_KILLS and TERRANE_DAMAGES say how often; TERRANE_SEED repeats a run. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, copyFileSync, existsSync, ftruncateSync, openSync, readSync, readdirSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { binary, terrane } from '../cli/terrane.mjs';
import { eventually } from '../http/busy.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';

const KILLS = Number(process.env.TERRANE_KILLS ?? 8);
const DAMAGES = Number(process.env.TERRANE_DAMAGES ?? 16);
const COLUMNS = DAMAGES > 24 ? 12 : 6;
const PAGE = 32768;

/* Numerical Recipes' generator: a run can be repeated. */
let state = Number(process.env.TERRANE_SEED ?? 1) >>> 0;
function below(limit) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

/* Tiles of the default world take long to render, and only it has vector tiles; the others keep rounds short. */
const paths = [];
for (let x = 250; x < 250 + COLUMNS; x++) {
  if (x % 6 === 0) paths.push(`/tiles/relief/9/${x}/251.png`, `/tiles/height/9/${x}/252.r16`, `/tiles/9/${x}/253.mvt`);
  else paths.push(...[251, 252, 253].map((y) => `/worlds/dunes/tiles/height/9/${x}/${y}.r16`));
  paths.push(`/worlds/dunes/tiles/relief/9/${x}/251.png`);
}
const right = new Map();
const folder = temporaryFolder().path;
const file = path.join(folder, 'tiles.db');

async function ask(server, each) {
  const response = await fetch(server.url + each);
  return { status: response.status, from: response.headers.get('x-terrane-cache'), body: Buffer.from(await response.arrayBuffer()) };
}

/* Asks for all in some order, 8 at a time; how many came from where. A wrong byte fails. */
async function askAll(server, counts = {}) {
  const order = [...paths];
  for (let i = order.length - 1; i > 0; i--) {
    const k = below(i + 1);
    [order[i], order[k]] = [order[k], order[i]];
  }
  const next = async () => {
    for (let each = order.pop(); each; each = order.pop()) {
      const answer = await ask(server, each);
      assert.equal(answer.status, 200);
      assert.ok(answer.body.equals(right.get(each)), `${each} from ${answer.from}`);
      counts[answer.from] = (counts[answer.from] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, next));
  return counts;
}

const start = (...more) => startServer({ arguments: ['--cache-disk', file, ...more] });

before(async () => {
  const server = await startServer();
  for (const each of paths) {
    const { status, body } = await ask(server, each);
    assert.equal(status, 200, each);
    right.set(each, body);
  }
  assert.equal(await server.stop(), 0);
});

function removeFiles() {
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
}

test(`the server is killed while it writes, ${KILLS} times`, async () => {
  let found = 0;
  for (let round = 0; round < KILLS; round++) {
    /* Some rounds begin with the existing file, some without one. */
    if (round % 10 === 9) removeFiles();
    const server = await start();
    const counts = {};
    const asking = askAll(server, counts).catch((error) => {
      if (error.code === 'ERR_ASSERTION') throw error;
    });
    await new Promise((resolve) => setTimeout(resolve, below(200)));
    await server.stop('SIGKILL');
    await asking;
    found += counts.disk ?? 0;
    assert.equal(server.complaints(), '');
  }
  const server = await start();
  const counts = await askAll(server);
  assert.equal(await server.stop(), 0);
  const { status, stdout } = terrane(['cache', file, '--check', '--json']);
  assert.equal(status, 0, stdout);
  console.log(`  ${KILLS} kills: ${found} tiles of the disk were served in between, ${counts.disk ?? 0} of ${paths.length} at the end`);
});

function change(name, act) {
  const handle = openSync(name, 'r+');
  try {
    act(handle, statSync(name).size);
  } finally {
    closeSync(handle);
  }
}

const noise = (length) => Buffer.from(Array.from({ length }, () => below(256)));

const damages = {
  'a bit': (handle, size) => {
    const at = below(size);
    const byte = Buffer.alloc(1);
    readSync(handle, byte, 0, 1, at);
    byte[0] ^= 1 << below(8);
    writeSync(handle, byte, 0, 1, at);
  },
  'many bytes': (handle, size) => {
    for (let i = 0; i < 100; i++) writeSync(handle, noise(1), 0, 1, below(size));
  },
  'the header': (handle) => writeSync(handle, noise(8), 0, 8, below(100)),
  'heads of pages': (handle, size) => {
    for (let i = 0; i < 4; i++) writeSync(handle, noise(12), 0, 12, below(size / PAGE) * PAGE + below(16));
  },
  'cut short': (handle, size) => ftruncateSync(handle, below(size)),
  'pages of zeros': (handle, size) => {
    for (let i = 0; i < 3; i++) writeSync(handle, Buffer.alloc(PAGE), 0, PAGE, below(size / PAGE) * PAGE);
  },
  'a page of noise': (handle, size) => writeSync(handle, noise(PAGE), 0, PAGE, below(size / PAGE) * PAGE),
  'pages that changed places': (handle, size) => {
    const [a, b] = [below(size / PAGE) * PAGE, below(size / PAGE) * PAGE];
    const [one, two] = [Buffer.alloc(PAGE), Buffer.alloc(PAGE)];
    readSync(handle, one, 0, PAGE, a);
    readSync(handle, two, 0, PAGE, b);
    writeSync(handle, one, 0, PAGE, b);
    writeSync(handle, two, 0, PAGE, a);
  },
};

/* A file of all tiles, as it is left after the end; and one with its log, as after a crash. */
async function makeFiles(clean, crashed) {
  removeFiles();
  const server = await start();
  await askAll(server);
  await eventually(() => JSON.parse(terrane(['cache', file, '--json']).stdout).tiles === paths.length, 'all tiles on the disk');
  copyFileSync(file, crashed);
  copyFileSync(`${file}-wal`, `${crashed}-wal`);
  assert.equal(await server.stop(), 0);
  copyFileSync(file, clean);
}

/* A server for each. */
test(`the file is damaged in ${DAMAGES} ways`, { timeout: 60_000 }, async () => {
  const names = Object.keys(damages);
  const outside = temporaryFolder();
  const [clean, crashed] = [outside.file('clean'), outside.file('crashed')];
  const seen = { disk: 0, render: 0, memory: 0, quarantined: 0 };
  await makeFiles(clean, crashed);
  for (let round = 0; round < DAMAGES; round++) {
    const name = names[round % names.length];
    const under = Math.floor(round / names.length) % 3; /* the file at rest, with a log, in use */
    removeFiles();
    copyFileSync(under === 1 ? crashed : clean, file);
    if (under === 1) copyFileSync(`${crashed}-wal`, `${file}-wal`);
    const damage = () => change(under === 1 && below(2) ? `${file}-wal` : file, damages[name]);
    if (under < 2) damage();
    const began = performance.now();
    const server = await start('--cache-memory', '0');
    if (under === 2) {
      await Promise.all(paths.slice(0, 5).map((each) => ask(server, each)));
      damage();
    }
    /* Twice: what was found damaged has been put away by then. */
    for (let i = 0; i < 2; i++) {
      const counts = await askAll(server).catch((error) => {
        error.message += ` (round ${round}: ${name}, ${['at rest', 'with a log', 'in use'][under]})`;
        throw error;
      });
      for (const [where, count] of Object.entries(counts)) seen[where] += count;
    }
    assert.equal(await server.stop(), 0, `round ${round}: ${name}: ${server.complaints()}`);
    /* Each kind of line once, and again after ten seconds. */
    const periods = 1 + Math.floor((performance.now() - began) / 10000);
    assert.ok(server.complaints().split('\n').length <= 1 + 3 * periods, server.complaints());
    if (existsSync(`${file}.damaged`)) seen.quarantined++;
  }
  assert.ok(seen.disk > 0 && seen.render > 0);
  console.log(`  ${DAMAGES} damages: ${seen.disk} tiles served from the disk, ${seen.render} rendered again, ${seen.quarantined} files quarantined`);
});

/* A limit for the process's files is as good as a full disk, and needs no rights. */
test('the disk is full, and then has room again', async () => {
  removeFiles();
  const limited = path.join(folder, 'limited');
  writeFileSync(limited, `#!/bin/bash\nulimit -S -f 300\nexec "${binary}" "$@"\n`, { mode: 0o755 });
  process.env.TERRANE_BINARY = limited;
  let server;
  try {
    server = await start('--cache-memory', '0');
  } finally {
    process.env.TERRANE_BINARY = binary;
  }
  try {
    const began = performance.now();
    const lines = () => server.complaints().split('\n').filter(Boolean);
    await eventually(async () => {
      await askAll(server);
      return performance.now() - began > 2500 && lines().length > 0;
    }, 'a line that says so');
    assert.ok(statSync(file).size <= 300 * 1024 && statSync(`${file}-wal`).size <= 300 * 1024);
    for (const line of lines()) assert.match(line, /^\S+Z warning cache: .*tiles\.db cannot be written \(File too large\); tiles are served without it$/);
    assert.ok(lines().length <= 1 + (performance.now() - began) / 10000, server.complaints());
    execFileSync('prlimit', ['--pid', String(server.pid), '--fsize=unlimited']);
    await eventually(async () => (await askAll(server)).disk === paths.length, 'all tiles from the disk');
    await eventually(() => /tiles\.db is written again\n/.test(server.complaints()), 'a line that says so');
  } finally {
    assert.equal(await server.stop(), 0);
  }
});
