/* promtool and /metrics, for tests. */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import module from 'parse-prometheus-text-format';

const root = fileURLToPath(new URL('../..', import.meta.url));
const parse = module.default ?? module;

const found = spawnSync('tests/tools/promtool.sh', { cwd: root, encoding: 'utf8' });
/* Why there is no promtool, or false: for a test's `skip`. */
export const promtoolMissing = found.status === 0 ? false : found.stderr.trim();

/* Runs it; { status, output }. */
export function promtool(words, input) {
  const { status, stdout, stderr } = spawnSync(found.stdout.trim(), words, { cwd: root, encoding: 'utf8', input });
  return { status, output: stdout + stderr };
}

export const metricsText = async (url) => (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text();

/* The lines of the text, as { name, labels, value }; throws at one that is none. */
function readLines(text) {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).map((line) => {
    const [, name, labels = '', value] = /^([a-z_]+)(?:\{((?:[a-z]+="[^"\\]*",?)*)\})? ([0-9.]+)$/.exec(line);
    return { name, value: Number(value), labels: Object.fromEntries(
      [...labels.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key, text_]) => [key, text_])) };
  });
}

/* /metrics: `families` as another program's parser reads them (which throws a histogram's labels away), and its
 * lines. value('shed_total', { reason: 'queue' }) is the sum of the lines with that label. */
export async function readMetrics(url) {
  const text = await metricsText(url);
  const all = readLines(text);
  const lines = (name, wanted = {}) => all.filter((line) => line.name === `terrane_${name}`
    && Object.entries(wanted).every(([key, value]) => line.labels[key] === String(value)));
  return {
    families: parse(text),
    lines,
    value: (name, wanted) => lines(name, wanted).reduce((sum, line) => sum + line.value, 0),
  };
}
