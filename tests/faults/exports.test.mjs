/* Exports against the real world: killed at any moment, with failing writes and on a full disk. Whatever happened, no
 * file has the archive's name before it is whole, the error says what could not be written, and --resume goes on to the
 * bytes of an export that nothing disturbed.
 *
 * TERRANE_KILLS and TERRANE_FAULTS say how often; TERRANE_SEED repeats a run. */

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { binary, cleanEnvironment, terrane } from '../cli/terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { FailingCalls, WRITE } from './failing_calls.mjs';

const KILLS = Number(process.env.TERRANE_KILLS ?? 8);
const FAULTS = Number(process.env.TERRANE_FAULTS ?? 12);
const NEVER = Number.MAX_SAFE_INTEGER;
const sanitized = /\/build\/(tsan|fuzz)\//.test(binary);

/* Numerical Recipes' generator: a run can be repeated. */
let state = Number(process.env.TERRANE_SEED ?? 1) >>> 0;
function below(limit) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

/* Samples of a size that take no time: hills to the west, and to the east flat land, whose tiles are equal. */
const folder = temporaryFolder({
  'worlds/flat.json': { generator: 1, seed: 7, layers: { height: { formula: '5 + 0 * x', unit: 'm' } } },
  'worlds/half.json': {
    generator: 1, seed: 7,
    layers: { height: { formula: 'clamp(0 - x / 1000, 0, 1) * 300 * fbm(wavelength=6000, octaves=9)', unit: 'm' } },
  },
});
const options = { cwd: folder.path };
const path = (name) => join(folder.path, name);
const area = ['export', '--worlds', 'worlds', '--world', 'half', '--bbox', '-9000,-9000,9000,9000', '--threads', '2', '-o'];
const small = { tiles: ['--zoom', '8-11'], raster: ['--width', '1100'] };
const large = { tiles: ['--zoom', '8-13'], raster: ['--width', '2500'] };
function words(name, size = large) {
  if (/\.(tif|asc)$/.test(name)) return [...area, name, ...size.raster];
  return [...area, name, ...size.tiles, '--style', 'height', '--format', 'json', '--size', '4'];
}
const kinds = ['pmtiles', 'mbtiles', 'tar', 'folder/', 'tif', 'asc'];
const nameOf = (prefix, kind) => (kind === 'folder/' ? `${prefix}-folder/` : `${prefix}.${kind}`);

function exportTo(name, size) {
  const { status, stderr } = terrane(words(name, size), options);
  assert.equal(status, 0, stderr);
}

function assertSame(name, whole, what) {
  if (name.endsWith('/')) execFileSync('diff', ['-r', path(name), path(whole)]);
  else assert.ok(readFileSync(path(name)).equals(readFileSync(path(whole))), what);
}

/* Parts of the export that are still there. */
const parts = (name) => readdirSync(folder.path).filter((each) => each.startsWith(`${name.replace(/\/$/, '')}.part`));
function remove(name) {
  for (const each of [name, ...parts(name)]) rmSync(path(each), { recursive: true, force: true });
}

before(() => { for (const kind of kinds) exportTo(nameOf('whole', kind)); });

/* Runs it, and kills it after that many milliseconds; true if it had ended by itself before. */
async function runFor(name, milliseconds) {
  const run = spawn(binary, words(name).concat('--resume'), { cwd: folder.path, env: cleanEnvironment(), stdio: 'ignore' });
  const ended = once(run, 'close');
  const timer = setTimeout(() => run.kill('SIGKILL'), milliseconds);
  const [status, signal] = await ended;
  clearTimeout(timer);
  assert.ok(status === 0 || signal === 'SIGKILL', `exit status ${status}`);
  return status === 0;
}

/* Two programs for each. */
test(`exports that are killed ${KILLS} times at random go on to the same bytes`, { timeout: 60_000 }, async () => {
  let kills = 0;
  for (let round = 0; kills < KILLS; round++) {
    const kind = kinds[round % kinds.length];
    const name = nameOf('killed', kind);
    const began = performance.now();
    assert.ok(await runFor(name, 1e6));
    const whole = performance.now() - began;
    remove(name);
    /* Each time a little longer, so that slow machines come to the end as well. */
    for (let most = whole; !await runFor(name, below(most)); most *= 1.05) {
      kills++;
      /* It may have been killed when all was done. */
      if (!name.endsWith('/') && existsSync(path(name))) assertSame(name, nameOf('whole', kind), 'a file that has the name is whole');
    }
    assertSame(name, nameOf('whole', kind), `${name} after ${kills} kills`);
    assert.deepEqual(parts(name), []);
    remove(name);
  }
});

