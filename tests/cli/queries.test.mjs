/* terrane profile, stats, locate, objects, labels: the same answers as over HTTP. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';
import { terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const folder = temporaryFolder({
  'worlds/plane.json': {
    generator: 1, seed: 7,
    layers: { height: { formula: '0.5 * x', unit: 'm' } },
    biomes: [
      { name: 'sea', color: '#00f', when: 'height < 0' },
      { name: 'land', color: '#0f0' },
    ],
    objects: { post: { spacing: 10, density: '1' }, rock: { spacing: 10, density: '1' } },
  },
  'worlds/hills.json': {
    generator: 1, seed: 7, layers: { height: { formula: '900 * fbm(wavelength=40000, octaves=14)', unit: 'm' } },
  },
});
const server = serverOfFile({ arguments: ['--worlds', `${folder.path}/worlds`] });

const ask = (words, world = 'plane') => terrane([words[0], '--worlds', 'worlds', '--world', world, ...words.slice(1)],
  { cwd: folder.path });

test('a profile is a table', () => {
  const { status, stdout, stderr } = ask(['profile', '--line', '-10,0;10,0', '--samples', '3']);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.equal(stdout, 'distance\theight\n0\t-5\n10\t0\n20\t5\n');
});

test('statistics are a table', () => {
  const lines = ask(['stats', '--bbox', '-10,0,10,10', '--samples', '2']).stdout.split('\n');
  assert.equal(lines[1], `height\t-2.5\t0${'\t-2.5'.repeat(5)}${'\t2.5'.repeat(5)}\tm`);
  assert.deepEqual(lines.slice(2), ['land\t0.5', 'biome sea\t0.5', 'biome land\t0.5', '']);
});

test('locate prints lines of name, value and unit', () => {
  assert.equal(ask(['locate', '--min-height', '-3', '--radius', '100', '-50', '7']).stdout,
    'found\tyes\t\nx\t-6\tm\ny\t7\tm\ndistance\t44\tm\nbearing\t90\tdegrees\nheight\t-3\tm\nstep\t1\tm\ncomplete\tyes\t\n');
  assert.equal(ask(['locate', '--biome', 'land', '--radius', '10', '-50', '7']).stdout,
    'found\tno\t\nradius\t10\tm\nlarger_radius\t100\tm\nstep\t1\tm\ncomplete\tyes\t\n');
});

test('objects are a table', () => {
  const lines = ask(['objects', '--bbox', '0,0,30,10']).stdout.trim().split('\n');
  assert.equal(lines[0], 'id\tkind\tx\ty\theight\tscale\trotation');
  assert.deepEqual(lines.slice(1).map((line) => line.split('\t')[1]), ['post', 'post', 'post', 'rock', 'rock', 'rock']);
  assert.equal(ask(['objects', '--bbox', '0,0,30,10', '--kind', 'rock']).stdout.trim().split('\n').length, 4);
});

/* words, path, world */
const same = [
  [['profile', '--line', '0,0;9,9;5,-3.5'], '/profile?line=0,0;9,9;5,-3.5'],
  [['stats', '--bbox', '-10,0,10,10', '--samples', '7'], '/stats?bbox=-10,0,10,10&samples=7'],
  [['locate', '--min-height', '12.5', '3', '-4'], '/locate?min_height=12.5&x=3&y=-4'],
  [['locate', '--biome', 'sea', '--radius', '77', '3', '-4'], '/locate?biome=sea&x=3&y=-4&radius=77'],
  [['objects', '--bbox', '0,0,30,10', '--kind', 'post'], '/objects?bbox=0,0,30,10&kind=post'],
  [['stats', '--bbox', '0,0,99000,50000', '--samples', '99'], '/stats?bbox=0,0,99000,50000&samples=99', 'hills'],
  [['stats', '--bbox', '0,0,99000,50000', '--samples', '99', '--detail', 'full'],
    '/stats?bbox=0,0,99000,50000&samples=99&detail=full', 'hills'],
  [['locate', '--min-height', '400', '--radius', '90000', '0', '0'], '/locate?min_height=400&x=0&y=0&radius=90000', 'hills'],
  [['locate', '--where', 'height > 99, slope < 3', '--limit', '3', '--apart', '70', '--min-distance', '90', '0', '0'],
    '/locate?where=height%20%3E%2099,%20slope%20%3C%203&limit=3&apart=70&min_distance=90&x=0&y=0', 'hills'],
  [['locate', '--feature', 'peak', '--radius', '90000', '0', '0'], '/locate?feature=peak&x=0&y=0&radius=90000', 'hills'],
  [['locate', '--min-height', '400', '--radius', '90000', '--detail', 'full', '0', '0'],
    '/locate?min_height=400&x=0&y=0&radius=90000&detail=full', 'hills'],
  [['locate', '--name', 'a', '--kind', 'peak', '--limit', '3', '--radius', '90000', '0', '0'], '/locate?name=a&kind=peak&limit=3&radius=90000&x=0&y=0', 'hills'],
  [['profile', '--line', '0,0;9000,0', '--zoom', '5'], '/profile?line=0,0;9000,0&zoom=5', 'hills'],
  [['labels', '--bbox', '-40000,-40000,40000,40000', '--zoom', '11'], '/labels?bbox=-40000,-40000,40000,40000&zoom=11', 'hills'],
];
for (const [words, path, world] of same) {
  test(`${words.join(' ')}: the same over HTTP`, async () => {
    const get = async (more) => (await fetch(`${server.url}/worlds/${world ?? 'plane'}${path}${more}`)).text();
    assert.equal(ask([...words, '--json'], world).stdout, await get(''));
    assert.equal(ask(words, world).stdout, await get('&format=text'));
  });
}

