/* Requests made from /openapi.json: for each parameter of each route (those of its path included) several values, other
 * spellings of one value, and pairs of parameters. */

/* A world in which each parameter matters: it depends on z and t, has detail at every zoom, several biomes, kinds of
 * objects and a layer for volumes. Names begin alike, and are those of the examples in /openapi.json. */
const world = {
  title: 'Every',
  generator: 1,
  seed: 5,
  layers: {
    ground: '900 * fbm(wavelength=4194304, octaves=8, lacunarity=6, persistence=0.6) + 300 * fbm(wavelength=4096, octaves=8)',
    height: { formula: 'ground + 500 + 30 * sin(0.001 * z) + 40 * sin(0.7 * t)', unit: 'm', range: [-1000, 1000] },
    density: { formula: '0.01 * (ground - z) + sin(t)', range: [-20, 20] },
    hills: 'fbm(wavelength=512, octaves=6)',
  },
  drainage: { potential: 'ground + 1500', target: 'ground + 1500', relief: '400', spacing: 16384 },
  biomes: [
    { name: 'river', color: '#123', when: 'hills > 0.1' },
    { name: 'riverside', color: '#00f', when: 'ground < 0' },
    { name: 'land', color: '#0f0' },
  ],
  materials: ['hills', '-hills', 'ground > 0', '0.3', 'fbm(wavelength=64, octaves=4)', '0.2 + hills']
    .map((weight, i) => ({ name: `m${i}`, color: '#777', weight })),
  objects: {
    rock: { spacing: 16, density: '0.5', color: '#888' },
    rocks: { spacing: 12, density: '0.3 + 0.5 * hills', color: '#080' },
  },
};

const { ground, height, density, hills } = world.layers;
const otherRange = { ...world, layers: { ...world.layers, density: { ...density, range: [-40, 40] }, height: { ...height, range: [0, 2000] } } };
export const worldFiles = {
  'every.json': world, 'same.json': world, 'twin.json': otherRange, 'other.json': { ...world, seed: 6 },
};
const worldNames = ['every', 'every~2', 'every~3', 'every~5', 'same', 'twin', 'other'];

/* What may change in the file of a world. The first five leave its fingerprint. */
export const changes = {
  ranges: otherRange,
  units: { ...world, layers: { ...world.layers, height: { ...height, unit: 'ft' } } },
  'order of layers': { ...world, layers: { hills, ground, density, height } },
  materials: { ...world, materials: [...world.materials].reverse() },
  wording: { ...world, layers: { ...world.layers, ground: `(${ground})` } },
  formulas: { ...world, layers: { ...world.layers, hills: '1.5 * fbm(wavelength=512, octaves=6)' } },
  styles: { ...world, styles: { relief: { title: 'Own', paint: [{ ramp: { layer: 'height', stops: [[0, '#000'], [900, '#fff']] } }] } } },
};

/* The names that texts may have; the schema of a text only has its form. `terra` in an example is this world. */
const texts = {
  world: worldNames,
  a: worldNames,
  b: worldNames,
  against: worldNames,
  style: ['relief', 'terrarium', 'contour', 'biome', 'hillshade', 'height', 'grey16', 'hills'],
  layers: ['height', 'biome', 'hills', 'height,biome', 'biome,height', 'height,hills', 'materials', 'height,materials', 'materials,height'],
  layer: ['height', 'density', 'hills'],
  LAYER: ['relief', 'terrarium', 'contour', 'biome', 'height', 'hills'],
  STYLE: ['default', ''],
  kind: ['rock', 'rocks'],
  biome: ['river', 'riverside', 'land'],
  where: ['height%3E100,slope%3C10', 'height%3E100', 'hills%3E0.1', 'biome==land', '1/0'],
  name: ['S', 's', 'L', 'Llan', 'U'],
  after: ['0,0', '20000,7', '50000.5,7', '300000,0'].map((behind) => `${behind},839784060`),
  version: ['1.0.0', '2'],
  file: ['index.html', 'map.js', 'style.css'],
};

