/* The kinds of land that the manual of worlds lists for terra: each is where the manual says, and none of the other kinds'
 * conditions holds there. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';

const RADIUS = 20_000; /* metres, as the manual says */

const manual = readFileSync(new URL('../../config/worlds/README.md', import.meta.url), 'utf8');
const [, table] = /### Kinds of land in terra\n[^|]*((?:\|.*\n)*)/.exec(manual);
const kinds = [...table.matchAll(/^\| ([^|]+) \| `([^`]+)` \|[^|]+\| (-?\d+) (-?\d+) \|/gm)]
  .map(([, name, where, x, y]) => ({ name, where, x: Number(x), y: Number(y) }));

const server = serverOfFile({ arguments: ['--request-cost', '100000'] });

async function locate(where, { x, y }, radius) {
  const response = await fetch(`${server.url}/worlds/terra/locate?${new URLSearchParams({ where, x, y, radius })}`);
  assert.equal(response.status, 200, where);
  return response.json();
}

test('the manual lists at least eight kinds of land, each with a condition and a place', () => {
  assert.ok(kinds.length >= 8, `${kinds.length} kinds`);
  assert.equal(kinds.length, table.trim().split('\n').length - 2, 'rows that could not be read');
});

for (const kind of kinds)
  test(`terra has ${kind.name} at the manual's place, and no other kind there`, async () => {
    const found = await locate(kind.where, kind, RADIUS);
    assert.equal(found.found, true);
    for (const other of kinds.filter(({ name }) => name !== kind.name))
      assert.equal((await locate(other.where, found, 1)).found, false, `${other.name} at ${found.x} ${found.y}`);
  });
