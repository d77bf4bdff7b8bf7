/* A game server asks for the ground under its players: chunks a second, latencies and bytes, one by
 * one and in batches; and what a chunk and a batch of them cost.
 *
 * 200 players stand somewhere in 32 km of terra and walk 20 m/s; the game server needs each chunk of
 * 64 m that lies within 256 m of a player once. First it asks for all of that as quickly as answers
 * come ("join"), then, 20 times a second, for what the players came near to since ("walk").
 * Cold is a daemon that has just been started, warm the same daemon asked for the same again as far
 * as it came, and tags that with the entity tags of the first time. Every run has the same places.
 * PLAYERS_SECONDS (1.4) is how long each join and each walk takes; there are 28 of them. */

import { fileURLToPath } from 'node:url';

import { startServer } from '../tools/server.mjs';
import { Client, get, header, post } from './client.mjs';
import { median, processorTime } from './http.mjs';
import { fixed, table } from './table.mjs';

const SECONDS = Number(process.env.PLAYERS_SECONDS ?? 1.4);
const PLAYERS = 200;
const SPEED = 20; /* m/s */
const CHUNK = 64; /* m, and as many steps */
const RADIUS = 256; /* m */
const AREA = 32768; /* m */
const TICKS = 20; /* a second */
const CONNECTIONS = 8;
const FORMATS = ['r32f', 'r16z'];
const BATCHES = [1, 16, 64];
const COLD = 300; /* chunks of which the cost is the median */
const ROUNDS = 12; /* of a batch and as many single requests */

/* The same numbers in every run: 0 … 1 (Numerical Recipes' generator). */
function makeRandom() {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function makePlayers() {
  const random = makeRandom();
  return Array.from({ length: PLAYERS }, () => ({
    x: (random() - 0.5) * AREA, y: (random() - 0.5) * AREA, heading: random() * 2 * Math.PI,
  }));
}

function move(player) {
  player.x += (SPEED / TICKS) * Math.cos(player.heading);
  player.y += (SPEED / TICKS) * Math.sin(player.heading);
}

/* Chunks that have a point within RADIUS of a place, as [cx, cy]. */
function chunksNear({ x, y }) {
  const first = (at) => Math.floor((at - RADIUS) / CHUNK);
  const last = (at) => Math.floor((at + RADIUS) / CHUNK);
  const away = (at, index) => Math.max(index * CHUNK - at, at - (index + 1) * CHUNK, 0);
  const found = [];
  for (let cy = first(y); cy <= last(y); cy++) {
    for (let cx = first(x); cx <= last(x); cx++) {
      if (Math.hypot(away(x, cx), away(y, cy)) <= RADIUS) found.push([cx, cy]);
    }
  }
  return found;
}

/* Returns the chunks that the game server does not have yet: { joining: chunks, ticks: [chunks…] }. */
function makeJourney() {
  const held = new Set();
  const players = makePlayers();
  const lacking = () => players.flatMap(chunksNear).filter((chunk) => {
    const isNew = !held.has(String(chunk));
    held.add(String(chunk));
    return isNew;
  });
  const joining = lacking();
  const ticks = Array.from({ length: Math.round(SECONDS * TICKS) }, () => {
    players.forEach(move);
    return lacking();
  });
  return { joining, ticks };
}

function parts(list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

/* Counts the records in the response to a batch; NaN if one has another status than 200. */
function countRecords(body) {
  let count = 0;
  for (let at = 0; at < body.length; at += 32 + body.readUInt32LE(at + 24)) {
    if (body.toString('latin1', at, at + 4) !== 'TRNC' || body.readUInt16LE(at + 6) !== 200) return NaN;
    count++;
  }
  return count;
}

/* How chunks are asked for: { format, batch, size }, and with `tags` (chunk → entity tag) for singles
 * conditionally where there is one. */
function requestOf(chunks, { format, batch, size = CHUNK }, tags) {
  if (batch > 1) return post('/chunks', { format, size, chunks });
  const tag = tags?.get(String(chunks[0]));
  return get(`/chunks/${chunks[0][0]}/${chunks[0][1]}.${format}?size=${size}`, tag ? `If-None-Match: ${tag}\r\n` : '');
}

/* Asks for chunks in one request; { bytes, milliseconds, head }. Anything but the chunks is an error. */
async function fetchChunks(client, chunks, way, tags) {
  const began = performance.now();
  const { status, head, body } = await client.ask(requestOf(chunks, way, tags));
  const milliseconds = performance.now() - began;
  const isTagged = tags?.has(String(chunks[0])) ?? false;
  if (status !== (isTagged ? 304 : 200)) throw new Error(`${chunks[0]}: ${status} ${body.subarray(0, 300)}`);
  if (way.batch > 1 && countRecords(body) !== chunks.length) throw new Error('a batch lacks chunks');
  return { bytes: body.length, milliseconds, head };
}

/* Everything at once, for SECONDS at most. */
async function join(server, client, requests, fetch) {
  const before = processorTime(server.pid);
  const began = performance.now();
  const total = { chunks: 0, bytes: 0 };
  let next = 0;
  const work = async () => {
    while (next < requests.length && performance.now() - began < SECONDS * 1000) {
      const chunks = requests[next++];
      const { bytes } = await fetch(chunks);
      total.chunks += chunks.length;
      total.bytes += bytes;
    }
  };
  await Promise.all(client.connections.map(work));
  const seconds = (performance.now() - began) / 1000;
  return {
    chunks: total.chunks,
    chunks_per_second: Math.round(total.chunks / seconds),
    bytes_per_chunk: Math.round(total.bytes / total.chunks),
    cpu_us_per_chunk: Math.round(((processorTime(server.pid) - before) * 1e6) / total.chunks),
  };
}

/* The q-th part of numbers, by the nearest rank. */
function percentile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return Number(sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)].toFixed(2));
}

