/* Exports by many machines: the pods of docker/export-job.yaml and the lines for Slurm in the manual, played on this
 * machine, against an export that was not split. */

import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { binary, cleanEnvironment, root, terrane } from '../cli/terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { checkManifest, readManifests } from './manifests.mjs';
import { createPod } from './pods.mjs';

const [config, exporting, merging] = readManifests('docker/export-job.yaml');
const [serving] = readManifests('docker/kubernetes.yaml').filter(({ kind }) => kind === 'Deployment');
const specOf = (job) => job.spec.template.spec;
const containersOf = (job) => [...specOf(job).initContainers, ...specOf(job).containers];

/* Sand to the west of the origin, flat land to the east. */
const world = {
  generator: 1, seed: 7,
  layers: { height: { formula: 'clamp(0 - x / 1000, 0, 1) * 300 * fbm(wavelength=6000, octaves=9)', unit: 'm', range: [-300, 300] } },
};
const chosen = { WORLD: 'half', STYLE: 'height', FORMAT: 'r32f', ZOOM: '8-13', BBOX: '-9000,-9000,9000,9000' };
const small = ['--worlds', 'worlds', ...['WORLD', 'STYLE', 'FORMAT', 'BBOX'].flatMap((name) => [`--${name.toLowerCase()}`, chosen[name]])];

for (const one of [config, exporting, merging]) {
  test(`${one.kind} ${one.metadata.name} fits Kubernetes' schema`, () => checkManifest(one));
}

test('the jobs, their number of parts and the fleet agree', () => {
  const { completions, parallelism, completionMode } = exporting.spec;
  assert.deepEqual([completionMode, completions, parallelism], ['Indexed', Number(config.data.PARTS), Number(config.data.PARTS)]);
  assert.equal(merging.spec.suspend, true);
  const [server] = specOf(serving).containers;
  for (const job of [exporting, merging]) {
    assert.deepEqual(job.spec.template.metadata.labels, job.metadata.labels);
    assert.deepEqual({ ...specOf(serving).securityContext, fsGroup: 10001 }, specOf(job).securityContext);
    const declared = specOf(job).volumes.map(({ name }) => name);
    for (const { image, securityContext, volumeMounts, resources } of containersOf(job)) {
      assert.ok([server.image, 'rclone/rclone:1.71'].includes(image), image);
      assert.deepEqual(securityContext, server.securityContext);
      assert.ok(volumeMounts.every(({ name }) => declared.includes(name)));
      assert.ok(resources.requests.memory && resources.limits.memory);
    }
  }
});

test('pods that fail, start again or are lost give the bytes of one export', () => {
  const folder = temporaryFolder({ 'worlds/half.json': world });
  const store = folder.file('store');
  const objects = {
    [config.metadata.name]: { ...config.data, ...chosen },
    'terrane-store': { RCLONE_CONFIG_STORE_TYPE: 'alias', RCLONE_CONFIG_STORE_REMOTE: store },
  };
  const programs = { terrane: binary, 'rclone/rclone': 'rclone' };
  const podOf = (job, index, limits) => {
    const path = folder.file(`${job.metadata.name}-${index}`);
    cpSync(folder.file('worlds'), join(path, 'worlds'), { recursive: true });
    return { path, run: createPod(job, { index, objects, programs, folder: path, limits }) };
  };
  const names = (ran) => ran.map(({ name, status }) => `${name} ${status}`);
  const done = ['export 0', 'upload 0'];

  for (let index = 0; index < exporting.spec.completions; index += 1) {
    /* The second pod's disk fills up after 300 blocks of 512 bytes, and it goes on where it stopped. */
    const pod = podOf(exporting, index, index === 1 ? { export: 300 } : {});
    const ran = pod.run();
    assert.deepEqual(names(ran), index === 1 ? ['export 1', ...done] : done, ran.map(({ stderr }) => stderr).join(''));
    /* The third is lost with its node after its work, and made anew. */
    if (index === 2) {
      rmSync(pod.path, { recursive: true });
      assert.deepEqual(names(podOf(exporting, index).run()), done);
    }
  }
  const parts = readdirSync(join(store, 'maps/terra/parts'));
  assert.deepEqual(parts, Array.from({ length: 8 }, (_, i) => `part-${i}.pmtiles`));

  /* Without one of the parts nothing is made. */
  const missing = join(store, 'maps/terra/parts/part-5.pmtiles');
  cpSync(missing, folder.file('part-5'));
  rmSync(missing);
  const refused = podOf(merging, null).run(0);
  assert.deepEqual(names(refused), ['download 0', 'merge 1']);
  assert.match(refused[1].stderr, /shard 6\/8 is missing/);
  cpSync(folder.file('part-5'), missing);
  const merged = podOf(merging, null).run(0);
  assert.deepEqual(names(merged), ['download 0', 'merge 0', 'verify 0', 'upload 0'], merged.at(-1).stderr);

  const single = terrane(['export', ...small, '--zoom', chosen.ZOOM, '-o', 'single.pmtiles'], { cwd: folder.path });
  assert.equal(single.status, 0, single.stderr);
  assert.ok(readFileSync(join(store, 'maps/terra/world.pmtiles')).equals(readFileSync(folder.file('single.pmtiles'))));
});

