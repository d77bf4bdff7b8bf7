/* <terrane-map>: a map of a server in any page, of any origin.
 *
 *   <script type="module" src="https://SERVER/viewer/terrane-map.js"></script>
 *   <terrane-map world="terra" seed="42" style="biome" x="1200" y="-350" zoom="11"></terrane-map>
 *
 * All attributes may be left out and may change. `style` is the name of a style here; where it
 * holds a colon it is CSS, as everywhere, and `map-style` names the style, as it does on pages
 * whose policy forbids inline styles. The element sends the event "terrane-move" with {x, y, zoom}
 * when the map was moved, and "terrane-click" with {x, y}. It speaks the language of `lang`, its own
 * or that of what it lies in, if texts.js has it. Everything is in its shadow, Leaflet's
 * styles included. Out of its page the element holds no map; put back, it shows what it showed. */

import { findStyle, tileTemplate } from '../app/api.js';
import { createLatest } from '../app/app.js';
import { worldAddress } from '../app/permalink.js';
import { PLACE_MAX, ZOOM_MAX } from '../app/place.js';
import { createRecovery } from '../app/recovery.js';
import { createMap, toLatLng } from '../map/map.js';
import styles from './terrane-map.css';
import { textsOf } from './texts.js';

/* For what neither an attribute nor the view of the world's file says. */
const USUAL = { style: 'relief', x: 0, y: 0, zoom: 4 };
const ATTRIBUTES = ['server', 'world', 'seed', 'style', 'map-style', 'x', 'y', 'zoom', 'lang'];
const VIEW = ['x', 'y', 'zoom'];

/* The script is at /viewer/terrane-map.js of its server, perhaps below a prefix. */
const HOME = new URL('..', import.meta.url).href;

/* `texts` are those of an element. */
async function getJson(address, texts, signal) {
  const response = await fetch(address, {
    signal, headers: { Accept: 'application/json, image/webp' },
  });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => null);
  throw new Error(problem?.detail ?? texts.status(response.status));
}

/* A number within ±most, or else the usual one. */
function numberOf(text, most, usual) {
  const number = text === null || text.trim() === '' ? NaN : Number(text);
  return Math.abs(number) <= most ? number : usual;
}

class TerraneMap extends HTMLElement {
  static observedAttributes = ATTRIBUTES;