/* Each tick's requests when their time has come, whether the ones before are answered or not. A
 * chunk's latency is that of the request which brings it, from the tick on. */
async function walk(ticks, fetch) {
  const began = performance.now();
  const pending = [];
  const latencies = [];
  for (const [i, requests] of ticks.entries()) {
    const wait = began + (i * 1000) / TICKS - performance.now();
    if (wait > 0) await new Promise((resolve) => { setTimeout(resolve, wait); });
    for (const chunks of requests) {
      pending.push(fetch(chunks).then(({ milliseconds }) => chunks.forEach(() => latencies.push(milliseconds))));
    }
  }
  await Promise.all(pending);
  return {
    chunks: latencies.length, requests: pending.length,
    p50_ms: percentile(latencies, 0.5), p99_ms: percentile(latencies, 0.99), most_ms: percentile(latencies, 1),
  };
}

async function measurePass(server, { joining, ticks }, way, { tags, learn, most }) {
  const client = await Client.open(server.port, CONNECTIONS);
  const fetch = async (chunks) => {
    const answer = await fetchChunks(client, chunks, way, tags);
    if (learn) learn.set(String(chunks[0]), header(answer.head, 'etag'));
    return answer;
  };
  try {
    const joined = await join(server, client, parts(joining.slice(0, most), way.batch), fetch);
    return { join: joined, walk: await walk(ticks.map((chunks) => parts(chunks, way.batch)), fetch) };
  } finally {
    client.close();
  }
}

/* A daemon of its own, whose cache holds all that is asked for; batches have no entity tags. */
async function measureWay(journey, way, log) {
  const server = await startServer({ arguments: ['--cache-memory', '1G'] });
  const learn = way.batch === 1 ? new Map() : undefined;
  const passes = [['cold', { learn }], ['warm', {}], ...(learn ? [['tags', { tags: learn }]] : [])];
  const rows = [];
  try {
    for (const [pass, options] of passes) {
      log(`players: ${way.format}, batches of ${way.batch}, ${pass}`);
      const most = rows[0]?.join.chunks;
      rows.push({ ...way, pass, ...await measurePass(server, journey, way, { ...options, most }) });
    }
    return rows;
  } finally {
    await server.stop();
  }
}

/* Places that nobody has asked for, in the area's middle: blocks of 8 by 8. */
function block(index) {
  const [x, y] = [8 * (index % 32), 8 * Math.floor(index / 32)];
  return Array.from({ length: 64 }, (_, i) => [x + (i % 8) - 128, y + Math.floor(i / 8) - 128]);
}

/* Medians over cold chunks, one after another: what the daemon says of itself, and its processor
 * time for one with everything around it. */
async function measureChunk(format) {
  const server = await startServer();
  const client = await Client.open(server.port, 1);
  try {
    const times = [];
    const before = processorTime(server.pid);
    for (let i = 0; i < COLD; i++) {
      const chunk = block(4 * i)[i % 64];
      const { head } = await fetchChunks(client, [chunk], { format, batch: 1 });
      const [, render, encode] = /render;dur=([\d.]+), encode;dur=([\d.]+)/.exec(header(head, 'server-timing'));
      times.push({ render: Number(render), encode: Number(encode), both: Number(render) + Number(encode) });
    }
    const of = (key) => Number(median(times.map((time) => time[key])).toFixed(3));
    return {
      format, chunks: COLD, ms: of('both'), render_ms: of('render'), encode_ms: of('encode'),
      cpu_ms: Number((((processorTime(server.pid) - before) * 1000) / COLD).toFixed(3)),
    };
  } finally {
    client.close();
    await server.stop();
  }
}

