/* What the map is compared with, as a text in the address: "world~seed/style/seconds", where what is
 * left out is that of the map. Nothing here knows the page. */

import { worldAddress } from '../app/permalink.js';

const TIME = /^-?\d{1,10}(\.\d{1,6})?$/;

/* `other`: {world, seed, style, time}, each null if it is that of the map; a seed has its world. */
export function otherText({ world, seed, style, time }) {
  const parts = [world === null ? '' : worldAddress(world, seed),
    style === null ? '' : encodeURIComponent(style), time === null ? '' : String(time)];
  return parts.join('/').replace(/\/+$/, '');
}

/* The same of such a text; null if it is none. */
export function parseOther(text) {
  const [address, style = '', time = '', ...more] = text.split('/');
  if (more.length > 0 || (time !== '' && !TIME.test(time))) return null;
  const [world, ...seed] = address.split('~');
  if (world === '' && seed.length > 0) return null;
  try {
    return {
      world: decodeURIComponent(world) || null,
      seed: seed.length > 0 ? decodeURIComponent(seed.join('~')) : null,
      style: decodeURIComponent(style) || null,
      time: time === '' ? null : Number(time),
    };
  } catch {
    return null;
  }
}
