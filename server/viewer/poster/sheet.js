/* A sheet as one drawing, which is printed as it is and turned into a picture. Its texts are texts,
 * and its lines lines; only the map is a picture. */

import { svg } from '../app/dom.js';
import { legendOf, textAt } from './legend.js';
import { compass, gridMarks, nameMarks, pinMarks, scaleMarks } from './marks.js';
import { layOut } from './paper.js';

const SERIF = '"Palatino Linotype", Palatino, "Book Antiqua", Georgia, serif';
const SANS = 'system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const FAINT = '#525b64';
const SCALE_SHARE = 0.3; /* of the width, at most */

/* Where things lie on a paper whose legend has these parts. */
export function boxesOf(paper, parts) {
  const { width } = layOut(paper, 0).map;
  return layOut(paper, legendOf(parts, width).height);
}

function mapOf({ area, picture, cells, cellSize, labels, pins }, { left, top, width, height }) {
  const scale = width / (area.east - area.west);
  const onSheet = ({ x, y }) => [(x - area.west) * scale, (y - area.north) * scale];
  return svg('svg', { x: left, y: top, width, height, viewBox: `0 0 ${width} ${height}` },
    svg('image', { href: picture, width, height, preserveAspectRatio: 'none' }),
    ...(cells.length > 0 ? [gridMarks(cells, onSheet, cellSize * scale)] : []),
    nameMarks(labels, onSheet), pinMarks(pins, onSheet), compass(width),
    svg('rect', { width, height, fill: 'none', stroke: '#252b31', 'stroke-width': 2 }));
}

/* `content`: {title, subtitle, address, parts of the legend, area, picture: an address, cells,
 * cellSize, labels, pins}. */
export function sheetOf(paper, content) {
  const { width, height, millimetres } = paper;
  const boxes = boxesOf(paper, content.parts);
  const { head, map, foot, legend } = boxes;
  const metresPerUnit = (content.area.east - content.area.west) / map.width;
  const drawn = legendOf(content.parts, legend.width).element;
  drawn.setAttribute('transform', `translate(${legend.left} ${legend.top})`);
  return svg('svg', { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`,
    width: `${millimetres[0]}mm`, height: `${millimetres[1]}mm`, 'font-family': SANS, role: 'img',
    'aria-label': content.title },
  svg('rect', { width, height, fill: '#ffffff' }),
  textAt(head.left, head.top + 24, content.title, { 'font-size': 26, 'font-family': SERIF }),
  textAt(head.left, head.top + 43, content.subtitle, { 'font-size': 11, fill: FAINT }),
  mapOf(content, map),
  svg('g', { transform: `translate(${foot.left} ${foot.top})` },
    scaleMarks(metresPerUnit, map.width * SCALE_SHARE),
    textAt(foot.width, 10, content.address, { 'font-size': 9, fill: FAINT, 'text-anchor': 'end' })),
  drawn);
}
