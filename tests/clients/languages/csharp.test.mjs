/* The C# client, built by mcs and run by mono: libterrane and the daemon say the same. */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { serverOfFile } from '../../tools/server.mjs';
import { checkPlaces, libraryFolder } from './places.mjs';

const server = serverOfFile();
const folder = libraryFolder();
const program = (name, ...words) => folder.run('mono', [folder.file(name), ...words]);

async function build(out, ...sources) {
  const { status, output, complaints } = await folder.run('mcs', ['-langversion:6', '-warnaserror', `-out:${folder.file(out)}`,
    'server/clients/csharp/Terrane.cs', ...sources]);
  assert.equal(status, 0, output + complaints);
}

before(() => build('Places.exe', 'server/clients/csharp/Places.cs'));

test('the program has the heights, the digest and the names of the daemon, from the library and over HTTP', async () => {
  const { status, output, complaints } = await program('Places.exe', 'config/worlds/terra.json', server.url, 'terra');
  assert.equal(status, 0, complaints);
  const of = await checkPlaces(output, server.url);
  for (const [[library, daemon]] of [of('heights'), of('chunk')]) assert.equal(library, daemon);
});

test('errors say what is wrong and where', async () => {
  const terra = 'config/worlds/terra.json';
  for (const [words, status, message] of [
    [[], 2, /^usage: Places\.exe WORLD\.json URL NAME\n$/],
    [[folder.file('none.json'), server.url, 'terra'], 1, /^Places: Could not find file/],
    [[folder.file('broken.json'), server.url, 'terra'], 1, /broken\.json:1:\d+: layers\.height: unknown function "fbmm"/],
    [[terra, server.url, 'tera'], 1, /404: \{.*did you mean \\?"terra/],
    [[terra, server.url, 'perlin'], 1, /410: \{/],
    [[terra, 'http://127.0.0.1:1', 'terra'], 1, /127\.0\.0\.1:1.*: /],
  ]) {
    const found = await program('Places.exe', ...words);
    assert.equal(found.status, status, found.complaints);
    assert.match(found.complaints, message);
  }
});

test('what cannot be sampled is an error, and samples are those of the formula', async () => {
  await build('Bindings.exe', 'tests/clients/languages/Bindings.cs');
  const { status, output, complaints } = await program('Bindings.exe');
  assert.equal(status, 0, output + complaints);
  assert.equal(output, 'samples\nerrors\nthreads\nseeds\n');
});
