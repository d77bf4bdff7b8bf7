/* terrane export, merge and verify: archives against the tiles that `terrane render` makes, read by the pmtiles
 * package, sqlite3, GDAL, GNU tar and bsdtar; splits, kills and full disks against an export that nothing disturbed. */

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { PMTiles } from 'pmtiles';
import { gdalIn } from '../http/gdal.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { binary, cleanEnvironment, fail, terrane } from './terrane.mjs';

/* Hills to the west, flat land to the east: most of its tiles are equal. */
const folder = temporaryFolder({
  'worlds/half.json': {
    generator: 1, seed: 7,
    layers: { height: { formula: 'clamp(0 - x / 1000, 0, 1) * 300 * fbm(wavelength=6000, octaves=9)', unit: 'm', range: [-300, 300] } },
  },
});
const options = { cwd: folder.path };
const half = ['--worlds', 'worlds', '--world', 'half', '--style', 'height'];
const area = ['--bbox', '-9000,-9000,9000,9000', '--zoom', '8-13', '--format', 'r32f'];
const pictures = ['--format', 'png'];
const path = (name) => join(folder.path, name);
const bytes = (name) => readFileSync(path(name));

/* As raw samples, which take no time to compress, but where a test says otherwise. */
function exportTo(name, ...words) {
  const { status, stderr } = terrane(['export', ...half, ...area, '-o', name, ...words], options);
  assert.equal(status, 0, stderr);
  return name.endsWith('/') ? null : bytes(name);
}

const refused = (words, message) => fail(words, message, options);

function openPmtiles(name) {
  const file = openSync(path(name));
  const archive = new PMTiles({
    getKey: () => name,
    async getBytes(offset, length) {
      const data = Buffer.alloc(length);
      const got = readSync(file, data, 0, length, offset);
      return { data: data.buffer.slice(data.byteOffset, data.byteOffset + got) };
    },
  });
  return { archive, close: () => closeSync(file) };
}

/* The tiles of a zoom that the rectangle of ±9000 m touches: a tile spans 2^(25−z) m, and the world's origin is in the
 * middle of 2^z tiles. */
function indices(zoom) {
  const reach = Math.ceil(9000 / 2 ** (25 - zoom));
  const middle = 2 ** (zoom - 1);
  return Array.from({ length: 2 * reach }, (_, i) => middle - reach + i);
}
const zooms = [8, 9, 10, 11, 12, 13];
const addresses = zooms.flatMap((z) => indices(z).flatMap((x) => indices(z).map((y) => ({ z, x, y }))));

const render = ({ z, x, y }, format = 'png') => terrane(['render', ...(format === 'mvt' ? half.slice(0, 4) : half), '--tile', `${z}/${x}/${y}`, '--format', format, '-o', '-'], { ...options, bytes: true }).stdout;

test('PMTiles has the tiles of the rectangle, equal ones once', async () => {
  exportTo('all.pmtiles', ...pictures);
  const { archive, close } = openPmtiles('all.pmtiles');
  const header = await archive.getHeader();
  assert.deepEqual([header.minZoom, header.maxZoom, header.tileType, header.tileCompression], [8, 13, 2, 1]);
  assert.equal(header.numAddressedTiles, addresses.length);
  assert.ok(header.numTileContents < addresses.length * 0.7, 'flat tiles are equal');
  const different = new Set();
  for (const [i, address] of addresses.entries()) {
    const tile = await archive.getZxy(address.z, address.x, address.y);
    different.add(Buffer.from(tile.data).toString('latin1'));
    if (i % 9 === 0) assert.ok(Buffer.from(tile.data).equals(render(address)), JSON.stringify(address));
  }
  assert.equal(header.numTileContents, different.size);
  assert.equal(await archive.getZxy(13, 0, 0), undefined);
  const metadata = await archive.getMetadata();
  assert.equal(metadata['terrane:bbox'], '-9000,-9000,9000,9000');
  assert.equal(metadata['terrane:shift'], '8/0/0');
  close();
});

test('MBTiles has the same tiles, from south to north', () => {
  exportTo('all.mbtiles', ...pictures);
  const ask = (query) => execFileSync('sqlite3', [path('all.mbtiles'), query], { maxBuffer: 1 << 26 }).toString().trim();
  assert.equal(ask('PRAGMA integrity_check'), 'ok');
  assert.equal(ask('SELECT count(*) FROM tiles'), String(addresses.length));
  assert.equal(ask("SELECT value FROM metadata WHERE name = 'format'"), 'png');
  for (const address of addresses.filter((_, i) => i % 50 === 0)) {
    const { z, x, y } = address;
    const row = 2 ** z - 1 - y;
    const hex = ask(`SELECT hex(tile_data) FROM tiles WHERE zoom_level = ${z} AND tile_column = ${x} AND tile_row = ${row}`);
    assert.equal(hex, render(address).toString('hex').toUpperCase());
  }
});

