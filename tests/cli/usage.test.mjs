/* Commands, options, help and exit statuses. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { binary, cleanEnvironment, terrane } from './terrane.mjs';

const commands = ['serve', 'render', 'export', 'merge', 'verify', 'query', 'profile', 'stats', 'locate', 'seeds', 'objects', 'trace', 'rivers', 'labels', 'health', 'check', 'worlds', 'styles',
  'formulas', 'names', 'cache', 'bench'];

test('--help lists every command on standard output', () => {
  const { status, stdout, stderr } = terrane(['--help']);
  assert.equal(status, 0);
  assert.equal(stderr, '');
  const listed = [...stdout.matchAll(/^  (\w+) +\S/gm)].map((match) => match[1]);
  assert.deepEqual(listed, commands);
});

test('help, of a command too, and version are commands as well', () => {
  const said = (words) => {
    const { status, stdout, stderr } = terrane(words);
    assert.deepEqual([status, stderr], [0, ''], words.join(' '));
    return stdout;
  };
  for (const word of ['help', '-h']) assert.equal(said([word]), said(['--help']));
  for (const word of ['help', '--help', '-h']) assert.equal(said([word, 'serve']), said(['serve', '--help']));
  for (const word of ['version', '-v', '-V']) assert.equal(said([word]), said(['--version']));
  const unknown = terrane(['help', 'sreve']);
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /unknown command "sreve" \(did you mean "serve"\?\)/);
});

test('help --json has every command, and every option of its help', () => {
  const { status, stdout } = terrane(['help', '--json']);
  assert.equal(status, 0);
  const tables = JSON.parse(stdout);
  assert.deepEqual(tables.commands.map(({ name }) => name), commands);
  for (const { name, options } of tables.commands) {
    const listed = [...terrane([name, '--help']).stdout.matchAll(/^ {2,6}(?:-(\w), )? *--([\w-]+)/gm)].map(([, letter, option]) => [letter, option]);
    assert.deepEqual(options.map((row) => [row.letter, row.name]), listed, name);
  }
  const option = (command, wanted) => tables.commands.find(({ name }) => name === command).options.find(({ name }) => name === wanted);
  assert.deepEqual(option('serve', 'log-format').values, ['text', 'json']);
  assert.deepEqual(option('stats', 'detail').values, ['grid', 'full']);
  assert.deepEqual([option('serve', 'queue').environment, option('serve', 'queue').setting, option('serve', 'queue').default], ['TERRANE_QUEUE', 'queue', '256']);
  const texts = (wanted) => tables.formats.filter(({ text }) => text === wanted).map(({ name }) => name);
  assert.ok(texts(false).includes('png') && texts(false).includes('r32f'));
  assert.deepEqual(texts(true), ['txt', 'ansi']);
  assert.deepEqual(tables.formats.filter(({ archived }) => !archived).map(({ name }) => name).sort(), ['ansi', 'terrain', 'txt']);
});

/* In a terminal of script(1), which joins standard output and error. */
const onTerminal = (line, env) => {
  const { stdout, error } = spawnSync('script', ['-qec', line, '/dev/null'], { env: cleanEnvironment({ TERM: 'xterm', NO_COLOR: '', ...env }), encoding: 'utf8' });
  if (error) throw error;
  return stdout;
};

