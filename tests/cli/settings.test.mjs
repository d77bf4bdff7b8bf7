/* Settings: flags over the environment over the file over the defaults. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { root, terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const folder = temporaryFolder();

function printed(words = [], env = {}) {
  const { status, stdout, stderr } = terrane(['serve', ...words, '--print-config', '--json'],
    { env });
  assert.equal(stderr, '');
  assert.equal(status, 0);
  return JSON.parse(stdout);
}

test('config/terrane.json holds every setting at its default', () => {
  const file = JSON.parse(readFileSync(`${root}/config/terrane.json`));
  const settings = printed();
  delete settings.config;
  assert.deepEqual(Object.fromEntries(Object.entries(settings).map(([k, v]) => [k, v.value])),
    file);
  for (const { origin } of Object.values(settings)) assert.equal(origin, 'default');
});

test('config/terrane.json is valid', () => {
  assert.equal(printed(['--config', 'config/terrane.json']).queue.origin,
    'file config/terrane.json');
});

test('a flag overrides the environment, which overrides the file', () => {
  folder.write('all.json', { queue: 1, timeout: 2, drain: 3, cache_memory: '1G', loops: 7 });
  const file = `${folder.path}/all.json`;
  const settings = printed(['--config', file, '--queue', '11'],
    { TERRANE_QUEUE: '21', TERRANE_TIMEOUT: '22' });
  assert.deepEqual(settings.queue, { value: 11, origin: 'flag --queue' });
  assert.deepEqual(settings.timeout, { value: 22, origin: 'environment TERRANE_TIMEOUT' });
  assert.deepEqual(settings.drain, { value: 3, origin: `file ${file}` });
  assert.deepEqual(settings.cache_memory, { value: '1G', origin: `file ${file}` });
  assert.deepEqual(settings.connections, { value: 4096, origin: 'default' });
});

test('the environment may name the settings file', () => {
  folder.write('env.json', { queue: 5 });
  const settings = printed([], { TERRANE_CONFIG: `${folder.path}/env.json` });
  assert.equal(settings.queue.value, 5);
  assert.equal(settings.config.origin, 'environment TERRANE_CONFIG');
});

test('lists come from repeated flags, colons and arrays, and replace each other', () => {
  folder.write('list.json', { worlds: ['f'], allowed_hosts: ['a.example', 'b.example'] });
  const config = ['--config', `${folder.path}/list.json`];
  assert.deepEqual(printed(config).allowed_hosts.value, ['a.example', 'b.example']);
  assert.deepEqual(printed(config, { TERRANE_WORLDS: 'e1:e2' }).worlds.value, ['e1', 'e2']);
  assert.deepEqual(printed([...config, '--worlds', 'a', '--worlds', 'b'],
    { TERRANE_WORLDS: 'e1:e2' }).worlds.value, ['a', 'b']);
});

test('addresses to listen on are a list, separated by commas in the environment', () => {
  const listen = ['127.0.0.1:1', '[::1]:2', 'unix:/tmp/x'];
  assert.deepEqual(printed([], { TERRANE_LISTEN: listen.join(',') }).listen.value, listen);
  assert.deepEqual(printed(listen.flatMap((one) => ['--listen', one])).listen.value, listen);
  folder.write('one.json', { listen: '127.0.0.1:3' });
  assert.deepEqual(printed(['--config', `${folder.path}/one.json`]).listen.value, ['127.0.0.1:3']);
});

test('the table is readable', () => {
  const { status, stdout } = terrane(['serve', '--print-config', '--cache-memory', '1M']);
  assert.equal(status, 0);
  assert.match(stdout, /^cache_memory +1M +flag --cache-memory$/m);
  assert.match(stdout, /^listen +127\.0\.0\.1:8080 +default$/m);
  assert.match(stdout, /^port +- +default$/m);
});

/* file content, what standard error says behind the file's name */
const badFiles = [
  ['{"quue": 1}', 'unknown key "quue" (did you mean "queue"?)', ''],
  ['{"queue": "5"}', 'queue: must be a number, not a string', ''],
  ['{"queue": 0}', 'queue: must be a whole number from 1 to 16384, not "0"', ''],
  ['{"queue": 1.5}', 'queue: must be a whole number from 1 to 16384, not "1.5"', ''],
  ['{"listen": 80}', 'listen: must be an array of strings, not a number', ''],
  ['{"cache_memory": true}', 'cache_memory: must be a number or a string such as "256M"', ''],
  ['{"worlds": "a"}', 'worlds: must be an array of strings, not a string', ''],
  ['{"worlds": ["a", 5]}', 'worlds[1]: must be a string, not a number', ''],
  ['{"worlds": [""]}', 'worlds[0]: must not be empty', ''],
  ['{"config": "x"}', 'unknown key "config"', ''],
  ['[]', 'settings must be an object, not an array', ''],
  ['{"queue": 1, "queue": 2}', 'queue', 'twice'],
  ['{"queue": 1', ':1:12: ', ''],
];

for (const [text, ...parts] of badFiles) {
  test(`refused: ${text}`, () => {
    folder.write('bad.json', text);
    const file = `${folder.path}/bad.json`;
    const { status, stdout, stderr } = terrane(['serve', '--print-config', '--config', file]);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.ok(stderr.startsWith(`terrane: ${file}:1:`), stderr);
    for (const part of parts) assert.ok(stderr.includes(part), stderr);
  });
}

test('the error for a missing settings file names it', () => {
  const { status, stderr } = terrane(['serve', '--config', '/nonexistent/x.json']);
  assert.equal(status, 1);
  assert.equal(stderr,
    'terrane: /nonexistent/x.json: cannot be opened: No such file or directory\n');
});

test('the error for a bad variable names it', () => {
  const { status, stderr } = terrane(['serve', '--print-config'],
    { env: { TERRANE_QUEUE: 'many' } });
  assert.equal(status, 1);
  assert.equal(stderr,
    'terrane: TERRANE_QUEUE: must be a whole number from 1 to 16384, not "many"\n');
});

test('an empty variable counts as not set', () => {
  folder.write('some.json', { cache_disk: 'from-file.db', queue: 9 });
  const settings = printed(['--config', `${folder.path}/some.json`],
    { TERRANE_CACHE_DISK: '', TERRANE_QUEUE: '', TERRANE_WORLDS: '', TERRANE_LOG_LEVEL: '' });
  assert.equal(settings.cache_disk.value, 'from-file.db');
  assert.equal(settings.queue.value, 9);
  assert.deepEqual(settings.worlds, { value: [], origin: 'default' });
  assert.deepEqual(settings.log_level, { value: 'info', origin: 'default' });
  assert.deepEqual(printed([], { TERRANE_CONFIG: '' }).config, { value: null, origin: 'default' });
});

test('a variable that a command does not use is ignored', () => {
  const { status } = terrane(['worlds'], { env: { TERRANE_QUEUE: 'many' } });
  assert.equal(status, 0);
});