/* 16384 m at the 16 m of a pixel at zoom 13. */
test('GDAL reads MBTiles as the picture of the rectangle, and its vector layers', async () => {
  const gdal = gdalIn(folder.path);
  const square = ['--bbox', '-8192,-8192,8192,8192'];
  exportTo('square.mbtiles', ...square, '--zoom', '11-13', ...pictures);
  assert.equal(terrane(['render', ...half, ...square, '--width', '1024', '-o', 'square.png'], options).status, 0);
  const [tiles, picture] = await Promise.all(['square.mbtiles', 'square.png'].map(async (name) => JSON.parse(await gdal('gdalinfo', ['-json', '-checksum', name]))));
  assert.deepEqual([tiles.driverShortName, tiles.size], ['MBTiles', [1024, 1024]]);
  for (const band of tiles.bands.slice(0, 3)) assert.equal(band.checksum, picture.bands[0].checksum);
  exportTo('vectors.mbtiles', ...square, '--zoom', '11', '--format', 'mvt');
  const layers = await gdal('ogrinfo', ['-ro', '-q', 'vectors.mbtiles']);
  assert.deepEqual([...layers.matchAll(/^\d+: (\w+)/gm)].map((found) => found[1]), ['contour', 'water']);
});

test('a folder and a tar archive have the same files', () => {
  terrane(['export', ...half, ...area, '-o', 'files/'], options);
  exportTo('all.tar');
  execFileSync('mkdir', ['-p', path('unpacked')]);
  execFileSync('tar', ['-xf', path('all.tar'), '-C', path('unpacked')]);
  execFileSync('diff', ['-r', path('files'), path('unpacked')]);
  const files = readdirSync(path('files'), { recursive: true }).filter((name) => name.endsWith('.r32f'));
  assert.equal(files.length, addresses.length);
  const [address] = addresses;
  assert.ok(bytes(`files/${address.z}/${address.x}/${address.y}.r32f`).equals(render(address, 'r32f')));
});

/* libarchive's writer of the same files in the same order, without owner and time. */
test('a tar archive has the bytes that bsdtar writes', () => {
  const words = ['--zoom', '8-9'];
  exportTo('of-files/', ...words);
  const archive = exportTo('of-tiles.tar', ...words);
  const names = execFileSync('bsdtar', ['-tf', path('of-tiles.tar')]).toString().split('\n').slice(0, -1);
  assert.equal(names[0], 'metadata.json');
  for (const name of names) utimesSync(path(`of-files/${name}`), 0, 0);
  execFileSync('chmod', ['0644', ...names], { cwd: path('of-files') });
  execFileSync('bsdtar', ['-cf', path('by-bsdtar.tar'), '--format', 'ustar', '-b', '1', '--uid', '0', '--gid', '0',
    '--uname', '', '--gname', '', ...names], { cwd: path('of-files') });
  assert.ok(archive.equals(bytes('by-bsdtar.tar')));
  const { mtimeMs } = statSync(path('by-bsdtar.tar'));
  exportTo('by-bsdtar.tar', ...words, '--resume');
  assert.equal(statSync(path('by-bsdtar.tar')).mtimeMs, mtimeMs, 'it is taken for a finished export');
});

test('a folder has no metadata while its tiles are replaced', () => {
  exportTo('replaced/', '--zoom', '8');
  mkdirSync(path('replaced/9/255/255.r32f'), { recursive: true });
  refused(['export', ...half, ...area, '--zoom', '8-9', '-o', 'replaced/'], /replaced\/: 9\/255\/255\.r32f cannot be written: it is a directory where a regular file is needed/);
  assert.ok(!existsSync(path('replaced/metadata.json')));
  rmSync(path('replaced/9/255/255.r32f'), { recursive: true });
  exportTo('replaced/', '--zoom', '8-9', '--resume');
  assert.equal(JSON.parse(bytes('replaced/metadata.json')).maxzoom, '9');
});

test('threads, shards and kinds of shards make the same bytes', () => {
  const whole = exportTo('whole.pmtiles', '--threads', '1');
  assert.ok(exportTo('threads.pmtiles', '--threads', '5').equals(whole));
  for (const kind of ['pmtiles', 'mbtiles']) {
    for (const shard of [1, 2, 3]) exportTo(`s${shard}.${kind}`, '--shard', `${shard}/3`);
    const shards = [3, 1, 2].map((shard) => `s${shard}.${kind}`);
    const { status, stderr } = terrane(['merge', ...shards, '-o', `merged-${kind}.pmtiles`], options);
    assert.equal(status, 0, stderr);
    assert.ok(bytes(`merged-${kind}.pmtiles`).equals(whole), kind);
  }
  terrane(['merge', 's1.pmtiles', 's2.pmtiles', 's3.pmtiles', '-o', 'merged.mbtiles'], options);
  assert.ok(bytes('merged.mbtiles').equals(exportTo('again.mbtiles')));
});

