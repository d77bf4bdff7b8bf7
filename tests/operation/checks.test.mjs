/* The groups of checks, which the workflow runs in a job each, are together `make test`; and run.sh runs, shows and
 * counts checks. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { root } from '../cli/terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

/* Without the variables of a make that runs this test. */
const { MAKEFLAGS, MAKELEVEL, MFLAGS, BESIDE, ...env } = process.env;
const variable = (name) => spawnSync('make', ['-s', `--eval=show: ; @echo '$(${name})'`, 'show'],
  { cwd: root, env, encoding: 'utf8' }).stdout.trim().split(/\s+/);
const jobs = (name) => parse(readFileSync(join(root, `.github/workflows/${name}.yml`), 'utf8')).jobs;

test('the jobs of the workflow run each check of make test once', () => {
  const { strategy, steps: [...list] } = jobs('ci').test;
  assert.equal(list.at(-1).run, '.ci/run ${{ matrix.target }}');
  const groups = strategy.matrix.target.map((target) => /^test-(.+)$/.exec(target)[1]);
  const checks = variable('CHECKS');
  assert.ok(checks.length >= 18);
  assert.equal(new Set(checks).size, checks.length);
  assert.deepEqual(groups.flatMap((group) => variable(`CHECKS_${group}`)).sort(), [...checks].sort());
});

test('the night runs make test and what it leaves out', () => {
  assert.equal(jobs('nightly').nightly.steps.at(-1).run, '.ci/run nightly');
  const night = variable('NIGHTLY');
  for (const target of ['test-long', 'asan', 'tsan', 'sameness', 'fuzz', 'faults-disk-long', 'overload', 'hostile',
    'reloads', 'restarts', 'players']) assert.ok(night.includes(target), target);
});

/* run.sh on checks of this Makefile: its status, and its output with 0 for each number of seconds. */
function run(makefile, targets, beside) {
  const folder = temporaryFolder({ Makefile: makefile });
  const { status, stdout } = spawnSync(join(root, 'tests/tools/run.sh'), targets, { cwd: folder.path, encoding: 'utf8',
    env: { ...env, BESIDE: beside } });
  return { status, lines: stdout.replace(/: \d+ s, \d+ s of processors$/gm, ': 0 s').trimEnd().split('\n') };
}

test('checks that run beside others are shown in order, and counted', () => {
  /* Each of the two waits for the other. */
  const meet = (mine, other) => `@touch ${mine}; until [ -e ${other} ]; do sleep 0.1; done; echo ${mine} passed; echo "2 passed, 0 failed"`;
  const makefile = `all: ; @true\nfirst: ; ${meet('first-file', 'second-file')}\nplain: ; @true\nsecond: ; ${meet('second-file', 'first-file')}\n`;
  assert.deepEqual(run(makefile, ['first', 'plain', 'second'], 'second'), { status: 0, lines: [
    '== first', 'first-file passed', '2 passed, 0 failed', '== first: 0 s',
    '== plain', '== plain: 0 s',
    '== second', 'second-file passed', '2 passed, 0 failed', '== second: 0 s',
    '5 passed, 0 failed'] });
});

test('each list beside runs beside all others', () => {
  /* Each of the three waits for both others. */
  const meet = (name) => `${name}: ; @touch at-${name}; until [ -e at-a -a -e at-b -a -e at-c ]; do sleep 0.1; done`;
  const makefile = `all: ; @true\n${['a', 'b', 'c'].map(meet).join('\n')}\n`;
  const { status, lines } = run(makefile, ['a', 'b', 'c'], 'b | c');
  assert.equal(status, 0);
  assert.equal(lines.at(-1), '3 passed, 0 failed');
});

test('a check that fails makes the run fail, and the others run', () => {
  const makefile = 'all: ; @true\ncounts: ; @echo "3 passed, 2 failed"; false\nbreaks: ; @false\ncrashes: ; @echo "4 passed, 0 failed"; false\ngood: ; @true\n';
  const { status, lines } = run(makefile, ['counts', 'breaks', 'crashes', 'good'], 'breaks');
  assert.equal(status, 1);
  for (const target of ['counts', 'breaks', 'crashes']) assert.ok(lines.includes(`== ${target} failed`), target);
  assert.equal(lines.at(-1), '8 passed, 4 failed');
});
