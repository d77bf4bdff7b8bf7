/* Trees, rocks and other objects near a place: how many of each kind, and the nearest one. */

import { getJson, pinned } from '../app/api.js';
import { h } from '../app/dom.js';
import { exactText, wayTo, windName } from '../app/place.js';
import { distanceText } from '../app/units.js';
import { tr } from '../texts/texts.js';

const NEAR = 50; /* metres to each side */

function nearest(place, objects) {
  const ways = objects.map((object) => wayTo(place, object));
  return ways.reduce((best, way) => (way.distance < best.distance ? way : best));
}

function kindRow(place, kind, objects) {
  const { distance, bearing } = nearest(place, objects);
  const swatch = h('span', { class: 'swatch' });
  swatch.style.backgroundColor = kind.color ?? 'transparent';
  return h('li', {}, swatch, h('span', {}, `${objects.length} × ${kind.title || kind.name}`),
    h('span', { class: 'far' }, tr('nearest {0} {1}', distanceText(distance), windName(bearing))));
}

/* A list of the kinds around a place, or null if nothing stands there. */
export async function nearbyList(world, place, signal) {
  const box = [place.x - NEAR, place.y - NEAR, place.x + NEAR, place.y + NEAR].map(exactText);
  const { objects } = await getJson(`${pinned(world)}/objects?bbox=${box.join(',')}`, signal);
  const rows = world.objects
    .map((kind) => [kind, objects.filter((object) => object.kind === kind.name)])
    .filter(([, some]) => some.length > 0)
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([kind, some]) => kindRow(place, kind, some));
  return rows.length === 0 ? null : h('ul', { class: 'rows' }, rows);
}