test('shards that do not belong together are refused', () => {
  for (const shard of [1, 2]) exportTo(`t${shard}.pmtiles`, '--shard', `${shard}/2`);
  exportTo('u2.pmtiles', '--shard', '2/2', '--format', 'webp');
  refused(['merge', 't1.pmtiles', '-o', 'x.pmtiles'], /shard 2\/2 is missing/);
  refused(['merge', 't1.pmtiles', 't2.pmtiles', 't2.pmtiles', '-o', 'x.pmtiles'], /3 files are more than the 2 shards/);
  refused(['merge', 't1.pmtiles', 'u2.pmtiles', '-o', 'x.pmtiles'], /u2\.pmtiles: is of another export than t1\.pmtiles: its format differs/);
  exportTo('v1.pmtiles', '--shard', '1/3');
  refused(['merge', 't1.pmtiles', 'v1.pmtiles', '-o', 'x.pmtiles'], /its number of shards differs/);
  assert.ok(!existsSync(path('x.pmtiles')));
});

test('more shards are joined than files can be open at once', () => {
  const small = ['--zoom', '8-10', '--format', 'json', '--size', '4'];
  mkdirSync(path('many'));
  for (let shard = 1; shard <= 24; shard += 1) exportTo(`many/${shard}.${shard % 2 ? 'pmtiles' : 'mbtiles'}`, ...small, '--shard', `${shard}/24`);
  const merged = spawnSync('sh', ['-c', `ulimit -n 20; exec ${binary} merge many -o many.pmtiles`], { cwd: folder.path, env: cleanEnvironment() });
  assert.equal(merged.status, 0, merged.stderr.toString());
  assert.ok(bytes('many.pmtiles').equals(exportTo('few.pmtiles', ...small)));
});

test('pipes and folders of the name of an archive are refused', () => {
  for (const kind of ['pmtiles', 'mbtiles']) {
    execFileSync('mkfifo', [path(`pipe.${kind}`)]);
    mkdirSync(path(`folder.${kind}`));
    for (const name of [`pipe.${kind}`, `folder.${kind}`]) refused(['verify', name], new RegExp(`${name}: is not a regular file`));
  }
  refused(['merge', 'pipe.pmtiles', '-o', 'x.pmtiles'], /pipe\.pmtiles: is not a regular file/);
});

/* Runs an export until it ends, or until its index is longer than that, when it is killed. The exit code, null for a
 * kill, the length of the index, and the least that was seen of it. */
async function runUntilLonger(words, index, length) {
  const run = spawn(binary, words, { cwd: folder.path, env: cleanEnvironment(), stdio: 'ignore' });
  const lengthNow = () => statSync(index, { throwIfNoEntry: false })?.size ?? 0;
  let least = Infinity;
  const timer = setInterval(() => {
    const now = lengthNow();
    if (now > 0 || existsSync(index)) least = Math.min(least, now);
    if (now > length) run.kill('SIGKILL');
  }, 1);
  const [code] = await new Promise((resolve) => run.on('exit', (...how) => resolve(how)));
  clearInterval(timer);
  return { code, least, length: lengthNow() };
}

/* Kills the export whenever it has written more of its index, which it does every 4096 tiles; each run goes on where
 * the one before was. There are 26,000 tiles. */
test('an export that was killed goes on, to the same bytes', async () => {
  const small = ['--zoom', '8-18', '--format', 'json', '--size', '4'];
  const words = ['export', ...half, ...area, ...small, '-o', 'killed.pmtiles', '--resume', '--threads', '2'];
  const whole = exportTo('undisturbed.pmtiles', ...small);
  const block = 4096 * 16; // of the index, which a kill may cut
  let run = { code: null, length: block };
  let kills = -1;
  for (; run.code === null; kills += 1) {
    const { length } = run;
    run = await runUntilLonger(words, path('killed.pmtiles.part-index'), length);
    assert.ok(kills < 0 || run.least >= length - block, 'it does not begin anew');
  }
  assert.equal(run.code, 0);
  assert.ok(kills >= 2, `killed ${kills} times`);
  assert.ok(bytes('killed.pmtiles').equals(whole));
  assert.ok(!existsSync(path('killed.pmtiles.part-index')));
});

test('what cannot be written is said, and can be gone on with', () => {
  const words = `export ${[...half, ...area].join(' ')} -o full.pmtiles`;
  const limited = spawnSync('sh', ['-c', `trap '' XFSZ; ulimit -f 300; exec ${binary} ${words}`], { cwd: folder.path, env: cleanEnvironment() });
  assert.equal(limited.status, 1);
  assert.match(limited.stderr.toString(), /full\.pmtiles\.part: cannot be written: File too large/);
  assert.ok(!existsSync(path('full.pmtiles')));
  assert.ok(exportTo('full.pmtiles', '--resume').equals(exportTo('fine.pmtiles')));
});