  #map = null; /* while the element is in a page */
  #texts = textsOf(document.documentElement);
  #left = null; /* the view when it was taken out of one */
  #latest = createLatest();
  #shown = null; /* the descriptor of the world that is shown */
  #pending = false;
  #note = document.createElement('p');
  #resized = new ResizeObserver(() => this.#fit());
  /* The server may have got another version of the world, whose tiles have other addresses. */
  #recovery = createRecovery(async () => {
    if (this.#map === null) return;
    await this.#show();
    this.#map?.retryTiles();
  });

  connectedCallback() {
    this.#build();
    if (this.#left === null) this.#setView();
    else this.#map.setView(this.#left, this.#left.zoom);
    this.#update();
  }

  disconnectedCallback() {
    this.#left = this.view;
    this.#resized.disconnect();
    this.#recovery.done();
    this.#latest(() => null).catch(() => {}); /* takes back the request under way */
    this.#map.leaflet.remove();
    this.#map = null;
  }

  attributeChangedCallback(name, before, now) {
    if (before === now) return;
    const isView = VIEW.includes(name);
    if (this.#map === null) this.#left = isView ? null : this.#left;
    else if (isView) this.#setView();
    else {
      if (name === 'lang') this.#speak();
      this.#update();
    }
  }

  /* The place in the middle, in metres, and the zoom. */
  get view() {
    if (this.#map === null) return null;
    const { x, y, zoom } = this.#map.view();
    return { x, y, zoom };
  }

  #build() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    root.adoptedStyleSheets = [sheet];
    const element = document.createElement('div');
    element.id = 'map';
    element.setAttribute('role', 'region');
    this.#note.setAttribute('role', 'status');
    root.replaceChildren(element, this.#note);
    this.#map = createMap(element, {
      moved: () => this.#send('terrane-move', this.view),
      aimed() {},
      clicked: (place) => this.#send('terrane-click', place),
      broken: () => {
        this.#say(this.#texts.tiles);
        this.#recovery.start();
      },
      mended: () => {
        this.#say('');
        this.#recovery.done();
      },
    });
    this.#speak();
    this.#resized.observe(this);
  }

  /* Says in the language of the element what the map says itself. */
  #speak() {
    this.#texts = textsOf(this);
    const { map, zoomIn, zoomOut } = this.#texts;
    for (const [selector, text] of [['#map', map], ['.leaflet-control-zoom-in', zoomIn],
      ['.leaflet-control-zoom-out', zoomOut]]) {
      const element = this.shadowRoot.querySelector(selector);
      element.setAttribute('aria-label', text);
      if (element.id !== 'map') element.title = text;
    }
  }

  /* The place in the middle stays there. */
  #fit() {
    if (this.#map === null) return;
    const { zoom, ...place } = this.view;
    this.#map.leaflet.invalidateSize({ pan: false });
    this.#map.leaflet.setView(toLatLng(place), zoom, { animate: false, reset: true });
  }

  #send(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  #say(text) {
    this.#note.className = this.#shown === null ? 'alone' : '';
    this.#note.textContent = text;
  }

  #usual() {
    return this.#shown?.view ?? USUAL;
  }

  /* A place is given by both of its coordinates. */
  #setView() {
    const given = this.hasAttribute('x') || this.hasAttribute('y');
    const usual = given ? USUAL : this.#usual();
    const [x, y] = ['x', 'y'].map((name) =>
      numberOf(this.getAttribute(name), PLACE_MAX, usual[name]));
    const zoom = numberOf(this.getAttribute('zoom'), ZOOM_MAX, this.#usual().zoom);
    this.#map.setView({ x, y }, Math.max(0, Math.round(zoom)));
  }

  /* Attributes that change together are one change. */
  #update() {
    if (this.#pending) return;
    this.#pending = true;
    queueMicrotask(() => {
      this.#pending = false;
      if (this.#map === null) return;
      this.#show().catch((error) => {
        const isSilent = error instanceof TypeError; /* the server did not answer */
        this.#say(this.#texts.refused(isSilent ? this.#texts.silent : error.message));
        if (isSilent) this.#recovery.start();
      });
    });
  }

  #styleName() {
    const name = this.getAttribute('map-style') ?? this.getAttribute('style') ?? ':';
    return name.includes(':') ? this.#usual().style ?? USUAL.style : name;
  }

  /* The address of the world's descriptor, and that of the server. */
  async #addresses(signal) {
    const server = new URL(`${this.getAttribute('server') ?? HOME}/`.replace(/\/+$/, '/')).href;
    const name = this.getAttribute('world')
      ?? (await getJson(`${server}worlds`, this.#texts, signal)).default;
    return { server, address: worldAddress(name, this.getAttribute('seed') || null) };
  }

  async #show() {
    const world = await this.#latest(async (signal) => {
      const { server, address } = await this.#addresses(signal);
      const descriptor = await getJson(`${server}worlds/${address}`, this.#texts, signal);
      return { ...descriptor, server, address };
    });
    if (world === null || this.#map === null) return;
    const isOther = this.#shown?.name !== world.name;
    this.#shown = world;
    if (isOther && !this.hasAttribute('x') && !this.hasAttribute('y')) this.#setView();
    const wanted = this.#styleName();
    const style = [wanted, USUAL.style].find((name) => findStyle(world, name))
      ?? world.styles[0].name;
    this.#say(style === wanted ? '' : this.#texts.style(wanted));
    this.#map.showTiles(world.server + tileTemplate(world, style, this.#usual().t || null));
  }
}

/* A page may load the script twice, from two servers perhaps: the first one has the element. */
if (!customElements.get('terrane-map')) customElements.define('terrane-map', TerraneMap);
