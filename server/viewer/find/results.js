/* The places that were found: a list in the drawer, and a numbered mark for each on the map. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { h, iconButton } from '../app/dom.js';
import { heightText, roundedPlace, windName } from '../app/place.js';
import { distanceText } from '../app/units.js';
import { createBeacon } from '../map/beacon.js';
import { removeChip, showChip } from '../map/chips.js';
import { flyTo } from '../map/fly.js';
import { toLatLng } from '../map/map.js';
import { reveal } from '../map/reveal.js';
import { tr } from '../texts/texts.js';

const CHIP = 'found';
const CLOSEST = 17;

/* A zoom at which a search's step is some pixels wide, but not farther out than now. */
function zoomFor(app, step) {
  return Math.max(app.map.view().zoom, Math.min(CLOSEST, 19 - Math.round(Math.log2(step))));
}

export function createResults(app) {
  const list = h('ol', { class: 'found' });
  const marks = L.layerGroup().addTo(app.map.leaflet);
  const beacon = createBeacon(app);
  const openCard = (place) => app.drawers.open('card', { place });

  const mark = (place, number) => {
    const icon = L.divIcon({ className: 'number', html: h('span', {}, String(number)),
      iconSize: [24, 24] });
    const marker = L.marker(toLatLng(place), { icon, title: tr('Found place {0}', number),
      bubblingMouseEvents: false });
    return marker.on('click keypress', ({ type, originalEvent }) => {
      if (type === 'click' || originalEvent.key === 'Enter') openCard(place);
    });
  };
  const clear = () => {
    list.replaceChildren();
    marks.clearLayers();
    beacon.hide();
  };

  return {
    element: list,
    /* Gives the new row. */
    add(found, step) {
      const place = { ...found, ...roundedPlace(found) };
      const number = list.children.length + 1;
      const far = place.distance < 0.5 ? tr('Right here')
        : `${distanceText(place.distance)} ${windName(place.bearing)}`;
      const more = [place.height === undefined ? '' : heightText(place.height), place.text ?? '']
        .filter(Boolean).join(', ');
      const visit = () => flyTo(app, place, zoomFor(app, step), () => reveal(app, place));
      const go = h('button', { type: 'button', class: 'text go', title: tr('Show it on the map'),
        onclick: visit },
      h('strong', {}, far), more && h('small', {}, more));
      const row = h('li', {}, go,
        iconButton('pin', tr('Open the card of place {0}', number), () => openCard(place)));
      list.append(row);
      marks.addLayer(mark(place, number));
      showChip(CHIP, number === 1 ? tr('1 place found') : tr('{0} places found', number), clear);
      beacon.show({ place, name: tr('Place {0}', number), go: visit });
      return row;
    },
    clear() {
      removeChip(CHIP);
      clear();
    },
  };
}
