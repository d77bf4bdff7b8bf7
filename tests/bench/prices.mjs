/* Compares what requests are priced at with the processor time that they take: every route, format, coding, world,
 * zoom and far place. usage: prices.mjs [--all] [WORD…]; with words, only the rows whose names have one of them.
 *
 * A row is some requests of one kind at different places, to a daemon without a cache. Its price comes from the access
 * log, its time from the scheduler's count of nanoseconds for each thread. It is asked ROUNDS times, and the least
 * time counts, because other work on the machine only adds to it. The table has this time in the price, which is one,
 * too. A row that takes more than LOW times its price, or whose price is more than HIGH times what it takes, by more
 * than SLACK, is marked `!`, and the exit status is 1. Rows marked "at most" are of work that depends on what is found: contours, objects, places. Their price
 * is an upper bound, so only those are wrong that take longer. A refused request is repeated with as many points,
 * chunks or samples as the answer says would fit. The last lines are of the requests that took longest: none may take
 * more than LONGEST, but for those that are answered in pieces. */

import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { Client, get, post, postBinary } from './client.mjs';
import { nanoseconds } from './cpu.mjs';
import { median } from './http.mjs';
import { landPlaces } from './land_places.mjs';
import { fixed, table } from './table.mjs';

const ROUNDS = Number(process.env.PRICES_ROUNDS ?? 3);
const PLACES = 4; /* of a row */
const QUICK = 2e6; /* nanoseconds: rows of requests that take less have MORE_ROUNDS times as many, as they vary more */
const MORE_ROUNDS = 12;
const LOW = 1.5;
const HIGH = 4;
const SLACK = 0.1; /* milliseconds: what waking a thread varies by */
const LONGEST = 500; /* milliseconds */
const FAR = 1e12; /* metres from the origin */
const WORLDS = readdirSync('config/worlds').filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
const TILE_FORMATS = ['png', 'webp', 'r32f', 'r16', 'json', 'mvt', 'txt', 'ansi', 'tif', 'npy', 'terrain'];
const CHUNK_FORMATS = ['r32f', 'r16', 'r16z', 'r8', 'png', 'json', 'asc', 'tif', 'glb'];
const CODINGS = ['identity', 'gzip', 'zstd'];
const ZOOMS = [0, 4, 8, 12, 15, 17, 18, 20];

/* Places in metres, the same in every run: in the middle of the map, or far away. */
const places = Array.from({ length: PLACES }, (_, i) => [(i - 1.5) * 2.3e6 + 100003, (i % 2) * 1.7e6 - 700001]);
const farPlaces = places.map(([x, y]) => [x + FAR, y - FAR]);

/* Worlds with a drainage network; their land once the server runs, near the origin and far away (land_places.mjs). */
const drained = WORLDS.filter((name) => readFileSync(`config/worlds/${name}.json`, 'utf8').includes('"drainage":'));
const land = new Map();
const onLand = (world, isFar = false) => land.get(`${world} ${isFar}`)();
/* Requests at places: texts, or functions that make the request for the next place on land. */
const requestsAt = (world, at, requestOf) => at.map((place) => (drained.includes(world)
  ? () => requestOf(onLand(world, at === farPlaces)) : requestOf(place)));

const accept = (coding) => `Accept-Encoding: ${coding}\r\n`;
const tileOf = (zoom, [x, y]) => [x, y].map((at) => Math.floor((at + 2 ** 24) / 2 ** (25 - zoom)));
const bbox = ([x, y], side) => `bbox=${x},${y},${x + side},${y + side}`;

/* Rows: { name, requests, atMost }. A request is a text, or a function of the number of its parts. */
const tileRow = (world, style, zoom, ext, { at = places, coding = 'identity', suffix = '' } = {}) => ({
  name: `tile ${world} ${style} z${zoom}${at === farPlaces ? ' far' : ''} ${ext}${suffix} ${coding}`,
  atMost: ext === 'mvt', /* contours are found */
  requests: requestsAt(world, at, (place) => {
    const [x, y] = tileOf(zoom, place);
    return get(`/worlds/${world}/tiles/${style}/${zoom}/${x}/${y}.${ext}${suffix}`, accept(coding));
  }),
});