/* In blocks of 512 bytes: the parts have 17 KB, and SQLite's database 80 KB. */
test('a database that is too large for the limit of files is told as that', () => {
  const words = `export ${half.join(' ')} --bbox 4000,4000,4100,4100 --zoom 13 -o large.mbtiles`;
  const limited = spawnSync('sh', ['-c', `trap '' XFSZ; ulimit -f 80; exec ${binary} ${words}`], { cwd: folder.path, env: cleanEnvironment() });
  assert.equal(limited.status, 1);
  assert.match(limited.stderr.toString(), /large\.mbtiles\.part-archive: cannot be written: File too large\n$/);
  assert.equal(terrane([...words.split(' '), '--resume'], options).status, 0);
});

test('a name that a finished export could not take is refused before it is made', () => {
  mkdirSync(path('taken.pmtiles'));
  writeFileSync(path('taken'), '');
  refused(['export', ...half, '--zoom', '0', '-o', 'taken.pmtiles'], /taken\.pmtiles: cannot be created: Is a directory/);
  refused(['export', ...half, '--zoom', '0', '-o', 'taken/'], /taken\/: cannot be created: Not a directory/);
  for (const end of ['.pmtiles', '/']) refused(['export', ...half, '--zoom', '0', '-o', `missing/name${end}`], /^terrane: missing\/: cannot be opened: No such file or directory$/m);
  assert.ok(!existsSync(path('taken.pmtiles.part-index')) && !existsSync(path('taken.part-index')));
});

test('another export is not gone on with', () => {
  const limited = spawnSync('sh', ['-c', `trap '' XFSZ; ulimit -f 300; exec ${binary} export ${[...half, ...area].join(' ')} -o other.pmtiles`],
    { cwd: folder.path, env: cleanEnvironment() });
  assert.equal(limited.status, 1);
  refused(['export', ...half, ...area, '--format', 'webp', '-o', 'other.pmtiles', '--resume'], /other\.pmtiles\.part-index: holds the beginning of another export/);
});

test('a merge does not write over an export that was interrupted, but over a merge that was killed', () => {
  const words = ['export', ...half, ...area, '-o', 'begun.pmtiles'];
  spawnSync('sh', ['-c', `trap '' XFSZ; ulimit -f 300; exec ${binary} ${words.join(' ')}`], { cwd: folder.path, env: cleanEnvironment() });
  const begun = bytes('begun.pmtiles.part');
  exportTo('only.pmtiles', '--zoom', '8-9');
  refused(['merge', 'only.pmtiles', '-o', 'begun.pmtiles'], /begun\.pmtiles\.part-index: holds the beginning of another export: finish that one with --resume, delete the file, or choose another name/);
  assert.ok(bytes('begun.pmtiles.part').equals(begun));
  assert.ok(!existsSync(path('begun.pmtiles')));
  writeFileSync(path('redone.pmtiles.part-index'), Buffer.from('\x05\0\0\0\0\0\0\0merge\0\0\0'));
  writeFileSync(path('redone.pmtiles.part'), 'a beginning');
  assert.equal(terrane(['merge', 'only.pmtiles', '-o', 'redone.pmtiles'], options).status, 0);
  assert.ok(bytes('redone.pmtiles').equals(bytes('only.pmtiles')));
});

test('several styles are made in one walk', () => {
  const words = ['export', '--world', 'terra', '--style', 'terrarium,relief', '--bbox', '0,0,9000,9000', '--zoom', '11-12', '--threads', '2'];
  const { status, stderr } = terrane([...words, '-o', 'both-{style}.pmtiles'], options);
  assert.equal(status, 0, stderr);
  terrane(['export', '--world', 'terra', '--style', 'relief', ...words.slice(5), '-o', 'one.pmtiles'], options);
  assert.ok(bytes('both-relief.pmtiles').equals(bytes('one.pmtiles')));
  refused([...words, '-o', 'both.pmtiles'], /-o: needs \{style\} in the name/);
  refused(['export', ...half, '--style', 'height,height', '--zoom', '0', '-o', '{style}.pmtiles'], /the style "height" stands twice/);
});

