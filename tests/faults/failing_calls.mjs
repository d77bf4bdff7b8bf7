/* Makes library and system calls of the program fail, through a preloaded library. */

import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../tools/folder.mjs';

export const MEMORY = 1;
export const SYSTEM = 2;
export const WRITE = 3;
const WORDS = ['kind', 'number', 'onwards', 'main', 'reason', 'calls', 'struck', 'library', 'one_in', 'seed'];

/* Tells a program which calls fail, through a shared file; `env` is the program's environment. */
export class FailingCalls {
  constructor() {
    this.folder = temporaryFolder().path;
    const library = path.join(this.folder, 'refuse.so');
    const orders = path.join(this.folder, 'orders');
    const source = fileURLToPath(new URL('preload/fail_calls.c', import.meta.url));
    execFileSync('cc', ['-std=gnu17', '-Wall', '-Werror', '-O1', '-shared', '-fPIC', source, '-o', library]);
    this.file = openSync(orders, 'w+');
    this.env = {
      LD_PRELOAD: library,
      TERRANE_REFUSALS: orders,
      ASAN_OPTIONS: `${process.env.ASAN_OPTIONS ?? ''}:verify_asan_link_order=0`,
    };
    this.disarm();
  }

  #write(orders, first, end) {
    const words = BigUint64Array.from(WORDS.slice(first, end), (name) => BigInt(orders[name] ?? 0));
    writeSync(this.file, Buffer.from(words.buffer), 0, words.byteLength, first * 8);
  }

  /* The `number`-th call of the kind from now on fails, and with `onwards` all behind it; or one call in
   * `one_in`, chosen by `seed` (0: each one_in-th). With `main` only the main thread's calls count, with
   * `library` those of libmicrohttpd, too. WRITE counts writes of files by any library. `reason` is errno. */
  arm(orders) {
    this.#write(orders, 1, WORDS.length);
    this.#write(orders, 0, 1);
  }

  /* Lets all calls succeed again; returns how many were made and how many failed. */
  disarm() {
    this.#write({}, 0, 1);
    const words = new BigUint64Array(WORDS.length);
    readSync(this.file, Buffer.from(words.buffer), 0, words.byteLength, 0);
    return { calls: Number(words[5]), struck: Number(words[6]) };
  }

  remove() {
    closeSync(this.file);
    rmSync(this.folder, { recursive: true });
  }
}
