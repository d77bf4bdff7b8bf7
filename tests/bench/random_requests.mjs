/* Random requests, made from the operations of /openapi.json: the parameters of each route by their schemas, so that a
 * new route or parameter is tried without a line here. Places, rectangles, lists of points or chunks and names are made
 * by functions below, by the parameters' names. The same seed makes the same requests. */

import { operationsOf } from '../http/operations.mjs';
import { get, post } from './client.mjs';

const PLACE_MAX = 2 ** 40; /* metres */
const SAMPLES = 4e6; /* of a batch, at most */
/* Routes whose answers are not made from a world, or that wait. */
const ROUTES_LEFT_OUT = new Set(['/', '/viewer/{file}', '/livez', '/readyz', '/metrics', '/events', '/version',
  '/openapi.json', '/formulas', '/worlds']);
/* Parameters that change no work, or that exclude others. */
const PARAMETERS_LEFT_OUT = new Set(['pretty', 'service', 'SERVICE', 'request', 'REQUEST', 'version', 'VERSION', 'lon', 'lat',
  'world', 'digest', 'against']);
const CONDITIONS = ['height>99999', 'height>-99999', 'slope>89', 'slope<89', 'height>300,slope<10', 'pow(height,0.3)>9',
  'sin(height)>0.999999'];

/* Uniform numbers from 0 to 1 from a seed: "splitmix32". */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/* The random choices that requests are made of. */
class Dice {
  constructor(random) {
    this.random = random;
  }

  chance(probability) {
    return this.random() < probability;
  }

  of(choices) {
    return choices[Math.floor(this.random() * choices.length)];
  }

  between(low, high) {
    return low + this.random() * (high - low);
  }

  /* Each order of magnitude is as likely. */
  scale(low, high) {
    return low * (high / low) ** this.random();
  }

  /* A third of them are the greatest. */
  count(low, high) {
    return this.chance(0.3) ? high : Math.min(high, Math.floor(this.scale(Math.max(low, 1), high + 1)));
  }

  sign() {
    return this.chance(0.5) ? 1 : -1;
  }

  /* Near the origin, on the map, at the edge of the world, or anywhere. */
  coordinate() {
    const kind = this.random();
    if (kind < 0.1) return this.between(-1000, 1000);
    if (kind < 0.5) return this.between(-(2 ** 24), 2 ** 24);
    if (kind < 0.6) return this.sign() * (PLACE_MAX - this.scale(1, 1e6));
    return this.sign() * this.scale(1, PLACE_MAX);
  }
}

const clamped = (metres) => Math.max(-PLACE_MAX, Math.min(PLACE_MAX, metres));
const metres = (number) => String(Math.round(clamped(number) * 65536) / 65536);

/* The place that a request is about, and how far it reaches. */
class Scene {
  constructor(dice) {
    this.dice = dice;
    [this.x, this.y] = [dice.coordinate(), dice.coordinate()];
    this.extent = dice.chance(0.6) ? dice.scale(1, 1e6) : dice.scale(1, 2 * PLACE_MAX);
  }

  near() {
    const { dice, extent } = this;
    return [this.x, this.y].map((at) => clamped(at + dice.between(-0.5, 0.5) * extent));
  }

  bbox() {
    const { dice, extent } = this;
    const sides = [extent, extent * (dice.chance(0.5) ? 1 : dice.scale(0.001, 1))];
    if (dice.chance(0.5)) sides.reverse();
    const low = [this.x, this.y].map((at, i) => Math.min(at, PLACE_MAX - sides[i]));
    return [...low, ...low.map((at, i) => at + sides[i])].map(metres).join(',');
  }

  line() {
    const corners = this.dice.chance(0.6) ? 2 : this.dice.count(2, 64);
    return Array.from({ length: corners }, () => this.near().map(metres).join(',')).join(';');
  }

  eye() {
    return [...this.near().map(metres), Math.round(this.dice.scale(1, 1e5))].join(',');
  }

  /* Indices of tiles or chunks of a side. */
  cell(side, origin = 0) {
    return [this.x, this.y].map((at) => Math.floor((at - origin) / side));
  }

  /* So many places: close together, in some clusters, in a line, or all over. */
  places(count) {
    const { dice } = this;
    const kind = dice.random();
    const clusters = kind < 0.5 ? dice.count(1, 300) : 0;
    const centres = Array.from({ length: clusters }, () => this.near());
    const apart = dice.scale(0.01, 1e5);
    const step = [dice.between(-1, 1) * apart, dice.between(-1, 1) * apart];
    return Array.from({ length: count }, (_, i) => {
      if (clusters) return centres[i % clusters].map((at) => clamped(at + dice.between(-1, 1) * apart));
      return kind < 0.65 ? [clamped(this.x + i * step[0]), clamped(this.y + i * step[1])] : this.near();
    });
  }