/* As after an interruption between the two archives: the first has its name, and no parts. */
for (const end of ['.pmtiles', '.mbtiles', '.tar', '/']) {
  test(`of several styles, those whose ${end} is finished are not made again`, () => {
    const words = ['export', ...half, ...area, '--zoom', '8-9', '--style', 'height,terrarium', '--format', 'png', '-o', `pair-{style}${end}`];
    const made = (style) => statSync(path(`pair-${style}${end === '/' ? '/metadata.json' : end}`)).mtimeMs;
    assert.equal(terrane(words, options).status, 0);
    const before = made('height');
    rmSync(path(`pair-terrarium${end}`), { recursive: true });
    assert.equal(terrane([...words, '--resume'], options).status, 0);
    assert.equal(made('height'), before);
    assert.ok(made('terrarium') > before);
    /* As after a kill just when the archive got its name. */
    folder.write(`pair-height${end === '/' ? '' : end}.part-index`, '');
    assert.equal(terrane([...words, '--resume'], options).status, 0);
    assert.equal(made('height'), before);
    assert.deepEqual(readdirSync(folder.path).filter((name) => /^pair.*part-index/.test(name)), []);
    assert.equal(terrane([...words, '--zoom', '8', '--resume'], options).status, 0);
    assert.notEqual(made('height'), before, 'of another export');
  });
}

/* As `terrane render` makes them; vector tiles are compressed by gzip in archives. */
test('every kind of archive holds every format', async () => {
  const tile = { z: 9, x: 255, y: 256 };
  const readers = {
    pmtiles: async (name) => {
      const { archive, close } = openPmtiles(name);
      const { tileCompression } = await archive.getHeader();
      const { data } = await archive.getZxy(tile.z, tile.x, tile.y); // decompressed by the header
      close();
      return tileCompression === 2 ? gzipSync(Buffer.from(data)) : Buffer.from(data);
    },
    mbtiles: (name) => Buffer.from(execFileSync('sqlite3', [path(name),
      `SELECT hex(tile_data) FROM tiles WHERE zoom_level = 9 AND tile_column = ${tile.x} AND tile_row = ${511 - tile.y}`],
    { maxBuffer: 1 << 26 }).toString().trim(), 'hex'),
    tar: (name, extension) => execFileSync('tar', ['-xOf', path(name), `9/${tile.x}/${tile.y}.${extension}`], { maxBuffer: 1 << 26 }),
    '/': (name, extension) => bytes(`${name}9/${tile.x}/${tile.y}.${extension}`),
  };
  for (const format of ['png', 'webp', 'mvt', 'r32f', 'r16']) {
    const alone = render(tile, format);
    for (const [kind, read] of Object.entries(readers)) {
      const name = `formats-${format}${kind === '/' ? '/' : `.${kind}`}`;
      exportTo(name, '--zoom', '9', '--format', format);
      const found = await read(name, format === 'mvt' ? 'pbf' : format);
      assert.ok((format === 'mvt' ? gunzipSync(found) : found).equals(alone), name);
    }
  }
});

test('several layers are made in one walk', () => {
  const words = ['export', '--world', 'terra', '--style', 'height,depth,flow', '--bbox', '0,0,100,100', '--zoom', '12', '--format', 'r32f'];
  assert.equal(terrane([...words, '-o', 'layer-{style}/'], options).status, 0);
  for (const layer of ['height', 'depth', 'flow']) {
    const alone = terrane(['render', '--world', 'terra', '--style', layer, '--tile', '12/2048/2048', '--format', 'r32f', '-o', '-'], { ...options, bytes: true });
    assert.ok(bytes(`layer-${layer}/12/2048/2048.r32f`).equals(alone.stdout), layer);
  }
});

/* MBTiles 1.3: the row "json"; PMTiles 3: a member of the metadata. The layers are those that the tiles have. */
test('archives of vector tiles name the layers', async () => {
  const words = ['export', '--world', 'terra', '--format', 'mvt', '--zoom', '9', '--bbox', '0,-40000,40000,0'];
  for (const name of ['vector.pmtiles', 'vector.mbtiles', 'vector.tar']) assert.equal(terrane([...words, '-o', name], options).status, 0);
  const { archive, close } = openPmtiles('vector.pmtiles');
  const { vector_layers: layers } = await archive.getMetadata();
  const { data } = await archive.getZxy(9, 256, 255);
  close();
  const named = new Map(layers.map(({ id, fields }) => [id, Object.keys(fields)]));
  assert.deepEqual([...named.keys()], ['contour', 'water', 'rivers', 'objects']);
  const tile = new VectorTile(new PbfReader(new Uint8Array(data)));
  for (const [id, layer] of Object.entries(tile.layers)) {
    for (let i = 0; i < layer.length; i++) {
      for (const key of Object.keys(layer.feature(i).properties)) assert.ok(named.get(id)?.includes(key), `${id} ${key}`);
    }
  }
  assert.ok(tile.layers.contour.length > 0);
  const row = execFileSync('sqlite3', [path('vector.mbtiles'), "SELECT value FROM metadata WHERE name = 'json'"]).toString();
  assert.deepEqual(JSON.parse(row), { vector_layers: layers });
  assert.deepEqual(JSON.parse(execFileSync('tar', ['-xOf', path('vector.tar'), 'metadata.json'])).vector_layers, layers);
  for (const shard of [1, 2]) terrane([...words, '--shard', `${shard}/2`, '-o', `vector-${shard}.${shard === 1 ? 'pmtiles' : 'mbtiles'}`], options);
  for (const name of ['vector.pmtiles', 'vector.mbtiles']) {
    assert.equal(terrane(['merge', 'vector-1.pmtiles', 'vector-2.mbtiles', '-o', `joined-${name}`], options).status, 0);
    assert.ok(bytes(`joined-${name}`).equals(bytes(name)), name);
  }
});

