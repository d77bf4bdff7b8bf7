/* terrane worlds, styles, formulas, and check of what is good. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { binary, cleanEnvironment, root, terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const world = { generator: 1, layers: { height: '1' } };
const style = (layer) => ({
  title: 'Mine', paint: [{ ramp: { layer, stops: [[0, '#000'], [1, '#fff']] } }],
});
const folder = temporaryFolder({
  'worlds/abc.json': { ...world, title: 'Größe' },
  'more/zzz.json': { ...world, title: 'Last', layers: { height: '1', woods: '2' } },
  'more/abc.json': { ...world, title: 'Newer' },
  'styles/mine.json': style('height'),
  'styles/wooded.json': style('woods'),
  'settings.json': { queue: 5 },
});

function lines(words) {
  const { status, stdout, stderr } = terrane(words, { cwd: folder.path });
  assert.equal(stderr, '');
  assert.equal(status, 0);
  return stdout.trimEnd().split('\n').map((line) => line.split(/ {2,}/));
}

const builtIn = (kind) => readdirSync(`${root}/config/${kind}`).filter((name) => name.endsWith('.json')).map((name) =>
  name.replace('.json', '')).sort();

test('worlds: the built-in ones, each with title and fingerprint', () => {
  const list = lines(['worlds']);
  assert.deepEqual(list.map(([name]) => name), builtIn('worlds'));
  for (const [, title, fingerprint] of list) {
    assert.ok(title.length > 0);
    assert.match(fingerprint, /^g1-[0-9a-f]{32}$/);
  }
});

test('worlds: folders add to them, and a later one wins', () => {
  const list = lines(['worlds', '--worlds', 'worlds', '--worlds', 'more']);
  assert.deepEqual(list.map(([name]) => name), ['abc', ...builtIn('worlds'), 'zzz']);
  assert.equal(list[0][1], 'Newer');
});

test('worlds: a file is named like a folder', () => {
  folder.write('single/hills.json', world);
  folder.write('single/notes.txt', '');
  const list = lines(['worlds', '--worlds', 'single/hills.json']);
  assert.deepEqual(list.map(([name]) => name), [...builtIn('worlds'), 'hills'].sort());
  const { status, stdout } = terrane(['check', '--worlds', 'single/hills.json'], { cwd: folder.path });
  assert.equal(status, 0);
  assert.match(stdout, /^single\/hills\.json: world g1-/m);
  const { stderr } = terrane(['worlds', '--worlds', 'single/notes.txt'], { cwd: folder.path });
  assert.match(stderr, /^terrane: single\/notes\.txt: the file's name must be letters/);
});

test('worlds --json', () => {
  const { stdout } = terrane(['worlds', '--worlds', 'worlds', '--json'], { cwd: folder.path });
  const list = JSON.parse(stdout);
  assert.deepEqual(Object.keys(list[0]), ['name', 'title', 'fingerprint']);
  assert.equal(list[0].title, 'Größe');
});

test('styles: the shared ones, or those of a world', () => {
  assert.deepEqual(lines(['styles']).map(([name]) => name), builtIn('styles'));
  const all = ['styles', '--worlds', 'worlds', '--worlds', 'more', '--styles', 'styles'];
  assert.ok(lines(all).some(([name, title]) => name === 'mine' && title === 'Mine'));
  const of = (name) => lines([...all, '--world', name]).map(([first]) => first);
  assert.ok(of('zzz').includes('wooded'));
  assert.ok(!of('abc').includes('wooded'));
  assert.ok(of('abc').includes('mine'));
});

test('formulas: every function of the language has a line', () => {
  const { status, stdout } = terrane(['formulas']);
  assert.equal(status, 0);
  const [list, common] = stdout.split('\n\n');
  const names = list.split('\n').map((line) => /^(\w+)\(.*\) {2,}\S/.exec(line)?.[1]);
  for (const word of ['axes', 'wavelength_z', 'wavelength_t', 'salt', 'interpolation',
    'rotate_octaves']) assert.ok(common.includes(word), word);
  for (const name of ['value', 'perlin', 'fbm', 'ridged', 'warp', 'abs', 'min', 'max', 'clamp',
    'mix', 'smoothstep', 'step', 'floor', 'fract', 'sqrt', 'sin', 'cos', 'exp', 'spline',
    'terrace', 'bias', 'gain']) assert.ok(names.includes(name), name);
  assert.ok(!names.includes(undefined), stdout);
});

test('formulas: each function can be called as its line says', () => {
  const { stdout } = terrane(['formulas', '--json']);
  for (const { signature: listed, summary } of JSON.parse(stdout)) {
    const signature = listed.replace('wavelength_z=wavelength, wavelength_t=60, ', '')
      .replace(', wavelength_z=wavelength, wavelength_t=60', '');
    assert.ok(summary.length > 0);
    /* Numbers for what has no default; the default for the rest. */
    let value = 0;
    const call = signature.replace(/([(,] *)(\w+)(?==)/g, '$1§$2').replace(/, \.\.\./g, '')
      .replace(/([(,] *)(\w+)(?=[,)])/g, (_, before) => `${before}${(value += 1)}`)
      .replaceAll('§', '');
    const special = { spline: 'spline(x, 0, 1, 2, 3)', cycle: 'cycle("x", 64)',
      zero_distance: 'zero_distance(perlin(64))', drainage: "drainage('flow')",
      path: "path('a', 'side', reach=1000)", area: "area('b', 'signed', reach=1000)",
      profile: "profile('a', x, 64, reach=1000)" };
    const formula = special[call.split('(')[0]] ?? call;
    folder.write('worlds/try.json', { generator: 1, layers: { height: formula },
      drainage: { potential: '1', target: '1', relief: '1' }, paths: { a: [[0, 0], [1, 1]] },
      areas: { b: [[0, 0], [1, 1], [2, 0]] } });
    assert.equal(terrane(['check', 'worlds/try.json'], { cwd: folder.path }).stderr, '', formula);
  }
});