  /* So many chunks: a block, or all over. */
  chunks(count, side, dimensions) {
    const [cx, cy] = this.cell(side);
    const across = Math.ceil(Math.sqrt(count));
    const scattered = this.dice.chance(0.3);
    return Array.from({ length: count }, (_, i) => {
      const [x, y] = scattered ? this.near().map((at) => Math.floor(at / side)) : [cx + (i % across), cy + Math.floor(i / across)];
      return [x, y, this.dice.chance(0.5) ? 0 : i % 7].slice(0, dimensions);
    });
  }
}

/* A number of a schema, whatever it means. */
function numberOf(dice, { type, minimum, exclusiveMinimum, maximum }) {
  const low = minimum ?? (exclusiveMinimum === undefined ? -1000 : Math.max(exclusiveMinimum, 1e-3));
  const high = maximum ?? 1000;
  const number = dice.chance(0.2) ? dice.of([low, high])
    : low > 0 ? dice.scale(low, high) : low === 0 ? dice.scale(1, high + 1) - 1 : dice.between(low, high);
  return type === 'integer' ? Math.floor(Math.min(number, high)) : number;
}

/* Values that depend on the parameter's name; the others come from the schema. */
class Values {
  constructor(dice, scene, world, worlds) {
    Object.assign(this, { dice, scene, world, worlds });
    this.size = dice.chance(0.2) ? dice.of([127, 255, 1023]) : dice.count(1, 1024);
    this.step = 2 ** Math.floor(dice.between(-4, 17));
    this.zoom = Math.floor(dice.between(0, 21));
  }

  layer() {
    return this.dice.chance(0.5) && this.world.layers.includes('height') ? 'height' : this.dice.of(this.world.layers);
  }

  layers() {
    const { dice, world } = this;
    if (dice.chance(0.5)) return ['height'];
    if (world.materials && dice.chance(0.3)) return ['materials'];
    return [...new Set(Array.from({ length: dice.count(1, 16) }, () => dice.of(world.layers)))];
  }

  style() {
    return this.dice.of([...this.world.styles, this.layer()]);
  }

  condition() {
    const { dice } = this;
    return encodeURIComponent(dice.chance(0.7) ? dice.of(CONDITIONS) : `${this.layer()}>${dice.between(-2, 2)}`);
  }

  /* Undefined where the schema decides, null where there is no value. */
  named(name, kind) {
    const { dice, scene, world } = this;
    const [cx, cy] = scene.cell(this.size * this.step);
    switch (kind === 'tile' && 'xyz'.includes(name) ? `tile ${name}` : name) {
      case 'x': return metres(scene.x);
      case 'y': return metres(scene.y);
      case 'z': case 't': return String(dice.scale(1, 1e6));
      case 'tile z': return String(this.zoom);
      case 'tile x': return String(this.tile()[0]);
      case 'tile y': return `${this.tile()[1]}${dice.chance(0.1) ? '@2x' : ''}`;
      case 'cx': return String(cx);
      case 'cy': return String(cy);
      case 'cz': return String(Math.floor(dice.between(-4, 4)));
      case 'chunk': return `${cx},${cy}`;
      case 'size': return kind === 'tile' ? undefined : String(kind === 'volume' ? Math.min(this.size, 128) : this.size);
      case 'step': return String(this.step);
      case 'bbox': return scene.bbox();
      case 'line': return scene.line();
      case 'from': case 'to': return scene.eye();
      case 'layer': return this.layer();
      case 'layers': return this.layers().join(',');
      case 'style': return this.style();
      case 'where': return this.condition();
      case 'a': case 'b': return `${dice.of(this.worlds).name}${dice.chance(0.3) ? '~7' : ''}`;
      case 'biome': return world.biomes.length > 0 ? dice.of(world.biomes) : null;
      case 'name': return dice.of([...'abcdefghijklmnoprstuvwy']);
      case 'kind': return world.objects.length > 0 ? dice.of(world.objects) : null;
      default: return undefined;
    }
  }

  tile() {
    return this.scene.cell(2 ** (25 - this.zoom), -(2 ** 24));
  }

  /* A text, or null. */
  of({ name, schema }, kind) {
    const named = this.named(name, kind);
    const own = schema.anyOf?.[0] ?? schema;
    if (named !== undefined) return named;
    if (own.enum) return String(this.dice.of(own.enum));
    return own.type === 'string' ? null : String(numberOf(this.dice, own));
  }
}

const kindOf = (path) => (path.startsWith('/tiles/') ? 'tile' : path.startsWith('/volumes') ? 'volume' : 'query');

/* Parameters of a few formats, or that seldom matter: they are given less often. */
const RARE = new Set(['skirt', 'crs', 'materials', 'interval', 'labels', 'cols', 'z', 'kind']);

/* Requests that do not sample are made less often by this factor; so are those for the rivers of worlds without any. */
const SELDOM = 10;

/* /locate has one of these at a time. */
const SEARCHED = ['where', 'biome', 'min_height', 'feature', 'name'];
/* These go with a name alone, or not with one; kinds are those of objects. */
const OF_NAMES = ['zoom', 'after'], NOT_OF_NAMES = ['apart', 'min_distance', 'detail'];

