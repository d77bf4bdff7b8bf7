/* The guide at / for curl: its commands run as they are, and its places are as described. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { floats } from './samples.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const folder = temporaryFolder().path;

/* Runs the guide's commands on a server with these arguments: { server, text, outputs }. */
async function follow(words, use) {
  const server = await startServer({ arguments: words });
  try {
    const text = execFileSync('curl', ['-sS', server.url], { encoding: 'utf8' });
    const commands = [...text.matchAll(/^ {2}(curl .*)$/gm)].map(([, command]) => command);
    const outputs = commands.map((command) => execFileSync('sh', ['-c', command.replace('curl ', 'curl -sS --fail ')],
      { cwd: folder, encoding: 'utf8' }));
    await use({ server, text, commands, outputs });
  } finally {
    assert.equal(await server.stop(), 0);
  }
}

const number = (table, name) => Number(new RegExp(`^${name}\t([^\t\n]*)`, 'm').exec(table)[1]);

test('the five commands of the guide work', () => follow([], async ({ server, text, commands, outputs }) => {
  assert.equal(commands.length, 5);
  assert.ok(text.split('\n').every((line) => line.length <= 120));
  const [mountain, summit, way, picture] = outputs;
  assert.match(mountain, /^found\tyes\t/);
  assert.ok(number(mountain, 'height') >= 1000);
  const height = number(summit, 'height');
  assert.ok(height > 1000);

  /* A summit is higher than everything around it. */
  const [x, y] = [number(summit, 'x'), number(summit, 'y')];
  const points = [30, 300, 1000].flatMap((r) => Array.from({ length: 32 },
    (_, i) => [x + r * Math.cos(i * Math.PI / 16), y + r * Math.sin(i * Math.PI / 16)].map((each) => Number(each.toFixed(3)))));
  const answer = await fetch(`${server.url}/heights`, { method: 'POST', body: JSON.stringify({ points }) });
  assert.ok(Math.max(...(await answer.json()).heights) < height);

  const heights = way.trim().split('\n').slice(1).map((line) => Number(line.split('\t')[1]));
  assert.equal(heights.length, 5);
  assert.equal(heights[4], height);
  const river = /line=([-\d]+),([-\d]+);/.exec(commands[2]);
  assert.equal((await (await fetch(`${server.url}/at?x=${river[1]}&y=${river[2]}`)).json()).biome, 'river');

  assert.match(picture, /\u001b\[38;2;\d+;\d+;\d+/);
  const tile = /(\d+)\/(\d+)\/(\d+)\.ansi/.exec(commands[3]).slice(1).map(Number);
  const at = (await (await fetch(`${server.url}/at?x=${x}&y=${y}&zoom=${tile[0]}`)).json()).tile;
  assert.deepEqual([at.z, at.x, at.y], tile, 'the summit is in the picture');

  const ground = floats(readFileSync(path.join(folder, 'ground.r32f')));
  assert.equal(ground.length, 65 * 65);
  const [, cx, cy] = /chunks\/(-?\d+)\/(-?\d+)/.exec(commands[4]).map(Number);
  const near = ground[(Math.round(y) - cy * 64) * 65 + Math.round(x) - cx * 64];
  assert.ok(Math.abs(near - height) < 1, 'the summit is in the chunk');
}));

test('the guide names every format and query and links the rest', () => follow([], async ({ server, text }) => {
  const document = await (await fetch(`${server.url}/openapi.json`)).json();
  const formats = (name) => document.paths[name].parameters.find((each) => each.name === 'format' && each.in === 'path')
    .schema.enum.map((each) => `.${each}`).join(' ');
  assert.ok(text.includes(formats('/tiles/{style}/{z}/{x}/{y}.{format}')));
  assert.ok(text.includes(formats('/chunks/{cx}/{cy}.{format}')));
  for (const [name, { get, post }] of Object.entries(document.paths)) {
    const [tag] = (get ?? post).tags;
    if (tag === 'questions' && !name.startsWith('/worlds/') && !name.includes('.')) assert.ok(text.includes(name), name);
  }
  assert.ok(text.includes('/openapi.json') && text.includes('/verify'));
}));

test('the guide works with another default world', () => follow(['--default-world', 'caves'],
  async ({ text, outputs }) => {
    assert.match(text, /caves .*\(the default\)/);
    assert.match(outputs[0], /^found\tyes\t/);
    assert.ok(number(outputs[1], 'height') > 1000);
  }));
