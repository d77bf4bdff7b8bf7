/* The JavaScript client with the formats that have fewer bytes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Terrane } from '../../server/clients/javascript/terrane.js';
import { serverOfFile } from '../tools/server.mjs';
import { proxyOfFile } from './proxy.mjs';

const server = serverOfFile();
const proxy = proxyOfFile(server);
const layers = ['height', 'biome', 'materials'];
const place = [82, 115];

async function materialsOf(url) {
  const { materials } = await (await fetch(`${url}/worlds/terra`)).json();
  return materials.map(({ name }) => name);
}

test('samples of r16z and r8 are the floats with the precision of the format', async () => {
  const materials = await materialsOf(server.url);
  const exact = await new Terrane(server.url, { layers, materials, apron: 1 }).chunk(...place);
  const rounded = await new Terrane(server.url, { layers, materials, apron: 1, format: 'r16z' }).chunk(...place);
  /* Eighths of a metre from -4096 on, halves up. */
  assert.deepEqual([...rounded.layers.height], [...exact.layers.height].map((height) => Math.floor((height + 4096) * 8 + 0.5) / 8 - 4096));
  assert.deepEqual(rounded.layers.biome, exact.layers.biome);
  for (const format of ['r16z', 'r8']) {
    const { layers: found } = await new Terrane(server.url, { layers, materials, apron: 1, format }).chunk(...place);
    for (const name of materials) assert.deepEqual(found[`materials.${name}`], exact.layers[`materials.${name}`], `${format} ${name}`);
  }
  const { layers: described } = await (await fetch(`${server.url}/worlds/terra`)).json();
  const [low, high] = described.find(({ name }) => name === 'height').range;
  for (const options of [{ layers, materials, apron: 1 }, { apron: 1 }]) {
    const { layers: { height } } = await new Terrane(server.url, { ...options, format: 'r8' }).chunk(...place);
    height.forEach((value, k) => {
      const nearest = Math.round(((exact.layers.height[k] - low) / (high - low)) * 255);
      assert.equal(value, Math.fround((nearest / 255) * (high - low) + low));
    });
  }
});

test('batches, single chunks and chunks computed here agree, and unchanged ones are not sent again', async () => {
  const single = new Terrane(proxy.url, { format: 'r16z' });
  const batch = new Terrane(proxy.url, { format: 'r16z' });
  const one = await single.chunk(...place);
  const [two, beyond] = await batch.chunks([place, [2 ** 40, 0]]);
  assert.deepEqual(two.samples, one.samples);
  assert.equal(beyond, null);
  const exact = await new Terrane(server.url).chunk(...place);
  assert.deepEqual([one.digest, two.digest], [exact.digest, null]);
  assert.equal(await single.refresh(...place), false);
  assert.equal(single.counts.unchanged, 1);
  assert.equal(await batch.refresh(...place), false);
  await assert.rejects(single.verify(...place), /r32f/);
  assert.equal(await single.useLocal(), true, single.localProblem);
  assert.deepEqual((await single.chunk(83, 115)).samples, (await new Terrane(server.url).chunk(83, 115)).samples);
});

test('damage is reported', async () => {
  const terrane = new Terrane(proxy.url, { format: 'r16z', size: 16 });
  proxy.change = (answer) => { answer.body[answer.body.length - 8] ^= 1; };
  await assert.rejects(terrane.chunk(0, 0), /r16z.* is damaged/);
    const bytes = new Terrane(proxy.url, { format: 'r8', size: 16 });
  proxy.change = (answer) => { if (answer.body.length > 0) answer.body = answer.body.subarray(1); };
  await assert.rejects(bytes.chunk(0, 0), /288 bytes, not 289/);
  proxy.change = (answer) => { answer.headers['x-terrane-encoding'] = 'uint8'; };
  await assert.rejects(new Terrane(proxy.url, { format: 'r8' }).chunk(0, 0), /tells nothing of "height"/);
  assert.throws(() => new Terrane(server.url, { format: 'r16' }), /there is no format "r16": r32f, r16z, r8/);
});

test('a player who walks a kilometre loads a tenth of the bytes as r16z', async () => {
  const bytes = {};
  for (const format of ['r32f', 'r16z', 'r8']) {
    const terrane = new Terrane(proxy.url, { format });
    bytes[format] = 0;
    proxy.change = ({ body }) => { bytes[format] += body.length; };
    for (let metres = 0; metres < 1000; metres += 8) await terrane.around(82 * 64 + 0.8 * metres, 115 * 64 + 0.6 * metres, 2);
  }
  assert.ok(bytes.r16z * 10 < bytes.r32f, JSON.stringify(bytes));
  assert.ok(bytes.r8 * 3.9 < bytes.r32f, JSON.stringify(bytes));
});
