/* The tiles that fill a screen, without a cached copy, as PNG and as WebP: bytes, and processor time of the daemon.
 *
 * A screenful is 6 × 4 relief tiles of terra around one place on land, at the zooms of a continent, a region, a valley and a
 * path. The daemon caches nothing. Formats take turns, and the least time of ROUNDS counts, because other work on the
 * machine only adds to it. BENCH_OTHER names a second binary to be measured in the same turns. */

import { fileURLToPath } from 'node:url';

import { startServer } from '../tools/server.mjs';
import { Client, get, header } from './client.mjs';
import { nanoseconds } from './cpu.mjs';
import { landPlaces } from './land_places.mjs';
import { fixed, table } from './table.mjs';

const ZOOMS = [3, 8, 12, 16];
const FORMATS = ['png', 'webp'];
const COLUMNS = 6;
const ROWS = 4;
const ROUNDS = 5;

function targetsOf(place, zoom, format) {
  const [left, top] = place.map((at, i) => Math.floor((at + 2 ** 24) / 2 ** (25 - zoom)) - (i ? ROWS : COLUMNS) / 2);
  return Array.from({ length: COLUMNS * ROWS }, (_, i) =>
    `/tiles/${zoom}/${left + (i % COLUMNS)}/${top + Math.floor(i / COLUMNS)}.${format}`);
}

/* One screenful: { bytes, cpu_ms, encode_ms }. */
async function load({ server, client, place }, zoom, format) {
  const before = nanoseconds(server.pid);
  let bytes = 0;
  let encode = 0;
  for (const target of targetsOf(place, zoom, format)) {
    const { status, head, body } = await client.ask(get(target));
    if (status !== 200) throw new Error(`${target}: ${status} ${body}`);
    bytes += body.length;
    encode += Number(/encode;dur=([\d.]+)/.exec(header(head, 'server-timing'))[1]);
  }
  return { bytes, cpu_ms: (nanoseconds(server.pid) - before) / 1e6, encode_ms: encode };
}

const least = (rounds, key) => Number(Math.min(...rounds.map((round) => round[key])).toFixed(2));

async function start(program) {
  const own = process.env.TERRANE_BINARY;
  if (program) process.env.TERRANE_BINARY = program;
  const server = await startServer({ arguments: ['--loops', '1', '--renderers', '1', '--cache-memory', '0'] });
  if (program) process.env.TERRANE_BINARY = own;
  const client = await Client.open(server.port, 1);
  const place = (await landPlaces(client, 'terra'))();
  return { server, client, place, name: program ? 'other' : 'this' };
}

export async function measureScreenful(log = () => {}) {
  log('a screenful of tiles');
  const daemons = [await start()];
  if (process.env.BENCH_OTHER) daemons.push(await start(process.env.BENCH_OTHER));
  const cases = ZOOMS.flatMap((zoom) => FORMATS.flatMap((format) =>
    daemons.map((daemon) => ({ zoom, format, daemon, rounds: [] }))));
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const { zoom, format, daemon, rounds } of cases) rounds.push(await load(daemon, zoom, format));
    }
  } finally {
    for (const { server, client } of daemons) {
      client.close();
      await server.stop();
    }
  }
  return { columns: COLUMNS, rows: ROWS, rounds: ROUNDS, results: cases.map(({ zoom, format, daemon, rounds }) => ({
    zoom, format, binary: daemon.name, bytes: rounds[0].bytes, cpu_ms: least(rounds, 'cpu_ms'), encode_ms: least(rounds, 'encode_ms'),
  })) };
}

export const screenfulTable = ({ columns, rows, results }) => table(
  `A screenful of ${columns} × ${rows} relief tiles of terra without cached copies, one connection`,
  results.map((row) => ({
    zoom: row.zoom, format: row.format, binary: row.binary, bytes: row.bytes,
    'CPU of the daemon, ms': fixed(row.cpu_ms, 1), 'of it encoding, ms': fixed(row.encode_ms, 1),
  })),
);

/* `make bench-screenful`: this alone. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const result = await measureScreenful((text) => process.stderr.write(`measuring ${text}\n`));
  process.stdout.write(process.env.JSON ? `${JSON.stringify(result, null, 2)}\n` : screenfulTable(result));
}
