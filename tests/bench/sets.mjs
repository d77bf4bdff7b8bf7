/* `terrane bench` of several builds, side by side: node sets.mjs NAME=PROGRAM… */

import { execFileSync } from 'node:child_process';

const builds = process.argv.slice(2).map((text) => text.split('='));
const figures = builds.map(([, program]) => (
  JSON.parse(execFileSync(program, ['bench', '--json'], { encoding: 'utf8' }))));

const width = 12;
const line = (name, cells) => `${name.padEnd(28)}${cells.map((c) => c.padStart(width)).join('')}\n`;
let text = line('ns a sample, one thread', builds.map(([name]) => name));
figures[0].noise.forEach(({ name }, i) => {
  text += line(name, figures.map(({ noise }) => noise[i].ns.toFixed(2)));
});
text += line('one float operation', figures.map((f) => f.ns_per_float_operation.toFixed(4)));
process.stdout.write(text);
