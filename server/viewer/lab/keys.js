/* The keys of a world file, by the place where they stand, with what they mean: for completion and
 * help. The manual of worlds (config/worlds/README.md) describes them in full. */

import { tr } from '../texts/texts.js';

const FORMULA = tr('a formula');
const COLOUR = tr('a colour, "#rrggbb"');
const TEXT = tr('a text');

/* The members of steps of styles. */
const STEP = {
  layer: tr('the layer that is painted'), opacity: '0 … 1', mask: '{layer, from, to}',
  optional: tr('true: left out in worlds without the layer'),
  until: tr('metres a pixel where it is gone'),
};
const STOPS = { stops: '[[value, "#rrggbb"], …], linear between them' };
const SURFACE = { surface: tr('the layer of the water’s level') };
const PAINT = {
  ramp: tr('a colour by the value of a layer'), biomes: tr('the colours of the biomes'),
  materials: tr('the colours of the materials by weight'), water: tr('a colour by depth'),
  slope: tr('a colour by the slope, 0 to 90 degrees'), shade: tr('light on the ground'),
  contour: tr('lines at multiples of an interval'),
  objects: tr('trees, shrubs and rocks from above'),
  grey: tr('alone: a layer by its range'), grey16: tr('alone: the same in 16 bits'),
  terrarium: tr('alone: heights encoded in colours'),
  mapbox: tr('alone: heights encoded in colours'),
  normal: tr('alone: the direction that the ground faces'),
};

/* A path of keys, * for any one, to the keys of the object there. The first that fits counts. */
const OBJECTS = [
  ['', {
    $schema: tr('the JSON Schema of world files, for editors'),
    title: TEXT, description: TEXT, attribution: tr('whose work it is'),
    generator: tr('1, the only one'),
    seed: tr('a text, or a whole number 0 … 2⁶⁴−1'), layers: tr('named fields; height is required'),
    biomes: tr('a list: the first whose "when" is true applies'),
    materials: tr('a list of what the ground is made of, with weights'),
    objects: tr('kinds of trees, shrubs and rocks'), drainage: tr('a network of rivers'),
    paths: tr('lines for path(), by name: [[x, y], …] in metres'),
    areas: tr('borders for area(), by name: [[x, y], …] in metres'),
    styles: tr('styles of this world alone'), view: tr('where maps begin'),
    names: tr('what seas, ranges and rivers are named with, or false'),
  }],
  ['view', { x: tr('metres east'), y: tr('metres south'),
    near: tr('[x, y] that a search begins at'), where: tr('a condition of the place'),
    zoom: '0 … 20', style: tr('a style'), t: tr('seconds') }],
  ['names', {
    tongues: tr('a list of those whose names there are'),
    syllables: tr('tongues of this world alone'),
    places: tr('fixed names'),
  }],
  ['names.syllables.*', {
    starts: tr('words that begin a name'), middles: tr('words between'),
    ends: tr('words that end a name'),
    patterns: tr('texts with % for the name, by kind of feature'),
  }],
  ['names.places.*', { kind: tr('such as "river"'), at: '[x, y] in metres', name: TEXT }],
  ['layers.*', {
    formula: tr('what the layer is'), unit: tr('such as "m"'),
    range: '[low, high]: scales grey pictures and charts',
  }],
  ['biomes.*', {
    name: tr('letters, digits and _'), title: TEXT, color: COLOUR,
    when: tr('a formula; the last biome needs none'),
  }],
  ['materials.*', { name: tr('letters, digits and _'), title: TEXT, color: COLOUR,
    weight: FORMULA }],
  ['objects.*', {
    spacing: tr('side of a grid cell, 0.5 … 65536 m'), density: tr('a formula, 0 … 1'),
    min_distance: tr('metres, at most 4 × spacing'), max_slope: tr('degrees, 1 … 90'), title: TEXT,
    color: COLOUR, radius: tr('metres, in pictures'),
  }],
  ['drainage', {
    potential: tr('a formula: the beds of the largest streams, metres'),
    target: tr('a formula: the height that valleys and ridges aim at, metres'),
    relief: tr('a formula: metres from valleys to ridges'), warp_x: FORMULA, warp_y: FORMULA,
    lakes: tr('a formula, 0 … 1: the share of streams with a lake'),
    deltas: tr('0 … 1: the share of rivers with a delta'),
    spacing: tr('metres between sources, a power of two, 16384 … 1048576'),
  }],
  ['styles.*', { title: TEXT, paint: tr('a list of steps, painted over each other') }],
  ['styles.*.paint.*', PAINT],
  ['styles.*.paint.*.shade', {
    ...STEP, lights: '[[azimuth, altitude, weight], …]', strength: '0 … 4', highlight: '0 … 1',
    shadow: COLOUR, water: tr('factor below 0 m'), contrast: '[[height, factor], …]',
    exaggeration: tr('[[metres a pixel, factor], …]'),
  }],
  ['styles.*.paint.*.contour', {
    ...STEP, interval: tr('metres'), intervals: tr('[[metres a pixel, metres], …]'),
    width: tr('pixels'),
    index: tr('every so many lines'), index_width: tr('pixels'), index_color: COLOUR, color: COLOUR,
    water_color: COLOUR,
  }],
  ['styles.*.paint.*.objects', {
    from: tr('pixels: smaller ones are left out'), shadow: '0 … 1', optional: STEP.optional,
    opacity: STEP.opacity,
  }],
  ['styles.*.paint.*.*.mask', {
    layer: tr('a layer'), from: tr('nothing up to here'), to: tr('all from here on'),
  }],
  ['styles.*.paint.*.*', { ...STEP, ...STOPS, ...SURFACE }],
].map(([pattern, keys]) => [pattern === '' ? [] : pattern.split('.'), keys]);

const FORMULAS = ['layers.*', 'layers.*.formula', 'biomes.*.when', 'materials.*.weight',
  'objects.*.density', 'drainage.*'].map((pattern) => pattern.split('.'));

function fits(pattern, path) {
  return pattern.length === path.length &&
    pattern.every((part, index) => part === '*' || part === path[index]);
}

/* The keys that the object at a path may have: texts by name, or null. */
export function keysAt(path) {
  return OBJECTS.find(([pattern]) => fits(pattern, path))?.[1] ?? null;
}

/* Whether the string at a path is a formula. */
export function isFormula(path) {
  return FORMULAS.some((pattern) => fits(pattern, path));
}
