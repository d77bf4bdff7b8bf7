/* Plays the pods of Kubernetes' jobs: their containers' commands run as processes of this machine, each pod with
 * folders of its own for its volumes. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/* $(NAME) as Kubernetes replaces it, which leaves names that it does not know as they are. */
const expand = (text, env) => text.replace(/\$\((\w+)\)/g, (whole, name) => env[name] ?? whole);

/* What a container of a pod has in its environment. `objects` are config maps and secrets by name. */
function environmentOf({ env = [], envFrom = [] }, objects, index) {
  const from = envFrom.map(({ configMapRef, secretRef }) => {
    const { name } = configMapRef ?? secretRef;
    assert.ok(objects[name], `there is no ${name}`);
    return objects[name];
  });
  const own = env.map(({ name, value }) => [name, value]);
  const indexed = index === null ? {} : { JOB_COMPLETION_INDEX: String(index) };
  return { ...Object.assign({}, ...from), ...Object.fromEntries(own), ...indexed };
}

/* One pod of a job. `programs` are paths of programs by the name of their image; `folder` has the folders of the
 * volumes by their names, made where they are missing; `limit` of a container, in 512 bytes, is what its files may
 * have when it runs for the first time. */
export function createPod(job, { index = null, objects, programs, folder, limits = {} }) {
  const { initContainers, containers, volumes } = job.spec.template.spec;
  for (const { name } of volumes) mkdirSync(join(folder, name), { recursive: true });

  /* Paths of mounted volumes, in words as "/work/x" and "--output=/work/x". */
  const local = (text, mounts) => mounts.reduce((rest, { name, mountPath }) =>
    rest.replace(new RegExp(`(^|=)${mountPath}(?=/|$)`), `$1${join(folder, name)}`), text);
  const run = (container) => {
    const env = environmentOf(container, objects, index);
    const words = container.args.map((word) => {
      const expanded = expand(word, env);
      assert.doesNotMatch(expanded, /\$\(/, `${container.name}: ${word}`);
      return local(expanded, container.volumeMounts);
    });
    const program = programs[container.image.split(':')[0]];
    assert.ok(program, `no program for ${container.image}`);
    const limit = limits[container.name];
    delete limits[container.name];
    const shell = limit ? ['sh', '-c', `trap '' XFSZ; ulimit -f ${limit}; exec "$@"`, 'sh'] : [];
    const [first, ...rest] = [...shell, program, ...words];
    const mounted = Object.entries(env).map(([name, value]) => [name, local(value, container.volumeMounts)]);
    /* Nothing of this machine's environment. */
    const { status, stderr } = spawnSync(first, rest, { env: { PATH: process.env.PATH, ...Object.fromEntries(mounted) }, encoding: 'utf8' });
    return { name: container.name, status, stderr };
  };
  /* Runs the containers one after the other, and those that fail again, so often: what ran, in that order. */
  return function runPod(restarts = 1) {
    const ran = [];
    for (const container of [...initContainers, ...containers]) {
      let left = restarts;
      do {
        ran.push(run(container));
        left -= 1;
      } while (ran.at(-1).status !== 0 && left >= 0);
      if (ran.at(-1).status !== 0) break;
    }
    return ran;
  };
}
