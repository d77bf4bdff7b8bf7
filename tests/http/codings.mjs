/* Decoding of content codings, by Node and by the program zstd. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';

/* The bytes without the coding (undefined: identity). */
export function decode(coding, bytes) {
  if (coding === undefined) return bytes;
  if (coding === 'gzip') return gunzipSync(bytes);
  assert.equal(coding, 'zstd');
  const run = spawnSync('zstd', ['-dcq'], { input: bytes, maxBuffer: 1 << 28 });
  assert.equal(run.status, 0, String(run.stderr ?? run.error));
  return run.stdout;
}
