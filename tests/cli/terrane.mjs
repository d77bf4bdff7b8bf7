/* Runs the program for a test. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const binary = resolve(process.env.TERRANE_BINARY ?? `${root}/build/release/terrane`);

/* The environment without TERRANE_ variables. */
export function cleanEnvironment(env = {}) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TERRANE_'));
  return { ...Object.fromEntries(own), ...env };
}

/* { status, stdout, stderr } of `terrane …`; stdout is a Buffer if `bytes` is set. */
export function terrane(words, { input = '', env = {}, cwd = root, bytes = false } = {}) {
  const { status, stdout, stderr, error } = spawnSync(binary, words, {
    cwd, input, env: cleanEnvironment(env), maxBuffer: 1 << 28,
  });
  if (error) throw error;
  return { status, stdout: bytes ? stdout : stdout.toString(), stderr: stderr.toString() };
}

/* Standard output of a command that must succeed. */
export function succeed(words, options) {
  const { status, stdout, stderr } = terrane(words, options);
  assert.equal(status, 0, stderr);
  return stdout;
}

/* A command that must fail, and say so. */
export function fail(words, message, options) {
  const { status, stderr } = terrane(words, options);
  assert.notEqual(status, 0, words.join(' '));
  assert.match(stderr, message);
}
