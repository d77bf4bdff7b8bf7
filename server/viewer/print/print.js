/* A printed page is the map as the window shows it, with a caption below: world, style, place,
 * scale and legend. The sheet of paper is given the window's width, as tiles lie where the window has
 * them; the printer makes it as large as its paper. */

import { findStyle } from '../app/api.js';
import { h } from '../app/dom.js';
import { metresPerPixel, placeText, readable } from '../app/place.js';
import { distanceText } from '../app/units.js';
import { tr } from '../texts/texts.js';

/* The caption's height: room for the legend with most rows, which narrow windows have below. */
const NARROW_PX = 640;
const captionHeight = (width) => (width < NARROW_PX ? 480 : 190);

/* What is shown, and where: the middle of the map and its corners. */
function lines(app) {
  const { world, style, map: { leaflet } } = app;
  const { zoom, ...centre } = app.map.view();
  const { x: width, y: height } = leaflet.getSize();
  const metres = metresPerPixel(zoom);
  const round = (value) => Math.round(value / metres) * metres;
  const corner = (right, down) => placeText({ x: round(centre.x + right * width / 2 * metres),
    y: round(centre.y + down * height / 2 * metres) });
  const seed = readable(world.chosenSeed ?? world.seed);
  return [
    tr('{0}, seed {1}, zoom {2}', findStyle(world, style).title || style, seed, zoom),
    tr('Centre {0} m; x runs east, y south. '
      + 'A pixel is {1}.', placeText({ x: round(centre.x), y: round(centre.y) }),
      distanceText(metres)),
    tr('North-west corner {0}; south-east corner {1}.', corner(-1, -1), corner(1, 1)),
  ];
}

export function startPrint(app, legend) {
  const sheet = new CSSStyleSheet();
  const caption = h('section', { id: 'print', 'aria-hidden': 'true' });
  document.adoptedStyleSheets.push(sheet);
  document.getElementById('stage').before(caption);

  addEventListener('beforeprint', () => {
    if (app.world === null || document.getElementById('poster-print')) return;
    const { title, name, attribution } = app.world;
    caption.replaceChildren(
      h('div', {}, h('h2', {}, title || name), lines(app).map((line) => h('p', {}, line)),
        h('p', {}, ['Terrane', attribution, location.href].filter(Boolean).join(' · '))),
      legend.hidden ? '' : legend.querySelector('.legend-body').cloneNode(true));
    const { x: width, y: height } = app.map.leaflet.getSize();
    sheet.replaceSync(`@page { size: ${width}px ${height + captionHeight(width)}px; margin: 0 }
      @media print {
        #map { width: ${width}px; height: ${height}px }
        #print { top: ${height}px; height: ${captionHeight(width)}px }
      }`);
  });
  addEventListener('afterprint', () => {
    caption.replaceChildren();
    sheet.replaceSync('');
  });
}
