/* The schemas of world and style files agree with `terrane check`: on every shipped file, on files that are
 * broken in many ways, and on the least and greatest value of every number. The keys are compared with the
 * readers' tables in tests/unit/core/tile/test_schemas.c. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import Ajv2020 from 'ajv/dist/2020.js';
import { root, terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const read = (name) => JSON.parse(readFileSync(`${root}/config/${name}`, 'utf8'));
const schemas = { world: read('world.schema.json'), style: read('style.schema.json') };
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictRequired: false, strictTypes: false, strictTuples: false });
ajv.addSchema(schemas.style, 'style.schema.json');
const validators = { world: ajv.compile(schemas.world), style: ajv.getSchema('style.schema.json') };

const shipped = ['world', 'style'].flatMap((kind) => readdirSync(`${root}/config/${kind}s`)
  .filter((name) => name.endsWith('.json')).map((name) => [kind, name]));

/* The set of the files that `terrane check` accepts, of { name: content }. */
function accepted(kind, files) {
  const entries = Object.entries(files);
  const folder = temporaryFolder(Object.fromEntries(entries.map(([name, content]) => [`${kind}s/${name}.json`, JSON.stringify(content)])));
  try {
    const { stdout } = terrane(['check', ...entries.map(([name]) => `${folder.path}/${kind}s/${name}.json`)]);
    return new Set([...stdout.matchAll(/\/(\w+)\.json:/g)].map(([, name]) => name));
  } finally {
    folder.remove();
  }
}

/* Asserts that schema and program give the same verdict on all files; `expected`: true or false for all. */
function assertAgree(kind, files, expected) {
  const good = accepted(kind, files);
  for (const [name, content] of Object.entries(files)) {
    const valid = validators[kind](content);
    assert.equal(valid, good.has(name), `${JSON.stringify(content)}: schema ${valid}, check ${good.has(name)}`);
    if (expected !== undefined) assert.equal(valid, expected, JSON.stringify(content));
  }
}

test('every shipped file names its schema and is valid', () => {
  assert.ok(shipped.length > 20);
  for (const [kind, name] of shipped) {
    const content = read(`${kind}s/${name}`);
    assert.equal(content.$schema, `../${kind}.schema.json`, name);
    assert.ok(validators[kind](content), `${name}: ${JSON.stringify(validators[kind].errors)}`);
  }
});

test('$schema changes neither a fingerprint nor a picture', () => {
  const { $schema, ...bare } = read('worlds/terra.json');
  const folder = temporaryFolder({ 'worlds/bare.json': JSON.stringify(bare), 'worlds/named.json': JSON.stringify({ $schema, ...bare }) });
  try {
    const { stdout } = terrane(['worlds', '--worlds', `${folder.path}/worlds`]);
    const prints = ['bare', 'named', 'terra'].map((name) => new RegExp(`^${name} .*(g1-\\w+)$`, 'm').exec(stdout)[1]);
    assert.equal(new Set(prints).size, 1, stdout);
  } finally {
    folder.remove();
  }
});

const world = (members = {}) => ({ generator: 1, layers: { height: '0' }, ...members });
const biome = (members) => world({ biomes: [{ name: 'sea', color: '#00f', ...members }] });
const material = (members) => world({ materials: [{ name: 'rock', color: '#888', weight: '1', ...members }] });
const object = (members) => world({ objects: { oak: { spacing: 65536, density: '1', ...members } } });
const drainage = (members) => world({ drainage: { potential: '0', target: '0', relief: '1', ...members } });
const paths = (members) => world({ paths: members });
const areas = (members) => world({ areas: members });
const view = (members) => world({ view: members });
const without = (object_, key) => Object.fromEntries(Object.entries(object_).filter(([name]) => name !== key));

