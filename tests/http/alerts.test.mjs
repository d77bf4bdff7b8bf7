/* The rules, the settings of Prometheus and the dashboard in config/: valid, of counts that there are, and the alerts
 * go off when they should. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promtool, promtoolMissing, readMetrics } from '../tools/promtool.mjs';
import { startServer } from '../tools/server.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const config = fileURLToPath(new URL('../../config', import.meta.url));
const alerts = path.join(config, 'prometheus-alerts.yaml');
const rules = readFileSync(alerts, 'utf8');
const dashboard = JSON.parse(readFileSync(path.join(config, 'grafana-dashboard.json'), 'utf8'));
const folder = temporaryFolder().path;
const skip = promtoolMissing;

/* JSON is YAML. */
function write(name, content) {
  const file = path.join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

test('promtool accepts the rules and the configuration', { skip }, () => {
  for (const words of [['check', 'rules', alerts], ['check', 'config', path.join(config, 'prometheus.yml')]]) {
    const { status, output } = promtool(words);
    assert.equal(status, 0, output);
    assert.match(output, /SUCCESS/);
  }
});

const panels = dashboard.panels.filter(({ targets }) => targets);
const expressions = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr]));

test('every panel of the dashboard has a query of its own, and no panels overlap', () => {
  assert.ok(panels.length > 15);
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  assert.equal(new Set(expressions.map(([, expr]) => expr)).size, expressions.length);
  const taken = new Set();
  for (const { gridPos: { x, y, w, h } } of dashboard.panels)
    for (let row = y; row < y + h; row++)
      for (let column = x; column < x + w; column++) {
        assert.ok(column < 24 && !taken.has(`${column},${row}`), `${column},${row}`);
        taken.add(`${column},${row}`);
      }
});

