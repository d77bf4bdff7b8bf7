/* /metrics is valid and complete, and its counters are exact for known requests. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { metricsText, promtool, promtoolMissing, readMetrics } from '../tools/promtool.mjs';
import { startServer } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { answered, withBusyRenderer, eventually, reaches, startBarrier } from './busy.mjs';
import { Connection, get } from './raw.mjs';

const worlds = makeWorlds();
const servers = [];
async function start(...words) {
  const server = await startServer({ arguments: ['--worlds', worlds.folder, ...words] });
  servers.push(server);
  return server;
}
let server;
before(async () => {
  server = await start('--loops', '2', '--renderers', '2');
});
after(async () => {
  await Promise.all(servers.map((each) => each.stop()));
  worlds.remove();
});

/* Requests the target and reads the body to its end. */
async function ask(target, options, to = server) {
  const answer = await fetch(to.url + target, options);
  await answer.arrayBuffer();
  return answer;
}

/* The growth of each counter [name, labels] while `act` ran. */
async function growth(counts, act, of = server) {
  const earlier = await readMetrics(of.url);
  await act();
  const later = await readMetrics(of.url);
  return counts.map(([name, labels]) => later.value(name, labels) - earlier.value(name, labels));
}

const TILE = '/tiles/{style}/{z}/{x}/{y}';

test('promtool accepts /metrics', { skip: promtoolMissing }, async () => {
  await ask('/worlds/clock/tiles/height/9/1/1.png');
  await ask('/nothing');
  const { status, output } = promtool(['check', 'metrics'], await metricsText(server.url));
  assert.equal(output, '');
  assert.equal(status, 0);
});

test('/metrics has every documented name, each with a type and a help text', async () => {
  const { families } = await readMetrics(server.url);
  for (const name of ['requests_total', 'request_seconds', 'renders_total', 'render_seconds', 'cache_requests_total',
    'cache_bytes', 'cache_evictions_total', 'queue_length', 'shed_total', 'connections', 'reloads_total']) {
    const family = families.find((each) => each.name === `terrane_${name}`);
    assert.ok(family, name);
    assert.ok(family.metrics.length > 0, name);
  }
  for (const { name, help, type } of families) {
    assert.match(name, /^terrane_[a-z_]+$/);
    assert.ok(help.length > 5, name);
    assert.ok(['COUNTER', 'GAUGE', 'HISTOGRAM'].includes(type), name);
  }
  assert.equal(new Set(families.map(({ name }) => name)).size, families.length);
});

test('/metrics is never cached and has no parameters', async () => {
  const answer = await ask('/metrics');
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal((await ask('/metrics?x=1')).status, 400);
});