/* One measure of some requests: { ms, cpu } by the clock and of the daemon. */
async function timed(server, requests) {
  const before = processorTime(server.pid);
  const began = performance.now();
  await requests();
  return { ms: performance.now() - began, cpu: (processorTime(server.pid) - before) * 1000 };
}

/* 64 chunks in one request, one after another, and over several connections, in turn at places of
 * their own. */
async function compareBatch({ format, size }) {
  const server = await startServer();
  const client = await Client.open(server.port, CONNECTIONS);
  const single = (chunk) => fetchChunks(client, [chunk], { format, size, batch: 1 });
  const ways = {
    batch: (chunks) => fetchChunks(client, chunks, { format, size, batch: chunks.length }),
    singles: async (chunks) => { for (const chunk of chunks) await single(chunk); },
    parallel: (chunks) => Promise.all(chunks.map(single)),
  };
  const names = Object.keys(ways);
  const rounds = [];
  try {
    await ways.parallel(block(1023)); /* memory that every thread keeps */
    for (let round = 0; round < ROUNDS; round++) {
      const times = {};
      for (const [i, name] of names.entries()) {
        times[name] = await timed(server, () => ways[name](block(3 * round + i)));
      }
      rounds.push(times);
    }
  } finally {
    client.close();
    await server.stop();
  }
  const cpu = (name) => rounds.reduce((sum, times) => sum + times[name].cpu, 0) / ROUNDS;
  const row = { format, size, rounds: ROUNDS };
  for (const name of names) {
    row[name] = {
      ms: Number(median(rounds.map((times) => times[name].ms)).toFixed(1)), cpu_ms: Number(cpu(name).toFixed(1)),
    };
  }
  const factor = (name) => Number(median(rounds.map((times) => times[name].ms / times.batch.ms)).toFixed(2));
  return {
    ...row, factor: factor('singles'), factor_parallel: factor('parallel'),
    factor_cpu: Number((cpu('singles') / cpu('batch')).toFixed(2)),
  };
}

export async function measurePlayers(log = () => {}) {
  const journey = makeJourney();
  const runs = [];
  for (const format of FORMATS) {
    for (const batch of BATCHES) runs.push(...await measureWay(journey, { format, batch }, log));
  }
  log('players: a chunk and a batch of them');
  const chunks = [];
  for (const format of FORMATS) chunks.push(await measureChunk(format));
  const batches = [];
  for (const way of [{ format: 'r32f', size: 64 }, { format: 'r32f', size: 16 }, { format: 'r16z', size: 64 }]) {
    batches.push(await compareBatch(way));
  }
  return { players: PLAYERS, speed: SPEED, chunk: CHUNK, radius: RADIUS, connections: CONNECTIONS,
    ticks_per_second: TICKS, seconds: SECONDS, runs, chunks, batches };
}

export function playersTables({ players, speed, chunk, radius, connections, runs, chunks, batches }) {
  return table(`A game server with ${players} players at ${speed} m/s, chunks of ${chunk} m within ${radius} m, `
    + `${connections} keep-alive connections`, runs.map(({ format, batch, pass, join: joined, walk: walked }) => ({
    format, batch, daemon: pass,
    'joining: chunks a second': joined.chunks_per_second,
    'CPU µs a chunk': joined.cpu_us_per_chunk,
    'bytes a chunk': joined.bytes_per_chunk,
    'walking: chunks': walked.chunks,
    'p50, ms': fixed(walked.p50_ms, 2),
    'p99, ms': fixed(walked.p99_ms, 2),
    'most, ms': fixed(walked.most_ms, 2),
  }))) + table('A cold chunk of 64 m', chunks.map((row) => ({
    format: row.format, 'render, ms': fixed(row.render_ms, 3), 'encode, ms': fixed(row.encode_ms, 3),
    'both, ms': fixed(row.ms, 3), 'CPU of the daemon, ms': fixed(row.cpu_ms, 3),
  }))) + table('64 chunks: in one batch, one after another, over all connections', batches.map((row) => ({
    format: row.format, size: row.size, 'batch, ms': fixed(row.batch.ms, 1), 'CPU, ms': fixed(row.batch.cpu_ms, 1),
    'singles, ms': fixed(row.singles.ms, 1), 'their CPU, ms': fixed(row.singles.cpu_ms, 1),
    'parallel, ms': fixed(row.parallel.ms, 1), factor: fixed(row.factor, 2),
    'of CPU': fixed(row.factor_cpu, 2), 'against parallel': fixed(row.factor_parallel, 2),
  })));
}

/* `make bench-players`: this alone. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const result = await measurePlayers((text) => process.stderr.write(`measuring ${text}\n`));
  process.stdout.write(process.env.JSON ? `${JSON.stringify(result, null, 2)}\n` : playersTables(result));
}
