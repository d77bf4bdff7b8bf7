/* Shared parts of the query tests: worlds whose results can be calculated by hand, and functions that send
 * requests to the server. */

import assert from 'node:assert/strict';
import { serverOfFile } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

/* A plane that rises to the east, and a cone in the sea. */
const folder = temporaryFolder({
  'plane.json': {
    generator: 1, seed: 7,
    layers: {
      height: { formula: '0.5 * x', unit: 'm' },
      south: 'y',
      moving: 't + z',
      hills: 'fbm(wavelength=1024, octaves=8)',
      both: 'hills + perlin(wavelength=64)',
    },
    biomes: [
      { name: 'sea', color: '#00f', when: 'height < 0' },
      { name: 'beach', color: '#ff0', when: 'height < 5' },
      { name: 'land', color: '#0f0' },
    ],
    objects: { post: { spacing: 10, density: '1', color: '#123456', radius: 1 }, none: { spacing: 5, density: '0' } },
  },
  'cone.json': {
    generator: 1, seed: 1,
    layers: { height: { formula: '100 - distance(0, 0)', unit: 'm' } },
  },
  'streams.json': {
    generator: 1, seed: 1,
    drainage: { potential: '0.001 * x', target: '0.001 * x + 200', relief: '300' },
    layers: { height: "drainage('height')", bed: "drainage('bed')", flow: "drainage('flow')", order: "drainage('order')" },
  },
  'lake.json': {
    generator: 1, seed: 1,
    layers: { height: '50', water_level: 'distance(0, 0) < 40 ? 60 : 0' },
  },
  'ridge.json': {
    generator: 1, seed: 1,
    layers: { height: { formula: 'max(0, 100 - abs(x - 500))', unit: 'm' } },
  },
  /* 30 m deeper at full detail than at that of a grid with steps above 8 m, nearly everywhere. */
  'rough.json': {
    generator: 1, seed: 1,
    layers: { height: { formula: '0.5 * x - 30 * abs(value(wavelength=8))', unit: 'm' } },
  },
  'dear.json': {
    generator: 1, seed: 1,
    layers: { height: Array.from({ length: 40 }, (_, i) => `fbm(wavelength=${65536 + i}, octaves=20)`).join(' + ') },
  },
});

/* Set before the file's tests begin. It has the worlds of worlds.mjs, too. */
export const server = serverOfFile({ arguments: ['--worlds', folder.path, '--worlds', makeWorlds().folder, '--world-cost', '1000'] });

export const load = (path, options) => fetch(server.url + path, options);
export const answer = async (path, world = 'plane') => {
  const response = await load(`/worlds/${world}${path}`);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.ok(text.endsWith('}\n'));
  return JSON.parse(text);
};
export const text = async (path, world = 'plane') => {
  const response = await load(`/worlds/${world}${path}`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  return response.text();
};
export const heights = async (points, layer = 'height', world = 'terra', zoom = undefined) => {
  const all = [];
  for (let i = 0; i < points.length; i += 10000) {
    const body = JSON.stringify({ points: points.slice(i, i + 10000), layer, zoom });
    const response = await load(`/worlds/${world}/heights`, { method: 'POST', body });
    all.push(...(await response.json()).heights);
  }
  return all;
};
export const near = (value, expected, within) =>
  assert.ok(Math.abs(value - expected) <= within, `${value}, not ${expected}`);
