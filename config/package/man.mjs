/* Writes the manual pages: terrane(1), a page for each command, and those of the files: terrane-world(5),
 * terrane-style(5) and terrane-settings(5). All they say of commands, options, functions and members comes from
 * the program's tables and from the schemas, so a new one is in its page by itself.
 * usage: man.mjs PROGRAM CONFIG FOLDER   CONFIG is the folder of the schemas; install.sh fills in @DATE@ and folders */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { examples, hills, service, snow } from './examples.mjs';
import { bold, escape, example, italic, item, paragraph, reference, section, seeAlso, sentence, subsection, wrap,
  writePage } from './roff.mjs';

const [program, config, folder] = process.argv.slice(2);
const printed = (...words) => JSON.parse(execFileSync(program, words, { encoding: 'utf8', env: {} }));
const schema = (name) => JSON.parse(readFileSync(join(config, `${name}.schema.json`), 'utf8'));
const { version, commands } = printed('help', '--json');
const functions = printed('formulas', '--json');
const settings = schema('terrane');

const page = (name, number, summary, parts) => writePage(folder, { name, number, version, summary, parts });
const FILES = ['terrane-world', 'terrane-style', 'terrane-settings'].map((name) => [name, 5]);
const status = [
  section('EXIT STATUS'), item('0', 'Success.'), item('1', 'The command failed; a message on standard error says why.'),
  item('2', 'Unknown commands, options or arguments.'),
  item('128 + N', 'Signal N has ended the command before its work was done: 130 for SIGINT, 143 for SIGTERM.'),
];
const examplesOf = (name) => examples[name].flatMap(([purpose, ...lines]) => [paragraph(escape(purpose)), example(lines)]);

/* Of an option: its values, its default and the variable it may come from, behind its help text. */
function details({ values, default: initial, environment }) {
  const parts = [];
  if (values) parts.push(`One of ${values.map(bold).join(', ')}.`);
  if (initial !== undefined) parts.push(`Default: ${bold(initial)}.`);
  if (environment) parts.push(`Environment: ${bold(environment)}.`);
  return parts.join(' ');
}

function option(row) {
  const flags = [...(row.letter ? [bold(`-${row.letter}`)] : []), bold(`--${row.name}`)].join(', ');
  const term = row.argument ? `${flags} ${italic(row.argument)}` : flags;
  return item(term, `${escape(sentence(row.help))} ${details(row)}`.trim());
}

/* `arguments` of the table: words in capitals are stand-ins, others are literal. */
const synopsis = (text) => text.split(/([A-Z][A-Z0-9,;:/…-]*)/).map((part, i) => (i % 2 ? italic(part) : escape(part)))
  .join('');

function writeCommand({ name, summary, arguments: text, options }) {
  const fromFile = `Settings may also come from the environment and from the file of ${bold('--config')}, as in ${
    reference('terrane-settings', 5)}. A flag replaces the environment, which replaces the file.`;
  page(`terrane-${name}`, 1, summary, [
    section('SYNOPSIS'), wrap(`${bold(`terrane ${name}`)} [${italic('options')}] ${synopsis(text)}`.trim()),
    section('DESCRIPTION'), wrap(escape(sentence(summary))),
    ...(options.some(({ setting }) => setting) ? [paragraph(fromFile)] : []),
    section('OPTIONS'), ...options.map(option), ...status,
    ...(name in examples ? [section('EXAMPLES'), ...examplesOf(name)] : []),
    ...seeAlso([['terrane', 1], ...FILES]),
  ]);
}

function writeProgram() {
  const what = `${bold('terrane')} ${escape(`serves endless procedural worlds over HTTP: map tiles, vector tiles, raw height
    chunks for game engines, and queries about any place. A world is one file: a seed and a few formulas over noise.
    Every sample is a pure function of world and place, so all machines compute the same bits and caches never go
    stale.`)}`;
  page('terrane', 1, 'procedural terrain tile server', [
    section('SYNOPSIS'), `${bold('terrane')} ${italic('COMMAND')} [${italic('options')}]`,
    '.br', `${bold('terrane help')} [${italic('COMMAND')} | ${bold('--json')}]`,
    '.br', bold('terrane version'),
    section('DESCRIPTION'), wrap(what),
    section('COMMANDS'),
    ...commands.map(({ name, summary }) => item(reference(`terrane-${name}`, 1), escape(sentence(summary)))),
    item(`${bold('help')} [${italic('COMMAND')} | ${bold('--json')}]`,
      'List the commands, or the options of one, or all tables as JSON.'),
    item(bold('version'), 'Print the version.'),
    ...status,
    section('ENVIRONMENT'),
    item(`${bold('TERRANE_')}${italic('NAME')}`, `Every setting has such a variable: see ${reference('terrane-settings', 5)}.`),
    item(bold('NO_COLOR'), 'If set and not empty, messages have no colors on terminals.'),
    section('EXAMPLES'), ...['serve', 'render', 'check'].flatMap(examplesOf),
    ...seeAlso([...commands.map(({ name }) => [`terrane-${name}`, 1]), ...FILES]),
  ]);
}