test('the queries of the dashboard are PromQL', { skip }, () => {
  const file = write('dashboard.json', { groups: [{ name: 'dashboard', rules: expressions.map(([, expr], i) => ({
    record: `panel:${i}`, expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*') })) }] });
  const { status, output } = promtool(['check', 'rules', file]);
  assert.equal(status, 0, output);
});

test('every metric of a rule or a panel exists in the server', async () => {
  const server = await startServer();
  const { families } = await readMetrics(server.url);
  await server.stop();
  const types = new Map(families.map(({ name, type }) => [name, type]));
  const texts = [...expressions, ['rules', rules.replace(/^ *#.*$/gm, '')]];
  let seen = 0;
  for (const [title, text] of texts)
    for (const [name] of text.matchAll(/\bterrane_[a-z_]+/g)) {
      const histogram = name.replace(/_bucket$/, '');
      assert.ok(types.has(name) || types.get(histogram) === 'HISTOGRAM', `${title}: ${name}`);
      seen += 1;
    }
  assert.ok(seen > 40);
});

/* The labels in braces behind a metric and in `by (…)` before it. */
const selectors = (text) => [...text.matchAll(/\b(terrane_[a-z_]+)\{([^}]*)\}/g)]
  .flatMap(([, name, inner]) => [...inner.matchAll(/([a-z_]+)(=~|!=|!~|=)"([^"]*)"/g)].map(([, label, operator, value]) => ({ name, label, operator, value })));
const groupings = (text) => [...text.matchAll(/\bby ?\(([^)]*)\)[^]*?\b(terrane_[a-z_]+)/g)]
  .flatMap(([, labels, name]) => labels.split(/, ?/).map((label) => ({ name, label })));

test('every label that a rule or a panel uses exists in its metric', async (t) => {
  const server = await startServer({ arguments: ['--cache-disk', path.join(folder, 'tiles.db')] });
  t.after(() => server.stop());
  for (const target of ['/tiles/3/4/2.png', '/nowhere']) await (await fetch(server.url + target)).arrayBuffer();
  const { lines } = await readMetrics(server.url);
  const series = (name) => lines(name.replace(/^terrane_/, ''));
  const added = ['instance', 'job']; /* Prometheus adds them */
  const texts = [...expressions, ...[...rules.matchAll(/expr: (\|\n(?: {10,}.*\n)+|.*)/g)].map(([, expr]) => ['rules', expr])];
  let seen = 0;
  for (const [title, text] of texts) {
    for (const { name, label } of [...selectors(text), ...groupings(text)]) {
      if (added.includes(label)) continue;
      assert.ok(series(name).some(({ labels }) => label in labels), `${title}: ${name} has no ${label}`);
      seen += 1;
    }
    /* Values in words: of a status there may be none yet. */
    for (const { name, label, operator, value } of selectors(text)) {
      if (added.includes(label) || label === 'status') continue;
      const fits = operator.endsWith('~') ? new RegExp(`^(?:${value})$`) : { test: (one) => one === value };
      assert.ok(series(name).some(({ labels }) => fits.test(labels[label])), `${title}: ${name}{${label}${operator}"${value}"}`);
    }
  }
  assert.ok(seen > 20, `${seen} labels`);
});

test('legends name labels that the query keeps', () => {
  for (const { title, targets } of panels)
    for (const { expr, legendFormat = '' } of targets)
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        assert.ok(label === 'instance' || groupings(expr).some((one) => one.label === label), `${title}: ${label}`);
});

/* Series of one server for an hour: a number is a gauge, and { per } a counter that grows by so much a minute. */
const series = (name, labels, value) => ({
  series: `${name}{${Object.entries({ job: 'terrane', instance: 'a:1', ...labels }).map(([key, text]) => `${key}="${text}"`).join(',')}}`,
  values: typeof value === 'number' ? `${value}x60` : `0+${value.per}x60`,
});
const requests = (status, per) => series('terrane_requests_total', { route: '/tiles/{z}/{x}/{y}', status }, { per });
const found = (tier, result, per) => series('terrane_cache_requests_total', { tier, result }, { per });
/* A histogram of response times: `limits` has for each upper limit the requests a minute up to it. */
const times = (limits) => Object.entries(limits).map(([le, per]) => (
  series('terrane_request_seconds_bucket', { route: '/tiles/{z}/{x}/{y}', le }, { per })));
const well = [series('up', {}, 1), series('terrane_ready', {}, 1), requests(200, 6000), series('terrane_process_start_time_seconds', {}, -100000)];

const cases = [
  ['all is well', [...well, requests(500, 30), series('terrane_shed_total', { reason: 'queue' }, { per: 60 }), found('memory', 'hit', 900),
    found('memory', 'miss', 100), found('disk', 'failed', 1), found('disk', 'miss', 99), ...times({ 0.5: 5990, '1.0': 6000, '+Inf': 6000 }),
    series('terrane_reloads_total', { result: 'failed' }, 3), series('terrane_access_log_lost_total', {}, 10)], []],
  ['a server that does not answer', [series('up', {}, 0)], ['TerraneDown']],
  ['a server that drains for ever', [series('terrane_ready', {}, 0)], ['TerraneNotReady']],
  ['errors', [...well, requests(500, 120)], ['TerraneErrors']],
  ['503 is no error', [...well, requests(503, 1200)], []],
  ['too much is turned away', [...well, series('terrane_shed_total', { reason: 'queue' }, { per: 600 })], ['TerraneSheds']],
  ['stopping turns away by right', [...well, series('terrane_shed_total', { reason: 'stopping' }, { per: 6000 })], []],
  ['slow tiles', [...well, ...times({ 0.5: 5800, '1.0': 5900, '5.0': 6000, '+Inf': 6000 })], ['TerraneSlow']],
  ['few hits', [...well, found('memory', 'hit', 100), found('memory', 'miss', 900), found('disk', 'hit', 200), found('disk', 'miss', 700)], ['TerraneFewHits']],
  ['a tier behind the memory has them', [...well, found('memory', 'hit', 100), found('memory', 'miss', 900), found('disk', 'hit', 800)], []],
  ['a young server', [series('up', {}, 1), requests(200, 6000), found('memory', 'hit', 100), found('memory', 'miss', 900),
    series('terrane_process_start_time_seconds', {}, 2400)], []],
  ['a tier fails', [...well, found('shared', 'failed', 300), found('shared', 'miss', 700)], ['TerraneTierFails']],
  ['damage', [...well, series('terrane_cache_damaged_total', { tier: 'disk' }, { per: 1 })], ['TerraneTierDamaged']],
  ['a reload that failed', [...well, series('terrane_reloads_total', { result: 'failed' }, { per: 1 })], ['TerraneReloadFailed']],
  ['descriptors', [...well, series('terrane_process_open_fds', {}, 950), series('terrane_process_max_fds', {}, 1000)], ['TerraneDescriptors']],
  ['a log that loses lines', [...well, series('terrane_access_log_lost_total', {}, { per: 5 })], ['TerraneLogLost']],
];
const names = [...rules.matchAll(/^ *- alert: (\S+)$/gm)].map(([, name]) => name);

for (const [title, input, expected] of cases) {
  test(`alerts: ${title}`, { skip }, () => {
    /* promtool would compare labels and texts, too, so the test asks for the count of each alert by name. */
    const file = write('case.json', { rule_files: [alerts], evaluation_interval: '1m', tests: [{ interval: '1m', input_series: input,
      promql_expr_test: names.map((name) => ({ expr: `count by (alertname) (ALERTS{alertname="${name}",alertstate="firing"})`, eval_time: '50m',
        exp_samples: expected.includes(name) ? [{ labels: `{alertname="${name}"}`, value: 1 }] : [] })) }] });
    const { status, output } = promtool(['test', 'rules', file]);
    assert.equal(status, 0, output);
  });
}

test('every alert has a test', () => {
  assert.ok(names.length >= 11);
  assert.deepEqual([...new Set(cases.flatMap(([, , expected]) => expected))].sort(), [...names].sort());
});
