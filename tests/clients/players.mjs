/* Players who walk over pinned ground and edit it, while the daemon is restarted, killed, reloaded and short of queue
 * places. Nothing may be lost or wrong: the bits of chunks are compared with those of WebAssembly, the borders of
 * neighbours with each other, and all edits at the end with a journal kept apart.
 *
 * As a program: node players.mjs [PLAYERS] [SECONDS] prints the figures: 200 players and 600 seconds by default. */

import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { Edits } from '../../server/clients/javascript/edits.js';
import { Terrane } from '../../server/clients/javascript/terrane.js';

const ROOT = new URL('../../', import.meta.url);
const WORLD = 'terra';
const CHUNK = { world: WORLD, size: 32, step: 2, patience: 60000, timeout: 20000 };
const RINGS = 3;
const CLOCK_TICKS = 100; /* a second, in /proc/PID/stat */

const processorSeconds = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13)
  .reduce((sum, ticks) => sum + Number(ticks), 0) / CLOCK_TICKS;

/* Random numbers that are the same in each run. */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/* A daemon that keeps its port over restarts, and adds up its processor time. */
class Daemon {
  processor = 0;

  constructor(folder) {
    this.folder = folder;
    this.words = ['--worlds', folder.file('worlds'), '--cache-disk', folder.file('cache.db'), '--queue', '4',
      '--access-log', folder.file('access.log')];
  }

  async start() {
    this.server = await startServer({ arguments: [...this.words, ...(this.port ? ['--port', String(this.port)] : [])] });
    this.port = this.server.port;
    return this;
  }

  async stop(signal) {
    this.processor += processorSeconds(this.server.pid);
    await this.server.stop(signal);
  }

  async restart(signal) {
    await this.stop(signal);
    await this.start();
  }

  /* Another world changes; that of the players does not. */
  reload(height) {
    this.folder.write('worlds/other.json', { generator: 1, seed: 'other', layers: { height: String(height) } });
    process.kill(this.server.pid, 'SIGHUP');
  }

  /* { statuses, bytes } of all answers so far. */
  answers() {
    const statuses = {};
    let bytes = 0;
    for (const line of readFileSync(this.folder.file('access.log'), 'utf8').split('\n')) {
      if (!line.startsWith('{') || !line.endsWith('}')) continue;
      const answer = JSON.parse(line);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      bytes += answer.bytes;
    }
    return { statuses, bytes };
  }
}

/* What the game keeps: the edits as clients see them, their text on disk, and a journal by vertex to compare with. */
class Game {
  journal = new Map();

  constructor(terrane, file) {
    Object.assign(this, { terrane, file });
  }

  async open(text = null) {
    this.edits = await Edits.open(this.terrane, text);
    return this;
  }

  edit(x, y, height) {
    this.edits.set(x, y, height);
    this.journal.set(`${Math.round(x / CHUNK.step)} ${Math.round(y / CHUNK.step)}`, Math.fround(height));
  }

  /* Saves as a program does that may be killed, and goes on with what it has saved. */
  async reopen() {
    await this.edits.note();
    writeFileSync(`${this.file}.new`, this.edits.text());
    renameSync(`${this.file}.new`, this.file);
    await this.open(readFileSync(this.file, 'utf8'));
  }

  /* Every edit of the journal is in its chunk, and all other samples are those of the base. */
  async examine() {
    const { size, step } = CHUNK;
    await this.reopen();
    assert.deepEqual(await this.edits.check(), []);
    const left = new Map(this.journal);
    for (const [cx, cy] of this.edits.places) {
      const [heights, base] = [await this.edits.heights(cx, cy), await this.terrane.chunk(cx, cy)];
      for (let k = 0; k < heights.length; k++) {
        const [i, j] = [cx * size + k % (size + 1), cy * size + Math.floor(k / (size + 1))];
        const vertex = `${i} ${j}`;
        assert.equal(heights[k], this.journal.get(vertex) ?? base.layers.height[k], `${vertex} (${i * step} m, ${j * step} m)`);
        left.delete(vertex);
      }
    }
    assert.deepEqual([...left.keys()], [], 'edits are lost');
  }
}