function tileRows() {
  const rows = [];
  for (const zoom of ZOOMS) {
    rows.push(tileRow('terra', 'relief', zoom, 'png'), tileRow('terra', 'height', zoom, 'r32f'));
  }
  for (const world of WORLDS) {
    const style = ['caves', 'clouds', 'fire', 'fog', 'marble', 'perlin', 'wood'].includes(world) ? 'height' : 'relief';
    for (const zoom of [10, 14]) rows.push(tileRow(world, style, zoom, 'png'));
    rows.push(tileRow(world, style, 14, 'png', { at: farPlaces }), tileRow(world, style, 14, 'mvt'));
  }
  for (const style of ['biome', 'contour', 'grey16', 'hillshade', 'mapbox', 'normal', 'slope', 'terrarium']) {
    rows.push(tileRow('terra', style, 12, 'png'));
  }
  for (const ext of TILE_FORMATS) {
    for (const coding of ['png', 'webp'].includes(ext) ? ['identity'] : CODINGS) {
      rows.push(tileRow('terra', 'relief', 12, ext, { coding }));
    }
  }
  for (const [world, style, zoom] of [['terra', 'relief', 3], ['terra', 'relief', 16], ['terra', 'biome', 12], ['terra', 'contour', 12],
    ['terra', 'terrarium', 12], ['canyons', 'relief', 10], ['perlin', 'height', 10]]) {
    rows.push(tileRow(world, style, zoom, 'webp'));
  }
  rows.push(tileRow('terra', 'relief', 12, 'png', { suffix: '?size=512' }), tileRow('terra', 'relief', 17, 'mvt'));
  rows.push(tileRow('perlin', 'height', 12, 'json', { suffix: '?size=8' }));
  return rows;
}

/* Pictures of 600 pixels: three bands of samples or colours, and encoding. */
function pictureRows() {
  return [['png', 'relief'], ['webp', 'relief'], ['r32f', 'height'], ['r16', 'height'], ['png', 'biome']].map(([format, style]) => ({
    name: `picture terra ${style} ${format}`,
    requests: requestsAt('terra', places, (place) => get(`/render?${bbox(place, 60000)}&width=600&style=${style}&format=${format}`)),
  }));
}

const chunkRow = (world, size, ext, { at = places, step = 1, coding = 'identity', layers = 'height' } = {}) => ({
  name: `chunk ${world} ${size}${at === farPlaces ? ' far' : ''} step ${step} ${ext} ${layers} ${coding}`,
  requests: requestsAt(world, at, ([x, y]) => {
    const [cx, cy] = [x, y].map((metres) => Math.floor(metres / (size * step)));
    return get(`/worlds/${world}/chunks/${cx}/${cy}.${ext}?size=${size}&step=${step}&layers=${layers}`, accept(coding));
  }),
});

function chunkRows() {
  const rows = [];
  for (const ext of CHUNK_FORMATS) {
    for (const coding of ['r16z', 'png'].includes(ext) ? ['identity'] : CODINGS) {
      rows.push(chunkRow('terra', 127, ext, { coding }));
    }
  }
  for (const world of WORLDS) rows.push(chunkRow(world, 127, 'r32f'), chunkRow(world, 127, 'json', { at: farPlaces }));
  for (const size of [8, 16, 32, 64, 255, 512]) rows.push(chunkRow('terra', size, 'r32f'));
  for (const step of [0.25, 16, 256, 4096]) rows.push(chunkRow('terra', 127, 'r32f', { step }));
  rows.push(chunkRow('terra', 127, 'r32f', { layers: 'height,biome,temperature' }));
  rows.push(chunkRow('terra', 64, 'json', { layers: 'height,biome' }));
  for (const world of ['terra', 'archipelago', 'highlands', 'canyons', 'dunes']) rows.push(chunkRow(world, 127, 'r8', { layers: 'materials' }));
  for (const ext of ['png', 'r32f']) rows.push(chunkRow('terra', 127, ext, { layers: 'materials' }));
  rows.push(chunkRow('terra', 127, 'glb', { layers: 'height,materials' }));
  const layers = JSON.parse(readFileSync('config/worlds/perlin.json', 'utf8')).layers;
  for (const layer of Object.keys(layers)) rows.push(chunkRow('perlin', 255, 'r32f', { layers: layer, step: 64 }));
  for (const world of ['caves', 'fog']) {
    for (const ext of ['r32f', 'r8', 'json']) {
      for (const size of [8, 32]) {
        const path = `/worlds/${world}/volumes`;
        rows.push({ name: `volume ${world} ${size} ${ext}`,
          requests: places.map((_, i) => get(`${path}/${i * 9}/${i}/1.${ext}?size=${size}&layer=density`)) });
      }
    }
  }
  return rows;
}

