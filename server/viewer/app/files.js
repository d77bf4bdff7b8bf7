/* Files that the page gives away, and their names. */

import { h } from './dom.js';
import { coordinateText } from './place.js';

/* Words joined by hyphens, without what file systems do not take. */
export function fileName(words, extension) {
  const safe = words.map((word) => String(word).replace(/[^\p{L}\p{N}.+-]+/gu, '_'));
  return `${safe.join('-')}.${extension}`;
}

/* World, seed and place of what is shown. */
export function nameOfView(app, place, zoom) {
  const [x, y] = [place.x, place.y].map((metres) => coordinateText(metres, zoom));
  return [app.world.name, app.world.seed, `x${x}`, `y${y}`];
}

/* Hands a Blob to the browser as a download. */
export function saveFile(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = h('a', { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
