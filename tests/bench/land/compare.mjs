/* Figures of land against those of an earlier run at the same tiles. */

/* What may not move further than this, as a ratio to the earlier figure. */
export const BOUNDS = {
  valley_length: [0.8, Infinity],
  slope_median: [0.9, 1.1],
  slope_p95: [0.9, 1.1],
  power_2_64: [0.9, 1.1],
};

const FIGURES = ['valley_length', 'valley_samples', 'slope_median', 'slope_p95', 'power_2_64'];

const ratioOf = (now, before) => (now === before ? 1 : now / before);

/* The figures of a zoom by name, those of octaves as power_2_4 … */
function figuresOf({ power, ...view }) {
  const octaves = Object.entries(power).map(([from, value]) => [`power_${from}_${2 * from}`, value]);
  return { ...Object.fromEntries(FIGURES.map((name) => [name, view[name]])), ...Object.fromEntries(octaves) };
}

/* { zoom, ratios: { figure: ratio }, outside: [figure] } of each zoom that both documents have. */
export function compareLand(now, before) {
  return now.zooms.filter(({ zoom }) => before.zooms.some((other) => other.zoom === zoom)).map((view) => {
    const figures = figuresOf(view);
    const earlier = figuresOf(before.zooms.find(({ zoom }) => zoom === view.zoom));
    const ratios = Object.fromEntries(Object.keys(figures).map((name) => [name, ratioOf(figures[name], earlier[name])]));
    const outside = Object.entries(BOUNDS).filter(([name, [low, high]]) => !(ratios[name] >= low && ratios[name] <= high)).map(([name]) => name);
    return { zoom: view.zoom, ratios, outside };
  });
}

/* The ratio of each step to the next coarser level of detail, by zoom; none where the steps were measured in other places,
 * as the tiles of the closest zoom decide. */
export function compareSteps(now, before) {
  const closest = ({ zooms }) => JSON.stringify(zooms.at(-1).tiles.map(({ x, y }) => [zooms.at(-1).zoom, x, y]));
  if (closest(now) !== closest(before)) return new Map();
  const earlier = new Map(before.steps.map(({ zoom, rms_m: rms }) => [zoom, rms]));
  return new Map(now.steps.map(({ zoom, rms_m: rms }) => [zoom, ratioOf(rms, earlier.get(zoom))]));
}
