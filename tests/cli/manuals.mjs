/* The manuals and the examples in them: blocks of commands with the output that they print. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { root } from './terrane.mjs';

const ADDRESS = 'http://127.0.0.1:8080';
export const MANUALS = ['README.md', 'core/README.md', 'core/drainage/README.md', 'core/names/README.md',
  'server/README.md', 'server/http/README.md', 'server/http/ARCHITECTURE.md', 'server/http/GAMES.md', 'server/viewer/README.md', 'server/viewer/lab/README.md',
  'server/export/README.md', 'server/clients/javascript/README.md', 'server/clients/python/README.md', 'server/clients/rust/README.md',
  'server/clients/csharp/README.md',
  'config/worlds/README.md', 'config/styles/README.md', 'docker/README.md',
  'tests/README.md', 'tests/bench/README.md', '.github/CONTRIBUTING.md', '.github/SECURITY.md',
  '.github/CHANGELOG.md'];
export const manuals = new Map(MANUALS.map((name) => [name, readFileSync(join(root, name), 'utf8')]));

/* { info, body } of each fenced block. */
export function blocks(name) {
  return [...manuals.get(name).matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
    .map(([, info, body]) => ({ info, body }));
}

/* The body of the block in a language that contains the marker. */
export function block(name, language, marker) {
  const found = blocks(name).find(({ info, body }) => info === language && body.includes(marker));
  if (found === undefined) throw new Error(`${name} has no ${language} block with ${marker}`);
  return found.body;
}

/* "$ command" and the lines behind it, up to an empty line. */
export function examples(body) {
  return body.split('\n\n').filter((part) => part.trim() !== '').map((part) => {
    const [command, ...output] = part.trimEnd().split('\n');
    if (!command.startsWith('$ ')) throw new Error(`an example begins with "$ ", not "${command}"`);
    return { command: command.slice(2), output: output.join('\n') };
  });
}

/* The worlds of the page for games, as files. */
export function gameWorlds() {
  const found = blocks('server/http/GAMES.md').filter(({ info }) => info === 'json');
  return Object.fromEntries(found.map(({ body }) => [`${JSON.parse(body).title.toLowerCase()}.json`, body]));
}

/* A server with the worlds that the manuals write down: { url, worlds, stop }. */
export async function startManualServer() {
  const worlds = temporaryFolder({ 'hills.json': block('README.md', 'json', '"Hills"'), ...gameWorlds() });
  const { url, stop } = await startServer({ arguments: ['--worlds', worlds.path] });
  return { url, worlds, stop: () => stop().finally(() => worlds.remove()) };
}

/* The output of an example's command, in a folder, for a server at another address than that of the manuals. */
export function runExample(command, url, folder) {
  const real = command.replaceAll(ADDRESS, url).replace('curl ', 'curl -sS ');
  const printed = execFileSync('sh', ['-c', real], { cwd: folder, encoding: 'utf8' });
  return printed.trimEnd().replace(/[ \t]+$/gm, '');
}
