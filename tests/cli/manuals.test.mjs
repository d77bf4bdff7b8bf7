/* The manuals are true: their examples are run, their tables are those of the program, and what they
 * link to and name exists. Manuals are all README.md files, those beside them, and those in
 * .github. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { block, blocks, examples, gameWorlds, manuals, MANUALS, runExample, startManualServer } from './manuals.mjs';
import { root, terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const README_BYTES = 8192;
const LINE_CHARACTERS = 120;
const PARAGRAPH_LINES = 6;
const CELL_CHARACTERS = 200;

/* { line, kind, text } of each line: "code" (fences included), "table", "blank" or "prose". */
function linesOf(text) {
  let fenced = false;
  let before = 'blank';
  return text.split('\n').map((line, index) => {
    const isFence = line.startsWith('```');
    const indented = line.startsWith('    ') && before !== 'prose';
    let kind = 'prose';
    if (isFence || fenced || indented) kind = 'code';
    else if (line.startsWith('|')) kind = 'table';
    else if (line.trim() === '') kind = 'blank';
    if (isFence) fenced = !fenced;
    before = kind;
    return { line: index + 1, kind, text: line };
  });
}

let server;
let worlds;
before(async () => {
  server = await startManualServer();
  ({ worlds } = server);
});
after(() => server?.stop());

/* "console land" is for outputs that the land of built-in worlds decides: `make golden-land` writes them anew. */
const isRun = ({ info }) => ['console', 'console land'].includes(info);

for (const name of MANUALS) {
  const consoles = blocks(name).filter(({ info }) => /^console\b/.test(info));
  for (const { info } of consoles) assert.match(info, /^console( land| not-run \S.*)?$/, name);
  const shown = consoles.filter(isRun).flatMap(({ body }) => examples(body));
  if (shown.length === 0) continue;
  test(`the examples of ${name} print the output shown there`, () => {
    const folder = temporaryFolder();
    try {
      for (const { command, output } of shown) {
        assert.equal(runExample(command, server.url, folder.path), output, command);
      }
    } finally {
      folder.remove();
    }
  });
}

test('every manual takes part', () => {
  const found = readdirSync(root, { withFileTypes: true }).flatMap((top) => {
    if (!top.isDirectory()) return [top.name];
    if (['build', '.git'].includes(top.name)) return [];
    return readdirSync(join(root, top.name), { recursive: true }).map((path) => join(top.name, path));
  });
  assert.deepEqual(found.filter((path) => path.endsWith('.md') && !path.includes('node_modules')).sort(), [...MANUALS].sort());
});

test('the manuals have examples that are run', () => {
  const count = (name) => blocks(name).filter(isRun).flatMap(({ body }) => examples(body)).length;
  assert.ok(count('server/http/README.md') >= 15);
  assert.ok(MANUALS.reduce((sum, name) => sum + count(name), 0) >= 20);
});

test('README.md is short', () => {
  assert.ok(statSync(join(root, 'README.md')).size <= README_BYTES);
});

test('cells of tables are short', () => {
  for (const [name, text] of manuals) {
    for (const { line, kind, text: content } of linesOf(text)) {
      if (kind !== 'table') continue;
      const longest = Math.max(...content.split('|').map((cell) => [...cell.trim()].length));
      assert.ok(longest <= CELL_CHARACTERS, `${name}:${line}: a cell of ${longest} characters; a list has room for it`);
    }
  }
});

test('README.md has five requests by curl, make run and make test', () => {
  const requests = blocks('README.md').filter(isRun)
    .flatMap(({ body }) => examples(body)).filter(({ command }) => command.startsWith('curl '));
  assert.equal(requests.length, 5);
  assert.match(block('README.md', 'sh', 'make run'), /^make test\b/m);
});

