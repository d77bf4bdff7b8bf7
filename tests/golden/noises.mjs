/* A world with a layer for every noise, interpolation, axes, fractal and basis, and for what else
 * noises can be asked: of which golden samples are kept. Its layers' names and order are part of
 * the golden files, so a row is added at the end of its function, and none is renamed or moved. */

import { fileURLToPath } from 'node:url';

const interpolations = ['linear', 'cosine', 'cubic', 'quintic'];
const allAxes = ['x', 'xy', 'xyz', 'xyt', 'xyzt'];
const features = { f1: 'f1', f2: 'f2', edge: 'f2-f1', cell: 'cell' };

function further(axes) {
  const z = axes.includes('z') ? ', wavelength_z=19' : '';
  return `axes='${axes}'${z}${axes.includes('t') ? ', wavelength_t=7' : ''}`;
}

function singles(axes) {
  const layers = {};
  for (const basis of ['value', 'perlin'])
    for (const interpolation of interpolations)
      layers[`${basis}_${interpolation}_${axes}`] =
        `${basis}(77, interpolation='${interpolation}', ${further(axes)})`;
  layers[`white_${axes}`] = `white(77, ${further(axes)})`;
  layers[`simplex_${axes}`] = `simplex(77, ${further(axes)})`;
  for (const [name, feature] of Object.entries(features))
    layers[`worley_${name}_${axes}`] = `worley(77, feature='${feature}', ${further(axes)})`;
  return layers;
}

function fractals(axes) {
  const layers = {};
  for (const call of ['fbm', 'billow', 'turbulence', 'ridged'])
    for (const basis of ['white', 'value', 'perlin', 'simplex', 'worley'])
      layers[`${call}_${basis}_${axes}`] = `${call}(900, 4, basis='${basis}', ${further(axes)})`;
  return layers;
}

function others() {
  const layers = {};
  for (const axes of ['xy', 'xyz', 'xyt'])
    layers[`published_${axes}`] = `perlin2002(77, ${further(axes)})`;
  for (const call of ['fbm', 'billow', 'turbulence', 'ridged'])
    for (const basis of ['value', 'perlin', 'simplex', 'worley']) {
      layers[`damped_${call}_${basis}`] = `${call}(900, 4, basis='${basis}', damping=0.6)`;
      layers[`turned_${call}_${basis}`] = `${call}(900, 4, basis='${basis}', rotate_octaves=1)`;
      layers[`zeros_${call}_${basis}`] =
        `zero_distance(${call}(900, 4, basis='${basis}', rotate_octaves=1))`;
    }
  return {
    ...layers,
    rotated: 'rotate(fbm(900, 4), 33.3)',
    scaled: 'scale(fbm(900, 4), 7.7)',
    warped: "warp(fbm(900, 4), 300 * perlin(400, salt='x'), 300 * perlin(400, salt='y'))",
    warped_deep: "warp(simplex(300, axes='xyzt'), 300 * worley(400), 20)",
    slopes: 'slope(200 * fbm(900, 4), 3)',
    cycles: "rotate(cycle('x', 1000), 15) + cycle('y', 77)",
    distances: 'scale(rotate(distance(100, 200), 20), 3)',
    shaped: 'spline(fbm(900, 4), -1, 0, 0, 2, 1, 3) + sin(x / 100) * cos(y / 77) + exp(-abs(t))',
    powers: 'pow(abs(x) / 99, 2 * fbm(900, 4)) + pow(fbm(300, 4), 0.7) + 9 * log(abs(y) + 0.1)',
  };
}

function coarse() {
  return {
    coarse: 'coarse(fbm(900, 4), 32) + coarse(fbm(300, 6) * fbm(77, 2), 4)',
    coarse_nested: "coarse(coarse(simplex(20000), 1024) + worley(800), 32)",
    coarse_warped: 'warp(coarse(fbm(900, 4), 32), 300 * coarse(perlin(400), 16), 99 * perlin(70))',
    coarse_turned: 'rotate(coarse(fbm(900, 4), 32), 33.3) + scale(coarse(fbm(900, 4), 8), 7.7)',
    coarse_slopes: 'slope(coarse(200 * fbm(900, 4), 16), 3)',
    covered: 'coverage(40 * fbm(900, 4), 7)',
    coarse_high: "scale(coarse(perlin(300, axes='xyzt') + z / 9 + cycle('x', 777), 16), 3)",
  };
}

function drainage() {
  const layers = { detailed: 'detail(700) * fbm(900, 4) + detail(3)' };
  for (const output of ['height', 'distance', 'bed', 'water', 'river', 'flow', 'order', 'valley'])
    layers[`drainage_${output}`] = `drainage('${output}')`;
  return {
    ...layers,
    drainage_turned: "rotate(drainage('height'), 33.3) + scale(drainage('valley'), 0.7)",
    drainage_warped: "warp(drainage('height'), 300 * perlin(400), 99 * perlin(70))",
  };
}

export const noises = {
  title: 'Noises',
  generator: 1,
  seed: 'golden',
  layers: {
    height: 'fbm(900, 8)',
    ...Object.assign({}, ...allAxes.map(singles), ...allAxes.map(fractals)),
    ...others(),
    ...coarse(),
    ...drainage(),
  },
  drainage: {
    potential: '900 * fbm(1600000, 2)',
    target: '900 * fbm(1600000, 2) + 300 * fbm(90000, 8) + 100',
    relief: '60 + 900 * smoothstep(0, 0.5, fbm(400000, 3))',
    warp_x: '800 * fbm(16000, 9)',
    warp_y: "800 * fbm(16000, 9, salt='y')",
    spacing: 65536,
  },
};

/* The layers that a drainage network shapes, and the others. */
export const drainedNoises = Object.keys(noises.layers).filter((name) => name.startsWith('drainage_'));
export const undrainedNoises = Object.keys(noises.layers).filter((name) => !drainedNoises.includes(name));

/* Run as a program it prints the world. */
if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(`${JSON.stringify(noises)}\n`);
