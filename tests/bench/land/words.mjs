/* The command lines of programs that measure land: PROGRAM OUT.json and options. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/* { values, program, out }; ends the process with the usage if the words are others. */
export function readWords(usage, options) {
  try {
    const { values, positionals: [program, out, ...more] } = parseArgs({ allowPositionals: true, options });
    return out === undefined || more.length > 0 ? stop(usage) : { values, program, out };
  } catch ({ message }) {
    return stop(`${message}\n${usage}`);
  }
}

/* Options of parseArgs() that take a text each. */
export const texts = (...names) => Object.fromEntries(names.map((name) => [name, { type: 'string' }]));

/* The file of a built-in world, or the file itself. */
export function fileOf(world) {
  const builtIn = fileURLToPath(new URL(`../../../config/worlds/${world}.json`, import.meta.url));
  return existsSync(builtIn) ? builtIn : world;
}