for (const [name, text] of manuals) {
  test(`${name}: lines and paragraphs are short`, () => {
    let length = 0;
    for (const { line, kind, text: content } of linesOf(text)) {
      if (kind === 'prose') {
        assert.ok([...content].length <= LINE_CHARACTERS, `${name}:${line}: longer than ${LINE_CHARACTERS} characters`);
      }
      length = kind === 'prose' && !/^\s*([-*]|\d+\.) |^#|^!\[/.test(content) ? length + 1 : 0;
      assert.ok(length <= PARAGRAPH_LINES, `${name}:${line}: a paragraph of more than ${PARAGRAPH_LINES} lines`);
    }
  });

  test(`${name}: its links and the files it names exist`, () => {
    const prose = linesOf(text).filter(({ kind }) => kind !== 'code').map(({ text: line }) => line).join('\n');
    for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path, anchor] = target.split('#');
      const file = path === '' ? join(root, name) : join(root, dirname(name), path);
      assert.ok(existsSync(file), `${name}: no file for the link ${target}`);
      if (anchor === undefined) continue;
      const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)]
        .map(([, heading]) => heading.toLowerCase().replace(/[^\w\s-]/g, '').replace(/ /g, '-'));
      assert.ok(headings.includes(anchor), `${name}: no heading for the link ${target}`);
    }
    for (const [, path] of prose.matchAll(/`((?:core|server|config|tests|docker)\/[^`\s]*)`/g)) {
      assert.ok(existsSync(join(root, path)), `${name}: no file ${path}`);
    }
  });

  test(`${name}: functions stand in the files that their rows name`, () => {
    for (const { line, kind, text: row } of linesOf(text)) {
      /* "the file of the query", "moved by `warp()`" */
      if (kind !== 'table' || /the file of|by `\w+\(\)`/.test(row)) continue;
      const files = [...row.matchAll(/`((?:core|server)\/[^`\s]+\.c)`/g)].map(([, path]) => readFileSync(join(root, path), 'utf8'));
      if (files.length === 0) continue;
      for (const [, called] of row.matchAll(/`(\w+)\(\)`/g)) {
        assert.match(files.join('\n'), new RegExp(`\\b${called}\\(`), `${name}:${line}`);
      }
    }
  });

  test(`${name}: no text waits to be filled in`, () => {
    assert.doesNotMatch(text, /@[A-Z]+@|\b(TODO|TBD|FIXME|XXX)\b/);
  });
}

/* The cells of each row whose first cell holds names in backticks. */
function tableRows(name, heading) {
  const [, section] = new RegExp(`^## ${heading}\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(manuals.get(name)) ?? [];
  assert.ok(section, `${name} has no section ${heading}`);
  return section.split('\n').filter((line) => line.startsWith('| `'))
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim()));
}

const names = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);

test('the table of settings is that of the program', () => {
  const { properties } = JSON.parse(readFileSync(join(root, 'config/terrane.schema.json'), 'utf8'));
  const expected = Object.entries(properties).filter(([key]) => key !== '$schema')
    .map(([key, { default: fallback }]) => [key, [fallback ?? []].flat().join(',') || '–']);
  const shown = tableRows('server/README.md', 'Settings')
    .map(([key, fallback]) => [names(key)[0], fallback.replaceAll('`', '')]);
  assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(expected));
});

/* A reload with other values for all settings names those that need a restart. Left alone: the
 * certificate, which must be one, and those that the command line of the test sets. */