test('worlds that are broken are refused by both', () => {
  assertAgree('world', {
    array: [], text: 'a', empty: {}, no_layers: { generator: 1 }, no_generator: { layers: { height: '0' } },
    generator: world({ generator: 2 }), generator_text: world({ generator: '1' }), seed: world({ seed: -1 }), seed_empty: world({ seed: '' }), seed_type: world({ seed: true }),
    seed_long: world({ seed: 'x'.repeat(257) }), unknown: world({ tilte: 'x' }), title: world({ title: 5 }), schema: world({ $schema: 5 }),
    no_height: world({ layers: { h: '0' } }), layer_type: world({ layers: { height: 5 } }), layer_name: world({ layers: { height: '0', '2x': '0' } }),
    layer_key: world({ layers: { height: { formula: '0', untit: 'm' } } }), layer_bare: world({ layers: { height: { unit: 'm' } } }),
    range: world({ layers: { height: { formula: '0', range: [1] } } }), unit: world({ layers: { height: { formula: '0', unit: 3 } } }),
    biomes_none: world({ biomes: [] }), biomes_type: world({ biomes: {} }), biome_name: biome({ name: 'a b' }), biome_color: biome({ color: 'blue' }), biome_key: biome({ titel: 'x' }),
    biome_bare: world({ biomes: [{ name: 'sea' }] }), material_bare: world({ materials: [{ name: 'rock', color: '#888' }] }), material_color: material({ color: '#12345' }),
    objects_none: world({ objects: {} }), object_bare: world({ objects: { oak: { spacing: 5 } } }), object_color: object({ color: 'green' }),
    drainage_key: drainage({ spacng: 16384 }), drainage_spacing: drainage({ spacing: 100000 }), drainage_bare: world({ drainage: { potential: '0', target: '0' } }),
    paths_type: paths([]), paths_none: paths({}), paths_name: paths({ 'a b': [[0, 0], [1, 1]] }), path_one: paths({ a: [[0, 0]] }), path_type: paths({ a: {} }),
    path_vertex: paths({ a: [[0, 0], [1, 2, 3]] }), path_text: paths({ a: [[0, 0], [1, '2']] }), path_far: paths({ a: [[0, 0], [2 ** 41, 0]] }),
    area_two: areas({ a: [[0, 0], [1, 1]] }), area_vertex: areas({ a: [[0, 0], [1, 1], [2]] }),
    view_zoom: view({ zoom: 2.5 }), view_type: world({ view: [] }), view_key: view({ lat: 5 }),
    view_near: view({ near: [1, 2] }), view_where: view({ where: '' }), view_where_type: view({ where: 1 }), view_where_long: view({ where: `height > 0${' '.repeat(1015)}` }),
    view_x: view({ x: 1, where: 'height > 0' }), view_y: view({ y: 1, where: 'height > 0' }),
    view_near_one: view({ near: [1], where: 'height > 0' }), view_near_text: view({ near: ['1', 2], where: 'height > 0' }),
    styles: world({ styles: [] }), style_inside: world({ styles: { x: { paint: [{ ramps: {} }] } } }),
  }, false);
});

test('worlds with every member are accepted by both', () => {
  assertAgree('world', {
    least: world(), seed: world({ seed: 'x'.repeat(256) }), number: world({ seed: 42 }), layer: world({ layers: { height: { formula: '0', unit: 'm', range: [-1, 2] } } }),
    texts: world({ $schema: 'a', title: '', description: '', attribution: '' }),
    biome: biome({ title: 'Sea', when: 'height < 0' }), material: material({ title: 'Rock' }), object: object({ title: 'Oak', color: '#123456' }),
    paths: paths({ a: [[0, 0], [1.5, -(2 ** 40)]], _2: [[2 ** 40, 0], [0, 0], [2 ** 40, 0]] }), areas: areas({ a: [[0, 0], [1, 1], [2, 0]] }),
    drainage: drainage({ warp_x: '0', warp_y: '0', lakes: '0', spacing: 131072 }),
    view: view({ style: 'height' }), view_where: view({ where: 'height > 0' }), view_near: view({ near: [1, -2.5], where: 'slope < 3', zoom: 7, t: 1 }), styles: world({ styles: { x: { paint: [{ biomes: {} }] } }, biomes: [{ name: 'sea', color: '#00f' }] }), no_styles: world({ styles: {} }),
  }, true);
});

const style = (name, step) => ({ paint: [{ [name]: step }] });
const stops = [[0, '#fff'], [10, '#000']];
const steps = {
  ramp: { layer: 'a', stops }, biomes: {}, materials: {}, water: { layer: 'a', stops }, slope: { layer: 'a', stops },
  shade: { layer: 'a', lights: [[315, 45, 1]] }, contour: { layer: 'a', interval: 10 }, objects: {}, grey: { layer: 'a' }, grey16: { layer: 'a' },
  terrarium: { layer: 'a' }, mapbox: { layer: 'a' }, normal: { layer: 'a' },
};

