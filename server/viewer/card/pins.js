/* Pins: named places of a world and seed, kept in the browser and shown on the map. One more may
 * stand in the address, as "pin=x,y,name": a pin that somebody has shared. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { icon } from '../app/dom.js';
import { createEvents } from '../app/events.js';
import { exactText, parseCoordinate } from '../app/place.js';
import { toLatLng } from '../map/map.js';
import { tr } from '../texts/texts.js';

const PINS_MAX = 200;
export const NAME_MAX = 60;

const storageKey = ({ name, seed }) => `terrane.pins.${name}~${seed}`;
const cleanName = (text) => text.trim().slice(0, NAME_MAX);
const samePlace = (a, b) => a.x === b.x && a.y === b.y;

/* A pin of which nothing is sure, or null. */
function checked(pin) {
  const [x, y] = [pin?.x, pin?.y].map((metres) => parseCoordinate(String(metres)));
  return x === null || y === null ? null : { x, y, name: cleanName(String(pin.name ?? '')) };
}

/* A browser may keep nothing, or have kept what is no list of pins. */
function load(key) {
  try {
    const stored = JSON.parse(localStorage.getItem(key)) ?? [];
    return stored.map(checked).filter(Boolean).slice(0, PINS_MAX);
  } catch {
    return [];
  }
}

function store(key, pins) {
  try {
    if (pins.length > 0) localStorage.setItem(key, JSON.stringify(pins));
    else localStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}

export function sharedText({ x, y, name }) {
  return [exactText(x), exactText(y), name].join(',');
}

function parseShared(text = '') {
  const [x, y, ...name] = text.split(',');
  return checked({ x, y, name: name.join(',') });
}

/* The icon's tip is at (10, 18) of 20. */
const markerIcon = (shared) => L.divIcon({
  className: shared ? 'pin shared' : 'pin', html: icon('pin', 30),
  iconSize: [30, 30], iconAnchor: [15, 27],
});

/* A pin on the map; its name stands beside it. */
function createMarker(pin, shared, open) {
  const marker = L.marker(toLatLng(pin), {
    icon: markerIcon(shared), title: tr('Pin: {0}', pin.name || tr('without a name')),
    bubblingMouseEvents: false,
  });
  if (pin.name !== '') {
    const label = document.createTextNode(pin.name);
    const element = document.createElement('span');
    element.append(label);
    marker.bindTooltip(element, {
      permanent: true, direction: 'right', offset: [12, -14], className: 'pin-name',
    });
  }
  return marker.on('click keypress', ({ type, originalEvent }) => {
    if (type === 'click' || originalEvent.key === 'Enter') open(pin);
  });
}

export function createPins(app) {
  const events = createEvents();
  const group = L.layerGroup().addTo(app.map.leaflet);
  let key = null;
  let own = [];
  let kept = true;

  const open = ({ x, y }) => app.drawers.open('card', { place: { x, y } });
  const shared = () => parseShared(app.extras.pin);
  const draw = () => {
    group.clearLayers();
    const extra = shared();
    if (extra !== null && !own.some((pin) => samePlace(pin, extra))) {
      group.addLayer(createMarker(extra, true, open));
    }
    for (const pin of own) group.addLayer(createMarker(pin, false, open));
    events.emit('changed');
  };
  const change = (pins) => {
    own = pins;
    kept = store(key, own);
    draw();
  };

  app.on('shown', () => {
    if (key === storageKey(app.world)) return;
    key = storageKey(app.world);
    own = load(key);
    draw();
  });
  app.on('extras', draw);
  /* Another tab has changed them. */
  addEventListener('storage', (event) => {
    if (key === null || event.key !== key) return;
    own = load(key);
    draw();
  });

  return {
    on: events.on,
    /* The pins of the world that is shown: [{x, y, name}]. */
    list: () => own,
    find: (place) => own.find((pin) => samePlace(pin, place)),
    /* The pin of the address, or null; and how to remove it. */
    shared,
    removeShared() {
      app.setExtra('pin', null);
      draw();
    },
    /* Whether the browser keeps them. */
    kept: () => kept,
    /* False if there are as many as there may be, for which fullText() has words. */
    add({ x, y }, name) {
      if (own.length >= PINS_MAX) return false;
      change([...own, { x, y, name: cleanName(name) }]);
      return true;
    },
    fullText: () => tr('This world has {0} pins, the most that are kept: remove one first.',
      PINS_MAX),
    rename: (place, name) => change(own.map((pin) =>
      (samePlace(pin, place) ? { ...pin, name: cleanName(name) } : pin))),
    remove: (place) => change(own.filter((pin) => !samePlace(pin, place))),
  };
}
