/* config/terrane.schema.json is the program's own, and it, --help, the flags, the environment and the settings file
 * have the same settings, since all come from one table. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import Ajv2020 from 'ajv/dist/2020.js';
import { parseAllDocuments } from 'yaml';
import { root, terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const folder = temporaryFolder();

const committed = readFileSync(`${root}/config/terrane.schema.json`, 'utf8');
const schema = JSON.parse(committed);
const defaults = JSON.parse(readFileSync(`${root}/config/terrane.json`));
const validate = new Ajv2020({ allowUnionTypes: true }).compile(schema);
const settings = Object.keys(schema.properties).filter((key) => key !== '$schema');
const flag = (key) => `--${key.replaceAll('_', '-')}`;
const variable = (key) => `TERRANE_${key.toUpperCase()}`;

/* The settings that a run would use, or null if it refuses them. */
function printed(words, env = {}) {
  const { status, stdout } = terrane(['serve', ...words, '--print-config', '--json'], { env });
  return status === 0 ? JSON.parse(stdout) : null;
}

test('the committed schema is what the program prints', () => {
  const { status, stdout } = terrane(['serve', '--print-schema']);
  assert.equal(status, 0);
  assert.equal(stdout, committed);
});

test('config/terrane.json is valid, and has every setting at the default of the schema', () => {
  assert.ok(validate(defaults), JSON.stringify(validate.errors));
  assert.deepEqual(Object.fromEntries(settings.map((key) => [key, schema.properties[key].default])), defaults);
});

test('a file may name its schema', () => {
  folder.write('named.json', { $schema: 'terrane.schema.json', queue: 7 });
  assert.equal(printed(['--config', `${folder.path}/named.json`]).queue.value, 7);
  assert.ok(validate({ $schema: 'terrane.schema.json', queue: 7 }));
});

/* Another value than the default, as text and as JSON. */
function other(key) {
  const { type, anyOf, enum: choices, minimum } = schema.properties[key];
  if (choices) return [choices[1], choices[1]];
  if (anyOf) return ['3G', '3G'];
  if (type.includes('integer')) return [String(minimum + 1), minimum + 1];
  if (type.includes('boolean')) return ['1', true];
  const text = { listen: '[::1]:80', cache_shared: 'memcached://192.0.2.1', public_url: 'https://maps.example', frame_ancestors: 'self' }[key] ?? '192.0.2.1';
  return [text, type.includes('array') ? [text] : text];
}

test('each setting is a flag, a variable, a key and a line of --help', () => {
  const help = terrane(['serve', '--help']).stdout;
  for (const key of settings) {
    const [text, value] = other(key);
    folder.write('one.json', { [key]: value });
    const file = `${folder.path}/one.json`;
    const words = value === true ? [flag(key)] : [flag(key), text];
    assert.deepEqual(printed(words)[key], { value, origin: `flag ${flag(key)}` });
    assert.deepEqual(printed([], { [variable(key)]: text })[key], { value, origin: `environment ${variable(key)}` });
    assert.deepEqual(printed(['--config', file])[key], { value, origin: `file ${file}` });
    const lines = help.split('\n').filter((line) => line.trim().startsWith(`${flag(key)} `));
    assert.equal(lines.length, 1, key);
    const [, text_, own, , environment, , game] = /^(.*) \((--\S+)( .*)?, (TERRANE_\w+)\)(\. The profile game has (\S+) by default)?$/
      .exec(schema.properties[key].description);
    assert.ok(lines[0].includes(text_), key);
    assert.equal(lines[0].includes(`; for a game ${game}]`), game !== undefined, key);
    assert.deepEqual([own, environment], [flag(key), variable(key)]);
  }
  assert.deepEqual(Object.keys(printed([])).filter((key) => key !== 'config').sort(), [...settings].sort());
});

