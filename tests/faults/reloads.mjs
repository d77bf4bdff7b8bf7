/* Reloads under load: no request fails, and no answer has a byte of another version than its own. As
 * a program: node reloads.mjs [RELOADS [OPTION OF SERVE…]] prints the figures. */

import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '../tools/server.mjs';
import { Client, runClients } from './clients.mjs';
import { makeVersions, tiles } from './versions.mjs';

const VERSIONS = 3;

/* { status, text } of a command by the admin socket. */
export function command(socketPath, method, name) {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath, method, path: `/${name}` }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => { text += part; });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    request.on('error', reject).end();
  });
}

const resident = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/* Behaves like a map: loads a document, then tiles by its pins until one gives 410. */
function viewer(versions, seed, counts) {
  const pins = new Map();
  /* The fingerprints of reseeded versions are not known in advance, but each belongs to one version. */
  const seen = new Map();
  const remember = (pin, version) => {
    if ((seen.get(pin) ?? version) !== version) throw new Error('one pin gave tiles of two versions');
    seen.set(pin, version);
  };
  return async (client, index) => {
    const name = index % 2 ? `shifting${seed}` : 'shifting';
    if (!pins.has(index)) {
      const document = await client.ask(`/worlds/${name}/tiles/height.json`);
      if (document.status !== 200) throw new Error(`a document: ${document.status}`);
      pins.set(index, /\/worlds\/[^"{]*/.exec(JSON.parse(document.body).tiles[0])[0]);
      return 1;
    }
    const tile = tiles[Math.floor(Math.random() * tiles.length)];
    const pinned = Math.random() < 0.7;
    const base = pinned ? pins.get(index) : `/worlds/${name}/tiles/height/`;
    const answer = await client.ask(`${base}${tile}.r32f`);
    if (answer.status === 410 && pinned) {
      counts.gone++;
      pins.delete(index);
      return 1;
    }
    if (answer.status !== 200) throw new Error(`a tile: ${answer.status} ${answer.body}`);
    const of = index % 2 ? 'seeded' : 'plain';
    const found = versions.find((version) => version[of][tile].equals(answer.body));
    if (!found) throw new Error(`a tile of no version: ${base}${tile}`);
    const pin = /@(g1-[0-9a-f]+)/.exec(base)?.[1];
    if (pin && found !== counts.present) counts.former++;
    if (pin && of === 'plain' && pin !== found.fingerprint) throw new Error('a tile of another version than its pin');
    if (pin && of === 'seeded') remember(pin, found);
    return 1;
  };
}

/* After the response to a reload no connection may get anything of the old version. */
async function checkNew(port, wanted) {
  await Promise.all(Array.from({ length: 8 }, async () => {
    const client = new Client(port, { fresh: true });
    const answer = await client.ask(`/worlds/shifting/tiles/height/${tiles[0]}.r32f`);
    if (!answer.body.equals(wanted.plain[tiles[0]])) throw new Error('an old tile after a reload');
  }));
}

/* `gone` counts the pins that were answered 410; `former` the pinned tiles of a version that was not the present one. */
export async function runReloads({ reloads, clients = 16, pause = 20, more = [] }) {
  const world = makeVersions(VERSIONS);
  const admin = path.join(world.folder, 'admin');
  const server = await startServer({ arguments: ['--worlds', world.served, '--admin', admin, ...more] });
  let over = false;
  const memory = [], counts = { gone: 0, former: 0, present: world.versions[0] };
  const load = runClients(server.port, clients, viewer(world.versions, world.seed, counts), () => over);
  let longest = 0;
  try {
    for (let n = 1; n <= reloads; n++) {
      world.put(n % VERSIONS);
      const started = performance.now();
      const { status, text } = await command(admin, 'POST', 'reload');
      longest = Math.max(longest, performance.now() - started);
      if (status !== 200) throw new Error(text);
      counts.present = world.versions[n % VERSIONS];
      await checkNew(server.port, world.versions[n % VERSIONS]);
      await new Promise((resolve) => setTimeout(resolve, pause));
      memory.push(resident(server.pid));
    }
  } finally {
    over = true;
    await load;
    const status = JSON.parse((await command(admin, 'GET', 'status')).text);
    const ended = await server.stop();
    world.remove();
    if (ended !== 0) throw new Error(`the server ended with ${ended}: ${server.complaints()}`);
    if (status.reloads !== reloads) throw new Error(`${status.reloads} reloads were counted`);
  }
  const sums = await load;
  const quarter = memory[Math.floor(memory.length / 4)];
  return { reloads, ...sums, gone: counts.gone, former: counts.former, longest, memory: { quarter, last: memory.at(-1) } };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const result = await runReloads({ reloads: Number(process.argv[2] ?? 200), more: process.argv.slice(3) });
  const { requests, failed, retried, connections, longest, memory } = result;
  console.log(`reloads ${result.reloads}, requests ${requests}, failed ${failed}, asked again ${retried}, connections ${connections}`);
  console.log(`pins that were gone ${result.gone}, tiles of former versions ${result.former}`);
  console.log(`longest reload ${longest.toFixed(1)} ms; memory after a quarter ${memory.quarter.toFixed(1)} MiB, at the end ${memory.last.toFixed(1)} MiB`);
  console.log(`${failed ? 0 : 1} passed, ${failed ? 1 : 0} failed`);
  if (failed) console.log(result.failures.slice(0, 10).join('\n'));
  process.exitCode = failed ? 1 : 0;
}