test('check: everything that is built in is good', () => {
  const { status, stdout, stderr } = terrane(['check']);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  const files = stdout.trimEnd().split('\n').map((line) => line.split(':')[0]);
  assert.deepEqual(files, [...builtIn('styles').map((name) => `styles/${name}.json`),
    ...builtIn('worlds').map((name) => `worlds/${name}.json`)]);
});

test('check recognises worlds, styles and settings', () => {
  folder.write('anywhere.json', world);
  folder.write('painted.json', style('height'));
  const { status, stdout } = terrane(['check', 'anywhere.json', 'painted.json', 'settings.json',
    'styles/mine.json'], { cwd: folder.path });
  assert.equal(status, 0);
  assert.match(stdout, new RegExp('^anywhere.json: world g1-[0-9a-f]{32}\npainted.json: style\n'
    + 'settings.json: settings\nstyles/mine.json: style\n$'));
});

test('check warns of a salt that two layers share', () => {
  folder.write('worlds/salted.json', { generator: 1, layers: {
    rims: 'worley(900, salt="crater")', floors: '1 - worley(900, "f2", salt="crater")',
    other: 'worley(300, salt="crater") + worley(900, salt="hole") + worley(900)',
    stones: 'scatter(90, r, salt="stone")', pebbles: 'scatter(90, id, salt="stone")', // which layers share
    height: 'rims + worley(900)' } });
  const { status, stderr } = terrane(['check', 'worlds/salted.json'], { cwd: folder.path });
  folder.write('worlds/salted.json', { generator: 1, layers: { height: '0' } });
  assert.equal(status, 0);
  assert.equal(stderr, 'worlds/salted.json: layers.floors: warning: worley() with the salt "crater" is another noise '
    + 'here than in the layer "rims", as each layer has its own; give both one layer to name, or other salts\n');
});

