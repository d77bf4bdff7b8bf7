/* A sea level for any world: a layer of one number, by which the heights of ground and water are
 * lowered. What is below 0 then lies under the sea. */

import { forceParsing } from '@codemirror/language';
import { formulasIn, namesOf } from './structure.js';

const LAYER = 'sea_level';
const METRES = '50'; /* to begin with, so that something is seen */
const PARSING_MS = 1000; /* at most: the whole file counts, not what is in view */

/* The formula of a layer, with or without members beside it. */
const formulaOf = (state, layer) => formulasIn(state, 0, state.doc.length).find(({ path }) =>
  path[0] === 'layers' && path[1] === layer && (path.length === 2 || path[2] === 'formula'));

const wrapped = ({ from, to }, before, after) =>
  [{ from, insert: before }, { from: to, insert: after }];

/* The changes that give a world a sea level; none if it has one, null if it has no heights. */
function changesOf(state) {
  const layers = namesOf(state, 'layers');
  if (layers.some(({ name }) => name === LAYER)) return [];
  const [height, water] = ['height', 'water_level'].map((name) => formulaOf(state, name));
  if (height === undefined) return null;
  return [
    { from: layers[0].from, insert: `"${LAYER}": "${METRES}",\n    ` },
    ...wrapped(height, '(', `) - ${LAYER}`),
    ...(water === undefined ? [] : wrapped(water, 'max(0, (', `) - ${LAYER})`)),
  ];
}

/* Gives the world in the editor a sea level, if it has none, and puts the cursor on its number;
 * false if the world has no heights. */
export function addSeaLevel(view) {
  forceParsing(view, view.state.doc.length, PARSING_MS);
  const changes = changesOf(view.state);
  if (changes === null) return false;
  view.dispatch({ changes, userEvent: 'input' });
  forceParsing(view, view.state.doc.length, PARSING_MS);
  const { to } = formulaOf(view.state, LAYER);
  view.dispatch({ selection: { anchor: to }, scrollIntoView: true });
  return true;
}
