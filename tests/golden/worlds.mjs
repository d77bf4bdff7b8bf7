/* Digests of the shipped worlds' samples: every layer in chunks near and far, at fine and coarse steps; volumes; objects. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

/* [cx, cy, size, step, t]: about the origin, a few on wide maps, the corners of the world; two deltas and a lake of
 * terra. The toe of the second delta is 60 to 100 m deep. */
export const CHUNKS = [
  [0, 0, 16, 1, 0], [-5, 7, 16, 64, 0], [1234567, -7654321, 16, 0.0625, 3.5], [-3, 2, 16, 1024, 0], [12, -9, 16, 8192, 0],
  [-1, -1, 32, 65536, 0], [68719476735, -68719476736, 16, 1, 77.5], [-1048576, 1048575, 16, 65536, 0],
  [148, -126, 32, 1024, 0], [2382, -2013, 32, 64, 0], [-4, 1, 32, 64, 0], [-3, -5, 32, 1024, 0],
];
const VOLUMES = [[0, 0, 1, 8, 4, 0], [-70, 31, -2, 8, 32, 77.5]]; /* [cx, cy, cz, size, step, t] */
const OBJECTS = '-500,-500,500,500';
const LAYERS_MAX = 16; /* of a request */

const digest = (data) => createHash('sha256').update(data).digest('hex').slice(0, 32);

async function load(url) {
  const response = await fetch(url);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, `${url}: ${bytes.subarray(0, 300)}`);
  return bytes;
}

/* Adds to lists by layer the digest of its samples in a chunk. */
async function addChunk(url, names, lists) {
  for (let first = 0; first < names.length; first += LAYERS_MAX) {
    const some = names.slice(first, first + LAYERS_MAX);
    const bytes = await load(`${url}&layers=${some}`);
    const size = bytes.length / some.length;
    some.forEach((name, i) => lists[name].push(digest(bytes.subarray(i * size, (i + 1) * size))));
  }
}

/* Of a world that a server has: { world, fingerprint, layers: { name: [digest of each chunk, then of each volume] },
 * objects: digest or null }. */
export async function worldDigests(server, world) {
  const base = `${server}/worlds/${world}`;
  const { fingerprint, layers, objects } = JSON.parse(await load(base));
  const names = layers.map(({ name }) => name);
  const lists = Object.fromEntries(names.map((name) => [name, []]));
  for (const [cx, cy, size, step, t] of CHUNKS)
    await addChunk(`${base}/chunks/${cx}/${cy}.r32f?size=${size}&step=${step}&t=${t}`, names, lists);
  for (const [cx, cy, cz, size, step, t] of VOLUMES)
    for (const name of names)
      lists[name].push(digest(await load(`${base}/volumes/${cx}/${cy}/${cz}.r32f?size=${size}&step=${step}&t=${t}&layer=${name}`)));
  const found = objects.length > 0 ? JSON.parse(await load(`${base}/objects?bbox=${OBJECTS}`)).objects : null;
  return { world, fingerprint, layers: lists, objects: found && digest(JSON.stringify(found)) };
}

export async function worldNames(server) {
  return JSON.parse(await load(`${server}/worlds`)).worlds.map(({ name }) => name);
}