/* The chunks of a square, or of places far from each other; others in each round. */
function chunksOf(count, size, world, scattered = false) {
  const at = () => (drained.includes(world) ? onLand(world) : [381000, 254000]).map((metres) => Math.floor(metres / size));
  const [east, south] = at();
  return Array.from({ length: count }, (_, i) => (scattered ? at() : [east + (i % 16), south + Math.floor(i / 16)]));
}

function batch(count, format, { size = 127, scattered = false, coding = 'identity', world = 'terra', layers, objects } = {}) {
  const chunks = chunksOf(count, size, world, scattered);
  const text = post(`/worlds/${world}/chunks`, { format, size, chunks, ...(layers && { layers }), ...(objects && { objects }) });
  return text.replace('\r\n', `\r\n${accept(coding)}`);
}

const digestsRow = (size, more) => ({
  name: `digests 256 of ${size}${more.against ? ' against' : ''}`,
  requests: [(n) => post('/worlds/terra/digests', { size, chunks: chunksOf(n ?? 256, size, 'terra'), ...more })],
});

function batchRows() {
  const rows = [digestsRow(16, {}), digestsRow(64, {}), digestsRow(64, { against: 'terra~2' })];
  for (const format of CHUNK_FORMATS) {
    rows.push({ name: `batch 256 of 127 ${format}`, requests: [(n) => batch(n ?? 256, format)] });
  }
  for (const coding of ['gzip', 'zstd']) {
    for (const format of ['r32f', 'json']) {
      rows.push({ name: `batch 64 of 127 ${format} ${coding}`, requests: [(n) => batch(n ?? 64, format, { coding })] });
    }
  }
  for (const size of [8, 16, 32, 64]) {
    for (const scattered of [false, true]) {
      rows.push({ name: `batch 256 of ${size} r32f${scattered ? ' scattered' : ''}`,
        requests: [(n) => batch(n ?? 256, 'r32f', { size, scattered })] });
    }
  }
  for (const world of ['terra', 'archipelago']) {
    rows.push({ name: `batch 256 of 64 r16 ${world} objects`, atMost: true,
      requests: [(n) => batch(n ?? 256, 'r16', { size: 64, world, objects: true })] });
  }
  for (const [format, size] of [['r32f', 31], ['json', 127]]) {
    rows.push({ name: `batch 256 of ${size} ${format} perlin`, requests: [(n) => batch(n ?? 256, format, { size, world: 'perlin' })] });
  }
  return rows;
}

/* A place on land of terra, and points within so many metres of it; another one for each request, so that nothing of
 * the last one is kept. */
function heights(count, radius, extra = {}) {
  const place = onLand('terra');
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.round((state / 2 ** 32 - 0.5) * 2 * radius);
  };
  const points = Array.from({ length: count }, (_, i) => (i > 0 ? place.map((metres) => metres + next()) : place));
  return { points, ...extra };
}

function heightsRows() {
  const rows = [];
  const add = (name, request) => rows.push({ name: `heights ${name}`, requests: [request], inPieces: true });
  for (const [name, radius, counts] of [['nearest', 50, [1, 100, 10000]], ['near', 500, [1, 100, 2000, 10000]],
    ['around', 3000, [100, 2000, 10000]], ['region', 50000, [1, 100, 10000]], ['anywhere', 1.6e7, [1, 100, 1000]]]) {
    for (const count of counts) {
      add(`${count} ${name}`, () => post('/heights', heights(count, radius)));
      add(`${count} ${name} binary`, () => postBinary('/heights', Float64Array.from(heights(count, radius).points.flat())));
    }
  }
  for (const [name, count, extra, world] of [['biome', 1000, { layer: 'biome' }], ['zoom 9', 1000, { zoom: 9 }], ['perlin', 10000, {}, '/worlds/perlin']])
    add(`${count} anywhere ${name}`, () => post(`${world ?? ''}/heights`, heights(count, 1.6e7, extra)));
  add('10000 clusters', () => {
    const centres = Array.from({ length: 50 }, () => onLand('terra'));
    const of = (i) => [centres[i % 50][0] + (i % 977), centres[i % 50][1] + (i % 733)];
    return post('/heights', { points: Array.from({ length: 10000 }, (_, i) => of(i)) });
  });
  return rows;
}