test('fixed names in the reach of another one are warned of, and those on the edge of the plane work or are refused', () => {
  const world = (...places) => JSON.stringify({ generator: 1, layers: { height: '100' },
    names: { tongues: [], places: places.map(([kind, x, y, name]) => ({ kind, at: [x, y], name })) } });
  const edge = 2 ** 40;
  const folder = temporaryFolder({
    'near.json': world(['lake', 0, 0, 'Alpha'], ['bay', 0, 0, 'Beta'], ['lake', 9000, 0, 'Gamma'], ['lake', 19001, 0, 'Delta']),
    'edge.json': world(['lake', -edge, -edge, 'Alpha']), 'beyond.json': world(['lake', 0, edge, 'Alpha']),
  });
  try {
    const near = terrane(['check', `${folder.path}/near.json`]);
    assert.equal(near.status, 0);
    assert.match(near.stderr, /^\S+near\.json: names\.places\[2\]: warning: "Gamma" lies within the reach of names\.places\[0\], "Alpha", a lake too: .* more than 10 km apart\n$/);
    assert.equal(terrane(['check', `${folder.path}/edge.json`]).stderr, '');
    const labels = terrane(['labels', '--world', `${folder.path}/edge.json`, '--bbox', `${-edge},${-edge},${9 - edge},${9 - edge}`, '--zoom', '12']);
    assert.match(labels.stdout, /^\d+\tAlpha\tlake\t-1099511627776\t-1099511627776\t/m);
    const beyond = terrane(['check', `${folder.path}/beyond.json`]);
    assert.equal(beyond.status, 1);
    assert.match(beyond.stderr + beyond.stdout, /names\.places\[0\]\.at: must be less than 2\^40/);
  } finally {
    folder.remove();
  }
});

test('check warns of a drainage network whose warp folds the plane or spreads it', () => {
  const world = (warp) => JSON.stringify({ generator: 1, layers: { height: 'drainage("height")' },
    drainage: { potential: 'x', target: 'x', relief: '9', warp_x: warp } });
  const folder = temporaryFolder({ 'flat.json': world('-0.5 * x'), 'folded.json': world('-3 * x') });
  try {
    const flat = terrane(['check', `${folder.path}/flat.json`]);
    assert.deepEqual([flat.status, flat.stderr], [0, '']);
    const folded = terrane(['check', `${folder.path}/folded.json`]);
    assert.equal(folded.status, 0);
    assert.match(folded.stderr, /^\S+folded\.json: drainage: warning: .* at 131072 of 131072 random places.*\n$/);
    folder.write('wide.json', { ...JSON.parse(world('99 * x')), drainage: { potential: 'x', target: 'x', relief: '9', warp_x: '99 * x', warp_y: '24 * y' } });
    const wide = terrane(['check', `${folder.path}/wide.json`]);
    assert.equal(wide.status, 0);
    /* The root of 100 · 25. */
    assert.match(wide.stderr, /^\S+wide\.json: drainage: warning: the warp moves neighbours 50 times as far apart.*at most 8 times is best\n$/);
  } finally {
    folder.remove();
  }
});

test('check reads all files and names the bad ones', () => {
  folder.write('bad1.json', '{');
  folder.write('bad2.json', { layers: {} });
  const { status, stdout, stderr } = terrane(['check', 'bad1.json', 'settings.json', 'bad2.json',
    'none.json', 'styles'], { cwd: folder.path });
  assert.equal(status, 1);
  assert.equal(stdout, 'settings.json: settings\n');
  assert.deepEqual(stderr.trimEnd().split('\n').map((line) => line.split(':')[0]),
    ['bad1.json', 'bad2.json', 'bad2.json', 'none.json', 'styles']);
});

