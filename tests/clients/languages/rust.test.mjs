/* The bindings of libterrane for Rust, built by rustc alone: their program prints what the daemon says. */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { serverOfFile } from '../../tools/server.mjs';
import { checkPlaces, libraryFolder } from './places.mjs';

const server = serverOfFile();
const folder = libraryFolder();

/* What Debian 12 has: rustc 1.63. */
async function build(source, out, ...more) {
  const { status, complaints } = await folder.run('rustc', ['--edition', '2021', '-O', '-D', 'warnings', '-L', folder.path, '-o', folder.file(out), ...more, source]);
  assert.equal(status, 0, complaints);
}

before(async () => {
  await build('server/clients/rust/terrane.rs', 'libterrane.rlib', '--crate-type', 'rlib', '--crate-name', 'terrane');
  await build('server/clients/rust/places.rs', 'places', '--extern', `terrane=${folder.file('libterrane.rlib')}`);
});

test('the program prints the heights, the digest and the names that the daemon has', async () => {
  const { status, output, complaints } = await folder.run(folder.file('places'), ['config/worlds/terra.json']);
  assert.equal(status, 0, complaints);
  const of = await checkPlaces(output, server.url);
  assert.deepEqual(of('world'), [[(await (await fetch(`${server.url}/worlds/terra`)).json()).fingerprint]]);
});

test('errors say what is wrong and where', async () => {
  for (const [words, status, message] of [
    [[], 2, /^usage: places WORLD\.json\n$/],
    [[folder.file('none.json')], 1, /^places: No such file/],
    [[folder.file('broken.json')], 1, /broken\.json:1:\d+: layers\.height: unknown function "fbmm" \(did you mean "fbm"\?\)/],
  ]) {
    const found = await folder.run(folder.file('places'), words);
    assert.equal(found.status, status);
    assert.match(found.complaints, message);
  }
});

test('what cannot be sampled is an error, threads share a world, and seeds differ', async () => {
  await build('tests/clients/languages/bindings.rs', 'bindings', '--test', '--extern', `terrane=${folder.file('libterrane.rlib')}`);
  const { status, output, complaints } = await folder.run(folder.file('bindings'), []);
  assert.equal(status, 0, output + complaints);
  assert.match(output, /test result: ok\. 4 passed/);
});