/* Large answers are costly, and so are searches: these are tried at their lower end. 16 is a size of chunks in the
 * examples, so that a volume has the parameters of a chunk. */
const costly = new Set(['samples', 'size', 'radius']);

/* The text with each of its numbers changed, one at a time. */
const changedNumbers = (text) => [...text.matchAll(/\d+(\.\d+)?/g)].map((found) =>
  `${text.slice(0, found.index)}${Number(found[0]) + 1}${text.slice(found.index + found[0].length)}`);

/* The text with each of its hexadecimal digits changed, one at a time. */
export const changedDigits = (text) => [...text.matchAll(/[0-9a-f]/g)].map(({ index, 0: digit }) =>
  `${text.slice(0, index)}${digit === '0' ? '1' : '0'}${text.slice(index + 1)}`);

/* Values of a parameter as texts, `now` among them: its default, example, bounds, their neighbours and choices. */
function valuesOf({ name, example, schema }, now) {
  const { enum: choices, minimum, exclusiveMinimum, maximum, default: standard } = schema.anyOf?.[0] ?? schema;
  const found = [now, example, standard].filter((value) => value !== undefined)
    .map((value) => String(value).replaceAll(/[<>]/g, encodeURIComponent));
  if (choices) return [...found, ...choices.map(String)];
  if (texts[name]) return [...found, ...texts[name]];
  if (schema.pattern) return [...found, ...changedNumbers(found[0])];
  const further = schema.type === 'number' ? [1, 0.25] : [1, 2 ** 16, 2 ** 32];
  const numbers = found.map(Number.parseFloat).flatMap((number) => [number, ...further.map((more) => number + more)]);
  return [...numbers, minimum ?? exclusiveMinimum + 1, costly.has(name) ? 16 : maximum].map(String);
}

/* Other spellings of a value: of its bytes, which always mean the same, and of a number, which may be refused. */
function spellingsOf(value) {
  const escaped = `%${value.charCodeAt(0).toString(16)}${value.slice(1)}`;
  const number = /^-?\d+$/.test(value) ? [`${value}.0`, `${value}e0`, `0${value}`, `+${value}`, `${value}.`]
    : /^-?\d+\.\d+$/.test(value) ? [`${value}0`, `${value}e0`] : [];
  return { escaped, number };
}

/* A target in parts: path { name: value } by the operation's template, and query { name: value }. */
class Target {
  constructor(template, path, query) {
    Object.assign(this, { template, path, query });
  }

  static parse(template, text) {
    const [path, query = ''] = text.split('?');
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const pattern = template.replaceAll(/[.]/g, '\\$&').replaceAll(/\{\w+\}/g, '([^/]+?)');
    const values = new RegExp(`^${pattern}$`).exec(path).slice(1);
    return new Target(template, Object.fromEntries(names.map((name, i) => [name, values[i]])),
      Object.fromEntries(query.split('&').filter(Boolean).map((pair) => pair.split('='))));
  }

  has({ in: place, name }) {
    return name in this[place];
  }

  get({ in: place, name }) {
    return this[place][name];
  }

  /* With another value; null leaves the parameter out. */
  with({ in: place, name }, value) {
    const values = { ...this[place], [name]: value };
    if (value === null) delete values[name];
    return place === 'path' ? new Target(this.template, values, this.query) : new Target(this.template, this.path, values);
  }

  /* With the parameters of the query the other way round. */
  reversed() {
    return new Target(this.template, this.path, Object.fromEntries(Object.entries(this.query).reverse()));
  }

  toString() {
    const path = this.template.replaceAll(/\{(\w+)\}/g, (_, name) => this.path[name]);
    const query = Object.entries(this.query).map(([name, value]) => `${name}=${value}`).join('&');
    return path + (query && `?${query}`);
  }
}

/* An example of the document for the world above, without the format and the size that take longest. A cursor ends in
 * the hash of its world and search. */