/* `sbatch` runs what is to be wrapped at once, for each number of its array; it prints the number of the job. */
const SBATCH = `#!/bin/sh
set -eu
array=0 wrap=
for word; do
    case $word in
    --array=1-*) array=\${word#--array=1-} ;;
    --dependency=afterok:4711 | --parsable) ;;
    --wrap=*) wrap=\${word#--wrap=} ;;
    *) echo "sbatch: $word" >&2; exit 1 ;;
    esac
done
if [ "$array" = 0 ]; then sh -c "$wrap" >&2; else
    for task in $(seq "$array"); do SLURM_ARRAY_TASK_ID=$task sh -c "$wrap" >&2; done
fi
echo 4711
`;

test('the lines for Slurm give the bytes of one export', () => {
  const manual = readFileSync(join(root, 'server/export/README.md'), 'utf8');
  const [lines] = [...manual.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text).filter((text) => text.includes('sbatch'));
  assert.match(lines, /--zoom 0-12/);
  const folder = temporaryFolder({ 'bin/sbatch': SBATCH, 'worlds/half.json': world });
  chmodSync(folder.file('bin/sbatch'), 0o755);
  execFileSync('ln', ['-s', binary, folder.file('bin/terrane')]);
  execFileSync('sh', ['-euc', lines.replaceAll('--zoom 0-12', `${small.join(' ')} --zoom 10-12`)],
    { cwd: folder.path, stdio: 'pipe', env: cleanEnvironment({ PATH: `${folder.file('bin')}:${process.env.PATH}` }) });
  assert.ok(existsSync(folder.file('part-8.pmtiles')));
  terrane(['export', ...small, '--zoom', '10-12', '-o', 'single.pmtiles'], { cwd: folder.path });
  assert.ok(readFileSync(folder.file('terra.pmtiles')).equals(readFileSync(folder.file('single.pmtiles'))));
});

test('parts are counted from 0 as well, and refused beyond their number', () => {
  const options = { cwd: temporaryFolder({ 'worlds/half.json': world }).path };
  const exportPart = (...words) => terrane(['export', ...small, '--zoom', '9', ...words, '-o', 'x.pmtiles'], options);
  const bytes = () => readFileSync(join(options.cwd, 'x.pmtiles'));
  assert.equal(exportPart('--shard', '2/3').status, 0);
  const second = bytes();
  assert.equal(exportPart('--shard', '1/3', '--zero-based').status, 0);
  assert.ok(bytes().equals(second));
  assert.match(exportPart('--shard', '3/3', '--zero-based').stderr, /--shard: must be I\/N, 0\/N to N-1\/N, .* not "3\/3"/);
  assert.match(exportPart('--shard', '0/3').stderr, /--shard: must be I\/N, 1\/N to N\/N, .* not "0\/3"/);
  assert.match(exportPart('--zero-based').stderr, /--zero-based: counts the parts of --shard I\/N, which is missing/);
  mkdirSync(join(options.cwd, 'empty'));
  assert.match(terrane(['merge', 'empty', '-o', 'y.pmtiles'], options).stderr, /empty: has no \.pmtiles or \.mbtiles in it/);
});