test('check reports the place of each setting that serve refuses', () => {
  /* The settings; what the place is of; the message. */
  const cases = [
    [{ listen: ['127.0.0.1:80', 'nowhere'] }, '"nowhere"', 'listen[1]: must be HOST:PORT such as '],
    [{ listen: '127.0.0.1' }, '"127.', 'listen: must be HOST:PORT such as '],
    [{ listen: ['unix:terrane.sock'] }, '"unix:', 'listen[0]: a unix socket\'s path begins with /'],
    [{ trusted_proxies: ['10.0.0.0/8', 'proxy'] }, '"proxy"',
      'trusted_proxies[1]: must be an address such as 127.0.0.1 '],
    [{ allowed_hosts: ['maps.example', 'maps.example:80'] }, '"maps.example:80"',
      'allowed_hosts[1]: must be a name or an address without scheme and port'],
    [{ public_url: 'maps.example' }, '"maps.', 'public_url: must be like https://'],
    [{ cache_shared: ['127.0.0.1:11211'] }, '"127.', 'cache_shared[0]: must be memcached://'],
    [{ log_level: 'warn' }, '"warn"', 'log_level: must be error, warning, info or debug, not "warn"'],
  ];
  for (const [content, at, message] of cases) {
    folder.write('wrong.json', content);
    const column = JSON.stringify(content).indexOf(at) + 1;
    const { status, stderr } = terrane(['check', 'wrong.json'], { cwd: folder.path });
    assert.ok(stderr.startsWith(`wrong.json:1:${column}: ${message}`), stderr);
    assert.equal(status, 1);
    const serving = terrane(['serve', '--port', '0', '--config', 'wrong.json'], { cwd: folder.path });
    assert.deepEqual([serving.status, serving.stderr], [1, `terrane: ${stderr}`]);
  }
});

test('check: without files, every bad one of the folders is named', () => {
  folder.write('bad/a.json', '{');
  folder.write('bad/b.json', { ...world, layers: { height: '1 +' } });
  const { status, stderr } = terrane(['check', '--worlds', 'bad'], { cwd: folder.path });
  assert.equal(status, 1);
  assert.deepEqual(stderr.trimEnd().split('\n').map((line) => line.split(':')[0]),
    ['bad/a.json', 'bad/b.json']);
});

test('check: a default world that does not exist is an error', () => {
  const { status, stderr } = terrane(['check', '--default-world', 'tera']);
  assert.equal(status, 1);
  assert.equal(stderr, 'terrane: unknown world "tera" (did you mean "terra"?)\n');
});

test('a folder that is not there is an error', () => {
  const { status, stderr } = terrane(['worlds', '--worlds', '/nonexistent']);
  assert.equal(status, 1);
  assert.equal(stderr,
    'terrane: /nonexistent: the folder cannot be read: No such file or directory\n');
});

test('output that cannot be written is an error', { skip: !existsSync('/dev/full') }, () => {
  for (const words of [['worlds'], ['query', '1', '2'], ['query', '-'], ['check'],
    ['render', '--tile', '0/0/0', '-o', '-']]) {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(binary, words,
      { stdio: ['pipe', full, 'pipe'], input: '1 2\n', env: cleanEnvironment() });
    closeSync(full);
    assert.equal(status, 1, words.join(' '));
    assert.match(stderr.toString(), /No space left on device/);
  }
});

test('bench: every noise and fractal has its figures', () => {
  const { status, stdout } = terrane(['bench', '--json']);
  assert.equal(status, 0);
  const { noise, ns_per_float_operation: bound, five_layers_over_dearest: sharing } =
    JSON.parse(stdout);
  const formulas = noise.map(({ formula }) => formula).join(' ');
  for (const name of ['white', 'value', 'perlin', 'simplex', 'worley', 'perlin2002', 'fbm',
    'billow', 'turbulence', 'ridged']) assert.ok(formulas.includes(`${name}(`), name);
  for (const { name, ns, ns_two_threads: two } of noise) assert.ok(ns > 0 && two > 0, name);
  assert.ok(bound > 0 && sharing > 0);
});