test('styles that are broken are refused by both', () => {
  const files = {
    array: [], empty: {}, none: { paint: [] }, many: { paint: Array(17).fill({ biomes: {} }) }, two: { paint: [{ biomes: {}, materials: {} }] }, unknown: { paint: [{ biomes: {} }], tilte: 'x' },
    title: { title: 5, ...style('biomes', {}) }, description: { description: 5, ...style('biomes', {}) }, schema: { $schema: 5, ...style('biomes', {}) },
    kind: style('rampe', steps.ramp), type: style('ramp', []), alone: { paint: [{ grey: { layer: 'a' } }, { biomes: {} }] }, objects: { paint: [{ objects: {} }, { objects: {} }] },
    stop: style('ramp', { layer: 'a', stops: [[0]] }), stop_color: style('ramp', { layer: 'a', stops: [[0, 'red']] }), stops: style('ramp', { layer: 'a', stops: [] }), fit: style('ramp', { ...steps.ramp, fit: 1 }),
    light: style('shade', { layer: 'a', lights: [[0, 45]] }), lights: style('shade', { layer: 'a', lights: [] }), shadow: style('shade', { ...steps.shade, shadow: 0.5 }), contrast: style('shade', { ...steps.shade, contrast: [] }),
    both: style('contour', { ...steps.contour, intervals: [[0, 5]] }), neither: style('contour', { layer: 'a' }), index: style('contour', { ...steps.contour, index: 2.5 }),
    mask: style('ramp', { ...steps.ramp, mask: { from: 0 } }), mask_key: style('ramp', { ...steps.ramp, mask: { layer: 'a', form: 0 } }), optional: style('biomes', { optional: 'yes' }),
  };
  for (const [name, step] of Object.entries(steps)) {
    files[`${name}_key`] = style(name, { ...step, opactiy: 1 });
    for (const key of Object.keys(step)) if (key !== 'interval') files[`${name}_without_${key}`] = style(name, without(step, key));
  }
  assertAgree('style', files, false);
});

test('each step is accepted by both', () => {
  assertAgree('style', Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, style(name, step)])), true);
});

/* Each number of the schema: [path of the definition, schema, a file with that number]. */
const definitions = { world: { object, drainage, view }, style: Object.fromEntries(Object.entries(steps).map(([name, step]) =>
  [name, (members) => style(name, 'interval' in members || 'intervals' in members ? { ...without(step, 'interval'), ...members } : { ...step, ...members })])) };

function* numbers(kind) {
  const $defs = schemas[kind].$defs;
  for (const [name, make] of Object.entries(definitions[kind])) {
    for (const [key, property] of Object.entries($defs[name].properties)) {
      const resolved = property.$ref ? $defs[property.$ref.split('/').pop()] : property;
      if ('minimum' in resolved) yield [`${name}_${key}`, resolved, (number) => make({ [key]: number })];
      const items = property.items?.prefixItems ?? [];
      for (const [index, item] of items.entries()) {
        if (!('minimum' in item)) continue;
        const entry = (number) => items.map((each, i) => (i === index ? number : each.minimum ?? '#fff')).map((value, i) => (key === 'lights' && i === 2 && index !== 2 ? 1 : value));
        const whole = (number) => { const pair = entry(number); return pair.length < 2 ? [...pair, '#fff'] : pair; };
        yield [`${name}_${key}_${index}`, item, (number) => make({ [key]: [whole(number)] })];
      }
    }
  }
}

for (const kind of ['world', 'style']) {
  test(`the least and greatest numbers of ${kind}s are those of the reader`, () => {
    const inside = {};
    const outside = {};
    let count = 0;
    for (const [name, { minimum: low, maximum: high, type }, file] of numbers(kind)) {
      count++;
      const beyond = (edge) => (type === 'integer' ? 1 : Math.max(Math.abs(edge) * 1e-6, 1e-6));
      outside[`${name}_low`] = file(low - beyond(low));
      outside[`${name}_high`] = file(high + beyond(high));
      outside[`${name}_text`] = file('1');
      /* A light without weight is none: only the program knows. */
      if (!name.endsWith('lights_2')) inside[`${name}_low`] = file(low);
      inside[`${name}_high`] = file(high);
    }
    assert.ok(count >= (kind === 'world' ? 8 : 20), `${count}`);
    assertAgree(kind, inside, true);
    assertAgree(kind, outside, false);
  });
}
