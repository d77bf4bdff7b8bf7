/* Runs GDAL's programs. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/* A function that runs a program of GDAL in the folder, as GDAL writes caches to its working folder, and returns what
 * the program prints. The program must complain about nothing. */
export const gdalIn = (folder) => async (program, words, input = '') => {
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...process.env, GDAL_DEFAULT_WMS_CACHE_PATH: `${folder}/cache`, GDAL_PAM_ENABLED: 'NO', no_proxy: '*' },
  });
  child.stdin.end(input);
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(complaints, '');
  return output;
};
