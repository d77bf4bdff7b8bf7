/* Every request that /openapi.json has as an example, and how to send one. */

import { ask } from '../http/raw.mjs';
import { records, volumeRecords } from '../http/samples.mjs';

/* The routes whose answers are streams of records, and what reads them. */
const readers = { '/chunks': records, '/volumes': volumeRecords };
export const isBatch = ({ target, body }) => body !== '' && target in readers;
export const recordsOf = ({ target }, answer) => readers[target](answer);

/* [{ target, body }]; a request without a body is a GET. Those below /worlds/{world} are the same. */
export async function examples(url) {
  const document = await (await fetch(`${url}/openapi.json`)).json();
  const requests = [];
  for (const [path, item] of Object.entries(document.paths)) {
    if (path.startsWith('/worlds/{world}/')) continue;
    for (const target of item.get?.['x-examples'] ?? []) requests.push({ target, body: '' });
    if (!item.post) continue;
    for (const { value } of Object.values(item.post.requestBody.content['application/json'].examples))
      requests.push({ target: path, body: JSON.stringify(value) });
  }
  return requests;
}

/* The answer, or null if the connection was closed without a whole one. */
export function send(port, { target, body, method = body ? 'POST' : 'GET' }, headers = '') {
  return ask(port, `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`, method);
}

const placeOf = ({ x, y, place }) => place ?? [x, y];

/* Whether a body is that of the undisturbed answer: /metrics always differs, and single chunks of a batch may have an error status. */
export function isRight({ target, body }, answer, right) {
  if (target === '/metrics') return answer.length > 0;
  if (!isBatch({ target, body })) return answer.equals(right);
  const [wanted, found] = [right, answer].map(readers[target]);
  return found.length === wanted.length && found.every((record, i) => (record.status === 503
    ? record.payload.length === 0 && String(placeOf(record)) === String(placeOf(wanted[i]))
    : record.payload.equals(wanted[i].payload) && record.crc === wanted[i].crc));
}