function queryRows() {
  const rows = [];
  const each = (name, targetOf, more = {}) => {
    const world = name.split(' ').find((word) => WORLDS.includes(word)) ?? 'terra';
    rows.push({ name, requests: requestsAt(world, places, (place) => get(targetOf(place))), ...more });
  };
  for (const world of WORLDS) {
    rows.push({ name: `at ${world}`,
      requests: requestsAt(world, places, ([x, y]) => get(`/worlds/${world}/at?x=${x}&y=${y}`)) });
    each(`at ${world} named`, ([x, y]) => `/worlds/${world}/at?x=${x}&y=${y}&named=1`, { atMost: true });
    for (const radius of [1000, 60000, 520000]) {
      each(`locate name ${world} ${radius}`, ([x, y]) => `/worlds/${world}/locate?name=b&x=${x}&y=${y}&radius=${radius}`, { atMost: true });
    }
    for (const zoom of [8, 12]) each(`labels ${world} ${zoom}`, (place) => `/worlds/${world}/labels?zoom=${zoom}&${bbox(place, 2048 * 2 ** (17 - zoom))}`, { atMost: true });
    each(`explain ${world}`, ([x, y]) => `/worlds/${world}/explain?x=${x}&y=${y}`, { atMost: drained.includes(world) });
    each(`profile ${world} 4096`, ([x, y]) => `/worlds/${world}/profile?line=${x},${y};${x + 90000},${y}&samples=4096`);
    each(`stats ${world} 64`, (place) => `/worlds/${world}/stats?samples=64&${bbox(place, 64000)}`);
    each(`verify ${world} 127`, ([x, y]) => `/worlds/${world}/verify?size=127&chunk=${Math.floor(x / 127)},${Math.floor(y / 127)}`);
    each(`sight ${world}`, ([x, y]) => `/worlds/${world}/sight?from=${x},${y},90000&to=${x + 8000},${y},90000`,
      { atMost: true });
  }
  for (const form of ['json', 'text']) {
    each(`profile terra 256 ${form}`, ([x, y]) => `/profile?line=${x},${y};${x + 9000},${y}&samples=256&format=${form}`);
  }
  each('profile.svg terra 4096', ([x, y]) => `/profile.svg?line=${x},${y};${x + 90000},${y}&samples=4096`);
  rows.push({ name: 'profile terra long', requests: [(n = 4096) => {
    const [x, y] = onLand('terra');
    return get(`/profile?line=${x},${y};${x + 9e6},${y}&samples=${n}`);
  }] });
  each('stats terra 256', (place) => `/stats?samples=256&${bbox(place, 512)}`);
  each('stats terra 256 wide', (place) => `/stats?samples=256&${bbox(place, 2e6)}`);
  each('diff terra 128', (place) => `/diff?b=dunes&samples=128&${bbox(place, 64000)}`);
  for (const radius of [200, 10000, 1e6]) {
    each(`locate terra ${radius}`, ([x, y]) => `/locate?min_height=8000&x=${x}&y=${y}&radius=${radius}`,
      { atMost: true });
  }
  each('trace terra', ([x, y]) => `/trace?x=${x}&y=${y}`, { atMost: true });
  for (const [side, flow] of [[50000, 1e6], [200000, 1e8], [1e6, 1e9]])
    each(`rivers terra ${side}`, ([x, y]) => `/rivers?${bbox([x, y], side)}&min_flow=${flow}&format=text`, { atMost: true });
  each('locate terra biome', ([x, y]) => `/locate?biome=jungle&x=${x}&y=${y}&radius=1000`, { atMost: true });
  /* Conditions: of the slope alone, of many results, and of as many powers as are allowed. */
  const powers = Array.from({ length: 46 }, (_, i) => `pow(height,0.${i + 20})`).join('%2B');
  for (const [name, where, more] of [['slope', 'slope>89', ''], ['apart', 'height>-99999,slope<89', '&limit=100&apart=9'],
    ['beyond', 'height>-99999', '&limit=100&apart=99999&min_distance=9000'], ['powers', `${powers}>1e9`, '']]) {
    for (const world of ['dunes', 'terra']) {
      each(`locate where ${world} ${name}`, ([x, y]) => `/worlds/${world}/locate?where=${where.replaceAll('>', '%3E').replaceAll('<', '%3C')}&x=${x}&y=${y}&radius=10000${more}`,
        { atMost: true });
    }
  }
  each('spawn terra', ([x, y]) => `/spawn?x=${x}&y=${y}`, { atMost: true });
  for (const feature of ['peak', 'pass']) each(`locate ${feature} dunes`, ([x, y]) => `/worlds/dunes/locate?feature=${feature}&x=${x}&y=${y}&radius=100000`);
  for (const feature of ['peak', 'source', 'mouth', 'lake']) {
    each(`locate ${feature} terra`, ([x, y]) => `/locate?feature=${feature}&x=${x}&y=${y}&radius=100000`, { atMost: true });
  }
  for (const side of [200, 450]) {
    each(`objects terra ${side}`, (place) => `/objects?${bbox(place, side)}`, { atMost: true });
    each(`objects.geojson terra ${side}`, (place) => `/objects.geojson?${bbox(place, side)}`, { atMost: true });
  }
  return rows;
}