const adapt = (example) => (typeof example === 'string'
  ? example.replaceAll(/terra(?!rium|ne)/g, 'every').replace('.webp', '.png').replace('size=512', 'size=256').replace(',825307224', ',839784060') : example);

/* The operations of /openapi.json with a method, those of a world only once. `isDocument` is true of those that are the
 * same for everyone, pinned or not. A GET has `targets`; a POST has `targets` for its path and query, `bodies` that are
 * examples, and the `members` that a body may have, written like parameters. */
export function operationsOf(document, method) {
  const resolve = (each, kind) => (each.$ref ? document.components[kind][each.$ref.split('/').at(-1)] : each);
  return Object.entries(document.paths)
    /* What makes something, POST /preview, has no answer of its own to compare: its status is 201. */
    .filter(([path, item]) => item[method]?.responses[200] && !path.startsWith('/worlds/{world}/'))
    .map(([path, item]) => {
      const { responses, requestBody, 'x-examples': examples = [path] } = item[method];
      const body = requestBody?.content['application/json'];
      return {
        path,
        inWorld: `/worlds/{world}${path}` in document.paths,
        hasTag: '304' in responses,
        isDocument: !('X-Terrane-Cache' in responses[200].headers),
        parameters: item.parameters.map((each) => resolve(each, 'parameters')).filter((each) => each.in !== 'header').map((each) => ({ ...each, example: adapt(each.example) })),
        targets: examples.map((text) => Target.parse(path, adapt(text))),
        bodies: Object.values(body?.examples ?? {}).map(({ value }) => value),
        members: body && Object.entries(resolve(body.schema, 'schemas').properties).map(([name, schema]) => ({ name, schema })),
      };
    });
}

/* The examples, and the first one in each format. */
export function formsOf({ parameters, targets }) {
  const format = parameters.find(({ in: place, name }) => place === 'path' && name === 'format');
  return [...targets, ...format ? format.schema.enum.map((value) => targets[0].with(format, value)) : []];
}

/* These in other worlds; a path without a world is that of the default world. */
function groupsOfWorlds(operation) {
  return formsOf(operation).map((target) => ({
    parameter: 'the world',
    values: [`${target}`, ...worldNames.map((name) => `/worlds/${name}${target}`)],
    same: [[`${target}`, `/worlds/every${target}`, false]],
  }));
}

/* A little more of these may find the same place. */
const searches = new Set(['radius', 'apart', 'min_distance', 'min_height', 'min_flow']);

/* Values that must have two bodies, besides those of a whole parameter: "@2x", and a fraction. */
function groupsOfParts({ parameters, targets }) {
  const base = (parameter) => targets.find((target) => target.has(parameter));
  return parameters.flatMap((parameter) => {
    const { name, in: place, schema } = parameter;
    const found = base(parameter);
    if (place === 'path' && name === 'y')
      return [{ parameter: '@2x', values: [`${found}`, `${found.with(parameter, `${Number.parseInt(found.get(parameter), 10)}@2x`)}`], same: [] }];
    if (schema.type !== 'number' || schema.enum || searches.has(name)) return [];
    return [{ parameter: `a fraction of ${name}`, values: [`${found}`, `${found.with(parameter, Number(found.get(parameter)) + 0.25)}`], same: [] }];
  });
}

/* Of an operation: a map of each parameter's name to its groups { values, same }, one for each of up to three examples,
 * with and without it. `values` are targets, as texts, that differ in the parameter alone; `same` has [target, other spelling of it, true
 * if that may be refused]. */