let failing;
before(() => { failing = new FailingCalls(); });
after(() => failing.remove());

function runUnder(name, orders) {
  failing.arm({ kind: WRITE, ...orders });
  const result = terrane(words(name, small).concat('--resume'), { ...options, env: failing.env });
  return { ...result, ...failing.disarm() };
}

/* Some tens of exports for each. */
for (const kind of kinds) {
  test(`${kind}: a write that fails is named, and the export can go on`, { skip: sanitized, timeout: 60_000 }, () => {
    const whole = nameOf('small', kind);
    const name = nameOf('failed', kind);
    exportTo(whole, small);
    const { calls, status } = runUnder(name, { number: NEVER });
    assert.equal(status, 0);
    assert.ok(calls > 8, `${calls} writes`);
    remove(name);
    let failures = 0;
    for (let number = 1; number <= calls; number += Math.ceil(calls / FAULTS)) {
      const onwards = number % 2; // as of a full disk
      const run = runUnder(name, { number, onwards, reason: constants.errno.ENOSPC });
      const what = `write ${number} of ${calls}: ${run.status} ${run.stderr}`;
      assert.doesNotMatch(run.stderr, /Sanitizer|runtime error/, what);
      assert.ok(run.struck > 0, what);
      if (run.status !== 0) {
        failures++;
        assert.equal(run.status, 1, what);
        assert.match(run.stderr, /^terrane: failed\S*: .*(No space left on device|full)/m, what);
        if (!name.endsWith('/')) assert.ok(!existsSync(path(name)), what);
        const again = runUnder(name, { number: NEVER });
        assert.equal(again.status, 0, `${what}\nthen ${again.stderr}`);
      }
      assertSame(name, whole, what);
      assert.deepEqual(parts(name), [], what);
      remove(name);
    }
    assert.ok(failures > FAULTS / 3, `${failures} failures`);
  });
}

/* A disk that fails again and again: each run gets a little further. */
test('an export whose every 50th write fails is completed by resuming it', { skip: sanitized }, () => {
  let runs = 0;
  for (let status = 1; status !== 0; runs++) {
    assert.ok(runs < 100, 'it does not get further');
    failing.arm({ kind: WRITE, one_in: 50, reason: constants.errno.EIO });
    const run = terrane(words('often.pmtiles').concat('--resume'), { ...options, env: failing.env });
    failing.disarm();
    ({ status } = run);
    if (status !== 0) assert.match(run.stderr, /^terrane: often\.pmtiles\S*: cannot be \w+: Input\/output error$/m);
  }
  assert.ok(runs > 1, `${runs} runs`);
  assertSame('often.pmtiles', 'whole.pmtiles');
});

test('on a disk that is full, the export goes on when there is room', (t) => {
  const { size } = statSync(path('whole.pmtiles'));
  const script = `mkdir disk && mount -t tmpfs -o size=${size >> 1} none disk || exit 99
    ${binary} ${words('disk/a.pmtiles').join(' ')} --resume; echo "status $?" >&2; ls disk >&2
    mount -o remount,size=20m disk
    ${binary} ${words('disk/a.pmtiles').join(' ')} --resume && cat disk/a.pmtiles`;
  const { status, stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script],
    { cwd: folder.path, env: cleanEnvironment(), maxBuffer: 1 << 26 });
  if (status === 99 || /unshare/.test(stderr)) return t.skip('this machine does not let a test mount a disk');
  assert.match(stderr.toString(), /disk\/a\.pmtiles\.part(-index)?: cannot be written: No space left on device\nstatus 1\na\.pmtiles\.part\na\.pmtiles\.part-index\n/);
  assert.equal(status, 0, stderr);
  assert.ok(stdout.equals(readFileSync(path('whole.pmtiles'))));
  return undefined;
});

/* Runs a script in a name space of its own, where it can mount disks; null where that is not allowed. */
function withDisks(script) {
  const { status, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', `mounted() { mkdir -p $2 && mount -t tmpfs -o size=$1 none $2 || exit 99; }\n${script}`],
    { cwd: folder.path, env: cleanEnvironment() });
  return status === 99 || /unshare/.test(stderr) ? null : stderr.toString();
}
const samples = ['--style', 'height', '--format', 'r32f'];

