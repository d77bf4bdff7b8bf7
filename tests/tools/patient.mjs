/* A client that does what the server asks of it: an answer 429 or 503 with Retry-After says when to come again. */

import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 10; /* a server that refuses for longer has a defect */

/* fetch(), again after each such answer, at most so many times; the last answer, whatever it is. */
export async function patientFetch(url, options = {}, tries = TRIES) {
  const response = await fetch(url, options);
  const seconds = response.headers.get('retry-after');
  if (tries <= 1 || seconds === null || ![429, 503].includes(response.status)) return response;
  await response.arrayBuffer();
  await sleep(Number(seconds) * 1000);
  return patientFetch(url, options, tries - 1);
}