export function groupsOf(operation) {
  const { inWorld, parameters, targets } = operation;
  const groups = parameters.flatMap((parameter) => {
    const bases = [true, false].flatMap((has) => targets.filter((target) => target.has(parameter) === has).slice(0, has ? 2 : 1));
    return bases.map((base) => {
      const values = [...new Set(valuesOf(parameter, base.get(parameter)))];
      const varied = values.map((value) => base.with(parameter, value));
      if (parameter.in === 'query' && !parameter.required) varied.push(base.with(parameter, null));
      const { escaped, number } = spellingsOf(values[0]);
      const first = `${varied[0]}`;
      return {
        parameter: parameter.name,
        values: [...new Set(varied.map(String))],
        same: [
          [first, `${base.with(parameter, escaped)}`, false],
          [first, `${varied[0].reversed()}`, false],
          ...number.map((spelling) => [first, `${base.with(parameter, spelling)}`, true]),
        ],
      };
    });
  });
  const byName = new Map();
  for (const group of [...groups, ...groupsOfParts(operation), ...inWorld ? groupsOfWorlds(operation) : []])
    byName.set(group.parameter, [...byName.get(group.parameter) ?? [], group]);
  return byName;
}

/* Values of coordinates whose units of 2⁻¹⁶ m are 1 and 11: written without a mark between, (1, 11) is (11, 1). */
const units = [1, 11].map((count) => String(count / 65536));

/* Of an operation: targets in which two parameters differ from an example at once, and two of one form are exchanged. */
export function pairsOf({ parameters, targets }) {
  const found = new Set();
  for (const base of targets.slice(0, 3)) {
    const own = parameters.filter((parameter) => base.has(parameter));
    for (const [i, one] of own.entries()) {
      for (const two of own.slice(i + 1)) {
        const [a, b] = [one, two].map((each) => [...new Set(valuesOf(each, base.get(each)))].slice(1, 3));
        a.forEach((value, k) => b[k] && found.add(`${base.with(one, value).with(two, b[k])}`));
        if (JSON.stringify(one.schema) !== JSON.stringify(two.schema) || one.in !== two.in) continue;
        for (const [first, second] of [[base.get(two), base.get(one)], units, [...units].reverse()])
          found.add(`${base.with(one, first).with(two, second)}`);
      }
    }
  }
  return [...found];
}

/* Values of a member of a body, beside the one that an example has. */
function memberValues({ name, schema }, now) {
  if (name === 'layers') return texts.layers.map((list) => list.split(','));
  if (schema.type === 'boolean') return [true, false];
  if (schema.type === 'array') return changedNumbers(JSON.stringify(now)).map((text) => JSON.parse(text));
  const found = valuesOf({ name, schema }, now);
  return schema.type === 'string' ? found : found.map(Number).filter(Number.isFinite);
}

/* Of a POST: [{ member, posts }], a group for each member of the body and example, and for each parameter and the first
 * example. Each post is a target and a body, with a space between. */
export function postsOf({ parameters, targets, bodies, members }) {
  const post = (target, body) => `${target} ${JSON.stringify(body)}`;
  return [
    ...members.flatMap((member) => bodies.map((body) => ({
      member: member.name,
      posts: [post(targets[0], body), ...memberValues(member, body[member.name])
        .map((value) => post(targets[0], { ...body, [member.name]: value }))],
    }))),
    ...parameters.map((parameter) => ({
      member: parameter.name,
      posts: valuesOf(parameter).map((value) => post(targets[0].with(parameter, value), bodies[0])),
    })),
  ];
}

/* Of an operation: what names a world or a style in its examples, as { kind, name, pin }, where pin(text) is the target
 * with the text behind the name. */
export function referencesOf({ inWorld, parameters, targets }) {
  const first = `${targets[0]}`;
  const own = parameters.filter(({ name }) => ['world', 'style', 'a', 'b'].includes(name)).flatMap((parameter) => {
    const target = targets.find((each) => each.has(parameter));
    const name = target.get(parameter);
    return { kind: parameter.name === 'style' ? 'style' : 'world', name, pin: (text) => `${target.with(parameter, name + text)}` };
  });
  return inWorld ? [{ kind: 'world', name: 'every', pin: (text) => `/worlds/every${text}${first}` }, ...own] : own;
}
