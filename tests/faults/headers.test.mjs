/* Answers of a server whose memory is short: in each route, format and coding, with allocations of the program and
 * of libmicrohttpd that fail. An answer has all the headers and the body of the undisturbed one, or is a whole
 * problem, or the connection closes. Otherwise a cache could keep a compressed body without its coding, say.
 *
 * TERRANE_ROUNDS sets how many rounds there are. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { binary } from '../cli/terrane.mjs';
import { decode } from '../http/raw.mjs';
import { startServer } from '../tools/server.mjs';
import { examples, isBatch, isRight, send } from './examples.mjs';
import { FailingCalls, MEMORY } from './failing_calls.mjs';

const ROUNDS = Number(process.env.TERRANE_ROUNDS ?? 1);
const sanitized = /\/build\/(tsan|fuzz)\//.test(binary);
const codings = ['', 'Accept-Encoding: gzip\r\n', 'Accept-Encoding: zstd\r\n'];
let refusals;
let reference;
before(async () => {
  refusals = new FailingCalls();
  reference = await startServer({ arguments: ['--watch'], env: refusals.env });
});
after(async () => {
  refusals.remove();
  assert.equal(await reference.stop(), 0);
});

/* Requests that are answered with something else than 200, and those without a body. */
const others = [
  { target: '/', body: '', headers: 'Accept: text/html\r\n' },
  { target: '/viewer/style.css', body: '' },
  { target: '/nothing', body: '' },
  { target: '/worlds/tera/at?x=1&y=2', body: '' },
  { target: '/at?x=1&yy=2', body: '' },
  { target: '/tiles/relief/9/255/255.png', body: '', method: 'DELETE' },
  { target: '/tiles/relief/9/255/255.png', body: '', method: 'OPTIONS' },
  { target: '/tiles/relief/9/255/255.png', body: '', method: 'HEAD' },
  { target: '/worlds/terra', body: '', method: 'HEAD' },
  { target: '/heights', body: '{', method: 'POST' },
  { target: '/heights', body: '', method: 'POST', headers: 'Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n' },
];

/* Pinned answers have other headers. */
async function pinned() {
  const { fingerprint } = await (await fetch(`${reference.url}/worlds/terra`)).json();
  return ['tiles/relief/9/255/255.png', 'at?x=1&y=2', 'chunks/0/0.json'].map((path) => ({ target: `/worlds/terra@${fingerprint}/${path}`, body: '' }));
}

/* What two answers to one request have in common. A 304 from the cache has the headers that describe the body, too. */
function comparable({ status, headers, body }, request) {
  const { target } = request;
  const kept = { ...headers };
  assert.equal('server-timing' in kept, kept['x-terrane-cache'] === 'render' && !isBatch(request), 'Server-Timing');
  if ('x-terrane-cache' in kept) kept['x-terrane-cache'] = 'somewhere';
  for (const name of ['date', 'server-timing']) delete kept[name];
  for (const name of status === 304 ? Object.keys(kept) : []) if (/^(accept-ranges|x-terrane-|content-(type|encoding)|access-control-expose)/.test(name)) delete kept[name];
  /* The body of a problem may lack a suggestion. */
  if (target === '/metrics' || (status >= 400 && Number(headers['content-length']) === body.length)) delete kept['content-length'];
  return { status, headers: kept };
}

const cors = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Accept-Ranges, Content-Range, ETag, Retry-After, Server-Timing, X-Terrane-Cache',
};

/* The 503 that is ready for want of memory says the same for every route; others of /preview and /events are not for
 * other sites, and those of /wmts are exception reports of the OGC. */
