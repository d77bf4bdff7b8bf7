/* Checks that what a module of the page exports is imported somewhere: by another module, or by a test.
 * usage: exports.mjs */

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/* The export of the modules that tools.js loads: app/drawers.js calls it. */
const TOOL = 'create';

const list = (folder) => readdirSync(path.join(root, folder), { recursive: true })
  .filter((name) => /\.m?js$/.test(name) && !/(^|\/)node_modules\//.test(name))
  .map((name) => path.join(root, folder, name));

const EXPORT = /^export (?:async )?(?:function\*?|class|const|let) (\w+)/gm;
const IMPORT = /^import (\* as \w+|\{[^}]*\})\s+from '(\.[^']+)'/gm;
const LATER = /(?:(\{[^{}]*\}) = await )?import\('(\.[^']+)'\)/g;

/* "{ a, b as c }" as [a, b]; all names are "*". */
function namesIn(text = TOOL) {
  if (text.startsWith('*')) return ['*'];
  return [...text.matchAll(/(\w+)(?: as \w+)?/g)].map(([, name]) => name);
}

/* "FILE NAME" for each name that a file imports. */
function importsOf(file) {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(IMPORT), ...text.matchAll(LATER)].flatMap(([, names, module]) =>
    namesIn(names).map((name) => `${path.resolve(path.dirname(file), module)} ${name}`));
}

const modules = list('server/viewer');
const imported = new Set([...modules, ...list('tests')].flatMap(importsOf));
const unused = modules.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(EXPORT)]
  .filter(([, name]) => ![name, '*'].some((each) => imported.has(`${file} ${each}`)))
  .map(([, name]) => `${path.relative(root, file)}: exports ${name}, which nothing imports`));

unused.forEach((line) => console.log(line));
if (unused.length === 0) console.log('exports: the page has none that nothing imports');
process.exitCode = unused.length === 0 ? 0 : 1;