function targetOf(operation, values, worldName) {
  const { dice } = values;
  const kind = kindOf(operation.path);
  const searched = dice.of(SEARCHED);
  const texts = operation.parameters
    .filter(({ name, in: place }) => place === 'path' || !PARAMETERS_LEFT_OUT.has(name))
    .filter(({ name }) => !SEARCHED.includes(name) || name === searched)
    .filter(({ name }) => !operation.path.endsWith('/locate') || ![...searched === 'name' ? NOT_OF_NAMES : OF_NAMES, 'kind'].includes(name))
    .filter(({ name, required }) => required || ['x', 'y', searched, 'samples'].includes(name) || dice.chance(RARE.has(name) ? 0.1 : 0.5))
    .map((parameter) => [parameter, parameter.in === 'path' && parameter.name === 'world' ? worldName : values.of(parameter, kind)])
    .filter(([, value]) => value !== null);
  const path = texts.filter(([{ in: place }]) => place === 'path')
    .reduce((text, [{ name }, value]) => text.replace(`{${name}}`, value), operation.path);
  const query = texts.filter(([{ in: place }]) => place === 'query').map(([{ name }, value]) => `${name}=${value}`);
  const inWorld = operation.inWorld ? `/worlds/${worldName}` : '';
  return { target: inWorld + path + (query.length > 0 ? `?${query.join('&')}` : ''), texts };
}

/* The body of a POST as a function of the number of its parts. */
function bodyOf(operation, values) {
  const { dice, scene } = values;
  const kind = kindOf(operation.path);
  const list = operation.members.find(({ schema }) => schema.items?.type === 'array');
  const count = dice.count(1, list.schema.maxItems);
  /* As large as --chunk-samples allows. */
  const most = Math.floor((SAMPLES / count) ** (kind === 'volume' ? 1 / 3 : 1 / 2));
  values.size = Math.max(1, Math.min(values.size, most, kind === 'volume' ? 128 : 1024));
  const side = values.size * values.step;
  const parts = list.name === 'points' ? scene.places(count) : scene.chunks(count, side, kind === 'volume' ? 3 : 2);
  const body = { [list.name]: parts };
  for (const member of operation.members.filter(({ name }) => name !== list.name && !PARAMETERS_LEFT_OUT.has(name))) {
    const always = ['size', 'step', 'layer'].includes(member.name);
    if (!always && dice.chance(RARE.has(member.name) ? 0.9 : 0.5)) continue;
    const value = member.name === 'layers' ? values.layers() : values.of(member, kind);
    if (value !== null) body[member.name] = ['integer', 'number'].includes(member.schema.type) ? Number(value) : value;
  }
  return { count, of: (n) => ({ ...body, [list.name]: parts.slice(0, n) }) };
}

/* next() is a request: { name, world, target, text(parts) }, where `target` says in words what is asked for, and `text` has
 * so many parts (points, chunks, samples), or all.
 *
 * `worlds`: [{ name, layers, styles, biomes, objects, materials, drained }]; `words` select operations by their paths. */
export class RandomRequests {
  constructor(document, worlds, seed, words = []) {
    this.dice = new Dice(randomOf(seed));
    this.worlds = worlds;
    this.operations = ['get', 'post'].flatMap((method) => operationsOf(document, method)
      .filter(({ path }) => !ROUTES_LEFT_OUT.has(path) && (words.length === 0 || words.some((word) => path.includes(word))))
      .map((operation) => ({ ...operation, method })));
  }

  choose() {
    const { dice } = this;
    for (;;) {
      const operation = dice.of(this.operations);
      const world = dice.of(this.worlds);
      const seldom = operation.isDocument || (/^\/(trace|rivers)/.test(operation.path) && !world.drained);
      if (!seldom || dice.chance(1 / SELDOM)) return { operation, world };
    }
  }

  next() {
    const { dice } = this;
    const { operation, world } = this.choose();
    const values = new Values(dice, new Scene(dice), world, this.worlds);
    const seeded = `${world.name}${dice.chance(0.05) ? `~${Math.floor(dice.random() * 1e6)}` : ''}`;
    const codings = `Accept-Encoding: ${dice.of(['identity', 'gzip', 'zstd'])}\r\n`;
    const name = `${operation.method} ${operation.path}`;
    if (operation.method === 'get') {
      const { target } = targetOf(operation, values, seeded);
      const fewer = (parts) => (parts === undefined ? target : target.replace(/samples=\d+/, `samples=${parts}`));
      return { name, world: world.name, target: `${target} ${codings.trim()}`, text: (parts) => get(fewer(parts), codings) };
    }
    const body = bodyOf(operation, values);
    const { target } = targetOf(operation, values, seeded);
    return {
      name,
      world: world.name,
      target: `${target} ${codings.trim()} ${JSON.stringify({ ...body.of(1), parts: body.count })}`,
      text: (parts = body.count) => post(target, body.of(parts)).replace('\r\n', `\r\n${codings}`),
    };
  }
}
