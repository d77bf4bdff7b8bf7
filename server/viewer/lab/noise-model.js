/* The noise page's model: from its controls to a formula, and to a world that has each octave and
 * their sum. Nothing here knows the page.
 *
 * A fractal of k octaves is the weighted mean F(k) = (n₁ + p·n₂ + …) / S(k), with persistence p and
 * S(k) = 1 + p + … + p^(k−1). The octaves of a layer are the same noises whatever their number,
 * so octave k of n adds (S(k)·F(k) − S(k−1)·F(k−1)) / S(n). All of them must be in one layer, for
 * another layer has other noises: t says which is meant, 0 for the sum. */

import { tr } from '../texts/texts.js';

/* name, words, values; `for` says which kinds have the control, `basis` which bases. */
const FRACTALS = ['fbm', 'billow', 'turbulence', 'ridged'];
export const CONTROLS = [
  {
    name: 'kind', title: tr('Kind'), choices: ['single', ...FRACTALS],
    words: tr('Single is one octave of the basis. fbm adds octaves; billow and turbulence add ' +
      'their absolute values, round with creases; ridged turns these over, so that creases are crests.'),
  },
  {
    name: 'basis', title: tr('Basis'), choices: ['perlin', 'value', 'simplex', 'worley', 'white'],
    words: tr('Where an octave comes from: perlin and simplex from slopes on a lattice, value ' +
      'from heights there, worley from distances to scattered points, white from one value a cell.'),
  },
  {
    name: 'interpolation', title: tr('Interpolation'), basis: ['perlin', 'value'],
    choices: ['quintic', 'cubic', 'cosine', 'linear'],
    words: tr('How values between lattice points are found. Linear shows the lattice as creases.'),
  },
  {
    name: 'feature', title: tr('Feature'), basis: ['worley'], for: ['single'],
    choices: ['f1', 'f2', 'f2-f1', 'cell', 'x', 'y', 'edge'],
    words: tr('f1: the distance to the nearest point. edge: the distance to the border between ' +
      'cells.'),
  },
  {
    name: 'wavelength', title: tr('Wavelength'), unit: 'm', low: 7, high: 17, step: 1, power: true,
    words: tr('The size of the largest shapes.'),
  },
  {
    name: 'octaves', title: tr('Octaves'), low: 1, high: 6, step: 1, for: FRACTALS,
    words: tr('How many noises are added. Each costs as much as the first.'),
  },
  {
    name: 'persistence', title: tr('Persistence'), low: 0.1, high: 1, step: 0.05, for: FRACTALS,
    words: tr('How strong each octave is against the one before. More is rougher.'),
  },
  {
    name: 'lacunarity', title: tr('Lacunarity'), low: 1.2, high: 4, step: 0.1, for: FRACTALS,
    words: tr('How many times finer each octave is than the one before.'),
  },
  {
    name: 'damping', title: tr('Damping'), low: 0, high: 4, step: 0.1, for: FRACTALS,
    words: tr('Takes fine octaves away where the ground is steep already: smooth slopes.'),
  },
  {
    name: 'feedback', title: tr('Feedback'), low: 0, high: 4, step: 0.1, for: ['ridged'],
    words: tr('How much an octave shows only where the one before is high: rough crests, calm ' +
      'valleys.'),
  },
  {
    name: 'rotate_octaves', title: tr('Turn octaves'), low: 0, high: 1, step: 1, for: FRACTALS,
    words: tr('1 turns each octave against the one before, which hides the lattice.'),
  },
];

/* What the functions take where an argument is left out. */
const DEFAULTS = {
  basis: 'perlin', interpolation: 'quintic', feature: 'f1', persistence: 0.5, lacunarity: 2,
  damping: 0, feedback: 1.5, rotate_octaves: 0,
};

export const START = { ...DEFAULTS, kind: 'fbm', wavelength: 4096, octaves: 5 };

export function applies(control, settings) {
  return (control.for?.includes(settings.kind) ?? true) &&
    (control.basis?.includes(settings.basis) ?? true);
}

/* The formula of the settings, as it stands outside of JSON. */
export function formulaOf(settings, octaves = settings.octaves) {
  const single = settings.kind === 'single';
  const given = CONTROLS.filter((control) => applies(control, settings) &&
    !['kind', 'wavelength', 'octaves'].includes(control.name) &&
    !(single && control.name === 'basis') && settings[control.name] !== DEFAULTS[control.name]);
  const text = (value) => (typeof value === 'string' ? `"${value}"` : String(value));
  return `${single ? settings.basis : settings.kind}(${[
    `wavelength=${settings.wavelength}`,
    ...(single ? [] : [`octaves=${octaves}`]),
    ...given.map(({ name }) => `${name}=${text(settings[name])}`),
  ].join(', ')})`;
}

const octavesOf = ({ kind, octaves }) => (kind === 'single' ? 1 : octaves);

/* S(k) of the comment above. */
function weightSum(persistence, count) {
  let sum = 0;
  for (let octave = 0; octave < count; octave += 1) sum += persistence ** octave;
  return sum;
}

/* What each octave is: {wavelength, weight}, the weight as a part of all. */
export function octavesTable(settings) {
  const count = octavesOf(settings);
  const sum = weightSum(settings.persistence, count);
  return Array.from({ length: count }, (_, octave) => ({
    wavelength: settings.wavelength / settings.lacunarity ** octave,
    weight: settings.persistence ** octave / sum,
  }));
}

function octaveFormula(settings, octave) {
  const { persistence, octaves } = settings;
  const part = (count) => (count === 0 ? '0'
    : `${weightSum(persistence, count)} * ${formulaOf(settings, count)}`);
  return `(${part(octave)} - ${part(octave - 1)}) / ${weightSum(persistence, octaves)}`;
}

/* The layer that is the sum at t = 0 and octave k at t = k. */
export function layerFormula(settings) {
  const count = octavesOf(settings);
  if (count === 1) return formulaOf(settings);
  const part = (octave) => (octave === 0 ? formulaOf(settings) : octaveFormula(settings, octave));
  const cases = Array.from({ length: count }, (_, octave) =>
    `t < ${octave + 0.5} ? ${part(octave)} : `);
  return cases.join('') + octaveFormula(settings, count);
}

/* The world file that shows the settings. */
export function worldOf(settings) {
  const height = `${settings.wavelength / 16} * noise`;
  const range = ['turbulence', 'ridged'].includes(settings.kind) ? [0, 1] : [-1, 1];
  return JSON.stringify({
    title: tr('Noise'),
    generator: 1,
    seed: 'noise',
    layers: {
      noise: { formula: layerFormula(settings), range },
      height: { formula: height, unit: 'm' },
    },
  });
}

/* A world file's text with the formula as a new layer: {text, from, insert, name}, where `insert`
 * is what is new at `from`; null if the text has no layers. */
export function putIntoWorld(text, formula) {
  const place = /"layers"\s*:\s*\{/.exec(text);
  if (place === null) return null;
  let name = 'noise';
  for (let number = 2; text.includes(`"${name}"`); number += 1) name = `noise_${number}`;
  const at = place.index + place[0].length;
  const empty = /^\s*\}/.test(text.slice(at));
  const line = `\n    ${JSON.stringify(name)}: ${JSON.stringify(formula)}${empty ? '' : ','}`;
  return { text: text.slice(0, at) + line + text.slice(at), from: at, insert: line, name };
}