/* 10⁸ m east lies 100000000 / 2^16 = 1525.9 tiles of zoom 9 from the origin, which is tile 256. */
test('a rectangle beyond the square is moved there by whole tiles', async () => {
  const words = ['export', ...half, '--bbox', '99999000,-500,100001000,500', '--zoom', '9-10'];
  assert.equal(terrane([...words, '-o', 'far.pmtiles'], options).status, 0);
  const { archive, close } = openPmtiles('far.pmtiles');
  const metadata = await archive.getMetadata();
  const [zoom, east, south] = metadata['terrane:shift'].split('/').map(Number);
  assert.equal(zoom, 9);
  for (const z of [9, 10]) {
    const x = Math.floor((100000000 + 2 ** 24) / 2 ** (25 - z)) - east * 2 ** (z - 9);
    const y = Math.floor((100 + 2 ** 24) / 2 ** (25 - z)) - south * 2 ** (z - 9);
    const tile = await archive.getZxy(z, x, y);
    const world = { z, x: x + east * 2 ** (z - 9), y: y + south * 2 ** (z - 9) };
    assert.ok(Buffer.from(tile.data).equals(render(world)));
  }
  close();
  refused([...words, '--no-shift', '-o', 'far2.pmtiles'], /reaches beyond the Mercator square/);
});

test('verify finds a tile that was changed', () => {
  exportTo('sound.pmtiles');
  const sound = terrane(['verify', 'sound.pmtiles', '--worlds', 'worlds'], options);
  assert.match(sound.stdout, new RegExp(`^sound.pmtiles: ${addresses.length} tiles as they were written, 32 of them made anew`));
  assert.equal(sound.status, 0);
  const changed = bytes('sound.pmtiles');
  changed[changed.length >> 1] ^= 1;
  folder.write('changed.pmtiles', changed);
  refused(['verify', 'changed.pmtiles', '--worlds', 'worlds'], /changed\.pmtiles: has tiles with the digest/);
  refused(['merge', 'changed.pmtiles', '-o', 'x.pmtiles'], /changed\.pmtiles: damaged: has tiles with the digest/);
  assert.ok(!existsSync(path('x.pmtiles')) && !existsSync(path('x.pmtiles.part')));
  folder.write('short.pmtiles', bytes('sound.pmtiles').subarray(0, 20000));
  refused(['verify', 'short.pmtiles', '--worlds', 'worlds'], /short\.pmtiles: damaged/);
  refused(['verify', 'sound.pmtiles'], /unknown world "half"/);
});

/* The archive with other metadata, which go to its end. Bytes 24 to 39 of the header say where they are. */
function withMetadata(archive, change) {
  const at = Number(archive.readBigUInt64LE(24));
  const length = Number(archive.readBigUInt64LE(32));
  const metadata = gzipSync(JSON.stringify(change(JSON.parse(gunzipSync(archive.subarray(at, at + length))))));
  const changed = Buffer.concat([archive, metadata]);
  changed.writeBigUInt64LE(BigInt(archive.length), 24);
  changed.writeBigUInt64LE(BigInt(metadata.length), 32);
  return changed;
}

/* 1.5 · 10¹² tiles: reading them would take days. The header's number of tiles is at byte 72. */
test('an archive that names more tiles than it has is refused at once', () => {
  const everything = { minzoom: '0', maxzoom: '20', 'terrane:bbox': '-16777216,-16777216,16777216,16777216', 'terrane:shift': '0/0/0' };
  const huge = withMetadata(exportTo('small.pmtiles', '--zoom', '8-9'), (metadata) => ({ ...metadata, ...everything }));
  const count = (4n ** 21n - 1n) / 3n;
  folder.write('huge.pmtiles', huge);
  const named = Buffer.from(huge);
  named.writeBigUInt64LE(count, 72);
  folder.write('named.pmtiles', named);
  for (const command of [['verify'], ['merge', '-o', 'x.pmtiles']]) {
    refused([...command, 'huge.pmtiles'], new RegExp(`huge\\.pmtiles: damaged: has \\d+ tiles where its metadata name ${count}`));
    refused([...command, 'named.pmtiles'], new RegExp(`named\\.pmtiles: damaged: the directories name \\d+ tiles by \\d+ entries, the header ${count}`));
  }
  exportTo('small.mbtiles', '--zoom', '8-9');
  const change = Object.entries(everything).map(([name, value]) => `UPDATE metadata SET value = '${value}' WHERE name = '${name}'`);
  execFileSync('sqlite3', [path('small.mbtiles'), `${change.join(';')}; DROP VIEW tiles; CREATE VIEW tiles AS
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n)
    SELECT 0 AS zoom_level, i AS tile_column, 0 AS tile_row, x'00' AS tile_data FROM n`]);
  refused(['verify', 'small.mbtiles'], /small\.mbtiles: cannot be read: not authorized/);
});

