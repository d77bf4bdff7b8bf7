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

/* Colours of a window are varied from this deviation on. */
export const VARIETY = 6;
/* The share of varied windows may be this part of the earlier one, and more. */
const VARIETY_LOW = 0.9;

/* The share of varied windows of a zoom, and the deviations that a tenth, a half and nine tenths of them do not exceed. */
export function varietyOf({ windows }) {
  const sorted = windows.map(({ deviation }) => deviation).sort((a, b) => a - b);
  const quantile = (share) => sorted[Math.floor(share * (sorted.length - 1))];
  const share = sorted.filter((deviation) => deviation >= VARIETY).length / sorted.length;
  return { share, low: quantile(0.1), median: quantile(0.5), high: quantile(0.9) };
}

/* { zoom, ratio, outside } of each zoom whose colours both documents have: the ratio of the shares of varied windows. */
export function compareColours({ colours = [] }, { colours: earlier = [] }) {
  return colours.filter(({ zoom }) => earlier.some((other) => other.zoom === zoom)).map((view) => {
    const ratio = ratioOf(varietyOf(view).share, varietyOf(earlier.find(({ zoom }) => zoom === view.zoom)).share);
    return { zoom: view.zoom, ratio, outside: !(ratio >= VARIETY_LOW) };
  });
}
