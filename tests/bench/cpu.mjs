/* The processor time of another process. */

import { readFileSync, readdirSync } from 'node:fs';

/* Nanoseconds that its threads ran, by the scheduler's count. */
export function nanoseconds(pid) {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, id) => {
    try {
      return sum + Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      return sum; /* it has ended */
    }
  }, 0);
}