test('views that never end, and values without end, are refused', () => {
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n)';
  const rows = 'zoom_level, tile_column, tile_row';
  const cases = [
    [`ALTER TABLE metadata RENAME TO m; CREATE VIEW metadata AS ${numbers} SELECT 'same' AS name, 'same' AS value FROM n`, /not authorized/],
    [`INSERT INTO metadata VALUES ('long', hex(zeroblob(100000))); ALTER TABLE metadata RENAME TO m; CREATE VIEW metadata AS
      SELECT a.name || b.name AS name, c.value FROM m a, m b, m c WHERE c.name = 'long'`, /has more than 16777216 bytes of metadata/],
    ["ALTER TABLE metadata RENAME TO m; CREATE VIEW metadata AS SELECT 'same' AS name, 'same' AS value FROM m, m a, m b, m c, m d, m e, m f", /take more steps than a file of its size may/],
    [`DROP VIEW tiles; CREATE VIEW tiles AS ${numbers} SELECT 0 AS zoom_level, i AS tile_column, 0 AS tile_row, x'00' AS tile_data FROM n WHERE i < 0`, /not authorized/],
    [`ALTER TABLE metadata RENAME TO m; DROP VIEW tiles; CREATE VIEW tiles AS SELECT ${rows}, '' AS tile_data FROM tiles_shallow, m, m a, m b, m c, m d, m e
      WHERE m.value || a.value || b.value || c.value || d.value || e.value = 'none'; CREATE VIEW metadata AS SELECT * FROM m`, /take more steps than a file of its size may/],
    [`DROP VIEW tiles; CREATE VIEW tiles AS SELECT ${rows}, tile_data || ${'tile_data || '.repeat(8)} tile_data AS tile_data
      FROM tiles_shallow JOIN tiles_data USING (tile_data_id)`, /string or blob too big/],
    [`DROP VIEW tiles; CREATE VIEW tiles AS SELECT ${rows}, hex(zeroblob(200000000)) AS tile_data FROM tiles_shallow`, /not authorized to use function: \w+/],
  ];
  for (const [i, [change, message]] of cases.entries()) {
    exportTo(`view-${i}.mbtiles`, '--zoom', '8');
    execFileSync('sqlite3', [path(`view-${i}.mbtiles`), change]);
    refused(['verify', `view-${i}.mbtiles`], message);
  }
});

test('verify makes the tiles of a former version of the world', () => {
  const text = (height) => JSON.stringify({ generator: 1, seed: 7, layers: { height: { formula: `${height} + 0 * x`, unit: 'm', range: [0, 10] } } });
  const words = ['verify', '--worlds', 'former', 'former.pmtiles'];
  folder.write('former/changing.json', text(5));
  const made = terrane(['export', '--worlds', 'former', '--world', 'changing', '--style', 'height', '--zoom', '0-1', '-o', 'former.pmtiles'], options);
  assert.equal(made.status, 0, made.stderr);
  const [fingerprint] = terrane(['check', 'former/changing.json'], options).stdout.match(/g1-[0-9a-f]{32}/);
  folder.write('former/changing.json', text(6));
  refused(words, new RegExp(`"changing" has changed: ${fingerprint} is now g1-`));
  folder.write(`former/changing@${fingerprint}.json`, text(5));
  assert.match(terrane(words, options).stdout, /5 tiles as they were written, 5 of them made anew/);
});

