/* terrane export --effort: fast tiles against those of a server, small ones against fast ones, as pngjs reads both. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import png from 'pngjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile } from '../tools/server.mjs';
import { binary, cleanEnvironment, fail, succeed, terrane } from './terrane.mjs';

/* Land and sea. */
const folder = temporaryFolder({
  'worlds/hills.json': {
    generator: 1, seed: 7,
    layers: { height: { formula: '300 * fbm(wavelength=6000, octaves=9)', unit: 'm', range: [-300, 300] } },
  },
});
const options = { cwd: folder.path };
const hills = ['--worlds', 'worlds', '--world', 'hills'];
/* 16 tiles. */
const area = ['--bbox', '-32000,-32000,32000,32000', '--zoom', '11'];
const server = serverOfFile({ arguments: ['--worlds', folder.file('worlds')] });

const exportTo = (name, ...words) => succeed(['export', ...hills, ...area, ...words, '-o', name], options);

/* [path below the folder without its extension, bytes] of each tile that an export has written there. */
const tilesIn = (name) => readdirSync(folder.file(name), { recursive: true })
  .filter((tile) => /^\d+\/\d+\/\d+\.\w+$/.test(tile)).sort()
  .map((tile) => [tile.replace(/\.\w+$/, ''), readFileSync(join(folder.file(name), tile))]);

const size = (tiles) => tiles.reduce((sum, [, { length }]) => sum + length, 0);
const plain = {
  png: (bytes) => png.PNG.sync.read(bytes).data,
  mvt: (bytes) => gunzipSync(bytes),
};

const kinds = [['relief', 'png'], ['hillshade', 'png'], ['contour', 'png'], ['terrarium', 'png'], ['relief', 'webp'], ['relief', 'mvt']];
for (const [style, format] of kinds) {
  test(`${style} as ${format}: fast tiles are those of a server, small ones have the same content in fewer bytes`, async () => {
    for (const effort of ['fast', 'small']) exportTo(`${style}-${format}-${effort}/`, '--style', style, '--format', format, '--effort', effort);
    exportTo(`${style}-${format}-default/`, '--style', style, '--format', format);
    const [fast, small, byDefault] = ['fast', 'small', 'default'].map((effort) => tilesIn(`${style}-${format}-${effort}/`));
    assert.equal(fast.length, 16);
    assert.deepEqual(byDefault, fast);
    for (const [i, [tile, bytes]] of fast.entries()) {
      const response = await fetch(`${server.url}/worlds/hills/tiles/${style}/${tile}.${format}`);
      const served = Buffer.from(await response.arrayBuffer());
      assert.ok((format === 'mvt' ? gunzipSync(bytes) : bytes).equals(served), tile);
      if (plain[format]) assert.ok(plain[format](small[i][1]).equals(plain[format](bytes)), tile);
    }
    assert.ok(size(small) < size(fast), `${size(small)} of ${size(fast)} bytes`);
  });
}

test('a single tile has the bytes that it has in an export of the same effort', () => {
  const words = ['render', ...hills, '--style', 'relief', '--tile', '11/1023/1024', '-o', '-'];
  for (const effort of ['fast', 'small']) {
    const tile = terrane([...words, '--effort', effort], { ...options, bytes: true });
    exportTo(`one-${effort}/`, '--effort', effort);
    assert.ok(tile.stdout.equals(new Map(tilesIn(`one-${effort}/`)).get('11/1023/1024')), effort);
  }
});

test('threads make the same bytes', () => {
  for (const effort of ['fast', 'small']) {
    for (const threads of ['1', '5']) exportTo(`threads-${threads}.pmtiles`, '--effort', effort, '--threads', threads);
    assert.ok(readFileSync(folder.file('threads-1.pmtiles')).equals(readFileSync(folder.file('threads-5.pmtiles'))), effort);
  }
});

test('metadata name the effort, and verify makes tiles with it', () => {
  for (const effort of ['fast', 'small']) {
    exportTo(`known-${effort}.pmtiles`, '--effort', effort);
    assert.match(succeed(['verify', `known-${effort}.pmtiles`, '--worlds', 'worlds'], options), /16 tiles as they were written, 16 of them made anew/);
  }
  exportTo('known/', '--effort', 'small');
  assert.equal(JSON.parse(readFileSync(folder.file('known/metadata.json')))['terrane:effort'], 'small');
});

test('parts of another effort are not joined', () => {
  exportTo('part-1.pmtiles', '--shard', '1/2');
  exportTo('part-2.pmtiles', '--shard', '2/2', '--effort', 'small');
  fail(['merge', 'part-1.pmtiles', 'part-2.pmtiles', '-o', 'x.pmtiles'],
    /part-2\.pmtiles: is of another export than part-1\.pmtiles: its terrane:effort differs/, options);
});

test('an interrupted export is not gone on with by another effort', () => {
  const words = ['export', ...hills, ...area, '-o', 'begun.pmtiles'];
  const limited = spawnSync('sh', ['-c', `trap '' XFSZ; ulimit -f 300; exec ${binary} ${words.join(' ')}`], { cwd: folder.path, env: cleanEnvironment() });
  assert.equal(limited.status, 1);
  fail([...words, '--effort', 'small', '--resume'], /begun\.pmtiles\.part-index: holds the beginning of another export/, options);
  succeed([...words, '--resume'], options);
  exportTo('whole.pmtiles');
  assert.ok(readFileSync(folder.file('begun.pmtiles')).equals(readFileSync(folder.file('whole.pmtiles'))));
});

test('a picture of a rectangle is small, or made fast: the same pixels', async () => {
  const picture = (name, ...effort) => {
    succeed(['render', ...hills, '--bbox', '0,0,900,700', '--width', '700', '-o', name, ...effort], options);
    return readFileSync(folder.file(name));
  };
  for (const ending of ['png', 'r16']) {
    const small = picture(`small.${ending}`, '--effort', 'small');
    const fast = picture(`fast.${ending}`, '--effort', 'fast');
    assert.ok(picture(`usual.${ending}`).equals(small));
    assert.equal(fast.equals(small), ending === 'r16');
    if (ending === 'png') assert.ok(plain.png(fast).equals(plain.png(small)));
  }
  assert.ok(picture('small.webp').length < picture('fast.webp', '--effort', 'fast').length);
});

test('efforts that there are not, and files that have none, are refused', () => {
  const cases = [
    [['export', ...hills, '-o', 'x.pmtiles', '--effort', 'best'], /--effort: must be fast or small, not "best"/],
    [['export', ...hills, '--width', '9', '-o', 'x.webp', '--effort', 'small'], /--effort is for map tiles, not for "x\.webp"/],
  ];
  for (const [words, message] of cases) fail(words, message, options);
});