test('a folder where another disk begins is measured by that disk', (t) => {
  const command = (name, ...rest) => `${binary} ${[...area, name, ...rest].join(' ')}; echo "status $?" >&2`;
  const said = withDisks(`mounted 40m outer; mounted 60m outer/grids; mounted 200m outer/large; mounted 1m outer/small
    ${command('outer/small', '--step', '20', '--size', '256')}
    ${command('outer/small/', '--zoom', '8-12', ...samples)}
    mount -o remount,size=1m outer
    ${command('outer/grids', '--step', '20', '--size', '256')}
    ${command('outer/large/', '--zoom', '8-12', ...samples)}`);
  if (said === null) return t.skip('this machine does not let a test mount a disk');
  const full = (size) => `terrane: -o: needs about \\d+(\\.\\d+)? MB, but the disk has ${size} left\nstatus 1\n`;
  assert.match(said, new RegExp(`^${full('1.0 MB')}${full('1.0 MB')}status 0\n${full('1.0 MB')}$`));
  return undefined;
});

/* 68 tiles of 262 KB. */
test('equal tiles are not counted against the room on the disk where they stand once', (t) => {
  const command = (name) => `${binary} ${[...area, name, '--world', 'flat', '--zoom', '8-13', ...samples].join(' ')}; echo "status $?" >&2`;
  const said = withDisks(`mounted 2m one; ${command('one/a.pmtiles')}; rm one/*; ${command('one/a.mbtiles')}; rm one/*; ${command('one/a.tar')}; ls one`);
  if (said === null) return t.skip('this machine does not let a test mount a disk');
  assert.match(said, /^status 0\nstatus 0\nterrane: -o: needs about \d+ MB, but the disk has 2\.\d MB left\nstatus 1\n$/);
  return undefined;
});

/* It needs 2.4 MB, of which less are sure; the larger one does not fit for sure. Grids have 4.2 MB. */
test('beginning anew on a disk that is full takes the room of the parts, or says how to go on', (t) => {
  const command = (name, ...rest) => `${binary} ${[...area, name, ...rest].join(' ')}; echo "status $?" >&2`;
  const archive = ['one/a.pmtiles', ...samples, '--zoom'];
  const grids = ['one/grids', '--size', '256', '--format', 'r32f', '--step'];
  const said = withDisks(`mounted 2200k one; ${command(...archive, '8-11')}; ${command(...archive, '8-11')}; ${command(...archive, '8-13')}; rm one/*
    mount -o remount,size=6m one; ${command(...grids, '20')}; ${command(...grids, '20')}; mount -o remount,size=4300k one; rm one/grids/*y3*; head -c 1m /dev/zero > one/other; ${command(...grids, '20')}`);
  if (said === null) return t.skip('this machine does not let a test mount a disk');
  const stopped = 'terrane: one/a\\.pmtiles\\.part: cannot be written: No space left on device\nstatus 1\n';
  const refused = 'terrane: -o: needs about [\\d.]+ MB, but the disk has [\\d.]+ K?M?B left, besides [\\d.]+ MB that are there already: make room, and go on with --resume\nstatus 1\n';
  assert.match(said, new RegExp(`^${stopped}${stopped}${refused}status 0\nstatus 0\n${refused}$`));
  return undefined;
});

test('an interrupted merge leaves nothing behind', async () => {
  exportTo('large.pmtiles', { tiles: ['--zoom', '8-18'] });
  const run = spawn(binary, ['merge', 'large.pmtiles', '-o', 'joined.mbtiles'], { cwd: folder.path, env: cleanEnvironment(), stdio: 'ignore' });
  const ended = once(run, 'close');
  while (!(statSync(path('joined.mbtiles.part-index'), { throwIfNoEntry: false })?.size > 5000)) await sleep(1);
  run.kill('SIGINT');
  assert.deepEqual(await ended, [130, null]);
  assert.deepEqual(parts('joined.mbtiles'), []);
  assert.ok(!existsSync(path('joined.mbtiles')));
});

test('an interrupted export says how to go on, with the exit status of a shell', async () => {
  for (const [signal, status] of [['SIGINT', 130], ['SIGTERM', 143]]) {
    const name = `interrupted-${signal}.pmtiles`;
    const run = spawn(binary, words(name, { tiles: ['--zoom', '8-19'] }), { cwd: folder.path, env: cleanEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] });
    let complaints = '';
    run.stderr.on('data', (data) => { complaints += data; });
    const ended = once(run, 'close');
    while (!(statSync(path(`${name}.part-index`), { throwIfNoEntry: false })?.size > 5000)) await sleep(5);
    run.kill(signal);
    assert.deepEqual(await ended, [status, null]);
    assert.match(complaints, /^terrane: interrupted; the same command with --resume goes on$/m);
    assert.ok(existsSync(path(`${name}.part`)));
    remove(name);
  }
});
