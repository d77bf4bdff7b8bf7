/* Checks which folder includes which, that no two folders include each other, that units do not
 * include each other in large circles, that responses are made and sent in one place each, and that
 * libterrane.a is pure: that it calls nothing but what a pure library may call and has no variable of its own.
 * usage: arrows.mjs LIBTERRANE_A */

import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/* Folder: the folders, or single headers, that its files may include, besides its own folder. Each folder under
 * server/ may also include server/base and core/base. */
const below = ['core/base', 'core/noise', 'core/polylines', 'core/drainage'];
const world = [...below, 'core/names', 'core/program', 'core/language', 'core/sampling', 'core/price', 'core/worldfile'];
const cached = [...world, 'core/drainage/store/cache.h']; /* what they find is kept where the network's parts are */
const core = ['core', ...world, 'core/terrain', 'core/labels', 'core/tile', 'core/encode', 'core/drainage/store/cache_share.h'];
const belowHttp = [...core, 'server/settings', 'server/worlds', 'server/queries', 'server/render', 'server/cache',
  'server/log'];
const exports = [...core, 'server/settings', 'server/worlds', 'server/render', 'server/export', 'server/export/spool'];
const arrows = {
  'core/base': [],
  'core/noise': ['core/base'],
  'core/polylines': ['core/base'],
  'core/names/tongues': [],
  'core/names': ['core/base', 'core/names/tongues'],
  'core/drainage/network': ['core/base'],
  'core/drainage/course': ['core/base', 'core/drainage/network'],
  'core/drainage/store': ['core/base', 'core/drainage/network', 'core/drainage/course'],
  'core/drainage/land': ['core/base', 'core/drainage/network', 'core/drainage/store'],
  'core/drainage': ['core/base', 'core/drainage/network', 'core/drainage/store', 'core/drainage/land'],
  'core/program': below,
  'core/language': [...below, 'core/program'],
  'core/sampling': [...below, 'core/program'],
  'core/price': [...below, 'core/program', 'core/sampling'],
  'core/worldfile': world,
  'core/terrain': cached,
  'core/labels': [...cached, 'core/terrain'],
  'core/tile': [...world, 'core/terrain', 'core/labels'],
  'core/encode': ['core/base', 'core/tile'],
  'core/examples': [],
  core: [...world, 'core/terrain', 'core/labels'],
  'server/base': ['core/terrane.h'],
  'server/log': [],
  'server/cache': ['server/log'],
  'server/worlds': core,
  'server/settings': ['server/worlds', 'core/worldfile/json.h'],
  'server/render': [...core, 'server/worlds'],
  'server/queries': [...core, 'server/worlds', 'server/render'],
  'server/export/spool': ['core/encode/gzip.h'],
  'server/export': [...core, 'server/settings', 'server/worlds', 'server/render', 'server/export/spool'],
  'server/export/archives': exports,
  'server/export/rasters': exports,
  'server/export/grids': exports,
  'server/export/meshes': exports,
  /* Each folder of server/http may include those before it; connections and jobs know no query. */
  ...Object.fromEntries(['connection', 'request', 'jobs', 'response', 'products', 'openapi', 'routes'].map((folder, i, all) => [
    `server/http/${folder}`,
    [...belowHttp, ...all.slice(0, i).map((earlier) => `server/http/${earlier}`)].filter(
      (each) => each !== 'server/queries' || !['connection', 'jobs'].includes(folder))])),
  'server/http': ['server/http/*', ...belowHttp],
  'server/daemon': ['*'],
  'server/cli': ['*'],
  server: ['*'],
};
const CIRCLE_MAX = 3; /* units that may include each other in a circle */

