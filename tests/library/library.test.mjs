/* The installed library, as another program meets it: installed into a folder, found through
 * pkg-config, compiled against, linked and run. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { binary, cleanEnvironment, root, terrane } from '../cli/terrane.mjs';
import { startServer } from '../tools/server.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const cc = process.env.CC ?? 'gcc';
const folder = temporaryFolder().path;
const lib = join(folder, 'usr/lib');
const world = join(root, 'config/worlds/terra.json');
const kind = basename(dirname(binary));
const sanitizers = { asan: ['-fsanitize=address,undefined'], tsan: ['-fsanitize=thread'] }[kind] ?? [];

function run(program, words, env = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd: root, env: cleanEnvironment(env), encoding: 'utf8', timeout: 600_000,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

/* Runs a program, which must succeed; returns its standard output. */
function output(program, words, env) {
  const { status, stdout, stderr } = run(program, words, env);
  assert.equal(status, 0, `${program} ${words.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

/* Make with the variables of the build under test, whatever make runs the tests. */
function make(target) {
  return output('make', [target, `KIND=${kind}`, `CC=${cc}`,
    `DESTDIR=${folder}`, 'PREFIX=/usr'],
  { MAKEFLAGS: '', MAKELEVEL: '', MFLAGS: '' });
}

function pkgConfig(...words) {
  return output('pkg-config', [...words, 'terrane'], {
    PKG_CONFIG_PATH: join(lib, 'pkgconfig'),
    PKG_CONFIG_SYSROOT_DIR: folder,
    PKG_CONFIG_ALLOW_SYSTEM_CFLAGS: '1',
    PKG_CONFIG_ALLOW_SYSTEM_LIBS: '1',
  }).trim().split(/\s+/);
}

/* The example, or another program, linked with these words; returns its path. */
function compile(name, words, source = 'core/examples/chunk.c') {
  const program = join(folder, name);
  output(cc, ['-std=c11', '-Wall', '-Wextra', '-Werror', source,
    ...sanitizers, ...pkgConfig('--cflags'), ...words, '-o', program]);
  return program;
}

/* The rows of numbers that the example prints for a chunk. */
function chunk(program, x, y, env) {
  return output(program, [world, String(x), String(y)], env)
    .trim().split('\n').map((line) => line.split(' ').map(Number));
}

/* The same from `terrane query`. */
function queried(x, y) {
  const places = [];
  for (let row = 0; row < 16; row++)
    for (let column = 0; column < 16; column++) places.push(`${16 * x + column} ${16 * y + row}`);
  const { status, stdout, stderr } = terrane(
    ['query', '--world', world, '--layer', 'height', '-'], { input: `${places.join('\n')}\n` });
  assert.equal(status, 0, stderr);
  const heights = stdout.trim().split('\n').map(Number);
  return Array.from({ length: 16 }, (_, row) => heights.slice(16 * row, 16 * row + 16));
}

/* Numbers as the floats that their texts stand for. */
const floats = (rows) => rows.map((row) => row.map(Math.fround));

function assertChunks(program, env) {
  for (const [x, y] of [[0, 0], [-3, 70000], [812345, -2]]) {
    const rows = floats(chunk(program, x, y, env));
    assert.deepEqual(rows, floats(queried(x, y)), `chunk ${x} ${y}`);
    assert.equal(rows.length, 16);
    assert.ok(new Set(rows.flat()).size > 50, 'the ground is not level');
  }
}

before(() => make('install'));

test('the shared library gives the heights that the program gives', () => {
  const program = compile('chunk-shared', pkgConfig('--libs'));
  assert.match(output('readelf', ['-d', program]), /NEEDED.*\[libterrane\.so\.0\]/);
  assertChunks(program, { LD_LIBRARY_PATH: lib });
});

test('the static library gives the same heights without the shared library', () => {
  const words = pkgConfig('--libs', '--static')
    .map((word) => (word === '-lterrane' ? '-l:libterrane.a' : word));
  const program = compile('chunk-static', words);
  assert.doesNotMatch(output('readelf', ['-d', program]), /libterrane/);
  assertChunks(program);
});

test('two threads that share a cache give the heights that the program serves', async () => {
  const words = [...pkgConfig('--libs'), '-pthread', '-lm', `-Wl,-rpath,${lib}`];
  const program = compile('threads', words, 'core/examples/threads.c');
  const highest = output(program, [world, '12']).trim().split('\n').map(Number);
  const server = await startServer();
  try {
    for (let i = 0; i < 12; i++) {
      const answer = await fetch(`${server.url}/chunks/${i}/0.r32f?size=64&step=16`);
      const heights = new Float32Array(await answer.arrayBuffer());
      assert.equal(heights.length, 65 * 65); /* one more row and column than the example's */
      const inside = heights.filter((_, k) => k % 65 < 64 && k < 64 * 65);
      assert.equal(Math.fround(highest[i]), inside.reduce((a, b) => Math.max(a, b)), `chunk ${i}`);
    }
  } finally {
    await server.stop();
  }
  assert.ok(new Set(highest).size > 10, 'the ground is not level');
});

test('the example reports errors of a world', () => {
  const program = compile('chunk-wrong', [...pkgConfig('--libs'), `-Wl,-rpath,${lib}`]);
  const { status, stderr } = run(program, [join(root, 'config/terrane.json'), '0', '0']);
  assert.equal(status, 1);
  assert.match(stderr, /terrane\.json: .+/);
});

test('exactly the functions of the header can be linked', () => {
  const header = readFileSync(join(folder, 'usr/include/terrane.h'), 'utf8');
  const declared = [...header.matchAll(/^TERRANE_API [^;(]*?(\w+)\(/gm)].map((match) => match[1]);
  assert.ok(declared.length > 15);
  const names = (words) => output('nm', ['--defined-only', '--format=posix', ...words])
    .split('\n').filter((line) => /^\S+ [A-Zi] /.test(line)).map((line) => line.split(' ')[0]);
  assert.deepEqual(names(['-D', join(lib, 'libterrane.so.0')]).sort(), declared.sort());
  assert.deepEqual(names(['-g', join(lib, 'libterrane.a')]).sort(), declared.sort());
});

test('header, pkg-config and program have the same version', () => {
  const [, version] = /TERRANE_VERSION "(.*)"/.exec(readFileSync(join(root, 'core/terrane.h')));
  assert.deepEqual(pkgConfig('--modversion'), [version]);
  assert.equal(terrane(['--version']).stdout, `terrane ${version}\n`);
});

test('the header compiles alone, as C and as C++', () => {
  /* gcc's C++ is a package of its own; clang's comes with it. */
  for (const [compiler, language, standard] of [[cc, 'c', 'c11'], ['clang', 'c++', 'c++11']])
    output(compiler, ['-x', language, `-std=${standard}`, '-Wall', '-Wextra', '-Werror', '-fsyntax-only',
      join(folder, 'usr/include/terrane.h')]);
});

test('a chunk over HTTP has the digest that the library gives', async () => {
  const program = compile('digest', [...pkgConfig('--libs'), `-Wl,-rpath,${lib}`], 'tests/library/digest.c');
  const server = await startServer();
  try {
    for (const [cx, cy, size, step, layers] of [
      [0, 0, 64, 1, 'height'], [-7, 3, 33, 0.0625, 'height'], [1000000, -5, 16, 16384, 'height,biome'],
      [2 ** 30, -(2 ** 30) - 1, 100, 0.5, 'temperature,biome,height'],
    ]) {
      const words = [cx * size * step, cy * size * step, size + 1, step, ...layers.split(',')];
      const expected = output(program, [world, ...words.map(String)]).trim();
      const { headers } = await fetch(`${server.url}/chunks/${cx}/${cy}.r16z?size=${size}&step=${step}&layers=${layers}`);
      assert.equal(headers.get('x-terrane-digest'), expected, words.join(' '));
    }
  } finally {
    await server.stop();
  }
});

test('the library has the labels that the program serves', async () => {
  const program = compile('labels', [...pkgConfig('--libs'), `-Wl,-rpath,${lib}`], 'tests/library/labels.c');
  const server = await startServer();
  /* Metres: the north-western corner, the side and the zoom. */
  const views = [[-3e6, -2e6, 4e6, 5], [-1400000, 100000, 400000, 9], [-1215000, 285000, 30000, 12], [3e11, -7e11, 20000, 13], [0, 0, 9, 2]];
  try {
    const input = views.map(([x, y, side, zoom]) => `${[x, y, x + side, y + side].map((at) => BigInt(at) * 65536n).join(' ')} ${zoom}`).join('\n');
    const { stdout, stderr, status } = spawnSync(program, [world], { cwd: root, env: cleanEnvironment(), encoding: 'utf8', input });
    assert.deepEqual([stderr, status], ['', 0]);
    const lines = stdout.split('\n');
    let count = 0;
    for (const [x, y, side, zoom] of views) {
      const { labels } = await (await fetch(`${server.url}/worlds/terra/labels?bbox=${x},${y},${x + side},${y + side}&zoom=${zoom}`)).json();
      assert.equal(Number(lines.shift()), labels.length);
      for (const label of labels) {
        const [id, name, kind, east, south, rank, size, height] = lines.shift().split('\t');
        assert.deepEqual([id, name, kind, Number(rank), Number(east) / 65536, Number(south) / 65536],
          [label.id, label.name, label.kind, label.rank, label.x, label.y]);
        assert.ok(label.size === null ? Math.fround(label.height) === Math.fround(Number(height)) : label.size === Number(size), name);
      }
      count += labels.length;
    }
    assert.ok(count > 40, `${count} labels`);
    assert.deepEqual(lines, ['']);
  } finally {
    await server.stop();
  }
});

test('a folder of installation may have spaces, quotes and dollars, and be filled twice', () => {
  const odd = join(folder, "a b'c$d");
  const words = (target) => ['make', [target, `KIND=${kind}`, `CC=${cc}`, `DESTDIR=${odd.replaceAll('$', () => '$$')}`], { MAKEFLAGS: '', MAKELEVEL: '', MFLAGS: '' }];
  const files = () => readdirSync(odd, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
  output(...words('install'));
  const first = files();
  assert.ok(first.includes('terrane.1.gz') && first.includes('terrane.json'));
  output(...words('install'));
  assert.deepEqual(files(), first);
  output(...words('uninstall'));
  assert.deepEqual(files(), []);
});

test('uninstall removes every file that install put there', () => {
  make('uninstall');
  const left = readdirSync(join(folder, 'usr'), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
  assert.deepEqual(left, []);
  assert.ok(existsSync(lib));
});
