/* Entity tags, pins and cached bytes tell any two responses apart: two values of a parameter give two tags and two
 * bodies, or one tag and one body. The requests are made from /openapi.json, so a new parameter or route is tested as
 * soon as it is there.
 *
 * Two servers answer the same requests. One caches, the other makes each response anew: a value that is given the cached
 * bytes of another one shows in this way. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile } from '../tools/server.mjs';
import { changedDigits, changes, formsOf, groupsOf, operationsOf, pairsOf, postsOf, referencesOf, worldFiles } from './operations.mjs';
import { Connection, decode, get } from './raw.mjs';

/* Parameters whose values may have two tags for one body, and why: [path or any, parameter, reason]. Nobody gets a wrong
 * response by that, but a case that is not expected is a mistake. */
const ANY = '';
const sharedBodies = [
  [ANY, 'the world', 'the worlds have the same ground, or an output that says nothing of the difference'],
  ['/tiles/{z}/{x}/{y}.{format}', 'style', 'vector tiles are the same in every style'],
  ['/wmts', 'LAYER', 'the samples of a layer are the same in every style that shows it'],
  ['/profile.svg', 'zoom', 'the drawing is too small to show the difference'],
  ['/objects', 'bbox', 'no object stands where the rectangles differ'],
  ['/objects.geojson', 'bbox', 'no object stands where the rectangles differ'],
  ['/objects.bin', 'bbox', 'no object stands where the rectangles differ'],
  ['/rivers', 'bbox', 'the same rivers touch the rectangles'],
  ['/rivers.geojson', 'bbox', 'the same rivers touch the rectangles'],
  ['/rivers', 'min_flow', 'no river has a flow in between'],
  ['/rivers.geojson', 'min_flow', 'no river has a flow in between'],
  ['/labels.geojson', 'bbox', 'the same names are in the rectangles'],
  ['/labels.geojson', 'zoom', 'the same names show at the zooms'],
  ['/locate', 'min_height', 'the same place is the nearest one of both heights, or there is none'],
  ['/locate', 'where', 'the same place is the nearest one of both conditions, or there is none'],
  ['/locate', 'apart', 'the same places are far enough from each other, or there is none'],
  ['/locate', 'min_distance', 'the same places are far enough, or there is none'],
  ['/locate', 'kind', 'there are no names of either kind'],
  ['/locate', 'after', 'no name lies in between'],
  ['/locate', 'zoom', 'the greatest zoom is the usual one, or maps of both have the same names'],
  ['/locate', 'limit', 'there are no more places than either limit'],
  ['/sight', 'to', 'the same ground blocks the view of both targets'],
  ['/spawn', 'radius', 'nothing is found within either radius'],
];
/* Parameters that change no response. */
const ignored = ['service', 'SERVICE', 'request', 'REQUEST', 'version', 'VERSION', 'STYLE', 'TILEMATRIXSET'];
const isIgnored = (path, parameter) => ignored.includes(parameter) && !(path.endsWith('/wmts') && parameter === 'REQUEST');
const ofBinaryBodies = ['coordinates']; /* they change no response to a JSON body */
const OTHERS_MAX = 40; /* tags in one If-None-Match */

const serve = (files, ...words) => serverOfFile({ arguments: ['--worlds', temporaryFolder(files).path, '--default-world', 'every', ...words] });
const caching = serve(worldFiles);
const forgetful = serve(worldFiles, '--cache-memory', '0');
await Promise.all([caching.ready, forgetful.ready]);

/* What a response says besides where it comes from. */
const passing = ['date', 'etag', 'server-timing', 'x-terrane-cache'];
function digest({ headers, body }) {
  const lasting = Object.entries(headers).filter(([name]) => !passing.includes(name)).sort();
  return createHash('sha256').update(JSON.stringify(lasting)).update(body).digest('hex');
}

/* ask(target, headers, method, body) on one connection: { status, headers, body, hash, digest }. `hash` is the entity
 * tag without the length of the body. */