/* Neighbours share their border, bit for bit. */
function compareBorders(chunks, columns) {
  const side = 2 * RINGS + 1;
  for (let k = 0; k < chunks.length; k++)
    for (let n = 0; n < columns; n++) {
      if (k % side) assert.equal(chunks[k].samples[n * columns], chunks[k - 1].samples[n * columns + columns - 1]);
      if (k >= side) assert.equal(chunks[k].samples[n], chunks[k - side].samples[(columns - 1) * columns + n]);
    }
}

/* One player until the clock is over: a step each `tick` milliseconds, `stride` metres in a direction that turns slowly. One chunk in
 * `compareEvery` steps is computed here. */
async function walk({ terrane, truth, game, random, clock, tick, stride, compareEvery }, totals) {
  let [x, y, direction] = [random() * 4e4 - 2e4, random() * 4e4 - 2e4, 2 * Math.PI * random()];
  for (let steps = 0; !clock.over; steps++) {
    const began = Date.now();
    direction += random() - 0.5;
    x += stride * Math.cos(direction);
    y += stride * Math.sin(direction);
    const before = terrane.counts.received;
    const chunks = await terrane.around(x, y, RINGS);
    totals.latest = Math.max(totals.latest, Date.now() - began);
    if (terrane.counts.received > before) compareBorders(chunks, terrane.columns);
    if (steps % 8 === 3) game.edit(x + 20 * random(), y + 20 * random(), 1000 * random());
    if (steps % compareEvery === 5) {
      const chunk = chunks[Math.floor(random() * chunks.length)];
      assert.equal(chunk.digest, (await truth.chunk(chunk.cx, chunk.cy)).digest, `chunk ${chunk.cx} ${chunk.cy}`);
      totals.compared++;
    }
    await pause(Math.max(0, began + tick - Date.now()));
  }
  for (const name of Object.keys(terrane.counts)) totals[name] = (totals[name] ?? 0) + terrane.counts[name];
}

/* Restart, reload, kill, and the game's own restart, one after another. */
async function disturb(daemon, game, times, between) {
  const disturbances = [() => daemon.restart('SIGTERM'), () => daemon.reload(1), () => game.reopen(), () => daemon.restart('SIGKILL'), () => daemon.reload(2)];
  for (let k = 0; k < times; k++) {
    await pause(between);
    await disturbances[k % disturbances.length]();
  }
  await pause(between);
}

/* Plays, and returns the figures. */
export async function play({ players, seconds, tick, stride, compareEvery, disturbances }) {
  const folder = temporaryFolder({ 'worlds/other.json': { generator: 1, seed: 'other', layers: { height: '0' } } });
  const daemon = await new Daemon(folder).start();
  const url = daemon.server.url;
  const truth = new Terrane(url, { ...CHUNK, capacity: 1 });
  const [wasm, text] = [new URL('build/wasm/terrane.wasm', ROOT), new URL(`config/worlds/${WORLD}.json`, ROOT)];
  assert.ok(await truth.useLocal({ wasm: readFileSync(wasm), text: readFileSync(text, 'utf8') }), String(truth.localProblem));
  const pinned = { ...CHUNK, world: await truth.pin() };
  const game = await new Game(new Terrane(url, pinned), folder.file('edits.json')).open();
  const began = Date.now();
  const clock = { over: false };
  const totals = { players, compared: 0, latest: 0 };
  const disturbing = disturb(daemon, game, disturbances, 1000 * seconds / (disturbances + 1)).finally(() => { clock.over = true; });
  try {
    await Promise.all([disturbing, ...Array.from({ length: players }, (_, k) => walk({
      terrane: new Terrane(url, { ...pinned, capacity: 64 }), truth, game, random: randomNumbers(k + 1), clock, tick, stride, compareEvery }, totals))]);
    totals.seconds = (Date.now() - began) / 1000;
    totals.processor = daemon.processor + processorSeconds(daemon.server.pid);
    Object.assign(totals, daemon.answers());
    await game.examine();
  } finally {
    clock.over = true;
    await daemon.stop();
  }
  return { ...totals, edits: game.journal.size };
}

async function main([players = 200, seconds = 600]) {
  const figures = await play({ players: Number(players), seconds: Number(seconds), tick: 1000, stride: 8, compareEvery: 64, disturbances: 29 });
  const each = figures.players * figures.seconds;
  console.log(figures);
  console.log(`a player: ${(figures.bytes / each / 1000).toFixed(2)} kB/s, ${(1000 * figures.processor / each).toFixed(3)} ms of a core a second`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