test('help and errors have colours on terminals only, and none if NO_COLOR is set', () => {
  for (const words of ['help', 'render --help', 'render', 'worlds --config /none']) {
    const line = `${binary} ${words}`;
    assert.match(onTerminal(line), /\x1b\[1(;31)?m(usage|terrane):\x1b\[0m/, words);
    assert.doesNotMatch(onTerminal(line, { NO_COLOR: '1' }), /\x1b/, words);
    assert.doesNotMatch(onTerminal(line, { TERM: 'dumb' }), /\x1b/, words);
    const { stdout, stderr } = terrane(words.split(' '), { env: { TERM: 'xterm' } });
    assert.doesNotMatch(stdout + stderr, /\x1b/, words);
  }
});

test('help is as wide as the terminal, and words stay whole', () => {
  const whole = terrane(['serve', '--help']).stdout.replaceAll(/\s+/g, ' ');
  for (const columns of [80, 132]) {
    const shown = onTerminal(`stty cols ${columns}; ${binary} serve --help`, { NO_COLOR: '1' }).replaceAll('\r', '');
    const options = shown.split('options:\n')[1].split('\n\nSettings')[0].split('\n');
    assert.ok(options.length > 60);
    for (const line of options) {
      assert.ok([...line].length <= columns, line);
      assert.match(line, /^( {2}(-\w,| {3}) --| {36}\S)/, line);
    }
    assert.equal(shown.replaceAll(/\s+/g, ' '), whole);
  }
});

test('--version prints the name and a version', () => {
  const { status, stdout } = terrane(['--version']);
  assert.equal(status, 0);
  assert.match(stdout, /^terrane \d+\.\d+\.\d+\n$/);
});

test('without a command the usage goes to standard error', () => {
  const { status, stdout, stderr } = terrane([]);
  assert.equal(status, 2);
  assert.equal(stdout, '');
  assert.match(stderr, /^usage: terrane COMMAND/);
});

for (const command of commands) {
  test(`${command} --help names its options`, () => {
    const { status, stdout, stderr } = terrane([command, '--help']);
    assert.equal(status, 0);
    assert.equal(stderr, '');
    assert.match(stdout, new RegExp(`^usage: terrane ${command} `));
    assert.match(stdout, /^  -h, --help +this text$/m);
    assert.doesNotMatch(stdout, /null/);
  });
}

test('--help has the text and default of a query\'s parameter', () => {
  assert.match(terrane(['profile', '--help']).stdout, /--samples N +heights along the line \[256\]$/m);
  assert.match(terrane(['stats', '--help']).stdout, /--samples N +samples along the rectangle's longer side \[256\]$/m);
  assert.match(terrane(['stats', '--help']).stdout, /--detail grid\|full +the level of detail of a grid's samples: .* \[grid\]$/m);
  assert.match(terrane(['locate', '--help']).stdout, /--radius METRES +the radius of the search, metres \[10000\]$/m);
});

test('--help has every documented option', () => {
  const named = {
    serve: ['config', 'listen', 'port', 'worlds', 'styles', 'cache-memory', 'print-config', 'json'],
    render: ['world', 'style', 'tile', 'size', 'bbox', 'width', 'output', 'format', 'cols',
      'interval', 'time'],
    query: ['world', 'layer', 'zoom', 'json'],
    worlds: ['json'],
  };
  for (const [command, options] of Object.entries(named)) {
    const { stdout } = terrane([command, '--help']);
    const listed = [...stdout.matchAll(/--([a-z-]+)/g)].map((match) => match[1]);
    for (const option of options) assert.ok(listed.includes(option), `${command} --${option}`);
  }
});

/* words, the first line on standard error */
const misuses = [
  [['sevre'], 'terrane: unknown command "sevre" (did you mean "serve"?)'],
  [['archive'], 'terrane: unknown command "archive"'],
  [['--verbose'], 'terrane: unknown command "--verbose"'],
  [['serve', '--prot', '1'], 'terrane: unknown option "--prot" (did you mean "--port"?)'],
  [['serve', '-x'], 'terrane: unknown option "-x"'],
  [['serve', '--port'], 'terrane: --port needs a value'],
  [['serve', '--port', '65536'],
    'terrane: --port: must be a whole number from 0 to 65535, not "65536"'],
  [['serve', '--cache-memory', '12Q'],
    'terrane: --cache-memory: must be a number of bytes, or one with K, M or G behind it such as '
    + '256M, not "12Q"'],
  [['serve', '--listen', '127.0.0.1'],
    'terrane: --listen: must be HOST:PORT such as 127.0.0.1:8080, [::1]:8080 or https://0.0.0.0:8443, a port alone, or unix:/PATH, not "127.0.0.1"'],
  [['serve', '--listen', '::1:80'],
    'terrane: --listen: must be HOST:PORT such as 127.0.0.1:8080, [::1]:8080 or https://0.0.0.0:8443, a port alone, or unix:/PATH, not "::1:80"'],
  [['serve', '--listen', 'unix:terrane.sock'],
    'terrane: --listen: a unix socket\'s path begins with / and has at most 107 bytes, unlike "terrane.sock"'],
  [['serve', '--listen', 'unix:/tmp/x?mode=999'],
    'terrane: --listen: a unix socket\'s mode is octal, such as ?mode=0660, not "?mode=999"'],
  [['serve', '--log-level', 'loud'],
    'terrane: --log-level: must be error, warning, info or debug, not "loud"'],
  [['serve', '--log-format', 'xml'], 'terrane: --log-format: must be text or json, not "xml"'],
  [['serve', '--loops', '257'], 'terrane: --loops: must be a whole number from 0 to 256, not "257"'],
  [['serve', 'now'], 'terrane: unexpected argument "now"'],
  [['serve', '--json'], 'terrane: --json goes with --print-config only'],
  [['worlds', 'terra'], 'terrane: unexpected argument "terra"'],
  [['styles', 'x'], 'terrane: unexpected argument "x"'],
  [['formulas', 'x'], 'terrane: unexpected argument "x"'],
  [['bench', 'x'], 'terrane: unexpected argument "x"'],
  [['health', 'http://127.0.0.1:1', 'x'], 'terrane: unexpected argument "x"'],
  ...['127.0.0.1:80', 'https://127.0.0.1', 'http://', 'http://a:0', 'http://a:65536', 'http://[::1', 'http://a b', 'http://a/\t']
    .map((url) => [['health', url],
      `terrane: the URL must be http://HOST[:PORT][/PATH] such as http://127.0.0.1:8080, not "${url}"`]),
  [['query'],
    'terrane: query needs a place: X Y in metres, or - to read places from standard input'],
  [['query', '5'],
    'terrane: query needs a place: X Y in metres, or - to read places from standard input'],
  [['query', '1', '2', '3'], 'terrane: unexpected argument "3"'],
  [['query', '--zoom', '21', '1', '2'],
    'terrane: --zoom: must be a whole number from 0 to 20, not "21"'],
  [['query', '--zoom', '-1', '1', '2'],
    'terrane: --zoom: must be a whole number from 0 to 20, not "-1"'],
  [['render'], 'terrane: give either --tile Z/X/Y or --bbox X0,Y0,X1,Y1'],
  [['render', '--tile', '0/0/0', '--bbox', '0,0,1,1', '-o', 'x.png'],
    'terrane: give either --tile Z/X/Y or --bbox X0,Y0,X1,Y1'],
  [['render', '--tile', '0/0/0'], 'terrane: -o FILE is needed ("-" for standard output)'],
  [['render', '--tile', '0/0/0', '-o', 'x.jpg'],
    'terrane: the extension of "x.jpg" must be one of png, webp, r32f, r16, json, mvt, txt, ansi, '
    + 'tif, npy, terrain, or --format say one'],
  [['render', '--tile', '3/8/0', '-o', 'x.terrain'],
    'terrane: --tile: tile x 8 is out of range; at zoom 3 it goes from 0 to 7'],
  [['render', '--tile', '0/0/0', '-o', 'png'],
    'terrane: the extension of "png" must be one of png, webp, r32f, r16, json, mvt, txt, ansi, tif, npy, terrain, or '
    + '--format say one'],
  [['render', '--tile', '0/0/0', '-o', 'folder.png/x'],
    'terrane: the extension of "folder.png/x" must be one of png, webp, r32f, r16, json, mvt, txt, '
    + 'ansi, tif, npy, terrain, or --format say one'],
  [['render', '--tile', '0/0/0', '-o', '-', '--format', 'jpg'],
    'terrane: --format must be one of png, webp, r32f, r16, json, mvt, txt, ansi, tif, npy, terrain, not "jpg"'],
  [['render', '--tile', '0/0/0', '-o', 'x.png', '--format', 'webp'],
    'terrane: --format webp and the extension of "x.png" are not the same'],
  [['render', '--tile', '0/0/0', '-o', 'x.png', '--cols', '90'],
    'terrane: --cols is for other formats than png'],
  [['render', '--tile', '0/0/0', '-o', 'x.txt', '--cols', '201'],
    'terrane: --cols: must be a whole number from 8 to 200, not "201"'],
  [['render', '--tile', '0/0/0', '-o', 'x.json', '--interval', '9'],
    'terrane: --interval is for other formats than json'],
  [['render', '--tile', '0/0/0', '-o', 'x.mvt', '--interval', '0'],
    'terrane: --interval must be above 0, to 1000000, not 0'],
  [['render', '--tile', '0/0/0', '-o', 'x.mvt', '--interval', '1000001'],
    'terrane: --interval must be above 0, to 1000000, not 1000001'],
  [['render', '--tile', '0/0/0', '-o', 'x.mvt', '--style', 'biome'],
    'terrane: --style is for other formats than mvt'],
  [['render', '--tile', '0/0', '-o', 'x.png'],
    'terrane: --tile: must be Z/X/Y such as 3/4/2, not "0/0"'],
  [['render', '--tile', '0/0/0/0', '-o', 'x.png'],
    'terrane: --tile: must be Z/X/Y such as 3/4/2, not "0/0/0/0"'],
  [['render', '--tile', '21/0/0', '-o', 'x.png'],
    'terrane: --tile: the zoom must be from 0 to 20, not 21'],
  [['render', '--tile', '0/0/0', '--size', '300', '-o', 'x.png'],
    'terrane: --size of png tiles must be one of 256, 512, not 300'],
  [['render', '--tile', '0/0/0', '--size', '256', '-o', 'x.json'],
    'terrane: --size of json tiles must be one of 1, 2, 4, 8, 16, 32, 64, not 256'],
  [['render', '--tile', '0/0/0', '--size', '512', '-o', 'x.ansi'],
    'terrane: --size of ansi tiles must be one of 256, not 512'],
  [['render', '--bbox', '0,0,9,9', '--width', '9', '-o', 'x.mvt'],
    'terrane: --bbox: a rectangle comes as png, webp, r32f, r16, tif, npy; mvt is of a --tile'],
  [['render', '--bbox', '0,0,9,9', '--width', '9', '-o', 'x.png', '--cols', '9'],
    'terrane: --cols is for other formats than png'],
  [['render', '--bbox', '0,0,16384,16384', '--width', '16384', '-o', 'x.webp'],
    'terrane: --bbox: a webp picture of 16384 x 16384 pixels: at most 16383 a side, use a smaller '
    + '--width or another format'],
  [['render', '--tile', '0/0/0', '--width', '300', '-o', 'x.png'],
    'terrane: --width goes with --bbox'],
  [['render', '--bbox', '0,0,1,1', '-o', 'x.png'], 'terrane: --bbox needs --width'],
  [['render', '--bbox', '0,0,1,1', '--width', '9', '--size', '512', '-o', 'x.png'],
    'terrane: --size goes with --tile; a --bbox has a --width'],
  [['render', '--bbox', '0,0,1', '--width', '9', '-o', 'x.png'],
    'terrane: --bbox: must be X0,Y0,X1,Y1 in metres, not "0,0,1"'],
  [['render', '--bbox', '0,0,0,1', '--width', '9', '-o', 'x.png'],
    'terrane: --bbox: X0 must be less than X1 and Y0 less than Y1 (y grows to the south)'],
  [['render', '--bbox', '0,0,1,1', '--width', '131073', '-o', 'x.png'],
    'terrane: --bbox: a pixel would be smaller than 2^-16 m: use a width of less pixels'],
];

for (const [words, message] of misuses) {
  test(`wrong usage: ${words.join(' ') || '(nothing)'}`, () => {
    const { status, stdout, stderr } = terrane(words);
    assert.equal(stderr.split('\n')[0], message);
    assert.equal(status, 2);
    assert.equal(stdout, '');
  });
}