function client({ port }) {
  let connection;
  const request = async (target, headers = '', method = 'GET', body = '') => {
    if (!connection || connection.closed) connection = new Connection(port);
    connection.send(method === 'POST'
      ? `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      : get(target, headers).replace('GET', method));
    const answer = await connection.answer(method);
    return { ...answer, target, hash: /^"[0-9a-f]{32}/.exec(answer.headers.etag)?.[0], digest: digest(answer) };
  };
  after(() => connection?.destroy());
  return request;
}
const ask = client(caching);
const askAnew = client(forgetful);

const condition = (...tags) => `If-None-Match: ${tags.join(', ')}\r\n`;
const document = JSON.parse((await ask('/openapi.json')).body);
const operations = operationsOf(document, 'get');
const tagged = operations.filter(({ hasTag }) => hasTag);

/* The first response with each hash, of all routes. */
const byHash = new Map();

function checkTag(answer) {
  if (answer.status !== 200) {
    assert.equal(answer.hash, undefined, `${answer.target}: an error has a tag`);
    return;
  }
  assert.ok(answer.hash, answer.target);
  const first = byHash.get(answer.hash) ?? answer;
  assert.equal(first.digest, answer.digest, `one tag for two responses: ${first.target} and ${answer.target}`);
  byHash.set(answer.hash, first);
}

/* The tag with its first and its last digit changed. */
function mistype(tag) {
  const all = changedDigits(tag.slice(1, 33));
  return [all.at(0), all.at(-1)].map((digits) => `"${digits}${tag.slice(33)}`);
}

/* Asks both servers again: its own tag gives 304 before anything is made, those of other responses give the same
 * response as before, and HEAD gives the headers of GET. */
async function checkAgain(answer, tags) {
  const { target, status, headers } = answer;
  if (status !== 200) {
    assert.equal((await askAnew(target)).status, status, target);
    return;
  }
  const own = condition('"x"', headers.etag);
  const others = condition(...mistype(headers.etag), ...tags);
  for (const [again, expected] of [[await askAnew(target, own), 304], [await askAnew(target, others), 200],
    [await ask(target, own), 304], [await ask(target, others), 200]]) {
    assert.deepEqual([again.status, again.headers.etag], [expected, headers.etag], target);
    if (expected === 200) assert.equal(again.digest, answer.digest, `two responses to ${target}`);
  }
  const head = await ask(target, '', 'HEAD');
  assert.equal(digest({ ...head, body: answer.body }), answer.digest, `HEAD ${target}`);
  assert.equal(head.headers.etag, headers.etag, `HEAD ${target}`);
}

/* Tags of the neighbouring responses with another content. */
const othersOf = (all, i) => [...new Set(all.slice(Math.max(0, i - OTHERS_MAX / 2), i + OTHERS_MAX / 2)
  .filter(({ status, digest: other }) => status === 200 && other !== all[i].digest).map(({ headers }) => headers.etag))];

const found = new Set(); /* the rows of sharedBodies that occurred */

/* The number of bodies of a group. One body must not have two tags. */
function countBodies(path, parameter, all) {
  const bodies = new Map();
  for (const answer of all.filter(({ status }) => status === 200)) {
    const first = bodies.get(answer.digest) ?? answer;
    bodies.set(answer.digest, first);
    if (first.hash === answer.hash) continue;
    const row = sharedBodies.find(([where, name]) => name === parameter && [ANY, path].includes(where));
    assert.ok(row, `${path} ${parameter}: two tags for one body: ${first.target} and ${answer.target}`);
    found.add(row);
  }
  return bodies.size;
}

/* The responses to the targets, each checked once. */
const answers = new Map();
async function answersTo(targets) {
  const fresh = [];
  for (const target of targets.filter((each) => !answers.has(each))) {
    const answer = await ask(target);
    answers.set(target, answer);
    fresh.push(answer);
  }
  fresh.forEach(checkTag);
  for (const [i, answer] of fresh.entries()) await checkAgain(answer, othersOf(fresh, i));
  return targets.map((target) => answers.get(target));
}

for (const operation of tagged) {
  const { path } = operation;
  for (const [parameter, groups] of groupsOf(operation)) {
    test(`${path}: two values of ${parameter} have two tags and two bodies, or one of each`, async () => {
      const counts = [];
      for (const { values, same } of groups) {
        counts.push(countBodies(path, parameter, await answersTo(values)));
        for (const [target, spelling, refusable] of same) {
          const [plain, other] = [answers.get(target), await ask(spelling)];
          if (refusable && other.status === 400) continue;
          assert.deepEqual([other.status, other.headers.etag], [plain.status, plain.headers.etag], `${target} and ${spelling}`);
          if (plain.status === 200) assert.equal(other.digest, plain.digest, `${target} and ${spelling}`);
        }
      }
      assert.equal(Math.max(...counts) > 1, !isIgnored(path, parameter), `${counts} bodies`);
    });
  }

  test(`${path}: two values of two parameters at once have two tags and two bodies, or one of each`, async () => {
    await answersTo([...operation.targets.map(String), ...pairsOf(operation)]);
  });
}

test('every exception for two tags of one body is needed', () => {
  assert.deepEqual(sharedBodies.filter((row) => !found.has(row)), []);
});

for (const operation of tagged) {
  test(`${operation.path}: each coding has its own tag, and the same content`, async () => {
    for (const target of new Set(formsOf(operation).map(String))) {
      const all = [];
      for (const accept of ['identity', 'gzip', 'zstd', 'gzip;q=0.5, zstd;q=0.4', 'br'])
        all.push({ accept: `Accept-Encoding: ${accept}\r\n`, ...await ask(target, `Accept-Encoding: ${accept}\r\n`) });
      const [plain] = all;
      if (plain.status !== 200) continue;
      const codings = new Set(all.map(({ headers }) => headers['content-encoding']));
      assert.equal(plain.headers['content-encoding'], undefined);
      for (const { accept, status, headers, body, digest: first } of all) {
        assert.equal(status, 200);
        assert.ok(decode(headers['content-encoding'], body).equals(plain.body), target + accept);
        if (codings.size > 1) assert.match(headers.vary, /Accept-Encoding/, target + accept);
        const others = all.filter((other) => other.headers['content-encoding'] !== headers['content-encoding']).map((other) => other.headers.etag);
        assert.ok(!others.includes(headers.etag), target + accept);
        const again = await askAnew(target, accept + condition('"x"', ...others));
        assert.deepEqual([again.status, again.headers.etag, again.digest], [200, headers.etag, first], target + accept);
        assert.equal((await askAnew(target, accept + condition(headers.etag))).status, 304, target + accept);
      }
    }
  });
}

test('the page and the guide at / have their own tags, and vary by Accept', async () => {
  const [guide, page] = [await ask('/'), await ask('/', 'Accept: text/html\r\n')];
  assert.notEqual(guide.headers['content-type'], page.headers['content-type']);
  for (const [answer, accept, other] of [[guide, '', page], [page, 'Accept: text/html\r\n', guide]]) {
    assert.match(answer.headers.vary, /\bAccept\b(?!-)/);
    assert.equal((await askAnew('/', accept + condition(other.headers.etag))).status, 200);
    assert.equal((await askAnew('/', accept + condition(answer.headers.etag))).status, 304);
  }
});

/* Compressed documents are kept in few slots, so some of these share one. */
test('compressed documents are not mixed up', async () => {
  for (let i = 0; i < 100; i++) {
    for (const coding of ['gzip', 'zstd']) {
      const { headers, body } = await ask(`/worlds/every~slot${i}`, `Accept-Encoding: ${coding}\r\n`);
      assert.equal(headers['content-encoding'], coding);
      if (coding === 'gzip') assert.equal(JSON.parse(decode(coding, body)).seed, `slot${i}`);
      else assert.equal(body.readUInt32LE(0), 0xfd2fb528, 'a frame of zstd');
    }
  }
});

/* Texts behind "@" that are no fingerprint of the world's: with each digit changed, and malformed ones. Behind a seed,
 * what does not begin like a fingerprint belongs to the seed. */
function wrongPins(pin, name) {
  const digits = changedDigits(pin.slice(3)).map((changed) => pin.slice(0, 3) + changed);
  const malformed = [pin.slice(0, -1), `${pin}0`, pin.slice(0, 3), pin.replace('1-', '2-'),
    ...name.includes('~') ? [] : [pin.toUpperCase(), pin.replace('-', '')]];
  return [...digits.map((text) => [text, [410]]), ...malformed.map((text) => [text, [400, 410]])];
}

async function fingerprintOf(kind, name) {
  const { fingerprint, styles } = JSON.parse((await ask(`/worlds/${kind === 'world' ? name : 'every'}`)).body);
  return kind === 'world' ? fingerprint : styles.find((style) => style.name === name).fingerprint;
}

for (const operation of tagged.filter((each) => referencesOf(each).length > 0)) {
  test(`${operation.path}: a pin has the response of the name, and no other pin has`, async () => {
    for (const { kind, name, pin } of referencesOf(operation)) {
      const right = await fingerprintOf(kind, name);
      const [plain, pinned] = [await ask(pin('')), await ask(pin(`@${right}`))];
      assert.deepEqual([pinned.status, pinned.headers.etag], [200, plain.headers.etag], pinned.target);
      assert.ok(pinned.body.equals(plain.body), pinned.target);
      assert.equal(plain.headers['cache-control'], 'no-cache', plain.target);
      /* A page has parts of the program besides. */
      const immutable = kind === 'world' && !operation.isDocument && !['/diff', '/w/{world}'].includes(operation.path);
      assert.match(pinned.headers['cache-control'], immutable ? /^public, max-age=31536000, immutable$/ : /^no-cache$/, pinned.target);
      for (const [wrong, statuses] of wrongPins(right, name)) {
        const { status, headers } = await ask(pin(`@${wrong}`), condition(plain.headers.etag));
        assert.ok(statuses.includes(status), `${pin(`@${wrong}`)}: ${status}`);
        assert.equal(headers['cache-control'], 'no-store');
      }
    }
  });
}

test('the response about a seed is the same before and after its world is compiled', async () => {
  let seed = 0;
  const places = new Set();
  for (const operation of operations.filter(({ inWorld, isDocument }) => inWorld && !isDocument)) {
    const values = ['style', 'layer', 'layers'].flatMap((name) => groupsOf(operation).get(name) ?? []).flatMap((group) => group.values);
    for (const target of new Set([...operation.targets.map(String), ...values])) {
      const path = `/worlds/every~cold${seed++}`;
      const place = await askAnew(`${path}/at?x=0&y=0`);
      assert.equal(place.status, 200);
      places.add(place.digest);
      const [cold, warm] = [await ask(path + target), await askAnew(path + target)];
      assert.equal(cold.digest, warm.digest, path + target);
      checkTag(cold);
      assert.equal(cold.headers.etag, warm.headers.etag, path + target);
    }
  }
  assert.ok(seed > 80, `${seed}`);
  assert.equal(places.size, seed, 'two seeds have one world');
});

for (const [what, file] of Object.entries(changes)) {
  const changed = serve({ ...worldFiles, 'every.json': file });
  test(`a world with other ${what} has other tags where it has other responses`, async () => {
    const askChanged = client(changed);
    let count = 0;
    for (const operation of tagged) {
      for (const { values: [target] } of groupsOf(operation).get('the world') ?? []) {
        const [old, now] = [await ask(target), await askChanged(target)];
        if (old.status !== 200 || old.digest === now.digest) continue;
        assert.notEqual(now.hash, old.hash, target);
        assert.equal((await askChanged(target, condition(old.headers.etag))).status, 200, target);
        count += 1;
      }
    }
    assert.ok(count > 0);
  });
}

for (const operation of operationsOf(document, 'post')) {
  test(`POST ${operation.path}: two values of a member have two bodies, and no tag`, async () => {
    const requests = postsOf(operation);
    const before = new Map();
    for (const post of requests.flatMap(({ posts }) => posts)) {
      const [target, body] = post.split(' ');
      if (!before.has(post)) before.set(post, await ask(target, '', 'POST', body));
    }
    for (const [post, { status, digest: first }] of before) {
      const [target, body] = post.split(' ');
      const again = await askAnew(target, '', 'POST', body);
      assert.deepEqual([again.status, again.headers['cache-control'], again.headers.etag], [status, 'no-store', undefined], post);
      if (status === 200) assert.equal(again.digest, first, `two responses to ${post}`);
    }
    for (const { member } of requests.filter((each) => !ofBinaryBodies.includes(each.member))) {
      const counts = requests.filter((each) => each.member === member).map(({ posts }) =>
        new Set(posts.map((post) => before.get(post)).filter(({ status }) => status === 200).map((each) => each.digest)).size);
      assert.ok(Math.max(...counts) > 1, `${operation.path}: ${member} has one body`);
    }
  });
}

test('responses without a tag are not stored', async () => {
  for (const { targets } of operations.filter(({ hasTag }) => !hasTag)) {
    const { headers } = await ask(`${targets[0]}`);
    assert.equal(headers.etag, undefined, `${targets[0]}`);
    assert.equal(headers['cache-control'], 'no-store', `${targets[0]}`);
  }
});