/* Names of screens, of single tiles' squares and of small boxes, each on land where nothing is kept. */
function labelRows() {
  const rows = [];
  const add = (world, zoom, pixels) => rows.push({
    name: `labels ${world} z${zoom} ${pixels}`,
    atMost: zoom < 7, /* these cells are so large that they are soon kept, of the whole map */
    requests: requestsAt(world, places, (place) => get(`/worlds/${world}/labels?zoom=${zoom}&${bbox(place, pixels * 2 ** (17 - zoom))}`)),
  });
  for (const zoom of [3, 5, 7, 8, 10, 12, 14, 16, 18]) for (const pixels of [16, 512, 1024]) add('terra', zoom, pixels);
  for (const world of ['archipelago', 'canyons', 'highlands']) for (const zoom of [6, 9, 13]) add(world, zoom, 1024);
  add('terra', 7, 3906); /* 4000 km */
  add('terra', 12, 4096);
  for (const zoom of [4, 8, 12, 16]) rows.push(tileRow('terra', 'contour', zoom, 'mvt', { suffix: '?labels=1' }));
  return rows;
}

/* The largest requests that may be made of each kind. */
function largestRows() {
  const rows = [];
  const largest = (name, requestOf, more) => rows.push({ name: `largest ${name}`, requests: [requestOf], ...more });
  for (const world of ['highlands', 'dunes', 'terra']) {
    for (const [ext, coding] of [['r32f', 'gzip'], ['json', 'gzip'], ['asc', 'zstd'], ['glb', 'gzip']]) {
      largest(`chunk ${world} ${ext} ${coding}`,
        (n = 1023) => get(`/worlds/${world}/chunks/5/6.${ext}?size=${n}&layers=height`, accept(coding)));
    }
    largest(`stats ${world}`, (n = 512) => get(`/worlds/${world}/stats?${bbox(places[1], 1e6)}&samples=${n}`));
    largest(`diff ${world}`, (n = 512) => get(`/worlds/${world}/diff?b=archipelago&${bbox(places[1], 1e6)}&samples=${n}`));
    largest(`locate ${world}`, () => get(`/worlds/${world}/locate?min_height=9000&x=0&y=0&radius=1e7`), { atMost: true });
    largest(`spawn ${world}`, () => get(`/worlds/${world}/spawn?x=0&y=-3e6`), { atMost: true });
  }
  for (const ext of ['r32f', 'json']) largest(`volume ${ext}`, () => get(`/worlds/caves/volumes/1/2/0.${ext}?size=128&layer=density`));
  largest('tile', () => get('/worlds/highlands/tiles/relief/17/70000/70000.png?size=512'));
  largest('objects', () => get(`/objects?${bbox([1000, 1000], 450)}`), { atMost: true });
  return rows;
}

/* Worlds with another seed: each request has a new one. */
let seed = 0;
const seedRows = () => WORLDS.map((world) => ({
  name: `seed ${world}`, requests: places.map(() => () => get(`/worlds/${world}~bench${seed++}/at?x=1&y=2`)),
}));

const textOf = (request, parts) => (typeof request === 'function' ? request(parts) : request);

/* The requests of a row with as many parts as are allowed, each asked once; or null if one is refused anyhow. */
async function allowed(client, row) {
  const requests = [];
  let refused = false;
  for (const request of row.requests) {
    const { status, body } = await client.ask(textOf(request));
    if (status === 200) {
      requests.push({ request });
      continue;
    }
    const document = JSON.parse(body);
    if (status !== 413) throw new Error(`${row.name}: ${status} ${document.detail}`);
    refused ||= !document.fits || typeof request !== 'function';
    requests.push({ request, parts: document.fits });
  }
  return refused ? null : requests;
}

/* One round: nanoseconds of the requests, and how many were asked. Prices grow with what the server measures, so that a
 * request may be refused which was answered before: the time is Infinity then. */
