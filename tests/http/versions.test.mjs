/* Former versions of worlds: from files NAME@FINGERPRINT.json, and those that reloads keep. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { command } from '../faults/reloads.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { refusedStart, startServer } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';

const binary = process.env.TERRANE_BINARY ?? 'build/release/terrane';
const folders = [];
let worlds, admin;
beforeEach(() => {
  worlds = makeWorlds();
  folders.push(worlds);
  admin = path.join(worlds.folder, 'admin.socket');
});
after(() => folders.forEach((folder) => folder.remove()));

const file = (name) => path.join(worlds.folder, `${name}.json`);
const start = (...more) => startServer({ arguments: ['--worlds', worlds.folder, '--admin', admin, ...more] });
const reload = async () => {
  const { status, text } = await command(admin, 'POST', 'reload');
  assert.equal(status, 200, text);
  return text;
};
const json = async (url) => (await fetch(url)).json();
const bytes = async (url) => {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  return Buffer.from(await response.arrayBuffer());
};
const fingerprintOf = (name) => /g1-[0-9a-f]{32}/.exec(execFileSync(binary, ['check', file(name)], { encoding: 'utf8' }))[0];
/* The height changes by `by` m at every place. */
const raise = (by) => worlds.edit('clock', (world) => { world.layers.height.formula += ` + ${by}`; });
/* Makes the present file that of a former version; the world then is 50 m higher. */
function retire() {
  const old = fingerprintOf('clock');
  renameSync(file('clock'), file(`clock@${old}`));
  raise(50);
  return old;
}
const difference = (a, b) => {
  const [x, y] = [a, b].map((buffer) => new Float32Array(Uint8Array.from(buffer).buffer));
  return [...x].map((value, i) => Math.round(value - y[i]));
};