test('/metrics is OpenMetrics for clients that accept it', async () => {
  const answer = await fetch(`${server.url}/metrics`, {
    headers: { accept: 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5' } });
  const text = await answer.text();
  assert.match(answer.headers.get('content-type'), /^application\/openmetrics-text; version=1\.0\.0/);
  assert.ok(text.endsWith('\n# EOF\n'));
  assert.match(text, /^# TYPE terrane_requests counter$/m);
  assert.match(text, /^terrane_requests_total\{/m);
  assert.doesNotMatch(text, /^# TYPE terrane_\S+_total/m);
});

test('a tile that is rendered, then from memory, then a 304 is counted each time', async () => {
  const tile = '/worlds/clock/tiles/height/10/5/5.png';
  let tag;
  const got = await growth([
    ['requests_total', { route: TILE, status: 200 }],
    ['requests_total', { route: TILE, status: 304 }],
    ['request_seconds_count', { route: TILE }],
    ['renders_total', { kind: 'tile' }],
    ['render_seconds_count', { kind: 'tile' }],
    ['cache_requests_total', { tier: 'memory', result: 'miss' }],
    ['cache_requests_total', { tier: 'memory', result: 'hit' }],
  ], async () => {
    tag = (await ask(tile)).headers.get('etag');
    await ask(tile);
    await ask(tile, { method: 'HEAD' });
    for (let i = 0; i < 5; i++)
      assert.equal((await ask(tile, { headers: { 'if-none-match': tag } })).status, 304);
  });
  assert.deepEqual(got, [3, 5, 8, 1, 1, 1, 7]);
});

test('a 304 counts no cache lookup and no render', async () => {
  const other = await start('--loops', '1');
  const tile = '/worlds/clock/tiles/height/11/7/7.png';
  const tag = (await ask(tile)).headers.get('etag');
  assert.equal((await ask(tile, { headers: { 'if-none-match': tag } }, other)).status, 304);
  const { value } = await readMetrics(other.url);
  assert.equal(value('cache_requests_total', { tier: 'memory' }), 0);
  assert.equal(value('renders_total'), 0);
  assert.equal(value('requests_total', { route: TILE, status: 304 }), 1);
});

test('errors are counted by route', async () => {
  const cases = [
    ['/nothing/here', {}, 'none', 404],
    ['/tiles/3/4', {}, 'none', 404],
    ['/livez', { method: 'PUT' }, '/livez', 405],
    ['/livez?a=1', {}, '/livez', 400],
    ['/tiles/99/0/0.png', {}, '/tiles/{z}/{x}/{y}', 404],
    ['/tiles/3/x/0.png', {}, '/tiles/{z}/{x}/{y}', 400],
    ['/worlds/nowhere/at?x=1&y=1', {}, '/at', 404],
    [`/livez?${'a'.repeat(2000)}`, {}, 'none', 414],
    ['/heights', { method: 'POST', body: '[' }, '/heights', 400],
    ['/livez', { method: 'OPTIONS' }, '/livez', 204],
  ];
  const counts = cases.map(([, , route, status]) => ['requests_total', { route, status }]);
  const sum = await growth([['requests_total', {}]], async () => {
    const got = await growth(counts, async () => {
      for (const [target, options, , status] of cases) assert.equal((await ask(target, options)).status, status);
    });
    /* Two of the requests count on the same line. */
    assert.deepEqual(got, [2, 2, 1, 1, 1, 1, 1, 1, 1, 1]);
  });
  /* The three scrapes in between were requests, too. */
  assert.equal(sum[0], cases.length + 3);
});

test('text of a client never becomes a label', async () => {
  const shape = (path) => path.split('/').map((part) => (/[{*]/.test(part) ? '*' : part)).join('/');
  const { paths } = await (await fetch(`${server.url}/openapi.json`)).json();
  const shapes = Object.keys(paths).map(shape);
  assert.ok(shapes.length > 50);
  const bait = 'bait"}\\n';
  for (const target of [`/${bait}`, `/worlds/${bait}/at?x=1&y=1`, `/tiles/${bait}/1/1.png`, `/viewer/${bait}`, `/at?${bait}=1`])
    await ask(encodeURI(target));
  const connection = new Connection(server.port);
  connection.send('GET /bait"{} HTTP/1.1\r\nHost: bait\r\nConnection: close\r\n\r\nBAIT /bait HTTP/9.9\r\n\r\n');
  await connection.until(() => connection.closed, 'the end');
  assert.doesNotMatch(await metricsText(server.url), /bait/i);
  const { lines } = await readMetrics(server.url);
  const labels = new Set(lines('requests_total').map((line) => line.labels.route));
  for (const label of labels) assert.ok(label === 'none' || shapes.includes(shape(label)), label);
});

test('requests of many concurrent clients are counted exactly once', async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  const fetchOne = (target) => new Promise((resolve, reject) => {
    http.get(server.url + target, { agent }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
    }).on('error', reject);
  });
  const targets = [];
  for (let i = 0; i < 1200; i++) {
    if (i % 4 === 0) targets.push('/nowhere');
    else if (i % 4 === 1) targets.push('/version');
    else targets.push(`/worlds/clock/tiles/height/12/${i % 24}/1.png`);
  }
  const got = await growth([
    ['requests_total', { route: 'none', status: 404 }],
    ['requests_total', { route: '/version', status: 200 }],
    ['requests_total', { route: TILE, status: 200 }],
    ['renders_total', { kind: 'tile' }],
    ['request_seconds_count', { route: TILE }],
    ['requests_total', {}],
  ], () => Promise.all(targets.map(fetchOne)));
  agent.destroy();
  assert.deepEqual(got, [300, 300, 600, 12, 600, 1201]);
});

test('a hundred concurrent scrapes are whole and consistent', async () => {
  const other = await start('--loops', '2');
  const texts = await Promise.all(Array.from({ length: 100 }, async (_, i) => {
    if (i % 2) await ask('/worlds/clock/tiles/height/16/1/1.png', {}, other);
    return metricsText(other.url);
  }));
  for (const text of texts) {
    assert.ok(text.endsWith('\n'));
    const names = text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => line.slice(0, line.lastIndexOf(' ')));
    assert.equal(new Set(names).size, names.length, 'a series stands there twice');
    for (const name of ['terrane_requests_waiting', 'terrane_process_max_fds']) assert.ok(names.includes(name));
  }
  const { value, lines } = await readMetrics(other.url);
  assert.equal(value('requests_total', { route: '/metrics', status: 200 }), 100);
  assert.equal(value('requests_total', { route: TILE, status: 200 }), 50);
  assert.equal(value('requests_total'), 150);
  /* Each route has as many durations as responses. */
  for (const { labels: { route }, value: count } of lines('request_seconds_count'))
    assert.equal(count, value('requests_total', { route }), route);
});

test('a reload does not reset counters', async () => {
  const other = await start('--loops', '1');
  await ask('/worlds/clock/tiles/height/16/2/2.png', {}, other);
  await ask('/worlds/clock/at?x=oops&y=1', {}, other);
  const earlier = await readMetrics(other.url);
  process.kill(other.pid, 'SIGHUP');
  await eventually(async () => (await readMetrics(other.url)).value('reloads_total', { result: 'done' }) === 1, 'the reload');
  const later = await readMetrics(other.url);
  for (const { name, type } of earlier.families) {
    if (type !== 'COUNTER' && type !== 'HISTOGRAM') continue;
    const short = name.replace('terrane_', '') + (type === 'HISTOGRAM' ? '_count' : '');
    for (const { labels, value } of earlier.lines(short)) assert.ok(later.value(short, labels) >= value, `${short} ${JSON.stringify(labels)}`);
  }
  assert.equal(later.value('requests_total', { route: TILE, status: 200 }), 1);
  assert.equal(later.value('process_start_time_seconds'), earlier.value('process_start_time_seconds'));
});

test('the buckets of a histogram are cumulative and end with its count', async () => {
  await ask('/worlds/slow/tiles/height/14/3/3.png');
  const { lines, value } = await readMetrics(server.url);
  for (const [name, label] of [['request_seconds', 'route'], ['render_seconds', 'kind']])
    for (const { labels, value: count } of lines(`${name}_count`)) {
      const one = { [label]: labels[label] };
      const buckets = lines(`${name}_bucket`, one).map((line) => [Number(line.labels.le.replace('+Inf', 'Infinity')), Number(line.value)]);
      assert.equal(buckets.length, 12);
      let least = 0;
      buckets.reduce(([limit, low], [next, high]) => {
        assert.ok(next > limit && high >= low);
        least += (high - low) * limit;
        return [next, high];
      }, [0, 0]);
      assert.deepEqual(buckets.at(-1), [Infinity, Number(count)]);
      /* No request took less than the limit of the bucket below its own. */
      assert.ok(value(`${name}_sum`, one) >= least * 0.999999, labels[label]);
    }
});

test('renders are counted by product', async () => {
  const kinds = ['tile', 'chunk', 'batch', 'volume', 'question', 'world'];
  const got = await growth(kinds.map((kind) => ['renders_total', { kind }]), async () => {
    await ask('/worlds/clock/chunks/0/0.r32f?size=4');
    await ask('/worlds/clock/chunks/0/1.r32f?size=4');
    await ask('/worlds/clock/chunks', { method: 'POST', body: '{"chunks":[[0,0],[1,0],[2,0]],"size":4}' });
    await ask('/worlds/clock/volumes/0/0/0.r32f?layer=height&size=4');
    await ask('/worlds/clock/at?x=1&y=2');
    await ask('/worlds/clock/profile?line=0,0;10,10');
    await ask('/worlds/clock~tock/at?x=1&y=2');
  });
  assert.deepEqual(got, [0, 2, 1, 1, 3, 1]);
});

test('rendered responses have Server-Timing and a cache status', async () => {
  const timing = /^render;dur=\d+\.\d{3}, encode;dur=\d+\.\d{3}, queue;dur=\d+\.\d{3}$/;
  for (const [target, options] of [
    ['/worlds/clock/at?x=5&y=5'], ['/worlds/clock/profile?line=0,0;9,9'], ['/worlds/clock/stats?bbox=0,0,9,9&samples=16'],
    ['/worlds/clock/heights', { method: 'POST', body: '{"points":[[0,0]]}' }], ['/worlds/clock/verify?chunk=0,0'],
    ['/worlds/clock/diff?b=slow&bbox=0,0,9,9&samples=16'], ['/worlds/clock/chunks/9/9.r32f?size=4'],
    ['/worlds/clock/volumes/0/0/0.json?layer=height&size=2'], ['/worlds/clock/tiles/height/13/1/1.png'],
  ]) {
    const { status, headers } = await ask(target, options);
    assert.equal(status, 200, target);
    assert.match(headers.get('server-timing'), timing, target);
    assert.equal(headers.get('x-terrane-cache'), 'render', target);
  }
  /* A batch is rendered while it is sent, so its duration is not known. */
  const batch = await ask('/worlds/clock/chunks', { method: 'POST', body: '{"chunks":[[0,0]],"size":4}' });
  assert.equal(batch.headers.get('server-timing'), null);
  assert.equal(batch.headers.get('x-terrane-cache'), 'render');
  for (const target of ['/version', '/worlds', '/worlds/clock/at?x=oops&y=1'])
    assert.equal((await ask(target)).headers.get('server-timing'), null, target);
});

test('the Server-Timing of an answer in pieces is that of all of them', async () => {
  let answer;
  const counts = ['sum', 'count'].map((what) => [`render_seconds_${what}`, { kind: 'question' }]);
  const [seconds, pieces] = await growth(counts, async () => {
    answer = await ask('/worlds/slow/render?bbox=0,0,4096,4096&width=600&style=height');
  });
  const { status, headers } = answer;
  assert.equal(status, 200);
  const told = /^render;dur=([\d.]+), encode;dur=([\d.]+)/.exec(headers.get('server-timing')).slice(1);
  const sum = Number(told[0]) + Number(told[1]);
  assert.ok(pieces > 2, `${pieces} pieces`);
  const counted = 1000 * seconds;
  assert.ok(Math.abs(sum - counted) < 0.02 * counted + 1, `${sum} ms are told, and ${counted} ms are counted`);
});

test('refused requests are counted by reason', () => withBusyRenderer(
  ['--worlds', worlds.folder, '--queue', '2', '--loops', '2'], async ({ server: small, whileBusy, send }) => {
    const connections = send(Array.from({ length: 40 }, (_, i) => `/worlds/slow/tiles/height/9/${i}/7.png`));
    await whileBusy(() => answered(connections) === 38, 'the answers of all but two');
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    assert.equal(answers.filter(({ status }) => status === 503).length, 38);
    assert.equal(answers.filter(({ status }) => status === 200).length, 2);
    const { value } = await readMetrics(small.url);
    assert.equal(value('shed_total', { reason: 'queue' }), 38);
    assert.equal(value('shed_total'), 38);
    assert.equal(value('requests_total', { route: TILE, status: 503 }), 38);
    assert.equal(value('renders_total', { kind: 'tile' }), 2);
  }));

test('a batch refused by a full queue is counted under that reason', () => withBusyRenderer(
  ['--worlds', worlds.folder, '--queue', '1', '--loops', '1'], async ({ server: small, whileBusy }) => {
    const body = JSON.stringify({ chunks: [[0, 0], [1, 0], [2, 0]], size: 4 });
    const refused = [];
    const all = Array.from({ length: 20 }, async () => {
      const answer = await ask('/worlds/clock/chunks', { method: 'POST', body }, small).catch(() => null);
      if (answer?.status === 503) refused.push(answer);
      return answer?.status;
    });
    await whileBusy(() => refused.length === 19, 'the answers of all but one');
    for (const { headers } of refused) assert.match(headers.get('retry-after'), /^[1-9]\d*$/);
    assert.deepEqual((await Promise.all(all)).filter((status) => status !== 503), [200]);
    const { value } = await readMetrics(small.url);
    assert.equal(value('shed_total', { reason: 'queue' }), 19);
    assert.equal(value('shed_total'), 19);
  }));

test('evicted connections are counted', async () => {
  const small = await start('--connections', '3', '--loops', '1');
  const idle = Array.from({ length: 3 }, () => new Connection(small.port));
  await Promise.all(idle.map(async (each) => { each.send(get('/livez')); await each.answer(); }));
  /* They have been idle for half a second, so at least one is evicted. */
  await eventually(async () => {
    await metricsText(small.url);
    return idle.some((each) => each.closed);
  }, 'a connection to make room');
  const gone = async () => (await readMetrics(small.url)).value('shed_total', { reason: 'connections' });
  await eventually(async () => await gone() === idle.filter((each) => each.closed).length, 'them to be counted');
  for (const each of idle) each.destroy();
});

test('a full memory cache evicts and stays within its size', async () => {
  const small = await start('--cache-memory', '64K');
  for (let i = 0; i < 40; i++) await ask(`/worlds/clock/tiles/height/15/${i}/7.png`, {}, small);
  const { value } = await readMetrics(small.url);
  assert.equal(value('renders_total', { kind: 'tile' }), 40);
  assert.ok(value('cache_evictions_total', { tier: 'memory' }) > 0);
  assert.ok(value('cache_bytes', { tier: 'memory' }) > 0);
  assert.ok(value('cache_bytes', { tier: 'memory' }) <= 65536);
});

test('a second server reads tiles of the first from the disk cache', async () => {
  const disk = ['--cache-disk', path.join(worlds.folder, 'tiles.db')];
  const tiles = [1, 2, 3].map((x) => `/worlds/clock/tiles/height/10/${x}/9.png`);
  const first = await start(...disk);
  for (const tile of tiles) await ask(tile, {}, first);
  const { value: early } = await readMetrics(first.url);
  assert.equal(early('cache_requests_total', { tier: 'disk', result: 'miss' }), 3);
  assert.equal(early('cache_requests_total', { tier: 'disk', result: 'hit' }), 0);
  await eventually(async () => (await readMetrics(first.url)).value('cache_writes_total', { tier: 'disk', result: 'done' }) === 3, 'three writes');
  assert.ok((await readMetrics(first.url)).value('cache_bytes', { tier: 'disk' }) > 0);
  assert.equal(await first.stop(), 0);
  const second = await start(...disk);
  for (const tile of [...tiles, tiles[0]]) await ask(tile, {}, second);
  const { value } = await readMetrics(second.url);
  assert.equal(value('cache_requests_total', { tier: 'disk', result: 'hit' }), 3);
  assert.equal(value('cache_requests_total', { tier: 'disk', result: 'miss' }), 0);
  assert.equal(value('cache_requests_total', { tier: 'memory', result: 'miss' }), 3);
  assert.equal(value('cache_requests_total', { tier: 'memory', result: 'hit' }), 1);
  assert.equal(value('renders_total'), 0);
});

test('connections, waiting requests and aborted requests are counted', async () => {
  const barrier = await startBarrier();
  const other = await start('--loops', '2', ...barrier.words);
  try {
    const idle = Array.from({ length: 7 }, () => new Connection(other.port));
    for (const each of idle) each.send(get('/livez'));
    await Promise.all(idle.map((each) => each.answer()));
    /* The scraping client has one or two connections of its own. */
    await eventually(async () => {
      const open = (await readMetrics(other.url)).value('connections');
      return open >= 8 && open <= 9;
    }, 'eight or nine connections');
    const half = new Connection(other.port);
    half.send('GET /livez HTTP/1.1\r\nHo');
    /* The requests wait until the barrier opens. */
    barrier.shut();
    for (const [i, each] of idle.slice(0, 3).entries()) each.send(get(`/worlds/clock/tiles/height/9/1/${i}.png`));
    await reaches(other, 3, 'requests_waiting');
    /* Those, the half request, and perhaps the scraping client. */
    await eventually(async () => {
      const active = (await readMetrics(other.url)).value('requests_active');
      return active >= 4 && active <= 5;
    }, 'four or five active requests');
    barrier.open();
    for (const each of idle.slice(0, 3)) assert.equal((await each.answer()).status, 200);
    await reaches(other, 0, 'requests_waiting');
    half.socket.destroy();
    await reaches(other, 1, 'requests_total', { route: 'none', status: 'none' });
    for (const each of idle) each.socket.destroy();
    await eventually(async () => (await readMetrics(other.url)).value('connections') <= 2, 'the connections to go');
  } finally {
    barrier.open();
    assert.equal(await other.stop(), 0);
    await barrier.end();
  }
});

test('process start time, memory and descriptors are reported', async () => {
  const { value, lines } = await readMetrics(server.url);
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  const resident = Number(/VmRSS:\s+(\d+) kB/.exec(status)[1]) * 1024;
  assert.ok(Math.abs(value('process_start_time_seconds') - Date.now() / 1000) < 600);
  assert.ok(value('process_resident_memory_bytes') > resident / 2 && value('process_resident_memory_bytes') < resident * 2);
  assert.ok(value('process_cpu_seconds_total') > 0);
  assert.ok(value('process_open_fds') > 5 && value('process_open_fds') < value('process_max_fds'));
  assert.equal(value('worlds'), (await (await fetch(`${server.url}/worlds`)).json()).worlds.length);
  assert.equal(lines('build_info')[0].labels.version, (await (await fetch(`${server.url}/version`)).json()).version);
});
