/* Statistics of samples in the shape that /stats gives them: percentiles are by the nearest rank,
 * the histogram has equal parts between the extremes. Nothing here knows the page. */

const PERCENTS = [1, 5, 10, 25, 50, 75, 90, 95, 99];
const BINS = 16;

/* `samples`: a Float32Array, not empty; it is sorted in place. */
export function summarize(samples, unit) {
  samples.sort();
  const count = samples.length;
  const [minimum, maximum] = [samples[0], samples[count - 1]];
  const histogram = new Array(BINS).fill(0);
  const scale = maximum > minimum ? BINS / (maximum - minimum) : 0;
  let sum = 0;
  for (const value of samples) {
    sum += value;
    histogram[Math.min(BINS - 1, Math.floor((value - minimum) * scale))] += 1;
  }
  const percentiles = Object.fromEntries(PERCENTS.map((percent) =>
    [percent, samples[Math.ceil(count * percent / 100) - 1]]));
  return { unit, minimum, maximum, mean: sum / count, percentiles, histogram };
}

/* The histogram as bands from the highest to the lowest: {from, to, share, above}, where `above` is
 * the share of the ground that lies higher than the band's lower end. */
export function bandsOf({ minimum, maximum, histogram }) {
  const total = histogram.reduce((all, count) => all + count, 0);
  const step = (maximum - minimum) / histogram.length;
  let above = 0;
  return histogram.map((count, i) => ({ from: minimum + i * step, to: minimum + (i + 1) * step,
    count })).reverse().map(({ from, to, count }) => {
    above += count;
    return { from, to, share: count / total, above: above / total };
  });
}

/* Points [share of the ground that lies higher, value] of the hypsometric curve, from the highest
 * value down: those of the bands, and of the percentiles between them. */
export function curveOf(layer) {
  const bands = bandsOf(layer).map(({ from, above }) => [above, from]);
  const ranks = PERCENTS.map((percent) => [1 - percent / 100, layer.percentiles[percent]]);
  return [[0, layer.maximum], ...bands, ...ranks]
    .sort(([share, value], [other, against]) => share - other || against - value)
    .filter(([, value], i, all) => i === 0 || value <= all[i - 1][1]);
}
