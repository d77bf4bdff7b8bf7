/* So many different tiles are asked for, each once and some again: that memory and the disk stay
 * within what they were given. Prints one JSON document and a table; exit status 1 if not.
 * usage: million.mjs [TILES]   20000 unless said. TERRANE_MEMORY and TERRANE_DISK are the caches'
 * sizes in MB, 32 and 64: so that a short run fills them too, a tile's share is large. TERRANE_FORMAT
 * is png, tiles of 500 bytes, unless said; r16 ones have 131,072. */

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { startServer } from '../tools/server.mjs';
import { Client, get, header } from './client.mjs';
import { fixed, table } from './table.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const MB = 1 << 20;
const ROW = 1000; /* tiles */
const ROUND = 48; /* 48 records of 43 KB fit into the queue of writes twice */
const AGAIN = 50; /* one in so many is the one of so many tiles before */
const binary = process.env.TERRANE_BINARY ?? fileURLToPath(new URL('../../build/release/terrane', import.meta.url));

const flat = { title: 'Flat', generator: 1, seed: 1, layers: { height: 'x * 0.001 + y * 0.002' } };

/* Bytes of the process: now, and at most so far. */
function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)[1]) * 1024;
  return { now: read('VmRSS'), most: read('VmHWM') };
}

const sizeOf = (file) => ['', '-wal', '-shm'].reduce((sum, end) => sum + (existsSync(file + end) ? statSync(file + end).size : 0), 0);

/* Until so many records were written to the disk, or lost. */
async function waitForWrites(url, wanted) {
  for (const end = performance.now() + 120000; ;) {
    const text = await fetch(`${url}/metrics`).then((answer) => answer.text());
    const counts = [...text.matchAll(/^\w*cache_writes_total\{tier="disk",result="\w+"\} (\d+)$/gm)];
    if (counts.reduce((sum, [, count]) => sum + Number(count), 0) >= wanted) return;
    if (performance.now() > end) throw new Error(`${wanted} records are not written in two minutes`);
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
}

/* With `keepUp` each group of ROUND requests waits until the disk has all but a few records of the groups before it:
 * a full queue of writes drops records. */
export async function askForMany(tiles, { memory, disk, format = 'png', size = 256, keepUp = false }) {
  const folder = temporaryFolder().path;
  const file = path.join(folder, 'tiles.db');
  writeFileSync(path.join(folder, 'flat.json'), JSON.stringify(flat));
  const server = await startServer({ arguments: ['--worlds', folder, '--cache-disk', file,
    '--cache-memory', `${memory}M`, '--cache-disk-size', `${disk}M`] });
  const result = { tiles, seconds: 0, from: {}, largest_disk: 0, not_200: 0 };
  const client = await Client.open(server.port, 32);
  const ask = async (i) => {
    const target = `/worlds/flat/tiles/height/14/${i % ROW}/${Math.floor(i / ROW)}.${format}?size=${size}`;
    const answer = await client.ask(get(target));
    const from = header(answer.head, 'x-terrane-cache') ?? 'none';
    result.from[from] = (result.from[from] ?? 0) + 1;
    if (answer.status !== 200) result.not_200++;
  };
  let next = 0;
  const rounds = [];
  const askOn = async () => {
    for (let i = next++; i < tiles; i = next++) {
      if (keepUp) await (rounds[Math.floor(i / ROUND)] ??= waitForWrites(server.url, i - i % ROUND - 8));
      await ask(i);
      if (i % AGAIN === 0 && i >= ROW) await ask(i - ROW);
      if (i % ROW === 0) result.largest_disk = Math.max(result.largest_disk, sizeOf(file));
    }
  };
  try {
    const started = performance.now();
    await Promise.all(Array.from({ length: 64 }, askOn));
    result.seconds = (performance.now() - started) / 1000;
    if (keepUp) await waitForWrites(server.url, tiles);
    result.memory = memoryOf(server.pid);
    const metrics = await fetch(`${server.url}/metrics`).then((answer) => answer.text()).catch(() => '');
    result.evictions = Object.fromEntries([...metrics.matchAll(/^\w*cache_evictions_total\{tier="(\w+)"\} (\d+)$/gm)]
      .map(([, tier, count]) => [tier, Number(count)]));
  } finally {
    client.close();
    result.status = await server.stop();
    result.largest_disk = Math.max(result.largest_disk, sizeOf(file));
    result.complaints = server.complaints();
  }
  result.kept = JSON.parse(execFileSync(binary, ['cache', file, '--check', '--json'], { encoding: 'utf8' }));
  result.memory_limit = memory * MB * 1.15 + 64 * MB;
  result.disk_limit = disk * MB;
  result.within = result.memory.most <= result.memory_limit && result.largest_disk <= result.disk_limit
    && result.not_200 === 0 && result.status === 0;
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = { memory: Number(process.env.TERRANE_MEMORY ?? 32), disk: Number(process.env.TERRANE_DISK ?? 64), format: process.env.TERRANE_FORMAT ?? 'png' };
  const result = await askForMany(Number(process.argv[2] ?? 20000), options);
  const megabytes = (bytes) => fixed(bytes / MB, 1);
  console.log(JSON.stringify(result, null, 2));
  console.log(table(`${result.tiles} different tiles`, [
    { of: 'memory, at most', MB: megabytes(result.memory.most), 'may be': megabytes(result.memory_limit) },
    { of: 'disk, at most', MB: megabytes(result.largest_disk), 'may be': megabytes(result.disk_limit) },
  ]));
  process.exitCode = result.within ? 0 : 1;
}