test('a former version from a file is served under its pin, with seeds, styles and documents', async () => {
  const alone = await start();
  const wanted = await bytes(`${alone.url}/worlds/clock/chunks/1/2.r32f?size=8`);
  const seeded = await bytes(`${alone.url}/worlds/clock~9/chunks/1/2.r32f?size=8`);
  const picture = await bytes(`${alone.url}/worlds/clock/tiles/own/9/256/256.png`);
  const seededPin = (await json(`${alone.url}/worlds/clock~9`)).fingerprint;
  const point = await json(`${alone.url}/worlds/clock/at?x=5&y=7`);
  assert.equal(await alone.stop(), 0);
  const old = retire();
  const server = await start();
  try {
    const now = await json(`${server.url}/worlds/clock`);
    assert.notEqual(now.fingerprint, old);
    assert.deepEqual(now.versions, [now.fingerprint, old]);
    const former = await json(`${server.url}/worlds/clock@${old}`);
    assert.equal(former.fingerprint, old);
    assert.deepEqual(former.versions, now.versions);
    assert.ok(former.urls.chunk.includes(`clock@${old}`));
    assert.deepEqual((await json(`${server.url}/worlds/clock~9`)).versions[1], seededPin);
    assert.deepEqual((await json(`${server.url}/worlds/perlin`)).versions.length, 1);
    const chunk = (name) => bytes(`${server.url}/worlds/${name}/chunks/1/2.r32f?size=8`);
    assert.ok((await chunk(`clock@${old}`)).equals(wanted));
    assert.ok((await chunk(`clock~9@${seededPin}`)).equals(seeded));
    assert.deepEqual(difference(await chunk('clock'), wanted), Array(81).fill(50));
    assert.deepEqual(difference(await chunk('clock~9'), seeded), Array(81).fill(50));
    assert.ok((await chunk(`clock~9@${seededPin}`)).equals(seeded), 'the seed of each version has its own cache');
    assert.deepEqual(await json(`${server.url}/worlds/clock@${old}/at?x=5&y=7`), point);
    const tilejson = (await json(`${server.url}/worlds/clock@${old}/tiles/own.json`)).tiles[0];
    assert.ok(tilejson.includes(`/clock@${old}/tiles/own@s1-`));
    assert.ok((await bytes(tilejson.replace('{z}', 9).replace('{x}', 256).replace('{y}', 256))).equals(picture));
    const immutable = await fetch(`${server.url}/worlds/clock@${old}/chunks/1/2.r32f`);
    assert.match(immutable.headers.get('cache-control'), /immutable/);
    const diff = await json(`${server.url}/diff?a=clock@${old}&b=clock@${now.fingerprint}&bbox=0,0,100,100&samples=8`);
    assert.deepEqual([diff.a.fingerprint, diff.b.fingerprint, diff.changed], [old, now.fingerprint, 1]);
    assert.equal(Math.round(diff.mean), 50);
    const reseeded = await json(`${server.url}/diff?a=clock~9@${seededPin}&b=clock~9&bbox=0,0,100,100&samples=8`);
    assert.deepEqual([Math.round(reseeded.mean), reseeded.a.fingerprint], [50, seededPin]);
    for (const name of [`clock@g1-${'0'.repeat(32)}`, `clock~8@${seededPin}`, `perlin@${old}`]) {
      const gone = await fetch(`${server.url}/worlds/${name}/at?x=0&y=0`);
      assert.equal(gone.status, 410, name);
      if (name.startsWith('clock@')) assert.equal((await gone.json()).current, now.fingerprint);
    }
    const { worlds: served, former: list } = JSON.parse((await command(admin, 'GET', 'status')).text);
    assert.deepEqual([served.clock, list], [now.fingerprint, [`clock@${old}`]]);
    const out = path.join(worlds.folder, 'out.r32f');
    const samples = await bytes(`${server.url}/worlds/clock@${old}/tiles/height/9/256/256.r32f`);
    const render = (name) => spawnSync(binary,
      ['render', '--worlds', worlds.folder, '--world', name, '--style', 'height', '--tile', '9/256/256', '-o', out], { encoding: 'utf8' });
    for (const [name, same] of [[`clock@${old}`, true], ['clock', false], [`clock@${now.fingerprint}`, false], [`clock~9@${seededPin}`, false]]) {
      assert.equal(render(name).status, 0, name);
      assert.equal(readFileSync(out).equals(samples), same, name);
    }
    assert.match(render(`clock~8@${seededPin}`).stderr, new RegExp(`the world "clock" has changed: ${seededPin} is now g1-`));
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    for (const [pin, version] of [[now.fingerprint, 'present'], [old, 'former']])
      assert.ok(metrics.includes(`\nterrane_world_info{world="clock",fingerprint="${pin}",version="${version}"} 1\n`));
    assert.match(server.complaints(), new RegExp(`former version clock@${old}\n`));
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

/* The pin with its first digit, one in the middle and its last one changed. */
const mistypes = (pin) => [3, 3 + (pin.length - 3) / 2, pin.length - 1].map((i) =>
  `${pin.slice(0, i)}${pin[i] === '0' ? '1' : '0'}${pin.slice(i + 1)}`);

test('a pin with one wrong digit is 410, wherever it stands and whatever it pins', async () => {
  const old = retire();
  const server = await start();
  try {
    const describe = (name) => json(`${server.url}/worlds/${name}`);
    const [now, seeded, terra] = await Promise.all(['clock', 'clock~9', 'terra'].map(describe));
    const { url: preview, fingerprint: posted } = await (await fetch(`${server.url}/preview`, { method: 'POST',
      body: JSON.stringify({ generator: 1, layers: { height: 'x' } }) })).json();
    const style = now.styles.find(({ name }) => name === 'own').fingerprint;
    const layer = now.layers.find(({ name }) => name === 'height').fingerprint;
    const post = (body) => ({ method: 'POST', body: JSON.stringify(body) });
    const places = [now.fingerprint, old].flatMap((pin) => [
      [pin, (each) => [`/worlds/clock@${each}`]],
      [pin, (each) => [`/worlds/clock@${each}/tiles/height/3/4/2.png`]],
      [pin, (each) => [`/worlds/clock@${each}/tiles/height.json`]],
      [pin, (each) => [`/worlds/clock@${each}/at?x=0&y=0`]],
      [pin, (each) => [`/worlds/clock@${each}/chunks/0/0.r32f?size=4`]],
      [pin, (each) => [`/tiles/3/4/2.png?style=height&world=clock@${each}`]],
      [pin, (each) => [`/diff?a=clock@${each}&b=clock&bbox=0,0,9,9&samples=2`]],
      [pin, (each) => [`/diff?a=clock&b=clock@${each}&bbox=0,0,9,9&samples=2`]],
      [pin, (each) => ['/worlds/clock/digests', post({ size: 4, chunks: [[0, 0]], against: `clock@${each}` })]],
    ]);
    for (const pin of seeded.versions) places.push([pin, (each) => [`/worlds/clock~9@${each}/at?x=0&y=0`]]);
    places.push(
      [posted, (each) => [`${preview}@${each}/at?x=0&y=0`]],
      [style, (each) => [`/worlds/clock/tiles/own@${each}/3/4/2.png`]],
      [layer, (each) => [`/worlds/clock/tiles/height@${each}/3/4/2.png`]],
      [style, (each) => [`/tiles/3/4/2.png?world=clock&style=own@${each}`]],
      [terra.materials_fingerprint, (each) => [`/worlds/terra/chunks/0/0.r8?size=4&layers=materials@${each}`]],
      [terra.materials_fingerprint, (each) => ['/worlds/terra/chunks', post({ format: 'r8', size: 4, layers: [`materials@${each}`], chunks: [[0, 0]] })]],
    );
    for (const [pin, request] of places) {
      for (const [each, wanted] of [[pin, 200], ...mistypes(pin).map((wrong) => [wrong, 410])]) {
        const [target, options] = request(each);
        const response = await fetch(server.url + target, options);
        assert.equal(response.status, wanted, `${target} ${options?.body ?? ''}`);
        const text = await response.text();
        if (wanted === 410) assert.match(text, new RegExp(`has changed: ${each} is now|have changed: ${each} is now`));
      }
    }
    for (const wrong of mistypes(now.fingerprint)) {
      const { status, stderr } = spawnSync(binary, ['query', '--worlds', worlds.folder, '--world', `clock@${wrong}`, '0', '0'], { encoding: 'utf8' });
      assert.notEqual(status, 0);
      assert.match(stderr, new RegExp(`has changed: ${wrong} is now ${now.fingerprint}`));
    }
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a file of a former version that has another fingerprint is an error with both', async () => {
  const old = retire();
  const former = file(`clock@${old}`);
  const text = readFileSync(former, 'utf8');
  writeFileSync(former, text.replace('100 * ', '101 * '));
  const complaint = new RegExp(`clock@${old}\\.json(?::1:1)?: the fingerprint of this world is (g1-[0-9a-f]{32}), and the file's name says ${old}: `);
  const refused = await refusedStart(['--worlds', worlds.folder]);
  assert.equal(refused.status, 1);
  const found = complaint.exec(refused.stderr)?.[1];
  assert.notEqual(found, old);
  for (const words of [[former], ['--worlds', worlds.folder]]) {
    const checked = spawnSync(binary, ['check', ...words], { encoding: 'utf8' });
    assert.equal(checked.status, 1);
    assert.match(checked.stderr, complaint);
  }
  renameSync(former, file(`clock@${found}`));
  assert.equal(spawnSync(binary, ['check', '--worlds', worlds.folder], { encoding: 'utf8' }).status, 0);
  renameSync(file(`clock@${found}`), file('clock@old'));
  const unnamed = await refusedStart(['--worlds', worlds.folder]);
  assert.match(unnamed.stderr, /clock@old\.json: behind "@" in the file's name stands the fingerprint of a former version: g1- and 32 digits/);
});

test('reloads keep as many former versions of a world as --keep-worlds says, the newest', async () => {
  const server = await start('--keep-worlds', '2');
  const chunk = (pin) => fetch(`${server.url}/worlds/clock@${pin}/chunks/0/0.r32f?size=4`);
  const seen = [];
  try {
    for (let by = 1; by <= 4; by++) {
      const { fingerprint } = await json(`${server.url}/worlds/clock`);
      seen.unshift({ fingerprint, bytes: await bytes(`${server.url}/worlds/clock/chunks/0/0.r32f?size=4`) });
      raise(by);
      const report = (await reload()).split('\n');
      assert.ok(report.includes(`former version clock@${fingerprint}`), report.join());
      assert.equal(report.includes(`no more former version clock@${seen[2]?.fingerprint}`), by > 2);
    }
    const { fingerprint, versions } = await json(`${server.url}/worlds/clock`);
    assert.deepEqual(versions, [fingerprint, seen[0].fingerprint, seen[1].fingerprint]);
    for (const { fingerprint: pin, bytes: wanted } of seen.slice(0, 2))
      assert.ok(Buffer.from(await (await chunk(pin)).arrayBuffer()).equals(wanted));
    for (const { fingerprint: pin } of seen.slice(2)) assert.equal((await chunk(pin)).status, 410);
    /* Going back makes the former version the present one. */
    raise(3);
    await reload();
    assert.deepEqual((await json(`${server.url}/worlds/clock`)).versions, [seen[0].fingerprint, fingerprint, seen[1].fingerprint]);
    assert.deepEqual((await json(`${server.url}/worlds/perlin`)).versions.length, 1, 'a world that has not changed');
    rmSync(file('clock'));
    const report = await reload();
    assert.ok(report.includes('no more world clock\n') && report.includes(`no more former version clock@${fingerprint}\n`));
    assert.equal((await chunk(fingerprint)).status, 404);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a kept version keeps the styles that it had, and their pins', async () => {
  const styles = temporaryFolder();
  const paint = (layer, colour) => ({ paint: [{ ramp: { layer, stops: [[0, '#000'], [1, colour]] } }] });
  styles.write('plain.json', paint('height', '#fff'));
  styles.write('lost.json', paint('nothing', '#fff'));
  const server = await start('--keep-worlds', '1', '--styles', styles.path);
  try {
    const tile = (await json(`${server.url}/worlds/clock/tiles/plain.json`)).tiles[0]
      .replace('{z}', 9).replace('{x}', 256).replace('{y}', 256);
    const wanted = await bytes(tile);
    const old = (await json(`${server.url}/worlds/clock`)).fingerprint;
    raise(50);
    styles.write('plain.json', paint('height', '#f00'));
    await reload();
    rmSync(path.join(styles.path, 'lost.json'));
    await reload();
    assert.ok((await bytes(tile)).equals(wanted));
    const current = await fetch(tile.replace(`@${old}`, ''));
    assert.equal(current.status, 410, 'the present version has the new style');
    const lost = await json(`${server.url}/worlds/clock@${old}/tiles/lost/9/256/256.png`);
    assert.match(lost.detail, /has no style "lost": .*the world has no layer "nothing"/);
  } finally {
    assert.equal(await server.stop(), 0);
    styles.remove();
  }
});

test('a cache on a disk has the tiles of each version, over restarts', async () => {
  const cache = ['--cache-disk', path.join(worlds.folder, 'tiles.db')];
  const tile = (server, name) => fetch(`${server.url}/worlds/${name}/tiles/height/9/256/256.r32f`);
  const first = await start(...cache);
  const wanted = Buffer.from(await (await tile(first, 'clock')).arrayBuffer());
  assert.equal(await first.stop(), 0);
  const old = retire();
  const server = await start(...cache);
  try {
    for (const [name, from, same] of [[`clock@${old}`, 'disk', true], ['clock', 'render', false], [`clock@${old}`, 'memory', true]]) {
      const answer = await tile(server, name);
      assert.equal(answer.headers.get('x-terrane-cache'), from, name);
      assert.equal(Buffer.from(await answer.arrayBuffer()).equals(wanted), same, name);
    }
  } finally {
    assert.equal(await server.stop(), 0);
  }
  const shown = JSON.parse(execFileSync(binary, ['cache', cache[1], '--worlds', worlds.folder, '--json'], { encoding: 'utf8' }));
  assert.deepEqual(shown.worlds.map(({ world, name }) => name ?? world), ['clock', 'clock']);
});
