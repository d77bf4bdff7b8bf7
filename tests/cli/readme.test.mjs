/* The README's examples are run: commands and their output, the world, the table of functions. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { root, temporaryFolder, terrane } from './terrane.mjs';

const text = readFileSync(`${root}/README.md`, 'utf8');
const ADDRESS = 'http://127.0.0.1:8080';

function block(language, marker) {
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const found = blocks.find(([, name, body]) => name === language && body.includes(marker));
  assert.ok(found, `the README has no ${language} block with ${marker}`);
  return found[2];
}

/* "$ command" and the lines behind it, up to an empty line. */
function examples(body) {
  return body.split('\n\n').filter((part) => part.trim() !== '').map((part) => {
    const [command, ...output] = part.trimEnd().split('\n');
    assert.match(command, /^\$ /);
    return { command: command.slice(2), output: output.join('\n') };
  });
}

let server;
before(async () => {
  server = await startServer();
});
after(() => server?.stop());

test('curl answers what the README says', () => {
  const folder = temporaryFolder();
  const shown = ['/at?', 'min_height=1000', '/chunks/', '/verify?'].flatMap((marker) => examples(block('console', marker)));
  assert.ok(shown.length >= 19);
  try {
    for (const { command, output } of shown) {
      const real = command.replace(ADDRESS, server.url).replace('curl ', 'curl -sS ');
      const answer = execFileSync('sh', ['-c', real], { cwd: folder.path, encoding: 'utf8' });
      assert.equal(answer.trimEnd().replace(/[ \t]+$/gm, ''), output, command);
    }
  } finally {
    folder.remove();
  }
});

test('no place of the README waits to be filled in', () => {
  assert.doesNotMatch(text, /@[A-Z]+@/);
});

test('the list of functions is that of the program', () => {
  assert.equal(block('text', 'fbm(wavelength'), terrane(['formulas']).stdout);
});

test('the world in the README is one, and its style paints', () => {
  const folder = temporaryFolder({ 'hills.json': block('json', 'Perlin hills') });
  try {
    const world = `${folder.path}/hills.json`;
    assert.equal(terrane(['check', world]).status, 0);
    const { status } = terrane(['render', '--world', world, '--style', 'forest', '--tile',
      '12/2048/2048', '-o', `${folder.path}/hills.png`]);
    assert.equal(status, 0);
    const broken = block('json', 'Perlin hills').replace('300 * hills', '300 * hils');
    folder.write('broken/hills.json', broken);
    const { stderr } = terrane(['check', `${folder.path}/broken/hills.json`]);
    const [, error] = /`hills\.json: (layers\.height\.formula: [^`]*)`/.exec(text);
    assert.ok(stderr.includes(error), stderr);
  } finally {
    folder.remove();
  }
});