/* Header: the only files that may include it. */
const owners = [
  [/^cjson\//, /^core\/worldfile\/json\w*\.c$/],
  [/^(png\.h|isa-l|igzip|libdeflate\.h|zlib\.h|zstd\.h|webp\/)/, /^core\/encode\//],
  [/^microhttpd\.h$/, /^server\/http\//],
  [/^gnutls\//, /^server\/(http\/connection\/tls|base\/sha256|cache\/shared_ring)\.c$/],
  [/^sqlite3\.h$/, /^server\/(base\/sqlite_reason\.h$|cache\/|export\/)/],
  [/^tiffio\.h$/, /^server\/export\//],
  [/^terrane\.h$/, /^core\/examples\//],
  [/^pthread\.h$/, /^(core\/examples|server|tests)\//],
];

/* Functions of libmicrohttpd whose failure must not be overlooked: the only file that may call them. */
const callers = [
  [/\bMHD_(create_response|add_response|del_response|destroy_response)\w*/g, 'server/http/response/response.c'],
  [/\bMHD_(queue_response|set_connection_value)\w*/g, 'server/http/send_response.c'],
];

/* The system headers that the core may include: none for input, output, threads or time. */
const systemHeaders = /^(assert|errno|float|inttypes|limits|math|setjmp|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string)\.h$/;

/* The functions that libterrane.a may call: memory, strings, formatting into memory, exact arithmetic, sorting, the
 * libraries it is built on, and the compiler's own functions (target clones, 128 bits, jumps). */
const calls = new RegExp(`^(${[
  'malloc|calloc|realloc|aligned_alloc|free|mem(cpy|move|set|cmp|chr)|str(len|cmp|ncmp|chr|rchr|cpy|ncpy|cspn|spn|str|dup|ndup)',
  'qsort|bsearch|v?snprintf|__v?snprintf_chk|__mem(cpy|move|set)_chk|__stack_chk_fail|abort',
  'sqrtf?|floorf?|ceilf?|truncf?|fabsf?|rintf?|nearbyintf?|frexpf?|ldexpf?',
  'cJSON_.*|png_.*|isal_.*|libdeflate_.*|ZSTD_.*|WebP[A-Z].*|crc32.*',
  '_?setjmp|__sigsetjmp|longjmp|__cpu_model|__cpu_indicator_init|__cpu_features2|_GLOBAL_OFFSET_TABLE_',
  '__(u?mod|u?div|u?divmod)ti[34]|__(fix|float)[a-z]*ti[a-z]*',
].join('|')})$`);

const problems = [];
const folderOf = (file) => path.posix.dirname(file);
const unitOf = (file) => file.replace(/\.[ch]$/, '');

/* [{ file, text }] */
function readSources() {
  return ['core', 'server'].flatMap((top) => readdirSync(top, { recursive: true }).map((name) => `${top}/${name}`))
    .filter((file) => /\.[ch]$/.test(file) && !file.startsWith('server/clients/')) /* programs of others */
    .sort().map((file) => ({ file, text: readFileSync(file, 'utf8') }));
}

/* [{ file, header, quoted }] of all sources. */
function findIncludes(sources) {
  return sources.flatMap(({ file, text }) =>
    [...text.matchAll(/^ *# *include *([<"])([^>"]*)/gm)]
      .map(([, mark, header]) => ({ file, header, quoted: mark === '"' })));
}

function checkCallers({ file, text }) {
  for (const [pattern, caller] of callers) {
    if (file === caller) continue;
    for (const [name] of text.matchAll(pattern)) problems.push(`${file}: only ${caller} may call ${name}()`);
  }
}

function allows(from, header) {
  const to = folderOf(header);
  if (from === to) return true;
  if (from.startsWith('server') && ['server/base', 'core/base'].includes(to)) return true;
  return arrows[from].some((arrow) => arrow === to || arrow === header || arrow === '*' || arrow === `${folderOf(to)}/*`);
}

function checkArrow({ file, header }) {
  const [from, to] = [folderOf(file), folderOf(header)];
  if (!arrows[from]) problems.push(`${file}: name the arrows of its folder in tests/tools/arrows.mjs`);
  else if (!arrows[to]) problems.push(`${file}: include "${header}" from the root of the project`);
  else if (!allows(from, header)) problems.push(`${file}: may not include "${header}"`);
}

function checkSystemHeader({ file, header }) {
  const owner = owners.find(([pattern]) => pattern.test(header));
  if (owner ? !owner[1].test(file) : file.startsWith('core/') && !systemHeaders.test(header)) {
    problems.push(`${file}: may not include <${header}>`);
  }
}

/* Map of each node to the set of those that it includes. */
function makeGraph(includes, nodeOf) {
  const graph = new Map();
  for (const { file, header } of includes) {
    const [from, to] = [nodeOf(file), nodeOf(header)];
    for (const node of [from, to]) if (!graph.has(node)) graph.set(node, new Set());
    if (from !== to) graph.get(from).add(to);
  }
  return graph;
}

function checkMutualFolders(includes) {
  const graph = makeGraph(includes, folderOf);
  for (const [from, targets] of graph) {
    for (const to of targets) {
      if (from >= to || !graph.get(to).has(from)) continue;
      const counts = [[from, to], [to, from]].map(([a, b]) =>
        includes.filter(({ file, header }) => folderOf(file) === a && folderOf(header) === b).length);
      problems.push(`${from} and ${to} include each other: ${counts[0]} and ${counts[1]} times`);
    }
  }
}

/* The strongly connected components of the graph, by Tarjan's algorithm. */
function findCircles(graph) {
  const [order, low, stack, circles] = [new Map(), new Map(), [], []];
  const visit = (node) => {
    order.set(node, order.size);
    low.set(node, order.get(node));
    stack.push(node);
    for (const next of graph.get(node)) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) === order.get(node)) circles.push(stack.splice(stack.indexOf(node)));
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles;
}

function checkCircles(includes) {
  for (const units of findCircles(makeGraph(includes, unitOf))) {
    if (units.length > CIRCLE_MAX) {
      problems.push(`${units.length} units include each other in a circle: ${units.sort().join(' ')}`);
    }
  }
}

/* Checks the functions that each object of the library calls, and the variables it defines. */
function checkSymbols(library) {
  const [called, defined] = [new Map(), new Set()];
  let object = '';
  for (const line of execFileSync('nm', ['--format=sysv', library], { encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n')) {
    object = /^Symbols from .*\[(.*)\]/.exec(line)?.[1] ?? object;
    const columns = line.split('|').map((column) => column.trim());
    if (columns.length < 7) continue;
    const [name, , type, , , , section] = columns;
    if (type === 'U' || type === 'w') called.set(name, [...called.get(name) ?? [], object]);
    else if (/^[A-TV-Zi]$/.test(type)) defined.add(name);
    if (/^[dDbBsSgGcC]$/.test(type) && !section.startsWith('.data.rel.ro')) problems.push(`${object}: has the variable ${name}`);
  }
  for (const [name, objects] of called) {
    if (!defined.has(name) && !calls.test(name)) problems.push(`calls ${name}: ${objects.join(' ')}`);
  }
}

const sources = readSources();
const includes = findIncludes(sources);
sources.forEach(checkCallers);
const own = includes.filter(({ quoted }) => quoted);
own.forEach(checkArrow);
includes.filter(({ quoted }) => !quoted).forEach(checkSystemHeader);
checkMutualFolders(own);
checkCircles(own);
checkSymbols(process.argv[2]);

problems.forEach((problem) => console.log(problem));
if (problems.length === 0) console.log('arrows: includes, calls and symbols are as they should be');
process.exitCode = problems.length === 0 ? 0 : 1;
