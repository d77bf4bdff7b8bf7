/* Worlds for tests, in a temporary folder. */

import { temporaryFolder } from '../tools/folder.mjs';

const noise = 'fbm(wavelength=4096, octaves=8)';

const worlds = {
  /* A layer that moves with time, and a style of its own. */
  clock: {
    title: 'Clock',
    description: 'For tests',
    attribution: 'Nobody',
    generator: 1,
    seed: 'tick',
    view: { x: 4194304, y: -20000000, zoom: 9, style: 'own', t: 12.5 },
    layers: {
      height: { formula: `100 * ${noise}`, unit: 'm', range: [-200, 200] },
      tide: { formula: 't', range: [0, 100] },
    },
    styles: { own: { title: 'Own', paint: [{ ramp: { layer: 'height', stops: [[0, '#000'], [1, '#fff']] } }] } },
  },
  /* So much noise that a tile takes long. */
  slow: {
    title: 'Slow',
    generator: 1,
    seed: 1,
    layers: {
      height: Array.from({ length: 16 }, (_, i) => `fbm(wavelength=${65536 + i}, octaves=20)`).join(' + '),
    },
  },
};

/* A folder with the worlds as files; `edit(name, change)` rewrites one. */
export function makeWorlds() {
  const { path, write, remove } = temporaryFolder();
  for (const [name, world] of Object.entries(worlds)) write(`${name}.json`, world);
  return {
    folder: path,
    edit(name, change) {
      const copy = structuredClone(worlds[name]);
      change(copy);
      write(`${name}.json`, copy);
    },
    remove,
  };
}
