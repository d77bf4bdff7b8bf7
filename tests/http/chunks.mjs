/* Shared by the tests of chunks: a server with test worlds, and requests to it. */

import assert from 'node:assert/strict';
import { serverOfFile } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { floats, records } from './samples.mjs';

export const FORMATS = ['r32f', 'r16', 'r16z', 'png', 'json', 'asc', 'tif', 'glb'];

export const worlds = makeWorlds();
/* A test that computes for seconds on a busy machine finds its idle connection open. */
export const server = serverOfFile({ arguments: ['--worlds', worlds.folder, '--timeout', '120'] });

export const request = (target, options) => fetch(server.url + target, options);

/* The answer's headers and bytes; it must be 200. */
export async function load(target, options) {
  const response = await request(target, options);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, `${target}: ${bytes.subarray(0, 300)}`);
  return { headers: response.headers, bytes };
}
export const samplesOf = async (target) => floats((await load(target)).bytes);
export const post = (target, body) => load(target, { method: 'POST', body: JSON.stringify(body) });

export const vertices = (cx, cy, size, step) => Array.from({ length: (size + 1) ** 2 },
  (_, k) => [(cx * size + (k % (size + 1))) * step, (cy * size + Math.floor(k / (size + 1))) * step]);

/* The samples of each chunk of one batch. */
export async function batchOf(chunks, order) {
  const found = records((await post('/chunks', { ...order, chunks })).bytes);
  assert.deepEqual(found.map(({ status }) => status), chunks.map(() => 200), `${chunks} ${order.step}`);
  return found.map(({ payload }) => floats(payload));
}
