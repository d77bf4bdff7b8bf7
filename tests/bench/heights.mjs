/* POST /heights: points a second of one core, in JSON and in binary, around players and anywhere, for a world of much
 * noise and one of little. usage: heights.mjs; bench.mjs prints the table, too. The processor time is that of the whole
 * daemon, and the least of some rounds counts, because other work on the machine only adds to it. */

import { fileURLToPath } from 'node:url';
import { startServer } from '../tools/server.mjs';
import { Client, post, postBinary } from './client.mjs';
import { nanoseconds } from './cpu.mjs';
import { fixed, table } from './table.mjs';

const POINTS = 10_000;
const PLAYERS = 20;
const ROUNDS = Number(process.env.HEIGHTS_ROUNDS ?? 40);
const WORLDS = ['terra', 'perlin'];
const REACHES = [['50 m of players', 50], ['1 km of players', 1000], ['anywhere', 2 ** 24]];
/* So many single places of a world with rivers cost more than a request may. */
const isTooMuch = (world, reach) => world === 'terra' && reach > 1000;

/* In centimetres, the same in every run; the players are some kilometres apart, and their points mixed. */
function placesWithin(reach) {
  let state = 1;
  const next = (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32 - 0.5) * 2 * most;
  };
  const players = Array.from({ length: PLAYERS }, () => [next(10_000), next(10_000)]);
  return Array.from({ length: POINTS }, (_, i) => players[i % PLAYERS].map((metres) => Math.round((metres + next(reach)) * 100) / 100));
}

const requestOf = (world, points, binary) => (binary
  ? postBinary(`/worlds/${world}/heights`, Float64Array.from(points.flat())) : post(`/worlds/${world}/heights`, { points }));

async function measureRow(server, client, request) {
  let [least, ms] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    const [before, began] = [nanoseconds(server.pid), performance.now()];
    const { status, body } = await client.ask(request);
    ms = Math.min(ms, performance.now() - began);
    if (status !== 200) throw new Error(`/heights: ${status} ${body}`);
    least = Math.min(least, nanoseconds(server.pid) - before);
  }
  return { cpu_ns: Math.round(least / POINTS), ms: Number(ms.toFixed(2)), points_per_second_and_core: Math.round(POINTS / (least / 1e9)) };
}

export async function measureHeights() {
  const server = await startServer({ arguments: ['--loops', '1', '--renderers', '1'] });
  const client = await Client.open(server.port, 1);
  const rows = [];
  try {
    for (const world of WORLDS)
      for (const [within, reach] of REACHES.filter(([, reach]) => !isTooMuch(world, reach)))
        for (const binary of [false, true])
          rows.push({ world, within, form: binary ? 'binary' : 'JSON', ...await measureRow(server, client, requestOf(world, placesWithin(reach), binary)) });
  } finally {
    client.close();
    await server.stop();
  }
  return { points: POINTS, rounds: ROUNDS, rows };
}

export const heightsTable = ({ points, rows }) => table(`POST /heights, ${points} points: the least processor time of the daemon`,
  rows.map((row) => ({
    world: row.world,
    within: row.within,
    form: row.form,
    'CPU ns a point': row.cpu_ns,
    'million points a second and core': fixed(row.points_per_second_and_core / 1e6, 2),
    'ms until the answer': fixed(row.ms, 2),
  })));

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(heightsTable(await measureHeights()));
