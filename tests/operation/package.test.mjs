/* What a package brings: manual pages, completion, settings, units, and the Debian package itself. Pages and
 * completion are compared with the program's own tables; programs that read them are used where they are. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import Ajv2020 from 'ajv/dist/2020.js';
import { binary, cleanEnvironment, root, terrane } from '../cli/terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { examples, hills } from '../../config/package/examples.mjs';

const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const folder = temporaryFolder();
const built = folder.file('build');
mkdirSync(`${built}/package`, { recursive: true });
symlinkSync(binary, `${built}/terrane`);
symlinkSync(join(dirname(binary), 'page'), `${built}/page`);
const run = (program, words, env = {}) => execFileSync(program, words, { cwd: root, env: { ...cleanEnvironment(), ...env }, encoding: 'utf8' });
run('node', ['config/package/man.mjs', binary, 'config', `${built}/package/man`]);
run('node', ['config/package/completion.mjs', binary, `${built}/package/completion`]);

const tables = JSON.parse(terrane(['help', '--json']).stdout);

function install(action, destination, prefix) {
  return run('config/package/install.sh', [action, 'program'], { BUILD: built, DESTDIR: destination, PREFIX: prefix, LIBDIR: `${prefix}/lib`,
    SYSCONFDIR: prefix === '/usr' ? '/etc' : `${prefix}/etc`, SOURCE_DATE_EPOCH: '1700000000' });
}
const filesIn = (path) => readdirSync(path, { recursive: true }).filter((name) => !statSync(join(path, name)).isDirectory()).sort();

const usr = folder.file('with space/root');
install('install', usr, '/usr');
const page = (name) => gunzipSync(readFileSync(`${usr}/usr/share/man/man${name.at(-1)}/${name}.gz`)).toString();
/* The words of a page without its markup. */
const plain = (name) => page(name).replace(/\\f[BIRP]/g, '').replaceAll('\\-', '-').replaceAll('\\e', '\\');

test('every command, option, setting and variable is in its manual page', () => {
  assert.ok(tables.commands.length >= 20);
  for (const { name, options } of tables.commands) {
    const text = plain(`terrane-${name}.1`);
    for (const { name: option, letter, environment, default: initial } of options) {
      const line = `${letter ? `-${letter}, ` : ''}--${option}`;
      assert.ok(text.split('\n').some((each) => each === line || each.startsWith(`${line} `)), `${name}: ${line}`);
      if (environment) assert.ok(text.includes(environment), environment);
      if (initial) assert.ok(text.includes(`Default: ${initial}`) || text.includes(initial), `${name} ${option}: ${initial}`);
    }
    assert.ok(plain('terrane.1').includes(`terrane-${name}(1)`), name);
  }
  const { properties } = JSON.parse(readFileSync(`${root}/config/terrane.schema.json`));
  for (const key of Object.keys(properties)) if (key !== '$schema') assert.ok(plain('terrane-settings.5').includes(`\n${key}\n`), key);
  for (const [name, file] of [['world', 'terrane-world.5'], ['style', 'terrane-style.5']]) {
    const schema = JSON.parse(readFileSync(`${root}/config/${name}.schema.json`));
    for (const object of [schema, ...Object.values(schema.$defs)])
      for (const key of Object.keys(object.properties ?? {})) assert.match(plain(file), new RegExp(`^(\\.SS ")?${key.replace('$', '\\$')}"?$`, 'm'), key);
  }
  const functions = JSON.parse(terrane(['formulas', '--json']).stdout);
  const flat = plain('terrane-world.5').replace(/\s+/g, ' ');
  for (const { signature } of functions) assert.ok(flat.includes(signature), signature);
});

test('the pages name the version, the date and the folders of the prefix', () => {
  assert.match(page('terrane.1'), new RegExp(`^\\.TH "TERRANE" 1 "2023-11-14" "terrane ${tables.version}"`));
  assert.ok(page('terrane-world.5').includes('/usr/share/terrane/world.schema.json'));
  for (const name of filesIn(`${usr}/usr/share/man`)) assert.doesNotMatch(gunzipSync(readFileSync(`${usr}/usr/share/man/${name}`)).toString(), /@[A-Z]+@|undefined|[^\x00-\x7f]/, name);
});

test('the pages say what signals do to the exit status', () => {
  for (const { name } of tables.commands) assert.match(page(`terrane-${name}.1`), /128 \+ N\n[^]*130 for SIGINT, 143\sfor SIGTERM/, name);
});

test('the pages are without warnings', { skip: !has('mandoc') && 'mandoc not installed' }, () => {
  const pages = readdirSync(`${built}/package/man`).map((name) => {
    writeFileSync(folder.file(name), page(name));
    return folder.file(name);
  });
  const { stdout, status } = spawnSync('mandoc', ['-Tlint', '-Wwarning', ...pages], { encoding: 'utf8' });
  assert.deepEqual([stdout, status], ['', 0]);
});

