/* What is at the cursor: place at once, height and biome as soon as the server says. */

import { getPlace, hasGround, plainLayer } from '../app/api.js';
import {
  coordinateText, heightText, metresPerPixel, readable, valueText,
} from '../app/place.js';
import { distanceText } from '../app/units.js';
import { tr } from '../texts/texts.js';

/* A moving pointer is asked about when it has been this long on its way. */
const REST_MS = 70;
/* An answer that takes longer leaves the values of another place on the page no more. */
const LATE_MS = 700;

/* `elements` are the page's outputs; answered(error) hears of each answer: null, or
 * why it did not come. */
export function createReadout(elements, answered) {
  let world = null;
  let style = null;
  let timer = 0;
  let pending = null;
  let late = 0;

  /* Nothing is known of the place yet. */
  const clear = () => {
    clearTimeout(late);
    late = 0;
    elements.height.textContent = '–';
    elements.biome.textContent = '';
    elements.swatch.hidden = true;
    elements.layerValue.textContent = '';
  };

  const showLayer = (answer) => {
    const layer = plainLayer(world, style);
    const value = answer.layers[style];
    elements.layerName.parentElement.hidden = layer === null;
    if (layer === null) return;
    elements.layerName.textContent = style;
    elements.layerValue.textContent = valueText(value, layer.unit);
  };

  const showAnswer = (answer) => {
    clearTimeout(late);
    late = 0;
    const biome = world.biomes.find(({ name }) => name === answer.biome);
    elements.height.textContent = hasGround(world) ? heightText(answer.height)
      : valueText(answer.height);
    elements.biome.textContent = biome?.title ?? '';
    elements.swatch.hidden = biome === undefined;
    if (biome !== undefined) elements.swatch.style.backgroundColor = biome.color;
    showLayer(answer);
  };

  /* Only ever one question is under way: a newer one takes back the older. */
  const ask = async (question) => {
    pending?.abort();
    pending = new AbortController();
    const { signal } = pending;
    try {
      const answer = await getPlace(world, question, signal);
      if (signal.aborted) return;
      showAnswer(answer);
      answered(null);
    } catch (error) {
      if (!signal.aborted) answered(error);
    }
  };

  return {
    /* Answers so far are of another world. */
    setWorld(newWorld, newStyle) {
      clearTimeout(timer);
      pending?.abort();
      if (world !== null && world.fingerprint !== newWorld.fingerprint) clear();
      world = newWorld;
      style = newStyle;
      elements.biome.parentElement.hidden = world.biomes.length === 0;
    },
    /* Shows the place and asks what is there. */
    show(place, zoom, time) {
      const [x, y] = [place.x, place.y].map((metres) => coordinateText(metres, zoom));
      elements.place.textContent = `x\u00a0${readable(x)}   y\u00a0${readable(y)}`;
      const pixel = metresPerPixel(zoom);
      elements.detail.textContent = pixel > 1
        ? tr('As the map shows it: a pixel is {0}', distanceText(pixel))
        : '';
      clearTimeout(timer);
      late ||= setTimeout(clear, LATE_MS);
      if (world !== null) timer = setTimeout(ask, REST_MS, { x, y, zoom, time });
    },
  };
}
