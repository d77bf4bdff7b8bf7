/* Looks for requests whose price is wrong: random legal requests over all routes, to the built-in
 * worlds and to those of hostile_worlds.mjs, one at a time, to a daemon without a cache.
 * usage: prices-search.mjs [--seed N] [--count N] [--json FILE] [WORD…]; with words, only routes that have one of them.
 *
 * The price comes from the access log, the time from the scheduler's count of nanoseconds of all threads, the number
 * of pieces of an answer that has some from /metrics. Other work on the machine makes everything slower, by sharing caches
 * and the units of a core: so before each request one is timed that is always the same, and the time is divided by how
 * much slower than the fastest of those it was. A request that is refused for its price is repeated with as many
 * points, chunks or samples as the answer says would fit, and of points that lie far from each other so few are asked
 * for that they take some seconds. The exit status is 1 if a request, or the mean piece of an answer, took more than
 * LONGEST, or more than LOW times its price, or if its price is more than HIGH times the time. */

import { readFileSync, writeFileSync, readdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { Client, get } from './client.mjs';
import { nanoseconds } from './cpu.mjs';
import { median } from './http.mjs';
import { hostileWorlds } from './hostile_worlds.mjs';
import { RandomRequests } from './random_requests.mjs';
import { fixed, table } from './table.mjs';

const LONGEST = 500; /* milliseconds */
const LOW = 1.5;
const HIGH = 4;
const MATTERS = 10; /* milliseconds, of time or price: below it, waking threads and reading decide */
const SHOWN = 12; /* rows of each table */
const FEW_POINTS = 20;
const POINTS_TIME = 2e9; /* nanoseconds of a list of points, by the price of its first */
/* Their work depends on what is found, so that their price is an upper bound. */
const AT_MOST = /\/(locate|spawn|sight|objects|rivers|labels|trace|explain)|[?&]named=1|\.mvt|\.pbf/;

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' }, count: { type: 'string', default: '2000' },
    json: { type: 'string' },
  },
});

const files = Object.fromEntries(Object.entries(hostileWorlds).map(([name, world]) => [`${name}.json`, JSON.stringify(world)]));
const folder = temporaryFolder(files);
const log = path.join(folder.path, 'access.log');

/* Lines of the access log that were read, and how many bytes of it. */
let logged = 0;
async function nextLine() {
  for (;;) {
    const text = readFileSync(log, 'latin1');
    const end = text.indexOf('\n', logged);
    if (end >= 0) {
      const line = JSON.parse(text.slice(logged, end));
      logged = end + 1;
      return line;
    }
    await new Promise((resolve) => { setTimeout(resolve, 2); });
  }
}

async function ask(client, text) {
  const answer = await client.ask(text);
  return { ...answer, line: await nextLine() };
}

/* The request that is always the same, of a world whose samples find nothing kept. */
const PROBE = get('/worlds/perlin/chunks/7/9.r32f?size=512');

async function timed(server, client, text) {
  const before = nanoseconds(server.pid);
  const answer = await ask(client, text);
  return { ...answer, milliseconds: (nanoseconds(server.pid) - before) / 1e6 };
}

const json = async (client, target) => JSON.parse((await ask(client, get(target))).body);

/* What a world has that requests name. */
async function describe(client, name) {
  const world = await json(client, `/worlds/${name}`);
  const names = (list) => (Array.isArray(list) ? list : Object.entries(list ?? {}).map(([key, value]) => ({ name: key, ...value })))
    .map((each) => (typeof each === 'string' ? each : each.name));
  return {
    name,
    layers: names(world.layers),
    styles: names(world.styles),
    biomes: names(world.biomes),
    objects: names(world.objects),
    materials: names(world.materials).length > 0,
    drained: 'drainage' in await json(client, `/worlds/${name}/world.json`),
  };
}

