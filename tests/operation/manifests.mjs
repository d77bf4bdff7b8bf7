/* Kubernetes' manifests as objects, and what its schema says of them. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));

/* The documents of a file of the project, without anchors. */
export function readManifests(name) {
  return parseAllDocuments(readFileSync(`${root}/${name}`, 'utf8'), { strict: true }).map((document) => {
    assert.deepEqual(document.errors, []);
    return document.toJS();
  });
}

/* A copy that notes which keys are looked at, and a list of those that never were: what a schema's
 * validator does not look at is a key that the schema does not have. */
function watched(value) {
  const unseen = new Set();
  const watch = (part, at) => {
    if (typeof part !== 'object' || part === null) return part;
    const copy = Array.isArray(part) ? [] : {};
    for (const [key, inner] of Object.entries(part)) {
      const place = `${at}/${key}`;
      const seen = watch(inner, place);
      unseen.add(place);
      Object.defineProperty(copy, key, { enumerable: true, get: () => { unseen.delete(place); return seen; } });
    }
    return copy;
  };
  return { copy: watch(value, ''), unseen };
}

/* Fails if the manifest does not fit its schema, or has a key that the schema has not. */
export async function checkManifest(manifest) {
  const { [manifest.kind]: Model } = await import(`kubernetes-models/${manifest.apiVersion}`);
  const unknown = (value) => {
    const { copy, unseen } = watched(value);
    Model.prototype.validate.call(Object.setPrototypeOf(copy, Model.prototype));
    return [...unseen];
  };
  assert.deepEqual(unknown(manifest), []);
  /* The schema refuses a wrong type and an unknown key. */
  assert.throws(() => unknown({ ...manifest, metadata: { name: 5 } }));
  assert.deepEqual(unknown({ ...manifest, metadata: { ...manifest.metadata, nmae: 'x' } }), ['/metadata/nmae']);
}
