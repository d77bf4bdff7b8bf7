/* What the programs `walk` in Lua and GDScript should do: they go from (-100, 50) in steps of (3.25, 2.5) metres. */

import assert from 'node:assert/strict';

/* { chunks, batches }: the chunks within one ring around all places, and how many steps see a new one. */
export function ringsOfWalk(steps, size) {
  const seen = new Set();
  let batches = 0;
  for (let i = 0; i < steps; i++) {
    const [cx, cy] = [-100 + 3.25 * i, 50 + 2.5 * i].map((place) => Math.floor(place / size));
    const fresh = [-1, 0, 1].flatMap((j) => [-1, 0, 1].map((n) => `${cx + n} ${cy + j}`)).filter((place) => !seen.has(place));
    fresh.forEach((place) => seen.add(place));
    batches += fresh.length > 0;
  }
  return { chunks: seen.size, batches };
}

/* The lines "at X Y: HEIGHT" have the daemon's heights, bilinear between vertices 1 m apart, to `slack` metres. `round` is
 * what the format does to a height. */
export async function checkHeights(lines, url, slack, round = (height) => height) {
  const places = lines.filter((line) => line.startsWith('at')).map((line) => /^at (\S+) (\S+): (\S+)$/.exec(line).slice(1).map(Number));
  const around = places.flatMap(([x, y]) => [[0, 0], [1, 0], [0, 1], [1, 1]].map(([i, j]) => [Math.floor(x) + i, Math.floor(y) + j]));
  const { heights } = await (await fetch(`${url}/heights`, { method: 'POST', body: JSON.stringify({ points: around, zoom: 17 }) })).json();
  places.forEach(([x, y, height], k) => {
    const [a, b, c, d] = heights.slice(4 * k, 4 * k + 4).map(round);
    const [u, v] = [x - Math.floor(x), y - Math.floor(y)];
    const expected = (a + u * (b - a)) * (1 - v) + (c + u * (d - c)) * v;
    assert.ok(Math.abs(height - expected) < slack, `${x} ${y}: ${height}, not ${expected}`);
  });
  return places.length;
}