test('pages without warnings of groff', { skip: !has('groff') && 'groff not installed' }, () => {
  for (const name of readdirSync(`${built}/package/man`)) {
    const { stderr, status } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z'], { input: page(name), encoding: 'utf8' });
    assert.deepEqual([stderr, status], ['', 0], name);
  }
});

/* What each shell offers for a line: the words after "->". */
const offers = [
  ['terrane re', ['render']], ['terrane help se', ['seeds', 'serve']], ['terrane render --form', ['--format']],
  ['terrane render --format ', tables.formats.map(({ name }) => name)], ['terrane export --format t', ['tif'].filter((name) => tables.formats.some((format) => format.name === name))], ['terrane serve --log-level ', ['debug', 'error', 'info', 'warning']],
  ['terrane stats --detail ', ['full', 'grid']], ['terrane render --world archi', ['archipelago']],
  ['terrane render --style hill', ['hillshade']], ['terrane render --world clouds --style clo', ['clouds']],
  ['terrane export --style relief,hill', ['relief,hillshade']],
];
const binaries = folder.file('bin');
mkdirSync(binaries);
symlinkSync(binary, `${binaries}/terrane`);
const shell = (program, words) => execFileSync(program, words, { cwd: root, encoding: 'utf8', env: { ...cleanEnvironment(), PATH: `${binaries}:${process.env.PATH}` } });

