/* Worlds that only tests need, in a folder of their own. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Connection, get } from './raw.mjs';

const noise = 'fbm(wavelength=4096, octaves=8)';

const worlds = {
  /* A layer that moves with time, and a style of its own. */
  clock: {
    title: 'Clock',
    description: 'For tests',
    attribution: 'Nobody',
    generator: 1,
    seed: 'tick',
    layers: {
      height: { formula: `100 * ${noise}`, unit: 'm', range: [-200, 200] },
      tide: { formula: 't', range: [0, 100] },
    },
    styles: { own: { title: 'Own', paint: [{ ramp: { layer: 'height', stops: [[0, '#000'], [1, '#fff']] } }] } },
  },
  /* So much noise that a tile takes a while. */
  slow: {
    title: 'Slow',
    generator: 1,
    seed: 1,
    layers: {
      height: Array.from({ length: 16 }, (_, i) => `fbm(wavelength=${65536 + i}, octaves=20)`).join(' + '),
    },
  },
};

/* Dear enough for a chunk of 300² samples to take a render thread some hundredths of a second, and one
 * of 1000² ten times as long. */
const dear = {
  generator: 1,
  seed: 1,
  layers: { height: Array.from({ length: 40 }, (_, i) => `fbm(wavelength=${65536 + i}, octaves=20)`).join(' + ') },
};

/* Keeps the only render thread of servers busy, for as long as there are requests for chunks of the
 * world "dear" in the folder. */
export const busy = {
  words: ['--renderers', '1', '--world-cost', '100000', '--queue-cost', '1000000'],
  prepare(folder) {
    writeFileSync(path.join(folder, 'dear.json'), JSON.stringify(dear));
  },
  /* Connections that ask for so many. */
  send: (port, count, size = 300) => Array.from({ length: count }, (_, i) => {
    const connection = new Connection(port);
    connection.send(get(`/worlds/dear/chunks/${i}/9.r32f?size=${size}`));
    return connection;
  }),
};

/* A folder with the worlds as files; `edit(name, change)` rewrites one. */
export function makeWorlds() {
  const folder = mkdtempSync(path.join(tmpdir(), 'terrane-worlds-'));
  const write = (name, world) => writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(world));
  for (const [name, world] of Object.entries(worlds)) write(name, world);
  return {
    folder,
    edit(name, change) {
      const copy = structuredClone(worlds[name]);
      change(copy);
      write(name, copy);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