test('--geojson is the same over HTTP', async () => {
  for (const [words, path, world] of [
    [['labels', '--bbox', '-40000,-40000,40000,40000', '--zoom', '11'], '/labels.geojson?bbox=-40000,-40000,40000,40000&zoom=11', 'hills'],
    [['objects', '--bbox', '0,0,30,10'], '/objects.geojson?bbox=0,0,30,10', 'plane'],
  ]) {
    const { stdout } = ask([...words, '--geojson'], world);
    assert.equal(stdout, await (await fetch(`${server.url}/worlds/${world}${path}`)).text());
    assert.ok(JSON.parse(stdout).features.length > 3);
  }
});

/* words, exit status, the error */
const refused = [
  [['profile'], 2, '--line X,Y;X,Y is needed'],
  [['profile', '--line', '0,0'], 1, '--line: must be at least two places, x,y;x,y, that are not the same'],
  [['profile', '--line', '0,0;9,9', '--samples', '1'], 1, '--samples: must be a whole number from 2 to 4096, not "1"'],
  [['profile', '--line', '0,0;9,9', '7'], 2, 'unexpected argument "7"'],
  [['stats'], 2, '--bbox X0,Y0,X1,Y1 is needed'],
  [['stats', '--bbox', '0,0,9'], 1, '--bbox: must be x0,y0,x1,y1 in metres, not "0,0,9"'],
  [['objects', '--bbox', '0,0,9,9', '--kind', 'rok'], 1, '--kind: unknown kind of object "rok" (did you mean "rock"?)'],
  [['objects', '--bbox', '0,0,9000,9000'], 1, 'the box is too large: it has more than 262144 cells where objects '
    + 'could be; use a smaller box or fewer kinds'],
  [['labels', '--bbox', '0,0,9,9'], 2, '--zoom Z is needed'],
  [['labels', '--bbox', '0,0,9,9', '--zoom', '21'], 2, '--zoom: must be a whole number from 0 to 20, not "21"'],
  [['labels', '--bbox', '0,0,9,9', '--zoom', '9', '--json', '--geojson'], 2, 'give either --json or --geojson, not both'],
  [['labels', '--bbox', '0,0,1e9,9', '--zoom', '9'], 1, 'so large a rectangle is too much for one answer at zoom 9: at most 2097152 m a side fit, and more at lesser zooms'],
  [['stats', '--bbox', '0,0,9,9', '--geojson'], 2, 'unknown option "--geojson"'],
  [['locate', '--name', '<b>', '1', '2'], 1, '--name: must be 1 to 64 letters or digits, with spaces, hyphens, apostrophes and full stops between, not "<b>"'],
  [['locate', '--name', 'a', '--kind', 'hole', '1', '2'], 1, '--kind: must be any or sea or strait or '],
  [['locate', '--name', 'a', '--after', '7', '1', '2'], 1, '--after: must be the member `next` of an answer, not "7"'],
  [['locate', '--biome', 'sea', '--kind', 'lake', '1', '2'], 1, '--kind: goes with a name alone'],
  [['locate', '--name', 'a', '--apart', '9', '1', '2'], 1, '--apart: goes with where, biome or min_height, not with a name'],
  [['locate', '--biome', 'sea', '1'], 2, 'locate needs a place: X Y in metres'],
  [['locate', '1', '2'], 2, 'give either --where CONDITION, --biome NAME, --min-height H, --feature KIND or --name PREFIX'],
  [['locate', '--biome', 'sea', '--feature', 'peak', '1', '2'], 2, 'give either --where CONDITION, --biome NAME, --min-height H, --feature KIND or --name PREFIX'],
  [['locate', '--biome', 'sea', '--where', '1', '1', '2'], 2, 'give either --where CONDITION, --biome NAME, --min-height H, --feature KIND or --name PREFIX'],
  [['locate', '--where', '1', '--where', '2', '1', '2'], 2, 'give either --where CONDITION, --biome NAME, --min-height H, --feature KIND or --name PREFIX'],
  [['locate', '--where', 'height > perlin(5)', '1', '2'], 1, '--where: column 10: a condition cannot call perlin, which is a function of places; name a layer'],
  [['locate', '--biome', 'see', '1', '2'], 1, '--biome: unknown biome "see" (did you mean "sea"?)'],
  [['locate', '--biome', 'sea', '1e13', '2'], 1, 'X: '],
  [['locate', '--biome', 'sea', '1', 'b'], 1, 'Y: '],
  [['locate', '--biome', 'sea', '--radius', '0', '1', '2'], 1, '--radius: must be a decimal number from 1 to 16777216, not "0"'],
];
for (const [words, status, message] of refused) {
  test(`refused: ${words.join(' ')}`, () => {
    const answer = ask(words);
    assert.equal(answer.status, status);
    assert.equal(answer.stdout, '');
    const line = `terrane: ${message}`;
    if (message.endsWith(' ')) assert.ok(answer.stderr.startsWith(line), answer.stderr);
    else assert.equal(answer.stderr.split('\n')[0], line);
  });
}
