/* A search for each kind of query, all alike to the drawer: next(signal) gives {place, step, note},
 * in which `place` has x, y, distance and bearing and is null if there is no further one, and
 * `note` says how far was looked and what else is known of the place. */

import { getJson, pinned } from '../app/api.js';
import { exactText, heightText, valueText } from '../app/place.js';
import { distanceText } from '../app/units.js';
import { objectsAround } from './objects.js';
import { RADIUS_MOST, createSearch } from './search.js';
import { tr } from '../texts/texts.js';

const FEATURES = 50; /* of a circle, at most */

function locate(world, from, parameters, signal) {
  const query = new URLSearchParams({ x: exactText(from.x), y: exactText(from.y), ...parameters });
  /* The server takes a plus for a plus, as conditions have it. */
  return getJson(`${pinned(world)}/locate?${String(query).replace(/\+/g, '%20')}`, signal);
}

const INCOMPLETE = tr('The search was too expensive to be complete: there may be nearer ones.');

function searchWhere(world, from, { where, apart }, looked) {
  const search = createSearch(from, apart, (circle, signal) =>
    locate(world, from, { where, ...circle }, signal), looked);
  return {
    async next(signal) {
      const { place, step, incomplete } = await search.next(signal);
      const note = place === null
        ? tr('None farther away, within {0}.', distanceText(RADIUS_MOST))
        : tr('Looked on a grid of {0}: smaller patches may be nearer.', distanceText(step));
      return { place, step, note: incomplete ? INCOMPLETE : note };
    },
  };
}

/* The prominence is that of the grid, whose peak may be higher than the place at full detail; but none
 * is more prominent than it is high above the sea. */
const prominenceText = (prominence, height) =>
  tr('prominence {0}', heightText(height > 0 ? Math.min(prominence, height) : prominence));

function featureText({ height, prominence, flow, width, level, area }) {
  return [
    prominence === undefined ? '' : prominenceText(prominence, height),
    width === undefined ? '' : tr('river {0} wide', valueText(width, 'm')),
    flow === undefined ? '' : tr('drains {0}', valueText(flow / 1e6, 'km²')),
    level === undefined ? '' : tr('water at {0}', heightText(level)),
    area === undefined ? '' : tr('{0} large', valueText(area / 1e6, 'km²')),
  ].filter(Boolean).join(', ');
}

/* The server gives the features of the circle at once, in their order. */
function searchFeature(world, from, { feature, radius }, looked) {
  let answer = null;
  let given = 0;
  return {
    async next(signal) {
      looked(radius);
      answer ??= await locate(world, from, { feature, radius, limit: FEATURES }, signal);
      const within = tr('within {0}', distanceText(radius));
      const place = answer.places[given] ?? null;
      given += 1;
      const none = given === 1 ? tr('None') : tr('No other one');
      if (place === null) return { place, note: `${none} ${within}.` };
      return { place: { ...place, text: featureText(place) }, step: answer.step,
        note: answer.complete ? tr('Looked {0}.', within) : INCOMPLETE };
    },
  };
}

function searchObject(world, from, { object }, looked) {
  const kind = world.objects.find(({ name }) => name === object);
  let given = 0;
  return {
    async next(signal) {
      const { objects, radius } = await objectsAround(world, kind, from, given, looked, signal);
      const place = objects[given] ?? null;
      given += 1;
      return { place, step: 0.5, note: place === null
        ? tr('None within {0}; they are looked for no farther away.', distanceText(radius))
        : tr('Looked within {0}.', distanceText(radius)) };
    },
  };
}

export function startSearch(world, from, query, looked) {
  if (query.feature) return searchFeature(world, from, query, looked);
  return (query.object ? searchObject : searchWhere)(world, from, query, looked);
}
