/* The keys of a world file, by the place where they stand, with what they mean: for completion and
 * help. The manual of worlds (config/worlds/README.md) describes them in full. */

const FORMULA = 'a formula';
const COLOUR = 'a colour, "#rrggbb"';
const TEXT = 'a text';

/* The members of steps of styles. */
const STEP = {
  layer: 'the layer that is painted', opacity: '0 … 1', mask: '{layer, from, to}',
  optional: 'true: left out in worlds without the layer', until: 'metres a pixel where it is gone',
};
const STOPS = { stops: '[[value, "#rrggbb"], …], linear between them' };
const SURFACE = { surface: 'the layer of the water’s level' };
const PAINT = {
  ramp: 'a colour by the value of a layer', biomes: 'the colours of the biomes',
  materials: 'the colours of the materials by weight', water: 'a colour by depth',
  slope: 'a colour by the slope, 0 to 90 degrees', shade: 'light on the ground',
  contour: 'lines at multiples of an interval', objects: 'trees, shrubs and rocks from above',
  grey: 'alone: a layer by its range', grey16: 'alone: the same in 16 bits',
  terrarium: 'alone: heights encoded in colours', mapbox: 'alone: heights encoded in colours',
  normal: 'alone: the direction that the ground faces',
};

/* A path of keys, * for any one, to the keys of the object there. The first that fits counts. */
const OBJECTS = [
  ['', {
    $schema: 'the JSON Schema of world files, for editors',
    title: TEXT, description: TEXT, attribution: 'whose work it is', generator: '1, the only one',
    seed: 'a text, or a whole number 0 … 2⁶⁴−1', layers: 'named fields; height is required',
    biomes: 'a list: the first whose "when" is true applies',
    materials: 'a list of what the ground is made of, with weights',
    objects: 'kinds of trees, shrubs and rocks', drainage: 'a network of rivers',
    paths: 'lines for path(), by name: [[x, y], …] in metres',
    areas: 'borders for area(), by name: [[x, y], …] in metres',
    styles: 'styles of this world alone', view: 'where maps begin',
    names: 'what seas, ranges and rivers are named with, or false',
  }],
  ['view', { x: 'metres east', y: 'metres south', near: '[x, y] that a search begins at', where: 'a condition of the place', zoom: '0 … 20', style: 'a style', t: 'seconds' }],
  ['names', {
    tongues: 'a list of those whose names there are', syllables: 'tongues of this world alone',
    places: 'fixed names',
  }],
  ['names.syllables.*', {
    starts: 'words that begin a name', middles: 'words between', ends: 'words that end a name',
    patterns: 'texts with % for the name, by kind of feature',
  }],
  ['names.places.*', { kind: 'such as "river"', at: '[x, y] in metres', name: TEXT }],
  ['layers.*', {
    formula: 'what the layer is', unit: 'such as "m"',
    range: '[low, high]: scales grey pictures and charts',
  }],
  ['biomes.*', {
    name: 'letters, digits and _', title: TEXT, color: COLOUR,
    when: 'a formula; the last biome needs none',
  }],
  ['materials.*', { name: 'letters, digits and _', title: TEXT, color: COLOUR, weight: FORMULA }],
  ['objects.*', {
    spacing: 'side of a grid cell, 0.5 … 65536 m', density: 'a formula, 0 … 1',
    min_distance: 'metres, at most 4 × spacing', max_slope: 'degrees, 1 … 90', title: TEXT,
    color: COLOUR, radius: 'metres, in pictures',
  }],
  ['drainage', {
    potential: 'a formula: the beds of the largest streams, metres',
    target: 'a formula: the height that valleys and ridges aim at, metres',
    relief: 'a formula: metres from valleys to ridges', warp_x: FORMULA, warp_y: FORMULA,
    lakes: 'a formula, 0 … 1: the share of streams with a lake',
    deltas: '0 … 1: the share of rivers with a delta',
    spacing: 'metres between sources, a power of two, 16384 … 1048576',
  }],
  ['styles.*', { title: TEXT, paint: 'a list of steps, painted over each other' }],
  ['styles.*.paint.*', PAINT],
  ['styles.*.paint.*.shade', {
    ...STEP, lights: '[[azimuth, altitude, weight], …]', strength: '0 … 4', highlight: '0 … 1',
    shadow: COLOUR, water: 'factor below 0 m', contrast: '[[height, factor], …]',
    exaggeration: '[[metres a pixel, factor], …]',
  }],
  ['styles.*.paint.*.contour', {
    ...STEP, interval: 'metres', intervals: '[[metres a pixel, metres], …]', width: 'pixels',
    index: 'every so many lines', index_width: 'pixels', index_color: COLOUR, color: COLOUR,
    water_color: COLOUR,
  }],
  ['styles.*.paint.*.objects', {
    from: 'pixels: smaller ones are left out', shadow: '0 … 1', optional: STEP.optional,
    opacity: STEP.opacity,
  }],
  ['styles.*.paint.*.*.mask', {
    layer: 'a layer', from: 'nothing up to here', to: 'all from here on',
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
