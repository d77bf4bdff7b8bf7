/* terrane verify and merge: archives that were changed, that are damaged, or that would keep a reader busy for ever. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { addresses, bytes, exportTo, folder, options, path, refused } from './archives.mjs';
import { terrane } from './terrane.mjs';

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
