/* What a text in the search box may mean: {title, detail, run()} for each, the likeliest first. What
 * the page knows comes at once; names are the server's. Nothing here knows the box. */

import { getJson, pinned } from '../app/api.js';
import { exactText, parsePlace, placeText, roundedPlace, windName } from '../app/place.js';
import { distanceText } from '../app/units.js';
import { flyTo } from '../map/fly.js';
import { reveal } from '../map/reveal.js';
import { tr } from '../texts/texts.js';

const NAMES = 6; /* of a circle */
const RADII = [5e4, 2.5e5, 1e6, 8e6]; /* metres: a smaller circle has the names of smaller things */
const CONDITION = /[<>=!]=?|&&|\|\|/;
/* The kinds of what has a name, as the server calls them. */
const KINDS = {
  sea: tr('sea'), strait: tr('strait'), bay: tr('bay'), fjord: tr('fjord'), cape: tr('cape'),
  mouth: tr('mouth'), island: tr('island'), range: tr('range'), plateau: tr('plateau'),
  plain: tr('plain'), desert: tr('desert'), forest: tr('forest'), peak: tr('peak'),
  hill: tr('hill'), pass: tr('pass'), river: tr('river'), stream: tr('stream'), lake: tr('lake'),
};
/* Words for what the tools do, by their names. */
const TOOL_WORDS = {
  card: tr('what is here, coordinates, pin'),
  find: tr('find nearest, bay, fjord, mouth, lake, peak, mountain, island, spawn'),
  measure: tr('distance, how far, steep, slope, length, area, profile, ruler'),
  stats: tr('statistics, histogram, share of land'),
  scene: tr('3d, fly, walk, view'),
  overlays: tr('grid, chunks, markers, geojson, import'),
  compare: tr('compare, before and after, difference, side by side'),
  poster: tr('print, pdf, paper, poster, hexes, scale'),
  take: tr('download, export, save, picture, blender, glb, model, geotiff, heightmap'),
  lab: tr('sea level, edit, formula, world file, noise'),
  about: tr('help, guide, language, embed, version'),
};
const WORD_LEAST = 3; /* letters: fewer begin too many words */
const SEED = /^(?:seed\s+|~)(.+)$/i;

/* Without marks on letters, and without regard to case. */
export const folded = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
/* Whether a word of the name begins with the text. */
const begins = (name, text) => ` ${folded(name)}`.includes(` ${folded(text)}`);

function seeds(app, text) {
  const [, seed] = SEED.exec(text) ?? [];
  if (seed === undefined) return [];
  return [{ title: seed, detail: tr('seed of this world'), run: () => app.reseed(seed) }];
}

function places(app, text) {
  const place = parsePlace(text);
  if (place === null) return [];
  return [{ title: placeText(place), detail: tr('place'), run: () => app.go(place) }];
}

function worlds(app, text) {
  return app.worlds.worlds.filter(({ name, title }) => begins(name, text) || begins(title, text))
    .map(({ name, title }) => ({ title: title || name, detail: tr('world'), run: () =>
      app.visit(name) }));
}

/* `nearest(where, title)` looks for the nearest place of a condition, and flies there. */
function biomes(app, text, nearest) {
  return app.world.biomes.filter(({ name, title }) => begins(title || name, text))
    .map(({ name, title }) => ({
      title: title || name, detail: tr('the nearest of this biome'),
      run: () => nearest(`biome==${name}`, title || name),
    }));
}

function conditions(text, nearest) {
  if (!CONDITION.test(text)) return [];
  return [{ title: text, detail: tr('the nearest place where this holds'), run: () =>
    nearest(text, text) }];
}

/* Tools by their title, or by a text that begins one of their words or holds one. */
function toolsFor(app, text) {
  if (text.length < WORD_LEAST) return [];
  const isMeant = (words) => begins(words, text) || begins(text, words);
  return Object.entries(TOOL_WORDS)
    .map(([name, words]) => ({ name, title: app.drawers.titleOf(name), words: words.split(', ') }))
    .filter(({ title, words }) => [title, ...words].some(isMeant))
    .map(({ name, title }) => ({ title, detail: tr('tool'), run: () => app.drawers.open(name) }));
}

/* Without names. */
export function knownOptions(app, text, nearest) {
  return [...places(app, text), ...seeds(app, text), ...conditions(text, nearest),
    ...worlds(app, text), ...biomes(app, text, nearest),
    ...toolsFor(app, text)];
}

const LETTERS = /^\p{L}[\p{L}\p{M}\d '’.-]{0,63}$/u;

/* Places whose name begins with the text, near ones first. A circle that costs too much, or lies
 * beyond the edge of the world, has none. */
export async function namedOptions(app, text, signal) {
  if (app.world.names_fingerprint === null || !LETTERS.test(text) || SEED.test(text)) return [];
  const { x, y } = app.map.view();
  const answers = await Promise.allSettled(RADII.map((radius) => {
    const query = new URLSearchParams({ name: text, x: exactText(x), y: exactText(y), radius,
      limit: NAMES });
    return getJson(`${pinned(app.world)}/locate?${String(query).replace(/\+/g, '%20')}`, signal);
  }));
  if (answers.every(({ status }) => status === 'rejected')) throw answers[0].reason;
  const found = new Map();
  for (const { value } of answers) {
    for (const place of value?.places ?? []) if (!found.has(place.id)) found.set(place.id, place);
  }
  return [...found.values()].map((place) => ({
    title: place.name,
    detail: `${KINDS[place.kind] ?? place.kind}, ${distanceText(place.distance)} ${windName(place.bearing)}`,
    run: () => flyTo(app, roundedPlace(place), place.zoom, () => reveal(app, place)),
  }));
}
