/* `make bench`: runs all parts, writes one JSON document and prints tables of it.
 * usage: bench.mjs PROGRAM BENCH LOAD BENCH_ENCODE OUT.json
 * JSON=1 prints the document instead of the tables; ENCODE=1 adds the table behind the choice of PNG
 * filters and compressors and of WebP settings, which takes minutes. SETS are the words of sets.mjs. CC and
 * CFLAGS are only reported. */

import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { promisify } from 'node:util';

import { measureSets, setsTables } from './sets.mjs';
import { fixed, table } from './table.mjs';

const [program, bench, load, benchEncode, out] = process.argv.slice(2);
process.env.TERRANE_BINARY = program;
process.env.BENCH_LOAD = load;
const { heightsTable, measureHeights } = await import('./heights.mjs');
const { measureHttp } = await import('./http.mjs');
const { measurePlayers, playersTables } = await import('./players.mjs');
const { measureScreenful, screenfulTable } = await import('./screenful.mjs');

const log = (text) => process.stderr.write(`measuring ${text}\n`);

function describeMachine() {
  const { stdout } = spawnSync(process.env.CC ?? 'gcc', ['--version'], { encoding: 'utf8' });
  return {
    cpu: os.cpus()[0]?.model ?? os.arch(),
    cores: os.availableParallelism(),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    compiler: stdout?.split('\n')[0] ?? '',
    flags: process.env.CFLAGS ?? '',
    load: Number(os.loadavg()[0].toFixed(2)),
  };
}

async function run(file, words = []) {
  const { stdout } = await promisify(execFile)(file, words, { maxBuffer: 1 << 26 });
  return JSON.parse(stdout);
}

function machineLine({ cpu, cores, compiler, flags, load }, { instructions }) {
  const busy = load > 0.5
    ? `\nThe machine had other work at the start (load ${load}): ratios hold, times are too long.` : '';
  return `${cpu}, ${cores} cores, ${instructions}; ${compiler}; ${flags}${busy}\n`;
}

const noiseTable = ({ noise, arithmetic, noise_threads: threads }) => table(
  'Noise on one core: 256 × 256 float32 at 1 m, wavelength 256 m, octaves below two samples left out',
  noise.map((row) => ({
    noise: row.name,
    octaves: row.octaves_that_count,
    'ns a sample': fixed(row.ns, 2),
    least: fixed(row.least_ns, 2),
    'float operations': fixed(row.float_operations, 1),
    'arithmetic alone, ns': fixed(row.bound_ns, 2),
    'times that': fixed(row.over_bound, 2),
  })),
) + `one float operation of this machine, vectorised: ${arithmetic.ns_per_float_operation} ns; `
  + `${threads.name} on ${threads.threads} threads: ${threads.speedup} times as fast as on one\n`;

const share = (part, whole) => `${Math.round((100 * part) / whole)} %`;

const tilesTable = ({ tiles, relief, world }) => table(
  `Cold tiles of ${world} on one core, the mean of six places, two of them sea, for a client that takes gzip`,
  tiles.map((row) => ({
    style: row.size > 256 ? `${row.style} @2x` : row.style,
    format: row.format,
    zoom: row.zoom,
    'whole, ms': fixed(row.whole_ms, 2),
    'on land, ms': fixed(row.land_ms, 2),
    'sample, ms': fixed(row.sample_ms, 2),
    'paint, ms': fixed(row.paint_ms, 2),
    'encode, ms': fixed(row.encode_ms, 2),
    'warm, ms': fixed(row.warm_ms, 2),
    'of it sampling': share(row.sample_ms, row.whole_ms),
    painting: share(row.paint_ms, row.whole_ms),
    encoding: share(row.encode_ms, row.whole_ms),
    bytes: row.bytes,
  })),
) + `relief, zoom 0 … ${relief.zoom_max}: median ${relief.median_ms} ms, worst ${relief.worst_ms} ms `
  + `(zoom ${relief.worst_zoom}), warm median ${relief.warm_median_ms} ms; encoding takes ${relief.encode_to_sample} of sampling's time, at `
  + `most ${relief.worst_encode_to_sample}\n`;

export const loadTable = (load) => (load.skipped ? `\nHTTP under load: skipped, ${load.skipped}\n` : table(
  `HTTP on loopback: ${load.threads} threads each${load.shared_cores ? ', all on the same two cores' : ''}, keep-alive; `
    + `tiles of ${load.tile_bytes} and ${load.small_tile_bytes} bytes, JSON of ${load.version_bytes} and ${load.json_bytes} bytes`,
  load.results.map((row) => ({
    answer: row.name,
    connections: row.connections,
    'hits a second': row.hits_per_second,
    'CPU µs a hit': fixed(row.cpu_us, 1),
    'p99, ms': fixed(row.p99_ms, 2),
    nginx: row.nginx?.hits_per_second,
    'its CPU µs': fixed(row.nginx?.cpu_us, 1),
    'its p99': fixed(row.nginx?.p99_ms, 2),
    ratio: fixed(row.ratio, 2),
  })),
) + `${load.wrk}; ${load.nginx}, sendfile, open_file_cache, no access log\n`);

const encodeTable = ({ results, tiles, rounds }) => table(
  `PNG and WebP: ${tiles} tiles, ${rounds} rounds`,
  results.map(({ style, filter, method, ms, bytes, luma_db: luma, chroma_db: chroma }) => ({
    style, filter, method, ms: fixed(ms, 3), bytes, 'brightness, dB': fixed(luma, 1), 'colours, dB': fixed(chroma, 1),
  })),
);

const walksTable = (walks) => table(
  'Relief tiles of four screenfuls of land, 6 × 4 neighbours each, made in order on one core, ms a tile',
  walks.map(({ zoom, tile_ms: ms, least_ms: least }) => ({ zoom, ms: fixed(ms, 2), least: fixed(least, 2) })),
);

function tables({ machine, noise, sets, tiles, screenful, http, heights, players, encode }) {
  const { load, start } = http;
  return machineLine(machine, noise.arithmetic) + noiseTable(noise) + setsTables(sets) + tilesTable(tiles)
    + walksTable(tiles.walks)
    + screenfulTable(screenful) + loadTable(load)
    + `\nStart to first tile: ${start.ms} ms (median of ${start.starts}, least ${start.least_ms})\n`
    + `${heightsTable(heights)}${playersTables(players)}${encode ? encodeTable(encode) : ''}`;
}

const machine = describeMachine();
log('noise and tiles');
const { world, tiles, relief, walks, ...noise } = await run(bench);
log('instruction sets');
const sets = measureSets(process.env.SETS.split(' '));
const http = await measureHttp(log);
log('heights');
const heights = await measureHeights();
const result = {
  machine, noise, sets, tiles: { world, tiles, relief, walks }, screenful: await measureScreenful(log), http, heights,
  players: await measurePlayers(log),
};
if (process.env.ENCODE) {
  log('encoders');
  result.encode = await run(benchEncode, ['--json']);
}
const document = `${JSON.stringify(result, null, 2)}\n`;
writeFileSync(out, document);
process.stdout.write(process.env.JSON ? document : tables(result));
