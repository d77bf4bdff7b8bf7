/* Clients that ask a fleet for tiles without a pause and compare every answer with what a replica of
 * their own says. */

import { createHash } from 'node:crypto';
import http from 'node:http';

const REQUEST_TIMEOUT = 60_000;
export const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');

/* A generator of numbers in 0 … 1 that is the same in each run (Lehmer's). */
export function randomFrom(seed) {
  let state = seed;
  return () => {
    state = state * 48271 % 2147483647;
    return state / 2147483647;
  };
}

/* `count` things to ask for: tiles of all formats, zooms and some worlds, chunks and questions. What
 * is posted stands behind its address. */
export function addresses(count, random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  return Array.from({ length: count }, () => {
    const z = 3 + Math.floor(random() * 15);
    const at = () => 2 ** (z - 1) + Math.floor((random() - 0.5) * 64);
    const kind = random();
    if (kind < 0.04) return `/heights {"points":[[${at()},${at()}],[${at()},${at()}]]}`;
    if (kind < 0.08) return `/at?x=${at()}&y=${at()}`;
    if (kind < 0.16) return `/chunks/${at()}/${at()}.r16z`;
    const world = pick(['', '', '/worlds/archipelago', '/worlds/dunes']);
    const style = world ? `tiles/${pick(['relief', 'hillshade'])}` : 'tiles';
    return `${world}/${style}/${z}/${at()}/${at()}.${pick(['png', 'png', 'webp', 'mvt', 'json'])}`;
  });
}

export function ask(base, what, agent, headers = {}) {
  const [, address, body] = /^(\S+) ?(.*)$/.exec(what);
  const method = body ? 'POST' : 'GET';
  return new Promise((resolve, reject) => {
    const request = http.request(base + address, { method, agent, headers, timeout: REQUEST_TIMEOUT }, (response) => {
      const pieces = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        if (response.complete) resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces) });
        else reject(new Error('the answer was cut off'));
      });
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${REQUEST_TIMEOUT / 1000} s`)));
    request.on('error', reject);
    request.end(body);
  });
}

/* Address: { etag, digest } as `url` says. */
export async function expectations(url, list) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  const known = new Map();
  await Promise.all(list.map(async (address) => {
    const { status, headers, body } = await ask(url, address, agent);
    if (status !== 200) throw new Error(`${address}: ${status} ${body}`);
    known.set(address, { etag: headers.etag, digest: digest(body), body });
  }));
  agent.destroy();
  return known;
}

/* Asks until stop() is called, which resolves with what happened. */
export function startLoad(url, known, { clients = 16, seed = 1 } = {}) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
  const list = [...known.keys()], random = randomFrom(seed);
  const result = { requests: 0, unchanged: 0, again: 0, failures: [], times: [], from: {} };
  let running = true;

  async function once() {
    const address = list[Math.floor(random() * list.length)];
    const expected = known.get(address);
    const conditional = expected.etag !== undefined && random() < 0.1;
    const began = performance.now();
    try {
      const fields = conditional ? { 'If-None-Match': expected.etag } : {};
      const { status, headers, body } = await ask(url, address, agent, fields).catch((error) => {
        if (!['ECONNRESET', 'EPIPE'].includes(error.code)) throw error;
        result.again++;
        return ask(url, address, false, fields); /* on a connection of its own */
      });
      if (status !== (conditional ? 304 : 200)) throw new Error(`status ${status}: ${body.toString().slice(0, 200)}`);
      if (headers.etag !== expected.etag) throw new Error(`ETag ${headers.etag}, not ${expected.etag}`);
      if (!conditional && digest(body) !== expected.digest) throw new Error('other bytes');
      result.unchanged += conditional;
      const from = headers['x-terrane-cache'];
      if (from) result.from[from] = (result.from[from] ?? 0) + 1;
    } catch (error) {
      result.failures.push(`${new Date().toISOString()} ${address}: ${error.message}`);
    }
    result.requests++;
    result.times.push(performance.now() - began);
  }
  const done = Promise.all(Array.from({ length: clients }, async () => {
    while (running) await once();
  }));
  return {
    result,
    async stop() {
      running = false;
      await done;
      agent.destroy();
      result.times.sort((a, b) => a - b);
      result.at = (share) => result.times[Math.min(result.times.length - 1, Math.floor(result.times.length * share))];
      return result;
    },
  };
}