/* What values a member may have, by its schema. */
function allowed(property) {
  const { type, enum: choices, const: only, minimum, maximum, default: initial } = property;
  const show = (value) => bold(typeof value === 'string' ? value : JSON.stringify(value));
  const types = [type ?? []].flat().filter((name) => name !== 'null').join(' or ');
  const hasRange = minimum !== undefined && maximum <= Number.MAX_SAFE_INTEGER;
  const least = property.minItems ?? property.minProperties ?? 0;
  const most = property.maxItems ?? property.maxProperties;
  const words = [];
  if (only !== undefined) words.push(`Must be ${show(only)}.`);
  if (choices) words.push(`One of ${choices.filter((choice) => choice !== null).map(show).join(', ')}.`);
  else if (types) words.push(`Type: ${types}${hasRange ? `, from ${show(minimum)} to ${show(maximum)}` : ''}.`);
  if (most !== undefined) words.push(`Entries: ${least === most ? most : `${least} to ${most}`}.`);
  if (initial !== undefined && initial !== null) words.push(`Default: ${show(initial)}.`);
  return words.join(' ');
}

/* The members of an object of a schema, each an item. */
function members(object, definitions) {
  return Object.entries(object.properties).map(([name, own]) => {
    const property = own.$ref?.startsWith('#') ? { ...definitions[own.$ref.split('/').pop()], ...own } : own;
    const needed = object.required?.includes(name) ? ' Required.' : '';
    return item(bold(name), `${escape(sentence(property.description))} ${allowed(property)}${needed}`);
  });
}

const describeFile = (kind) => paragraph(`A ${kind} file is one JSON object. A key that is not listed here is refused. A
  file that names its schema as ${bold('$schema')} gets completion and checks in editors; ${bold('terrane check')} ${
  italic('FILE')} reports all errors, each with line and column.`);
const dataFile = (name, text) => item(`\\fI@DATA@/${name}\\fR`, escape(text));

function writeWorld() {
  const world = schema('world');
  const objects = { layer: 'a layer', biome: 'a biome', material: 'a material', object: 'an object', drainage: 'drainage',
    view: 'view', names: 'names', tongue: 'a tongue', name_place: 'a fixed name' };
  page('terrane-world', 5, 'world files', [
    section('DESCRIPTION'), wrap(escape(world.description)), describeFile('world'),
    section('MEMBERS'), ...members(world, world.$defs),
    ...Object.entries(objects).flatMap(([name, title]) =>
      [subsection(`Members of ${title}`), ...members(world.$defs[name], world.$defs)]),
    section('FUNCTIONS'),
    paragraph(escape(`The functions of formulas. Besides these there are + - * / ^, comparisons, && || !, c ? a : b, the
      place x y z t, pi and the names of layers.`)),
    ...functions.map(({ signature, summary }) => item(bold(signature), escape(sentence(summary)))),
    section('FILES'), dataFile('world.schema.json', 'The JSON Schema of this file.'),
    dataFile('worlds/', 'The built-in worlds.'),
    section('EXAMPLE'), example(hills),
    ...seeAlso([['terrane', 1], ['terrane-check', 1], ['terrane-formulas', 1], ['terrane-style', 5]]),
  ]);
}

function writeStyle() {
  const style = schema('style');
  const { step, mask } = style.$defs;
  page('terrane-style', 5, 'style files', [
    section('DESCRIPTION'), wrap(escape(style.description)), describeFile('style'),
    section('MEMBERS'), ...members(style, style.$defs),
    section('STEPS'), paragraph('Each step is an object with one member, the name of the step.'),
    ...Object.keys(step.properties).flatMap((name) => [subsection(name),
      wrap(escape(sentence(style.$defs[name].description))), ...members(style.$defs[name], style.$defs)]),
    subsection('Members of a mask'), ...members(mask, style.$defs),
    section('FILES'), dataFile('style.schema.json', 'The JSON Schema of this file.'),
    dataFile('styles/', 'The built-in styles.'),
    section('EXAMPLE'), example(snow),
    ...seeAlso([['terrane', 1], ['terrane-check', 1], ['terrane-styles', 1], ['terrane-world', 5]]),
  ]);
}

/* A key of the settings file. A switch is 0 or 1 in the environment, but false or true in the file. */
function setting(row) {
  const property = settings.properties[row.setting];
  const isSwitch = [property.type].flat().includes('boolean');
  const shown = details({ ...row, default: isSwitch ? String(row.default === '1') : row.default });
  const type = allowed({ ...property, enum: undefined, default: undefined });
  return item(bold(row.setting), [escape(sentence(row.help)), type, shown, `Flag: ${bold(`--${row.name}`)}.`].filter(Boolean).join(' '));
}

function writeSettings() {
  const rows = commands.find(({ name }) => name === 'serve').options.filter((row) => row.setting);
  page('terrane-settings', 5, 'settings file and environment', [
    section('DESCRIPTION'),
    wrap(`The file of ${bold('--config')} is one JSON object. A key that is not listed here is refused. A setting that is
      left out or null has the value of its flag, its variable or its default: a flag replaces the environment, which
      replaces the file. An empty variable counts as none.`),
    paragraph('Sizes in bytes are numbers, or strings with K, M or G behind the number.'),
    section('SETTINGS'), ...rows.map(setting),
    section('FILES'), item('\\fI@SYSCONF@/terrane/terrane.json\\fR', 'The settings of the service.'),
    dataFile('terrane.json', 'All settings with their defaults.'),
    dataFile('terrane.schema.json', 'The JSON Schema of this file.'),
    section('EXAMPLE'), example(service),
    ...seeAlso([['terrane', 1], ['terrane-serve', 1], ['terrane-check', 1]]),
  ]);
}

commands.forEach(writeCommand);
writeProgram();
writeWorld();
writeStyle();
writeSettings();
