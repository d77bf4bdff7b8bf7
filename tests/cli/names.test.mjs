/* terrane names: examples of a world's names. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { root, terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const own = { starts: [...'BDFGKLMNRT'].map((letter) => `${letter}a`), ends: [...'bdfgklmnrt'].map((letter) => `${letter}on`),
  patterns: { lake: ['%see'] } };
const world = { generator: 1, layers: { height: '1' } };
const folder = temporaryFolder({
  'own.json': { ...world, names: { tongues: ['own', 'nordic'], syllables: { own } } },
  'none.json': { ...world, names: false },
});
const kinds = ['sea', 'strait', 'bay', 'cape', 'mouth', 'island', 'range', 'plateau', 'plain', 'desert', 'forest', 'peak', 'hill', 'pass', 'river',
  'stream', 'lake', 'fjord'];
const tongues = ['nordic', 'romance', 'slavic', 'celtic', 'polynesian', 'semitic', 'sinitic', 'sylvan'];

function names(...words) {
  const { status, stdout, stderr } = terrane(['names', ...words], { cwd: folder.path });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout;
}

test('names of every kind and of every tongue, five of each kind', () => {
  const [header, ...lines] = names().trimEnd().split('\n').map((line) => line.split('\t'));
  assert.deepEqual(header, ['kind', 'tongue', 'name']);
  assert.deepEqual(lines.map(([kind]) => kind), kinds.flatMap((kind) => Array(5).fill(kind)));
  assert.deepEqual([...new Set(lines.map(([, tongue]) => tongue))].sort(), [...tongues].sort());
  for (const [, , name] of lines) assert.match(name, /^[\p{Lu}][\p{L}'ʻ -]+$/u);
});

test('--json has the same, and the roots', () => {
  const lines = names('--kind', 'lake', '--count', '30').trimEnd().split('\n').slice(1).map((line) => line.split('\t'));
  const list = JSON.parse(names('--kind', 'lake', '--count', '30', '--json'));
  assert.deepEqual(list.map(({ kind, tongue, name }) => [kind, tongue, name]), lines);
  for (const { name, root } of list) assert.ok(name.includes(root), name);
});

test('--tongue, of the program or of the world, and the seed', () => {
  const list = (...words) => JSON.parse(names('--json', '--kind', 'lake', '--count', '50', ...words));
  for (const tongue of tongues) assert.ok(list('--tongue', tongue).every((each) => each.tongue === tongue));
  for (const { name } of list('--world', 'own.json', '--tongue', 'own')) assert.match(name, /^[BDFGKLMNRT]a[bdfgklmnrt]onsee$/);
  const both = list('--world', 'own.json');
  assert.deepEqual([...new Set(both.map(({ tongue }) => tongue))].sort(), ['nordic', 'own']);
  assert.notDeepEqual(list('--world', 'own.json~2'), both);
  assert.deepEqual(list('--world', 'own.json'), both);
});

test('the schema and the manual of worlds have the kinds and tongues of the program', () => {
  const { stderr } = terrane(['names', '--tongue', '?']);
  const [, list] = /must be one of (.*), not/.exec(stderr);
  const { name_kind: kind, names: { properties } } = JSON.parse(readFileSync(`${root}/config/world.schema.json`, 'utf8')).$defs;
  const manual = readFileSync(`${root}/config/worlds/README.md`, 'utf8');
  assert.deepEqual(list.split(', '), tongues);
  assert.ok(properties.tongues.description.includes(`: ${list}, or`));
  for (const tongue of tongues) assert.ok(manual.includes(`\`${tongue}\``), tongue);
  assert.deepEqual(kind.enum, kinds);
  assert.ok(manual.replaceAll('\n ', '').includes(`The kinds are ${kinds.slice(0, -1).join(', ')} and ${kinds.at(-1)}.`));
});

test('what is refused', () => {
  const refused = (...words) => {
    const { status, stdout, stderr } = terrane(['names', ...words], { cwd: folder.path });
    assert.deepEqual([status > 0, stdout], [true, '']);
    return stderr;
  };
  assert.equal(refused('--kind', 'ocean'), `terrane: --kind: must be one of ${kinds.join(', ')}, not "ocean"\n`);
  assert.equal(refused('--world', 'own.json', '--tongue', 'norse'), `terrane: --tongue: must be one of own, ${tongues.join(', ')}, not "norse"\n`);
  assert.equal(refused('--world', 'none.json'), 'terrane: the world "none" has no tongues; --tongue shows one of the program\n');
  assert.match(refused('--count', '0'), /^terrane: --count: must be a whole number from 1 to 1000000, not "0"/);
});