async function ask(server, client, name, requests) {
  const texts = requests.map(({ request, parts }) => textOf(request, parts));
  const before = nanoseconds(server.pid);
  for (const [index, text] of texts.entries()) {
    const { status, body } = await client.ask(text);
    if (status === 413) return { spent: Infinity, asked: index + 1 };
    if (status !== 200) throw new Error(`${name}: ${status} ${body.subarray(0, 300)}`);
  }
  return { spent: nanoseconds(server.pid) - before, asked: texts.length };
}

/* The prices of the last requests, once the log has as many lines. */
async function pricesOf(log, count, skip) {
  for (;;) {
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
    if (lines.length >= skip + count) return lines.slice(skip, skip + count).map((line) => JSON.parse(line).cost);
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
}

async function measure(server, client, log, row) {
  const before = nanoseconds(server.pid);
  const requests = await allowed(client, row);
  let asked = row.requests.length;
  if (!requests) return { asked, row: { name: row.name, note: 'refused' } };
  let least = Infinity;
  const quick = nanoseconds(server.pid) - before < QUICK * row.requests.length;
  for (let round = 0; round < ROUNDS * (quick ? MORE_ROUNDS : 1); round++) {
    const { spent, asked: more } = await ask(server, client, row.name, requests);
    asked += more;
    if (spent === Infinity) return { asked, row: { name: row.name, note: 'refused' } };
    least = Math.min(least, spent);
  }
  const prices = await pricesOf(log.path, asked - row.requests.length, log.lines + row.requests.length);
  const price = prices.slice(-requests.length).reduce((sum, cost) => sum + cost, 0);
  const note = requests.some(({ parts }) => parts) ? `${requests[0].parts} fit` : '';
  const each = 1 / requests.length / 1e6;
  const { name, atMost, inPieces } = row;
  return { asked, row: { name, price: price * each, milliseconds: least * each, note, atMost, inPieces } };
}

/* The median of the times in the prices. */
function judge(rows) {
  const priced = rows.filter(({ price }) => price);
  for (const row of priced) {
    row.factor = row.milliseconds / row.price;
    const isHigh = row.factor < 1 / HIGH && !row.atMost;
    const isOutside = (row.factor > LOW || isHigh) && Math.abs(row.milliseconds - row.price) > SLACK;
    row.note = [row.note, row.atMost ? 'at most' : '', isOutside ? '!' : ''].filter(Boolean).join(' ');
  }
  return median(priced.filter(({ atMost }) => !atMost).map(({ factor }) => factor));
}

const show = (rows) => rows.map(({ name, price, milliseconds, factor, note }) => ({
  kind: name,
  'price, ms': fixed(price, 2),
  ms: fixed(milliseconds, 2),
  factor: fixed(factor, 2),
  note,
}));

const words = process.argv.slice(2);
const all = [...tileRows(), ...pictureRows(), ...chunkRows(), ...batchRows(), ...heightsRows(), ...queryRows(), ...labelRows(), ...largestRows(), ...seedRows()]
  .filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const folder = temporaryFolder({});
const log = { path: path.join(folder.path, 'access.log'), lines: 0 };
const server = await startServer({
  arguments: ['--loops', '1', '--renderers', '1', '--cache-memory', '0', '--access-log', log.path],
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
  for (const world of drained) {
    land.set(`${world} false`, await landPlaces(client, world));
    land.set(`${world} true`, await landPlaces(client, world, [FAR, -FAR]));
  }
  log.lines = 8 * drained.length;
  for (const row of all) {
    const { asked, row: measured } = await measure(server, client, log, row);
    log.lines += asked;
    rows.push(measured);
  }
} finally {
  client.close();
  await server.stop();
}
const middle = judge(rows);
const longest = rows.filter(({ price, inPieces }) => price && !inPieces).sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 5);
const wrong = rows.filter(({ note }) => note.includes('!'));
console.log(table(`Prices: ${rows.length} kinds, median ${fixed(middle, 2)} of the price`, show(rows)));
if (longest.length > 0) console.log(table('Longest', show(longest)));
console.log(`${wrong.length} of ${rows.length} rows are outside ${LOW} and 1/${HIGH}; the longest request takes `
  + `${(longest[0]?.milliseconds ?? 0).toFixed(0)} ms`);
process.exitCode = wrong.length > 0 || longest[0]?.milliseconds > LONGEST ? 1 : 0;