test('bash completes commands, options, values, worlds and styles', () => {
  for (const [line, expected] of [...offers, ['terrane check LICEN', ['LICENSE']], ['terrane render -o LICEN', ['LICENSE']], ['terrane render --format = web', ['webp']], ['terrane query 5 ./conf', []]]) {
    const said = shell('bash', ['-c', `source "$1"; COMP_WORDS=($2); [[ $2 != *' ' ]] || COMP_WORDS+=(''); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _terrane; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash', `${usr}/usr/share/bash-completion/completions/terrane`, line]);
    assert.deepEqual(said.split('\n').filter(Boolean).sort(), [...expected].sort(), line);
  }
});

test('fish completes the same', { skip: !has('fish') && 'fish not installed' }, () => {
  for (const [line, expected] of offers) {
    const said = shell('fish', ['--no-config', '-c', `source '${usr}/usr/share/fish/vendor_completions.d/terrane.fish'; complete -C '${line}'`]);
    assert.deepEqual(said.split('\n').filter(Boolean).map((text) => text.split('\t')[0]).sort(), [...expected].sort(), line);
  }
});

test('zsh reads its completion', { skip: !has('zsh') && 'zsh not installed' }, () => {
  shell('zsh', ['-n', `${usr}/usr/share/zsh/vendor-completions/_terrane`]);
});

/* The script starts hundreds of programs each time. */
test('installing keeps changed settings, uninstalling removes what was installed', { timeout: 60_000 }, () => {
  const one = folder.file('one');
  install('install', one, '/usr/local');
  const first = filesIn(one);
  install('install', one, '/usr/local');
  assert.deepEqual(filesIn(one), first);
  assert.match(readFileSync(`${one}/usr/local/lib/systemd/system/terrane.service`, 'utf8'), /^ExecStart=\/usr\/local\/bin\/terrane serve --config \/usr\/local\/etc\/terrane\/terrane\.json$/m);
  const own = `${one}/usr/local/etc/terrane/terrane.json`;
  writeFileSync(own, '{"queue": 7}\n');
  install('install', one, '/usr/local');
  assert.equal(readFileSync(own, 'utf8'), '{"queue": 7}\n');
  writeFileSync(`${one}/usr/local/bin/other`, '');
  assert.match(install('uninstall', one, '/usr/local'), /kept, as it was changed: .*terrane\.json/);
  assert.deepEqual(filesIn(one), ['usr/local/bin/other', 'usr/local/etc/terrane/terrane.json']);
  const two = folder.file('two');
  install('install', two, '/usr');
  install('uninstall', two, '/usr');
  assert.deepEqual(filesIn(two), []);
  for (const gone of ['usr/share/terrane', 'etc/terrane', 'usr/share/doc/terrane']) assert.ok(!existsSync(`${two}/${gone}`), gone);
  const { status, stderr } = spawnSync('config/package/install.sh', ['install'], { cwd: root, encoding: 'utf8',
    env: { ...cleanEnvironment(), BUILD: built, DESTDIR: two, PREFIX: 'usr', LIBDIR: '/lib', SYSCONFDIR: '/etc', SOURCE_DATE_EPOCH: '0' } });
  assert.equal(status, 2);
  assert.match(stderr, /PREFIX and LIBDIR must begin with \/ .*unlike "usr"/);
});

/* Servers, and a measurement, take longer than a test may. */
const notRun = ['serve', 'health', 'cache', 'bench'];

test('the examples of the manual pages run', () => {
  const place = temporaryFolder({ 'hills.json': `${hills.join('\n')}\n` }).path;
  const env = { ...cleanEnvironment(), PATH: `${binaries}:${process.env.PATH}` };
  assert.deepEqual(Object.keys(examples).filter((name) => !tables.commands.some((command) => command.name === name)), []);
  for (const [name, parts] of Object.entries(examples)) {
    for (const line of parts.flatMap(([, ...lines]) => lines)) {
      assert.ok(plain(`terrane-${name}.1`).split('\n').includes(line), line);
      /* Nobody waits for 87381 tiles here. */
      const words = notRun.includes(name) ? `${line} --help` : line.replace('--zoom 0-8', '--zoom 0-1');
      const { status, stderr } = spawnSync('sh', ['-c', words], { cwd: place, env, encoding: 'utf8' });
      assert.equal(status, 0, `${line}: ${stderr}`);
    }
  }
  assert.ok(readFileSync(`${place}/joined.pmtiles`).equals(readFileSync(`${place}/terra.pmtiles`)));
});

test('the licences are those of the program and of what the map page is made of', () => {
  const text = readFileSync(`${usr}/usr/share/doc/terrane/copyright`, 'utf8');
  assert.ok(text.startsWith(readFileSync(`${root}/LICENSE`, 'utf8')));
  for (const name of ['leaflet', 'maplibre-gl']) assert.match(text, new RegExp(`^${name} \\d`, 'm'));
});

test('the installed settings, worlds and styles are good', () => {
  const data = `${usr}/usr/share/terrane`;
  const content = JSON.parse(readFileSync(`${usr}/etc/terrane/terrane.json`));
  assert.equal(content.$schema, '/usr/share/terrane/terrane.schema.json');
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(readFileSync(`${usr}${content.$schema}`)));
  assert.ok(validate(content), JSON.stringify(validate.errors));
  const files = filesIn(data).filter((name) => /^(worlds|styles)\//.test(name)).map((name) => join(data, name));
  assert.ok(files.length > 20);
  assert.equal(terrane(['check', `${usr}/etc/terrane/terrane.json`, ...files]).status, 0);
  for (const name of files) assert.ok(existsSync(join(name, '..', JSON.parse(readFileSync(name)).$schema)), name);
});

const noDpkg = !(has('dpkg-deb') && has('dpkg-shlibdeps')) && 'dpkg-dev not installed';

/* It is made twice. */
test('the Debian package holds what make install puts there, and the same bytes each time', { skip: noDpkg, timeout: 60_000 }, () => {
  const version = tables.version;
  const env = { BUILD: built, PREFIX: '/usr', LIBDIR: '/usr/lib', SYSCONFDIR: '/etc', SOURCE_DATE_EPOCH: '1700000000', DPKG_DEB_COMPRESSOR_TYPE: 'none' };
  const build = (name) => {
    mkdirSync(folder.file(name));
    return run('config/package/deb.sh', [folder.file(name), 'terrane'], env).trim();
  };
  const [file, again] = [build('deb'), build('deb again')];
  assert.ok(readFileSync(file).equals(readFileSync(again)));
  const field = (name) => run('dpkg-deb', ['--field', file, name]).trim();
  assert.deepEqual([field('Package'), field('Version'), field('Architecture')], ['terrane', version, run('dpkg', ['--print-architecture']).trim()]);
  for (const library of ['libc6', 'libmicrohttpd12', 'libpng16-16', 'libcjson1']) assert.match(field('Depends'), new RegExp(`\\b${library.replace(/\d+$/, '')}`));
  run('dpkg-deb', ['--raw-extract', file, folder.file('extracted')]);
  const inside = filesIn(folder.file('extracted')).filter((name) => !name.startsWith('DEBIAN/'));
  assert.deepEqual(inside.filter((name) => name !== 'usr/share/doc/terrane/changelog.gz'), filesIn(usr));
  assert.equal(readFileSync(folder.file('extracted/DEBIAN/conffiles'), 'utf8'), '/etc/terrane/terrane.json\n');
  execFileSync('md5sum', ['--quiet', '-c', 'DEBIAN/md5sums'], { cwd: folder.file('extracted') });
  for (const script of ['postinst', 'prerm', 'postrm']) assert.ok(statSync(folder.file(`extracted/DEBIAN/${script}`)).mode & 0o111, script);
  for (const line of run('dpkg-deb', ['--contents', file]).split('\n').filter(Boolean)) assert.match(line, /^[-d]rw[-x]r-[-x]r-[-x] root\/root/, line);
});