test('mistakes are refused with what is allowed', () => {
  const cases = [
    [['-o', 'x.zip'], /-o: must end in \.pmtiles, \.mbtiles, \.tar or, for a folder of files, in \//],
    [['-o', 'x.pmtiles', '--zoom', '9-3'], /--zoom: must be a zoom, or two such as 0-8, from 0 to 20, not "9-3"/],
    [['-o', 'x.pmtiles', '--zoom', '21'], /--zoom: must be a zoom/],
    [['-o', 'x.pmtiles', '--shard', '4/3'], /--shard: must be I\/N/],
    [['-o', 'x.pmtiles', '--bbox', '1,1,0,0'], /--bbox: X0 must be less than X1/],
    [['-o', 'x.pmtiles', '--format', 'gif'], /--format: must be one of png/],
    [['-o', 'x.pmtiles', '--format', 'txt'], /--format: must be one of png, webp, r32f, r16, json, mvt, tif, not "txt"\n/],
    [['-o', 'x.pmtiles', '--style', 'grey16', '--format', 'webp'], /the style "grey16" has 16 bits a pixel, which webp cannot hold: use one of png\b/],
    [['-o', 'x.pmtiles', '--zoom', '0-20'], /-o: needs about .* but the disk has/],
    [[], /-o FILE is needed/],
  ];
  for (const [words, message] of cases) refused(['export', ...half, ...words], message);
});

test('links beside a tar archive are not written through', () => {
  exportTo('plain.tar');
  writeFileSync(path('victim'), 'mine');
  symlinkSync('victim', path('linked.tar.part-archive'));
  exportTo('linked.tar');
  assert.equal(readFileSync(path('victim'), 'utf8'), 'mine');
  assert.deepEqual(readFileSync(path('linked.tar')), readFileSync(path('plain.tar')));
});

/* The name that is planted in the folder, what it is, and what the error says of it. */
const tile = '8/127/127.r32f';
const planted = [
  ['8', 'folder', '8 is a symbolic link where a folder is needed'],
  ['8/127', 'folder', '8/127 is a symbolic link where a folder is needed'],
  ['8', 'nothing', '8 is a symbolic link where a folder is needed'],
  [tile, 'file', 'it is a symbolic link where a regular file is needed'],
  [tile, 'nothing', 'it is a symbolic link where a regular file is needed'],
  [tile, 'pipe', 'it is a named pipe where a regular file is needed'],
  ['8', 'file itself', '8 is a regular file where a folder is needed'],
];

test('names in a folder of files that lead elsewhere are refused, and nothing is written there', () => {
  exportTo('part-1.pmtiles', '--zoom', '8');
  for (const [i, [name, what, message]] of planted.entries()) {
    const [into, victim] = [`planted-${i}/`, path(`victim-${i}`)];
    mkdirSync(join(path(into), name, '..'), { recursive: true });
    if (what === 'folder') mkdirSync(victim);
    if (what === 'file') writeFileSync(victim, 'mine');
    if (what === 'pipe') execFileSync('mkfifo', [join(path(into), name)]);
    else if (what === 'file itself') writeFileSync(join(path(into), name), 'mine');
    else symlinkSync(victim, join(path(into), name));
    for (const words of [['export', ...half, ...area, '--zoom', '8'], ['merge', 'part-1.pmtiles']]) {
      refused([...words, '-o', into], new RegExp(`${into}: ${tile} cannot be written: ${message}`));
      for (const end of ['part', 'part-index']) rmSync(path(`planted-${i}.${end}`), { force: true });
    }
    if (what === 'folder') assert.deepEqual(readdirSync(victim), [], name);
    if (what === 'file') assert.equal(readFileSync(victim, 'utf8'), 'mine');
    if (what === 'nothing') assert.ok(!existsSync(victim));
  }
});

test('a link to the folder itself is followed, and one at metadata.json is replaced', () => {
  mkdirSync(path('elsewhere'));
  symlinkSync('elsewhere', path('named'));
  writeFileSync(path('metadata-victim'), 'mine');
  symlinkSync('../metadata-victim', path('elsewhere/metadata.json'));
  exportTo('named/', '--zoom', '8');
  assert.equal(readFileSync(path('metadata-victim'), 'utf8'), 'mine');
  assert.equal(JSON.parse(bytes('elsewhere/metadata.json'))['terrane:bbox'], '-9000,-9000,9000,9000');
  assert.ok(existsSync(path(`elsewhere/${tile}`)));
});

/* 68 tiles of 256² floats are 17.8 MB. */
test('a dry run says how much it would be', () => {
  const { stdout, status } = terrane(['export', ...half, ...area, '--dry-run'], options);
  assert.equal(status, 0);
  assert.match(stdout, new RegExp(`^${addresses.length} tiles, about 18 MB, about \\d+ s on \\d+ threads\n$`));
});

/* PMTiles have equal tiles once, folders each. */
test('the bytes that a dry run says are about those of the archive', () => {
  const estimate = (name) => {
    const { stdout } = terrane(['export', ...half, ...area, '-o', name, '--dry-run'], options);
    const [, number, unit] = stdout.match(/^\d+ tiles, about ([\d.]+) (KB|MB), /);
    return number * { KB: 1e3, MB: 1e6 }[unit];
  };
  exportTo('estimated.pmtiles');
  exportTo('estimated/');
  const files = readdirSync(path('estimated'), { recursive: true }).map((name) => statSync(path(`estimated/${name}`))).filter((file) => file.isFile());
  const sizes = { 'estimated.pmtiles': bytes('estimated.pmtiles').length, 'estimated/': files.reduce((sum, file) => sum + file.size, 0) };
  for (const [name, size] of Object.entries(sizes)) {
    const found = estimate(name);
    assert.ok(found > size / 1.5 && found < size * 1.5, `${name}: ${found}, not ${size}`);
  }
});
