/* Which place the readout is about: the one under the mouse, the one that was tapped or, in 3-D, pointed
 * at, or else the map's centre (after the arrow keys, and while a finger moves the map). */

import * as L from 'leaflet/dist/leaflet-src.esm.js';

export const RINGS = 'rings'; /* the pane of the rings around places, below the names */
const CENTRE = { kind: 'centre' };

/* Calls changed() whenever the place may be another; latLng() is the place. */
export function createAim(map, changed) {
  const container = map.getContainer();
  const icon = L.divIcon({ className: 'mark', iconSize: [18, 18] });
  map.createPane(RINGS).style.zIndex = 440;
  let aim = null;
  let touch = false;
  let mark = null;

  const set = (next) => {
    aim = next;
    mark?.remove();
    mark = null;
    if (aim.kind === 'tap') {
      mark = L.marker(aim.latLng,
        { icon, pane: RINGS, interactive: false, keyboard: false }).addTo(map);
    }
    container.classList.toggle('crosshair', aim.kind === 'centre');
    changed();
  };

  const watchPointer = ({ pointerType }) => {
    touch = pointerType !== 'mouse';
  };
  container.addEventListener('pointerdown', watchPointer, { capture: true, passive: true });
  container.addEventListener('pointermove', watchPointer, { capture: true, passive: true });
  container.addEventListener('keydown', ({ key }) => {
    if (/^Arrow|^[+=_-]$/.test(key)) set(CENTRE);
  });

  map.on('mousemove', ({ containerPoint }) => {
    if (!touch) set({ kind: 'pointer', point: containerPoint });
  });
  map.on('mouseout', () => set(CENTRE));
  map.on('click', ({ latlng }) => {
    if (touch) set({ kind: 'tap', latLng: latlng });
  });
  /* A place that was tapped stays while the map makes room for its card. */
  map.on('dragstart zoomstart viewreset', () => {
    if (aim?.kind === 'tap') set(CENTRE);
  });
  map.on('move zoomend moveend', changed);
  aim = CENTRE;
  container.classList.add('crosshair');

  return {
    /* The place is given by someone else, until the map is used; null: the centre. */
    give(latLng) {
      set(latLng ? { kind: 'given', latLng } : CENTRE);
    },
    latLng() {
      if (aim.kind === 'pointer') return map.containerPointToLatLng(aim.point);
      return aim.latLng ?? map.getCenter();
    },
  };
}
