/* The address bar as a permalink: #world/style/zoom/x/y?t=2.5&pitch=60, with ~seed behind the world's
 * name; behind the question mark is the time and what tools keep there, by name. */

import { ZOOM_MAX, coordinateText, exactText, parseCoordinate } from './place.js';

/* A world as it stands in addresses, the server's too: name or name~seed. */
export function worldAddress(name, seed) {
  const escape = (text) => encodeURIComponent(text).replace(/~/g, '%7E');
  return seed === null ? escape(name) : `${escape(name)}~${escape(seed)}`;
}

/* An `exact` place is written as it is, any other as finely as the map can point. */
export function formatPermalink({ world, seed, style, zoom, x, y, exact = false, extras = {} }) {
  const text = exact ? exactText : (metres) => coordinateText(metres, zoom);
  const place = [x, y].map(text).join('/');
  const query = new URLSearchParams(extras).toString();
  return `#${worldAddress(world, seed)}/${encodeURIComponent(style)}/${zoom}/${place}${query && `?${query}`}`;
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function parseZoom(text) {
  return /^\d{1,2}$/.test(text) && Number(text) <= ZOOM_MAX ? Number(text) : null;
}

/* What a permalink says, with `extras`, an object of texts by name; a part that is left out is null,
 * and so is one that makes no sense, which is then named in `problems`. */
export function parsePermalink(hash) {
  const view = {
    world: null, seed: null, style: null, zoom: null, x: null, y: null, extras: {}, problems: [],
  };
  const take = (name, text, parse) => {
    if (text === undefined || text === '') return;
    view[name] = parse(text);
    if (view[name] === null) view.problems.push(name);
  };
  const [path, ...query] = hash.replace(/^#\/?/, '').split('?');
  const [address = '', style, zoom, x, y] = path.split('/');
  view.extras = Object.fromEntries(new URLSearchParams(query.join('?')));
  const tilde = address.indexOf('~');
  take('world', tilde < 0 ? address : address.slice(0, tilde), decode);
  take('seed', tilde < 0 ? '' : address.slice(tilde + 1), decode);
  take('style', style, decode);
  take('zoom', zoom, parseZoom);
  take('x', x, parseCoordinate);
  take('y', y, parseCoordinate);
  if (view.world === null) view.seed = null;
  if (view.x === null || view.y === null) view.x = view.y = null;
  return view;
}