/* The jobs so far of a kind. */
async function jobs(client, kind) {
  const text = String((await ask(client, get('/metrics'))).body);
  return Number(new RegExp(`^terrane_render_seconds_count\\{kind="${kind}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

/* The kind of the jobs that make the pieces of an answer; null for one without pieces. */
function kindOfPieces({ name }) {
  const [, path] = /^post .*\/(\w+)$/.exec(name) ?? [];
  return { chunks: 'batch', volumes: 'batch', heights: 'question' }[path] ?? null;
}

/* How many of its points a request may have, by the price of the first: all are answered, however long that takes. */
async function pointsOf(client, request) {
  const { status, line } = await ask(client, request.text(FEW_POINTS));
  return status === 200 ? Math.max(FEW_POINTS, Math.floor((POINTS_TIME * FEW_POINTS) / line.cost)) : undefined;
}

/* Milliseconds, price and pieces of a request. */
async function measure(server, client, request) {
  const kind = kindOfPieces(request);
  let parts = kind === 'question' ? await pointsOf(client, request) : undefined;
  const first = kind ? await jobs(client, kind) : 0;
  for (;;) {
    const probe = (await timed(server, client, PROBE)).milliseconds;
    const { status, body, line, milliseconds } = await timed(server, client, request.text(parts));
    if (status === 413 && parts === undefined && JSON.parse(body).fits > 0) {
      parts = JSON.parse(body).fits;
      continue;
    }
    const count = kind && status === 200 ? (await jobs(client, kind)) - first : 1;
    return {
      request: request.name, world: request.world, target: request.target, parts, status,
      detail: status === 200 ? undefined : JSON.parse(body).detail,
      milliseconds,
      probe,
      pieces: Math.max(count, 1),
      price: line.cost / 1e6,
    };
  }
}

/* Divides each time by how slow the machine was: the fastest probes are a twentieth of all. */
function correct(rows) {
  const probes = rows.map(({ probe }) => probe).sort((a, b) => a - b);
  const fastest = probes[Math.floor(probes.length / 20)];
  for (const row of rows) {
    row.measured = row.milliseconds;
    row.milliseconds /= Math.max(1, row.probe / fastest);
  }
  return median(probes) / fastest;
}

const rateOf = ({ milliseconds, price }) => milliseconds / price;
const pieceOf = (row) => row.milliseconds / row.pieces;
const matters = ({ milliseconds, price }) => Math.max(milliseconds, price) > MATTERS;

const show = (rows) => rows.map((row) => ({
  route: row.request.replace(/\{\w+\}/g, '*'),
  world: row.world,
  status: row.status,
  ms: fixed(row.milliseconds, 1),
  pieces: row.pieces,
  'price, ms': fixed(row.price, 1),
  'ms / price': row.price > 0 ? fixed(rateOf(row), 2) : '',
  target: `${row.target.slice(0, 150)}${row.parts === undefined ? '' : ` (${row.parts} fit)`}`,
}));

const most = (rows, valueOf) => [...rows].sort((a, b) => valueOf(b) - valueOf(a)).slice(0, SHOWN);

function report(rows) {
  const slowness = correct(rows);
  const answered = rows.filter(({ status }) => status === 200);
  const priced = answered.filter((row) => row.price > 0 && matters(row));
  const long = rows.filter((row) => pieceOf(row) > LONGEST);
  const low = priced.filter((row) => rateOf(row) > LOW && row.milliseconds > MATTERS);
  const high = priced.filter((row) => rateOf(row) < 1 / HIGH && row.price > MATTERS && !AT_MOST.test(row.target));
  const refused = rows.filter(({ status }) => status !== 200);
  const tables = [
    ['Longest', most(answered, (row) => row.milliseconds)],
    ['Most time for the price', most(low, rateOf)],
    ['Least time for the price', most(high, (row) => 1 / rateOf(row))],
    ['Refused, by the time that took', most(refused, (row) => row.milliseconds).slice(0, 5)],
  ];
  for (const [title, shown] of tables) if (shown.length > 0) console.log(table(title, show(shown)));
  console.log(`${answered.length} requests were answered, ${refused.length} refused; ${long.length} took more than ${LONGEST} ms a piece, `
    + `${low.length} more than ${LOW} of the price, ${high.length} less than 1/${HIGH} of it; `
    + `the machine was ${fixed(slowness, 2)} times slower than at its best`);
  if (options.json) writeFileSync(options.json, JSON.stringify({ seed: Number(options.seed), rows }, null, 1));
  return long.length + low.length + high.length === 0;
}

const server = await startServer({
  arguments: ['--loops', '1', '--renderers', '1', '--cache-memory', '0', '--worlds', folder.path, '--access-log', log],
});
/* The render threads have the lowest priority of all, so that other work on the machine would stop them. (Only root may
 * take back their niceness.) */
for (const thread of readdirSync(`/proc/${server.pid}/task`)) {
  spawnSync('chrt', ['--other', '--pid', '0', thread]);
  spawnSync('renice', ['-n', '0', '-p', thread]);
}
const client = await Client.open(server.port, 1);
const rows = [];
try {
  const listed = (await json(client, '/worlds')).worlds.map(({ name }) => name);
  const worlds = [];
  for (const name of listed) worlds.push(await describe(client, name));
  const requests = new RandomRequests(await json(client, '/openapi.json'), worlds, Number(options.seed), words);
  while (rows.filter(({ status }) => status === 200).length < Number(options.count)) {
    const row = await measure(server, client, requests.next());
    rows.push(row);
  }
} finally {
  client.close();
  await server.stop();
}
process.exitCode = report(rows) ? 0 : 1;