test('the manual says which settings a reload changes', async () => {
  const { properties } = JSON.parse(readFileSync(join(root, 'config/terrane.schema.json'), 'utf8'));
  const rows = tableRows('server/README.md', 'Settings').map(([key, , reload]) => [names(key)[0], reload]);
  const folder = temporaryFolder({ 'settings.json': {}, 'empty/README': '' });
  const socket = join(folder.path, 'admin');
  const own = { worlds: [join(folder.path, 'empty')], styles: [join(folder.path, 'empty')], default_world: 'perlin', cache_disk: join(folder.path, 'c'), previews: 1,
    cache_shared: ['memcached://192.0.2.1'], listen: ['127.0.0.1:1'], access_log: join(folder.path, 'l'),
    public_url: 'http://maps.example', allowed_hosts: ['maps.example'], trusted_proxies: ['192.0.2.1'],
    watch: true, frame_ancestors: ['self'], markers: 'players.geojson' };
  const fixed = ['tls_cert', 'tls_key', 'port', 'admin'];
  const other = ([key]) => {
    const { default: fallback, enum: choices, anyOf } = properties[key];
    return [key, own[key] ?? choices?.find((value) => value !== fallback) ?? (anyOf ? '3G' : typeof fallback === 'number' ? fallback + 1 : 'another text')];
  };
  const changed = rows.filter(([key]) => !fixed.includes(key));
  const second = await startServer({ arguments: ['--config', join(folder.path, 'settings.json'), '--admin', socket] });
  try {
    folder.write('settings.json', Object.fromEntries(changed.map(other)));
    const report = execFileSync('curl', ['-sS', '--unix-socket', socket, '-X', 'POST', 'http://terrane/reload'], { encoding: 'utf8' });
    assert.match(report, /^reloaded: generation 2/);
    const waiting = [...report.matchAll(/^(\w+) waits for a restart/gm)].map(([, key]) => key);
    assert.deepEqual(waiting.sort(), changed.filter(([, reload]) => reload === 'no').map(([key]) => key).sort());
    assert.ok(rows.every(([, reload]) => /^(yes|no)$/.test(reload)));
  } finally {
    await second.stop();
    folder.remove();
  }
});

test('every command has a row', () => {
  const commands = [...terrane(['--help']).stdout.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, command]) => command);
  const shown = tableRows('server/README.md', 'Commands').flatMap(([cell]) => names(cell))
    .map((words) => words.replace(/^terrane /, '').split(' ')[0]);
  assert.deepEqual([...new Set(shown)].sort(), commands.sort());
});

test('every route has a row, and every row is a route', async () => {
  const { paths } = await (await fetch(`${server.url}/openapi.json`)).json();
  const plain = (path) => path.replace(/^\/worlds\/\{world\}(?=\/)/, '').replace(/[[?].*$/, '')
    .replace(/\{[^}]*\}/g, '{}').replace(/\.\{\}|@2x/g, '');
  const shown = new Set(tableRows('server/http/README.md', 'Routes')
    .flatMap(([cell]) => names(cell)).map((path) => plain(path.replace(/^POST /, ''))));
  const expected = new Set(Object.keys(paths).filter((path) => !path.startsWith('/viewer/')).map(plain));
  assert.deepEqual([...shown].sort(), [...expected].sort());
});

