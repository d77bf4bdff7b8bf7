/* Ready addresses of a place, absolute, to paste elsewhere: tiles, documents for maps, the chunk, a
 * command. They name the world without a pin, so that they go on after a change of the world. */

import { findStyle } from '../app/api.js';
import { h, iconButton } from '../app/dom.js';
import { exactText } from '../app/place.js';
import { tr } from '../texts/texts.js';

const CHUNK = 64; /* metres, the side of a chunk by default */
const TILE_ORIGIN = -(2 ** 24);

function tileOf(place, zoom) {
  const [x, y] = [place.x, place.y].map((metres) =>
    Math.floor((metres - TILE_ORIGIN) / 2 ** (25 - zoom)));
  return `${zoom}/${x}/${y}`;
}

/* What is listed, in order: [name, address]. `base` ends in a slash. */
export function addressesOf({ base, world, style, time, place, zoom, page }) {
  const entry = findStyle(world, style);
  const moment = time !== null && entry?.time ? `t=${time}` : '';
  const query = (...parts) => {
    const some = parts.filter(Boolean);
    return some.length > 0 ? `?${some.join('&')}` : '';
  };
  const below = `${base}worlds/${world.address}`;
  const map = `${below}/tiles/${encodeURIComponent(style)}`;
  const end = `${entry?.tiles?.split('.').at(-1) ?? 'png'}${query(moment)}`;
  const webp = end.startsWith('webp') ? 'format=webp' : '';
  const [x, y] = [place.x, place.y].map(exactText);
  const chunk = [place.x, place.y].map((metres) => Math.floor(metres / CHUNK)).join('/');
  const now = time === null ? '' : `t=${time}`;
  const at = `${below}/at${query(`x=${x}`, `y=${y}`, now, 'pretty=1')}`;
  return [
    [tr('Link to this map'), page],
    [tr('Tiles (XYZ)'), `${map}/{z}/{x}/{y}.${end}`],
    [tr('This tile'), `${map}/${tileOf(place, zoom)}.${end}`],
    ['TileJSON', `${map}.json${query(webp)}`],
    [tr('MapLibre style'), `${below}/style.json${query('format=webp')}`],
    ['WMTS', `${below}/wmts.xml${query(`style=${encodeURIComponent(style)}`)}`],
    [tr('Chunk of 64 m'), `${below}/chunks/${chunk}.r32f?size=${CHUNK}&step=1`],
    ['curl', `curl '${at}'`],
  ];
}

/* Rows whose buttons call copy(text, name). */
export function addressList(addresses, copy) {
  return h('ul', { class: 'addresses' }, addresses.map(([name, address]) => h('li', {},
    h('span', {}, name), h('code', { title: address, tabindex: '0' }, address),
    iconButton('copy', tr('Copy {0}', name), () => copy(address, name)))));
}