function assertWholeProblem({ headers, body }, { target, method }, what) {
  const { date, 'retry-after': seconds, 'content-length': length, ...rest } = headers;
  const isXml = target.startsWith('/wmts?') && rest['content-type'] === 'application/xml';
  assert.ok(date && Number(seconds) > 0, what);
  assert.deepEqual(rest, {
    'content-type': isXml ? 'application/xml' : 'application/problem+json',
    'cache-control': 'no-store',
    ...(['/preview', '/events?once=1'].includes(target) && !('access-control-allow-origin' in rest) ? {} : cors),
    'x-content-type-options': 'nosniff',
    connection: 'close',
  }, what);
  if (method === 'HEAD') return;
  assert.equal(Number(length), body.length, what);
  if (isXml) assert.match(body.toString(), /<ows:ExceptionText>/, what);
  else assert.equal(JSON.parse(body).status, 503, what);
}

/* Every request in every coding, and again with the tag of its answer, each with the undisturbed answer. */
async function undisturbed() {
  const requests = [...await examples(reference.url), ...await pinned(), ...others];
  assert.ok(requests.length > 60, `${requests.length} requests`);
  const cases = [];
  for (const request of requests) {
    let plain;
    for (const coding of codings) {
      const headers = coding + (request.headers ?? '');
      const right = await send(reference.port, request, headers);
      assert.ok(right, request.target);
      plain ??= right;
      if (right.status === 200 && right.body.length > 0 && request.target !== '/metrics' && !isBatch(request))
        assert.ok(decode(right.headers['content-encoding'], right.body).equals(plain.body), request.target);
      cases.push({ request, headers, right });
      if (!right.headers.etag || request.method) continue;
      const conditional = `${headers}If-None-Match: ${right.headers.etag}\r\n`;
      const unmodified = await send(reference.port, { ...request, method: 'GET' }, conditional);
      assert.equal(unmodified.status, 304, request.target);
      cases.push({ request, headers: conditional, right: unmodified });
    }
  }
  return cases;
}

/* The faults of the request with that index: one call, each one_in-th, or some at random. */
function planOf(round, index) {
  const kind = (round + index) % 3;
  if (kind === 0) return { number: 1 + (index * 7 + round * 5) % 45 };
  return kind === 1 ? { one_in: 2 + (index + round) % 37 } : { one_in: 4 << ((index + round) % 5), seed: 1 + index + 100000 * round };
}

function judge(answer, request, right, what) {
  if (!answer) return 'closed';
  if (answer.status === 503) {
    assertWholeProblem(answer, request, what);
    return 'problem';
  }
  assert.deepEqual(comparable(answer, request), comparable(right, request), what);
  const [body, wanted] = [answer, right].map((of) => (isBatch(request) ? decode(of.headers['content-encoding'], of.body) : of.body));
  if (answer.status < 300) assert.ok(isRight(request, body, wanted), what);
  else if (answer.body.length > 0) assert.equal(JSON.parse(answer.body).status, answer.status, what);
  return 'same';
}

test('an answer that lacks memory lacks no header', { skip: sanitized }, async (t) => {
  const cases = await undisturbed();
  const counts = { same: 0, problem: 0, closed: 0 };
  for (let round = 1; round <= ROUNDS; round++) {
    /* With and without responses that are kept and shared. */
    const servers = await Promise.all([[], ['--cache-memory', '0']].map((more) => startServer(
      { arguments: ['--watch', '--loops', '1', '--renderers', '1', ...more], env: refusals.env })));
    try {
      for (const [index, { request, headers, right }] of cases.entries()) {
        const server = servers[(index + round) % 2];
        const plan = planOf(round, index);
        refusals.arm({ kind: MEMORY, library: 1, ...plan });
        const answer = await send(server.port, request, headers);
        refusals.disarm();
        counts[judge(answer, request, right, `${JSON.stringify({ ...request, headers, ...plan })}, round ${round}`)]++;
      }
    } finally {
      refusals.disarm();
      for (const server of servers) {
        assert.equal(await server.stop(), 0);
        assert.doesNotMatch(server.complaints(), /Sanitizer|runtime error/);
      }
    }
  }
  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.same > 100 && counts.problem > 100 && counts.closed > 20, JSON.stringify(counts));
});
