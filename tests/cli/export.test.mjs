/* terrane export and merge: archives against the tiles that `terrane render` makes, read by the pmtiles package,
 * sqlite3, GDAL, GNU tar and bsdtar; splits, kills and full disks against an export that nothing disturbed. */

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { PMTiles } from 'pmtiles';
import { gdalIn } from '../http/gdal.mjs';
import { addresses, area, bytes, exportTo, folder, half, options, path, refused } from './archives.mjs';
import { binary, cleanEnvironment, terrane } from './terrane.mjs';

const pictures = ['--format', 'png'];

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

test('vector tiles with --labels are those that are served, and verify makes them anew', async () => {
  const words = ['export', '--world', 'terra', '--format', 'mvt', '--labels', '--zoom', '7', '--bbox', '-1300000,200000,-1000000,400000'];
  const tile = [59, 64]; /* floor((-1300000 + 2^24) / 2^18), floor((200000 + 2^24) / 2^18) */
  for (const name of ['labelled.pmtiles', 'labelled.tar']) assert.equal(terrane([...words, '-o', name], options).status, 0);
  const { archive, close } = openPmtiles('labelled.pmtiles');
  const { vector_layers: layers, 'terrane:labels': names } = await archive.getMetadata();
  const { data } = await archive.getZxy(7, ...tile);
  close();
  assert.match(names, /^n1-[0-9a-f]+$/);
  assert.equal(layers.at(-1).id, 'labels');
  const { labels } = new VectorTile(new PbfReader(new Uint8Array(data))).layers;
  assert.ok(Array.from({ length: labels.length }, (_, i) => labels.feature(i).properties.name).some(Boolean));
  const alone = terrane(['render', '--world', 'terra', '--labels', '--tile', `7/${tile.join('/')}`, '--format', 'mvt', '-o', '-'], { ...options, bytes: true });
  assert.ok(Buffer.from(data).equals(alone.stdout));
  const checked = terrane(['verify', 'labelled.pmtiles', '--tiles', '2'], options);
  assert.deepEqual([checked.status, checked.stderr], [0, '']);
  for (const shard of [1, 2]) terrane([...words, '--shard', `${shard}/2`, '-o', `labelled-${shard}.pmtiles`], options);
  assert.equal(terrane(['merge', 'labelled-1.pmtiles', 'labelled-2.pmtiles', '-o', 'labelled-joined.pmtiles'], options).status, 0);
  assert.ok(bytes('labelled-joined.pmtiles').equals(bytes('labelled.pmtiles')));
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

test('mistakes are refused with what is allowed', () => {
  const cases = [
    [['-o', 'x.zip'], /-o: must end in \.pmtiles, \.mbtiles, \.tar or, for a folder of files, in \//],
    [['-o', 'x.pmtiles', '--zoom', '9-3'], /--zoom: must be a zoom, or two such as 0-8, from 0 to 20, not "9-3"/],
    [['-o', 'x.pmtiles', '--zoom', '21'], /--zoom: must be a zoom/],
    [['-o', 'x.pmtiles', '--shard', '4/3'], /--shard: must be I\/N/],
    [['-o', 'x.pmtiles', '--bbox', '1,1,0,0'], /--bbox: X0 must be less than X1/],
    [['-o', 'x.pmtiles', '--format', 'gif'], /--format: must be one of png/],
    [['-o', 'x.pmtiles', '--labels'], /--labels: is for --format mvt, not png\n/],
    [['-o', 'x.tif', '--step', '9', '--labels'], /--labels/],
    [['-o', 'x.pmtiles', '--format', 'txt'], /--format: must be one of png, webp, r32f, r16, json, mvt, tif, npy, not "txt"\n/],
    [['-o', 'x.pmtiles', '--style', 'grey16', '--format', 'webp'], /the style "grey16" has 16 bits a pixel, which webp cannot hold: use one of png\b/],
    [['-o', 'x.pmtiles', '--zoom', '0-20'], /-o: needs about .* but the disk has/],
    [[], /-o FILE is needed/],
  ];
  for (const [words, message] of cases) refused(['export', ...half, ...words], message);
});
