/* terrane export --dry-run: what it says beforehand against what the export then is. */

import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { addresses, area, bytes, exportTo, half, options, path } from './archives.mjs';
import { terrane } from './terrane.mjs';

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
