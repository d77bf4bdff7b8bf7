/* Writes the manual pages: terrane(1), a page for each command, and those of the files: terrane-world(5),
 * terrane-style(5) and terrane-settings(5). All they say of commands, options, functions and members comes from
 * the program's tables and from the schemas, so a new one is in its page by itself.
 * usage: man.mjs PROGRAM CONFIG FOLDER   CONFIG is the folder of the schemas; install.sh fills in @DATE@ and folders */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [program, config, folder] = process.argv.slice(2);
const printed = (...words) => JSON.parse(execFileSync(program, words, { encoding: 'utf8', env: {} }));
const schema = (name) => JSON.parse(readFileSync(join(config, `${name}.schema.json`), 'utf8'));
const { version, commands } = printed('help', '--json');
const functions = printed('formulas', '--json');

/* Every dash is a hyphen-minus, as most stand in options; signs beyond ASCII have names. */
const signs = { '\\': '\\e', '-': '\\-', '×': '\\(mu', '…': '...', '·': '\\(md', '°': '\\(de' };
const escape = (text) => text.replace(/[^\w\s]/gu, (sign) => signs[sign] ?? (sign <= '~' ? sign : `\\[u${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`));
const bold = (text) => `\\fB${escape(text)}\\fR`;
const italic = (text) => `\\fI${escape(text)}\\fR`;
/* Lines of at most 80 bytes; none begins like a request. */
function wrap(text) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line && Buffer.byteLength(`${line} ${word}`) > 79) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.map((line) => (/^['.]/.test(line) ? `\\&${line}` : line)).join('\n');
}
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
const section = (title) => `.SH ${title}`;
const paragraph = (text) => `.PP\n${wrap(text)}`;
const item = (term, text) => `.TP\n${term}\n${wrap(text)}`;
const example = (lines) => `.PP\n.nf\n.RS 4\n${lines.map((line) => escape(line).replace(/^(['.])/, '\\&$1')).join('\n')}\n.RE\n.fi`;
const reference = (name, number) => `\\fB${escape(name)}\\fR(${number})`;

function page(name, number, summary, parts) {
  const head = [`.TH "${escape(name.toUpperCase())}" ${number} "@DATE@" "terrane ${version}" "Terrane"`,
    '.nh', '.ad l', section('NAME'), wrap(`${escape(name)} \\- ${escape(summary)}`)];
  mkdirSync(folder, { recursive: true });
  /* A section begins with a paragraph by itself. */
  const text = [...head, ...parts].join('\n').replace(/^(\.S[HS] .*)\n\.PP$/gm, '$1');
  writeFileSync(join(folder, `${name}.${number}`), `${text}\n`);
}

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
  return item(row.argument ? `${flags} ${italic(row.argument)}` : flags, `${escape(sentence(row.help))} ${details(row)}`.trim());
}

const status = [section('EXIT STATUS'), item('0', 'Success.'), item('1', 'The command failed; a message on standard error says why.'),
  item('2', 'Unknown commands, options or arguments.')];
const files = ['terrane-world', 'terrane-style', 'terrane-settings'];
const seeAlso = (names) => [section('SEE ALSO'), names.sort(([a, i], [b, j]) => i - j || (a < b ? -1 : 1))
  .map(([name, number], i, all) => `${reference(name, number)}${i + 1 < all.length ? ',' : ''}`).join('\n')];

/* `arguments` of the table: words in capitals are stand-ins, others are literal. */
const synopsis = (text) => text.split(/([A-Z][A-Z0-9,;:/…-]*)/).map((part, i) => (i % 2 ? italic(part) : escape(part))).join('');

for (const command of commands) {
  const settings = command.options.some(({ setting }) => setting);
  page(`terrane-${command.name}`, 1, command.summary, [
    section('SYNOPSIS'), wrap(`${bold(`terrane ${command.name}`)} [${italic('options')}] ${synopsis(command.arguments)}`.trim()),
    section('DESCRIPTION'), wrap(escape(sentence(command.summary))),
    ...(settings ? [paragraph(`Settings may also come from the environment and from the file of ${bold('--config')}, as in ${
      reference('terrane-settings', 5)}. A flag replaces the environment, which replaces the file.`)] : []),
    section('OPTIONS'), ...command.options.map(option), ...status,
    ...seeAlso([['terrane', 1], ...files.map((name) => [name, 5])]),
  ]);
}

page('terrane', 1, 'procedural terrain tile server', [
  section('SYNOPSIS'), `${bold('terrane')} ${italic('COMMAND')} [${italic('options')}]`, '.br', `${bold('terrane help')} [${italic('COMMAND')}]`, '.br', bold('terrane version'),
  section('DESCRIPTION'), wrap(`${bold('terrane')} serves endless procedural worlds over HTTP: map tiles, vector tiles, raw height chunks for game engines, and queries about any place. A world is one file: a seed and a few formulas over noise. Every sample is a pure function of world and place, so all machines compute the same bits and caches never go stale.`.replaceAll('-', '\\-')),
  section('COMMANDS'), ...commands.map(({ name, summary }) => item(reference(`terrane-${name}`, 1), escape(sentence(summary)))),
  item(`${bold('help')} [${italic('COMMAND')}]`, 'List the commands, or the options of one.'), item(bold('version'), 'Print the version.'),
  ...status,
  section('ENVIRONMENT'), paragraph(`Every setting has a variable ${bold('TERRANE_')}${italic('NAME')}: see ${reference('terrane-settings', 5)}.`),
  item(bold('NO_COLOR'), 'If set and not empty, messages have no colors on terminals.'),
  section('EXAMPLES'), paragraph('Serve the built\\-in worlds, and those of a folder:'), example(['terrane serve --worlds worlds']),
  paragraph('Write a tile, and a picture of a rectangle:'), example(['terrane render --tile 8/128/127 -o tile.png', 'terrane render --bbox -8000,-8000,8000,8000 --width 1600 -o area.png']),
  paragraph('Check a world, with all of its errors:'), example(['terrane check hills.json']),
  ...seeAlso([...commands.map(({ name }) => [`terrane-${name}`, 1]), ...files.map((name) => [name, 5])]),
]);

/* What values a member may have, of its schema. */
function allowed({ type, enum: choices, const: only, minimum, maximum, minItems, maxItems, minProperties, maxProperties, default: initial }) {
  const show = (value) => bold(typeof value === 'string' ? value : JSON.stringify(value));
  const words = [];
  if (only !== undefined) words.push(`Must be ${show(only)}.`);
  if (choices) words.push(`One of ${choices.filter((choice) => choice !== null).map(show).join(', ')}.`);
  const types = [type ?? []].flat().filter((name) => name !== 'null').join(' or ');
  if (types && !choices) words.push(`Type: ${types}${minimum === undefined || maximum > Number.MAX_SAFE_INTEGER ? '' : `, from ${show(minimum)} to ${show(maximum)}`}.`);
  const [least, most] = [minItems ?? minProperties ?? 0, maxItems ?? maxProperties];
  if (most !== undefined) words.push(`Entries: ${least === most ? most : `${least} to ${most}`}.`);
  if (initial !== undefined && initial !== null) words.push(`Default: ${show(initial)}.`);
  return words.join(' ');
}

/* The members of an object of a schema, each an item; `required` ones say so. */
function members(object, definitions) {
  return Object.entries(object.properties).map(([name, own]) => {
    const property = own.$ref?.startsWith('#') ? { ...definitions[own.$ref.split('/').pop()], ...own } : own;
    const needed = object.required?.includes(name) ? ' Required.' : '';
    return item(bold(name), `${escape(sentence(property.description))} ${allowed(property)}${needed}`);
  });
}

const json = (what) => paragraph(`A ${what} file is one JSON object. A key that is not listed here is refused. A file that names its schema as ${bold('$schema')} gets completion and checks in editors; ${bold(`terrane check`)} ${italic('FILE')} reports all errors, each with line and column.`);

const world = schema('world');
page('terrane-world', 5, 'world files', [
  section('DESCRIPTION'), wrap(escape(world.description)), json('world'),
  section('MEMBERS'), ...members(world, world.$defs),
  ...['layer', 'biome', 'material', 'object', 'drainage', 'view'].flatMap((name) =>
    [`.SS "Members of ${name === 'drainage' || name === 'view' ? '' : 'a '}${name}"`, ...members(world.$defs[name], world.$defs)]),
  section('FUNCTIONS'), paragraph(escape('The functions of formulas. Besides these there are + - * / ^, comparisons, && || !, c ? a : b, the place x y z t, pi and the names of layers.')),
  ...functions.map(({ signature, summary }) => item(bold(signature), escape(sentence(summary)))),
  section('FILES'), item('\\fI@DATA@/world.schema.json\\fR', 'The JSON Schema of this file.'), item('\\fI@DATA@/worlds/\\fR', 'The built\\-in worlds.'),
  section('EXAMPLE'), example(['{', '  "title": "Hills", "generator": 1, "seed": "hello",', '  "layers": { "height": "400 * fbm(wavelength=4096, octaves=8)" }', '}']),
  ...seeAlso([['terrane', 1], ['terrane-check', 1], ['terrane-formulas', 1], ['terrane-style', 5]]),
]);

const style = schema('style');
page('terrane-style', 5, 'style files', [
  section('DESCRIPTION'), wrap(escape(style.description)), json('style'),
  section('MEMBERS'), ...members(style, style.$defs),
  section('STEPS'), paragraph('Each step is an object with one member, the name of the step.'),
  ...Object.keys(style.$defs.step.properties).flatMap((name) => [`.SS "${name}"`, wrap(escape(sentence(style.$defs[name].description))), ...members(style.$defs[name], style.$defs)]),
  '.SS "Members of a mask"', ...members(style.$defs.mask, style.$defs),
  section('FILES'), item('\\fI@DATA@/style.schema.json\\fR', 'The JSON Schema of this file.'), item('\\fI@DATA@/styles/\\fR', 'The built\\-in styles.'),
  section('EXAMPLE'), example(['{', '  "title": "Snow line",', '  "paint": [', '    { "ramp": { "layer": "height", "stops": [[0, "#86b07a"], [2800, "#f6f6f4"]] } },', '    { "shade": { "layer": "height", "lights": [[315, 45, 1]] } }', '  ]', '}']),
  ...seeAlso([['terrane', 1], ['terrane-check', 1], ['terrane-styles', 1], ['terrane-world', 5]]),
]);

const settings = schema('terrane');
const serve = commands.find(({ name }) => name === 'serve').options.filter(({ setting }) => setting);
page('terrane-settings', 5, 'settings file and environment', [
  section('DESCRIPTION'), wrap(`The file of ${bold('--config')} is one JSON object. A key that is not listed here is refused. A setting that is left out or null has the value of its flag, its variable or its default: a flag replaces the environment, which replaces the file. An empty variable counts as none.`),
  paragraph('Sizes in bytes are numbers, or strings with K, M or G behind the number.'),
  section('SETTINGS'), ...serve.map((row) => item(bold(row.setting),
    `${escape(sentence(row.help))} ${allowed({ ...settings.properties[row.setting], default: undefined })} ${details(row)} Flag: ${bold(`--${row.name}`)}.`)),
  section('FILES'), item('\\fI@SYSCONF@/terrane/terrane.json\\fR', 'The settings of the service.'),
  item('\\fI@DATA@/terrane.json\\fR', 'All settings with their defaults.'), item('\\fI@DATA@/terrane.schema.json\\fR', 'The JSON Schema of this file.'),
  section('EXAMPLE'), example(['{', '  "cache_memory": "1G",', '  "cache_disk": "/var/cache/terrane/tiles.db",', '  "public_url": "https://maps.example"', '}']),
  ...seeAlso([['terrane', 1], ['terrane-serve', 1], ['terrane-check', 1]]),
]);