/* ajv and the program agree on a file. */
const values = [0, 1, -1, 2.5, 257, 65536, 1e15, '', 'x', '1', '256M', '0x10', '01', '-1', '1KB', 'json', 'combined', 'JSON', 'text', 'debug', 'loud',
  true, null, [], ['a', 'b'], [''], [1], 'a:b', {}];

/* Only the program checks addresses. */
const addresses = new Set(['listen', 'cache_shared', 'public_url', 'trusted_proxies', 'frame_ancestors', 'markers']);
const isEmpty = (value) => value === null || value.length === 0;

for (const key of settings) {
  test(`the schema and the program agree on ${key}`, () => {
    for (const value of values) {
      folder.write('one.json', { [key]: value });
      const taken = printed(['--config', `${folder.path}/one.json`]) !== null;
      const valid = validate({ [key]: value });
      /* Only the program checks the range of a size given as text. */
      const unranged = typeof value === 'string' && schema.properties[key].anyOf;
      assert.equal(valid, unranged ? valid && /^\d+[KMG]?$/.test(value) : taken || (valid && addresses.has(key) && !isEmpty(value)), `${key}: ${JSON.stringify(value)}`);
      assert.ok(valid || !taken, `${key}: ${JSON.stringify(value)}`);
    }
  });
}

test('the values of an enumerated setting are in the schema, in --help and in its error', () => {
  const help = terrane(['serve', '--help']).stdout;
  const choices = Object.fromEntries(settings.filter((key) => schema.properties[key].enum)
    .map((key) => [key, schema.properties[key].enum]));
  assert.deepEqual(choices, { log_format: ['text', 'json', null], log_level: ['error', 'warning', 'info', 'debug', null],
    access_log_format: ['json', 'combined', null], render_priority: ['low', 'idle', 'normal', null], profile: ['map', 'game', null] });
  for (const [key, [...names]] of Object.entries(choices)) {
    names.pop();
    const text = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
    const { status, stderr } = terrane(['serve', flag(key), 'x', '--print-config']);
    assert.equal(status, 2);
    assert.ok(stderr.startsWith(`terrane: ${flag(key)}: must be ${text}, not "x"\n`), stderr);
    const line = help.split('\n').find((one) => one.trim().startsWith(`${flag(key)} `));
    assert.ok(line.includes(`: ${text} [${schema.properties[key].default}`), line);
  }
  /* No other setting has only words as values. */
  for (const key of settings)
    if (schema.properties[key].type?.includes('string') && !schema.properties[key].type.includes('array'))
      assert.doesNotMatch(schema.properties[key].description, /: \w+(, \w+)* or \w+/, key);
});

/* Whole settings files. */
const files = [
  [{}, true], [[], false], [null, false], [7, false],
  [{ listen: ['127.0.0.1:8080', 'unix:/run/terrane.sock'], cache_memory: '1G', log_level: 'warning' }, true],
  [{ 'cache-memory': '1G' }, false], [{ Queue: 7 }, false], [{ port: 8080, log_level: 'warn' }, false],
  [{ queue: [7] }, false], [{ worlds: { folder: 'worlds' } }, false], [{ config: 'other.json' }, false], [{ help: true }, false],
];

test('the schema and the program agree on whole files', () => {
  for (const [content, good] of files) {
    folder.write('one.json', content);
    assert.equal(printed(['--config', `${folder.path}/one.json`]) !== null, good, JSON.stringify(content));
    assert.equal(validate(content), good, JSON.stringify(content));
  }
});

test('the settings for a cluster are valid', () => {
  const manifests = parseAllDocuments(readFileSync(`${root}/docker/kubernetes.yaml`, 'utf8')).map((one) => one.toJS());
  const content = JSON.parse(manifests.find(({ kind }) => kind === 'ConfigMap').data['terrane.json']);
  assert.ok(validate(content), JSON.stringify(validate.errors));
});

test('an unknown key is refused by both', () => {
  folder.write('one.json', { quue: 1 });
  assert.equal(printed(['--config', `${folder.path}/one.json`]), null);
  assert.ok(!validate({ quue: 1 }));
});