test('every metric has a row', async () => {
  const page = await (await fetch(`${server.url}/metrics`)).text();
  const metrics = [...page.matchAll(/^# HELP (\S+)/gm)].map(([, metric]) => metric)
    .map((metric) => metric.replace(/^terrane_process_.*/, 'terrane_process_…'));
  const shown = tableRows('server/README.md', 'Metrics').flatMap(([cell]) => names(cell));
  assert.deepEqual(shown.sort(), [...new Set(metrics)].sort());
});

test('every reason of terrane_shed_total has a row', async () => {
  const page = await (await fetch(`${server.url}/metrics`)).text();
  const reasons = [...page.matchAll(/^terrane_shed_total\{reason="(\w+)"/gm)].map(([, reason]) => reason);
  const [, table] = /\n\| reason \| cause \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(manuals.get('server/README.md'));
  const shown = table.trim().split('\n').flatMap((line) => line.split('|')[1].trim().split(', '));
  assert.deepEqual(shown.sort(), reasons.sort());
});

test('every built-in world and style has a row', () => {
  const listed = (command) => terrane([command]).stdout.trim().split('\n').map((line) => line.split(' ')[0]).sort();
  const shown = (name, heading) => tableRows(name, heading).flatMap(([cell]) => names(cell)).sort();
  assert.deepEqual(shown('config/worlds/README.md', 'Built-in worlds'), listed('worlds'));
  assert.deepEqual(shown('config/styles/README.md', 'Built-in styles'), listed('styles'));
});

test('the list of functions is that of the program', () => {
  assert.equal(block('config/worlds/README.md', 'text', 'fbm(wavelength'), terrane(['formulas']).stdout);
});

test('the world of README.md is one, and can be seen', async () => {
  assert.equal(terrane(['check', join(worlds.path, 'hills.json')]).status, 0);
  const response = await fetch(`${server.url}/worlds/hills/tiles/relief/12/2048/2048.png`);
  assert.equal(response.status, 200);
});

test('the worlds of the page for games are worlds, square edges and several places too', () => {
  const worlds_ = gameWorlds();
  assert.deepEqual(Object.keys(worlds_), ['island.json', 'arena.json']);
  const square = worlds_['island.json'].replace('distance(0, 0)', 'max(abs(x), abs(y))');
  const two = worlds_['arena.json'].replace('mix(hills, 12, flat)', 'mix(hills, 12, max(flat, smoothstep(90, 60, distance(900, 0))))');
  const folder = temporaryFolder({ ...worlds_, 'square.json': square, 'two.json': two });
  for (const name of ['island', 'arena', 'square', 'two'])
    assert.equal(terrane(['check', folder.file(`${name}.json`)]).status, 0, name);
  const height = (world, x, y) => Number(/^height\t(\S+)/m.exec(terrane(['query', '--worlds', folder.path, '--world', world, String(x), String(y)]).stdout)[1]);
  assert.deepEqual([height('square', 7900, 8000), height('island', 6000, 6000)], [-40, -40]);
  assert.ok(Math.abs(height('two', 900, 50) - 12) < 1e-5);
  assert.ok(height('square', 6000, 6000) > -40);
});

test('the world in the manual of worlds is one, and its style paints', () => {
  const name = 'config/worlds/README.md';
  const folder = temporaryFolder({ 'hills.json': block(name, 'json', 'Perlin hills') });
  try {
    const world = `${folder.path}/hills.json`;
    assert.equal(terrane(['check', world]).status, 0);
    const { status } = terrane(['render', '--world', world, '--style', 'forest', '--tile',
      '12/2048/2048', '-o', `${folder.path}/hills.png`]);
    assert.equal(status, 0);
    folder.write('broken/hills.json', block(name, 'json', 'Perlin hills').replace('300 * hills', '300 * hils'));
    const { stderr } = terrane(['check', `${folder.path}/broken/hills.json`]);
    const [, error] = /^ {4}hills\.json(:\d+:\d+: layers\.height\.formula: .*)$/m.exec(manuals.get(name));
    assert.ok(stderr.includes(error), stderr);
  } finally {
    folder.remove();
  }
});

test('the world with rivers in the manual of worlds is one, and its style paints', () => {
  const folder = temporaryFolder({ 'rivers.json': block('config/worlds/README.md', 'json', '"Rivers"') });
  try {
    const world = `${folder.path}/rivers.json`;
    assert.equal(terrane(['check', world]).status, 0);
    const { status, stderr } = terrane(['render', '--world', world, '--style', 'rivers', '--tile', '6/32/32',
      '-o', `${folder.path}/rivers.png`]);
    assert.equal(status, 0, stderr);
  } finally {
    folder.remove();
  }
});

test('the style in the manual of styles is one, and so is each step in its table', () => {
  const name = 'config/styles/README.md';
  const steps = tableRows(name, 'Steps').map(([, , cell]) => names(cell ?? '')[0]).filter((text) => text?.startsWith('{ "'));
  assert.ok(steps.length >= 12);
  const files = Object.fromEntries(steps.map((step, i) => [`step${i}.json`, `{ "paint": [ ${step} ] }`]));
  const folder = temporaryFolder({ ...files, 'snow.json': block(name, 'json', '"paint"') });
  try {
    const { status, stderr } = terrane(['check', ...[...Object.keys(files), 'snow.json'].map((file) => join(folder.path, file))]);
    assert.equal(status, 0, stderr);
  } finally {
    folder.remove();
  }
});
