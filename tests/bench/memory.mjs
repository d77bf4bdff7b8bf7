/* The memory of the daemon with default settings and two render threads, after so many different relief tiles of terra
 * as PNG: in all, and what of it the caches take. Prints one JSON document and a table; exit status 1 if it is more
 * than PROMISED.
 * usage: memory.mjs [TILES]   2000 unless said */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { startServer } from '../tools/server.mjs';
import { Client, get } from './client.mjs';
import { fixed, table } from './table.mjs';

const MB = 1e6;
const PROMISED = 200 * MB;
const ZOOMS = [5, 6, 7, 8, 9, 10, 12, 14, 16];
const CLIENTS = 2;

/* Places in the central part of the world, the same in every run. */
function targetsOf(count) {
  let state = 12345;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 0.3 + 0.4 * (state / 2 ** 32);
  };
  const targets = new Set();
  for (let i = 0; targets.size < count; i++) {
    const zoom = ZOOMS[i % ZOOMS.length];
    targets.add(`/tiles/relief/${zoom}/${Math.floor(next() * 2 ** zoom)}/${Math.floor(next() * 2 ** zoom)}.png`);
  }
  return [...targets];
}

function resident(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)[1]) * 1024;
  return { now: read('VmRSS'), most: read('VmHWM'), programs: read('RssFile') };
}

export async function measureMemory(count) {
  const server = await startServer({ arguments: ['--renderers', '2'] });
  const client = await Client.open(server.port, CLIENTS);
  const targets = targetsOf(count);
  const began = resident(server.pid);
  const result = { tiles: count, bytes: 0 };
  let next = 0;
  const ask = async () => {
    while (next < targets.length) {
      const { status, body } = await client.ask(get(targets[next++]));
      if (status !== 200) throw new Error(`a tile is answered ${status}`);
      result.bytes += body.length;
    }
  };
  try {
    await Promise.all(Array.from({ length: CLIENTS }, ask));
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const metric = (name) => Number(new RegExp(`^terrane_${name} (\\d+)$`, 'm').exec(text)[1]);
    const cached = metric('cache_bytes\\{tier="memory"\\}');
    const network = metric('network_bytes');
    const { now, most } = resident(server.pid);
    Object.assign(result, { start: began.now, cached, network, rest: now - began.now - cached - network, now, most });
  } finally {
    client.close();
    await server.stop();
  }
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const result = await measureMemory(Number(process.argv[2] ?? 2000));
  const row = (part, bytes) => ({ part, MB: fixed(bytes / MB, 1) });
  console.log(JSON.stringify(result, null, 2));
  console.log(table(`after ${result.tiles} tiles of ${fixed(result.bytes / result.tiles / 1000, 1)} KB`, [
    row('program when it begins', result.start), row('cached tiles', result.cached),
    row('rivers and land', result.network), row('scratch memory of threads, heap that is free', result.rest),
    row('in all', result.now), row('at most', result.most), row('promised', PROMISED)]));
  process.exitCode = result.most <= PROMISED ? 0 : 1;
}
