/* The names on a sheet: those that the map would show at the sheet's scale. */

import { getJson, pinned } from '../app/api.js';
import { metresPerPixel } from '../app/place.js';
import { shownLabels } from '../names/layout.js';
import { boxOf } from '../names/lettering.js';
import { bboxOf } from './picture.js';

const PIECE_PX = 1024; /* what is asked for at a time */
const ZOOM_LEAST = 3; /* with less the server has none */
const ZOOM_MOST = 20;
const EDGE_PX = 6;

/* The rectangle in pieces, from the north-west on. */
function piecesOf({ west, north, east, south }, side) {
  const pieces = [];
  for (let y = north; y < south; y += side) {
    for (let x = west; x < east; x += side) {
      pieces.push({ west: x, north: y, east: Math.min(x + side, east),
        south: Math.min(y + side, south) });
    }
  }
  return pieces;
}

/* Whether a label's text lies on the sheet as a whole, however it is turned. */
function isWhole({ x, y, box, angle = 0 }, { west, north, east, south }, perPixel) {
  const turn = angle * Math.PI / 180;
  const [cos, sin] = [Math.abs(Math.cos(turn)), Math.abs(Math.sin(turn))];
  const across = ((box.width * cos + box.height * sin) / 2 + EDGE_PX) * perPixel;
  const down = ((box.width * sin + box.height * cos) / 2 + EDGE_PX + (box.drop ?? 0)) * perPixel;
  return x - across >= west && x + across <= east && y - down >= north && y + down <= south;
}

/* The labels of a rectangle that is drawn with so many metres a pixel. */
export async function labelsOf(world, area, perPixel, signal) {
  const zoom = Math.min(Math.log2(metresPerPixel(0) / perPixel), ZOOM_MOST);
  if (world.names_fingerprint === null || zoom < ZOOM_LEAST) return [];
  const answers = await Promise.all(piecesOf(area, PIECE_PX * perPixel).map((piece) =>
    getJson(`${pinned(world)}/labels?bbox=${bboxOf(piece)}&zoom=${Math.floor(zoom)}`, signal)));
  const labels = new Map(answers.flatMap((answer) => answer.labels)
    .map((label) => [`${label.kind} ${label.id}`, { ...label, box: boxOf(label) }]));
  return shownLabels([...labels.values()], zoom).filter((label) => isWhole(label, area, perPixel));
}
