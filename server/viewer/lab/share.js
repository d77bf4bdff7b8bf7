/* A world in a link: its text compressed by deflate, written in base64url. It stands behind "#", so
 * browsers do not send it; the page of whoever opens the link posts it as a preview. */

import { tr } from '../texts/texts.js';

/* As much as a world file may have, so that a small link cannot fill the memory. */
const BYTES_MAX = 1 << 20;

async function collect(stream, most) {
  const parts = [];
  let length = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    length += value.length;
    if (length > most) throw new RangeError('too long');
    parts.push(value);
  }
}

function through(bytes, transform, most = Infinity) {
  return collect(new Blob([bytes]).stream().pipeThrough(transform), most);
}

function base64url(bytes) {
  let binary = '';
  for (const byte of new Uint8Array(bytes)) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

function fromBase64url(text) {
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

export async function pack(text) {
  const bytes = new TextEncoder().encode(text);
  return base64url(await through(bytes, new CompressionStream('deflate-raw')));
}

/* The text again; throws an Error with a sentence for people. */
export async function unpack(packed) {
  try {
    const bytes = await through(fromBase64url(packed), new DecompressionStream('deflate-raw'),
      BYTES_MAX);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error(error instanceof RangeError
      ? tr('This link holds more than a world file may have: 1 MB.')
      : tr('This link is broken: a part of it is missing or was changed. Ask for it again.'));
  }
}
