/* Commands, options, help and exit statuses. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terrane } from './terrane.mjs';

const commands = ['serve', 'render', 'query', 'check', 'worlds', 'styles', 'formulas',
  'bench'];

test('--help lists every command on standard output', () => {
  const { status, stdout, stderr } = terrane(['--help']);
  assert.equal(status, 0);
  assert.equal(stderr, '');
  const listed = [...stdout.matchAll(/^  (\w+) +\S/gm)].map((match) => match[1]);
  assert.deepEqual(listed, commands);
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
  });
}

test('help has every option that the contract names', () => {
  const named = {
    serve: ['config', 'listen', 'port', 'worlds', 'styles', 'cache-memory', 'print-config', 'json'],
    render: ['world', 'style', 'tile', 'size', 'bbox', 'width', 'output', 'time'],
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
  [['export'], 'terrane: unknown command "export"'],
  [['--verbose'], 'terrane: unknown command "--verbose"'],
  [['serve', '--prot', '1'], 'terrane: unknown option "--prot" (did you mean "--port"?)'],
  [['serve', '-x'], 'terrane: unknown option "-x"'],
  [['serve', '--port'], 'terrane: --port needs a value'],
  [['serve', '--port', '65536'],
    'terrane: --port: must be a whole number from 0 to 65535, not "65536"'],
  [['serve', '--cache-memory', '12Q'],
    'terrane: --cache-memory: must be a number of bytes, or one with K, M or G behind it such as '
    + '256M, not "12Q"'],
  [['serve', '--listen', '8080'],
    'terrane: listen must be HOST:PORT such as 127.0.0.1:8080 or [::1]:8080, not "8080"'],
  [['serve', '--listen', '::1:80'],
    'terrane: listen must be HOST:PORT such as 127.0.0.1:8080 or [::1]:8080, not "::1:80"'],
  [['serve', 'now'], 'terrane: unexpected argument "now"'],
  [['serve', '--json'], 'terrane: --json goes with --print-config only'],
  [['worlds', 'terra'], 'terrane: unexpected argument "terra"'],
  [['styles', 'x'], 'terrane: unexpected argument "x"'],
  [['formulas', 'x'], 'terrane: unexpected argument "x"'],
  [['bench', 'x'], 'terrane: unexpected argument "x"'],
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
    'terrane: the extension of "x.jpg" must be .png: PNG is the format there is'],
  [['render', '--tile', '0/0/0', '-o', 'png'],
    'terrane: the extension of "png" must be .png: PNG is the format there is'],
  [['render', '--tile', '0/0', '-o', 'x.png'],
    'terrane: --tile: must be Z/X/Y such as 3/4/2, not "0/0"'],
  [['render', '--tile', '0/0/0/0', '-o', 'x.png'],
    'terrane: --tile: must be Z/X/Y such as 3/4/2, not "0/0/0/0"'],
  [['render', '--tile', '21/0/0', '-o', 'x.png'],
    'terrane: --tile: the zoom must be from 0 to 20, not 21'],
  [['render', '--tile', '0/0/0', '--size', '300', '-o', 'x.png'],
    'terrane: --size must be 256 or 512'],
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
