/* The sun of the scene: where it stands at an hour of the day, and what colours it gives to sky,
 * ground and objects. Its path is one of a middle latitude at the equinox: it rises at 6 in the
 * east, stands at 50 degrees in the south at 12 and sets at 18 in the west. By night the moon gives
 * a weak light from the south-east. Nothing here knows the page. */

const NOON = 50;                /* degrees above the horizon */
const MOON = { azimuth: 140, altitude: 40 };
const RADIANS = Math.PI / 180;

/* Colours by the sun's altitude in degrees, linear between them. `picture` is the brightness of the
 * map's own colours, `light` the colour of what the sun shines on. */
const STAGES = [
  { altitude: -12, sky: '#0b1526', horizon: '#16243a', fog: '#131f31', light: '#8fa6d0',
    picture: 0.34 },
  { altitude: -4, sky: '#27406b', horizon: '#8a6a76', fog: '#4d5470', light: '#b9a9b8',
    picture: 0.5 },
  { altitude: 1, sky: '#5678ab', horizon: '#f0a468', fog: '#cfa389', light: '#ffb27a',
    picture: 0.72 },
  { altitude: 10, sky: '#6c9fd2', horizon: '#f3dcb4', fog: '#ddd2bf', light: '#ffdcae',
    picture: 0.9 },
  { altitude: 25, sky: '#6fa6d8', horizon: '#dfe9f0', fog: '#d9e3ea', light: '#fff8ea',
    picture: 1 },
];

/* {azimuth, altitude} of the sun in degrees, clockwise from north and above the horizon. */
export function sunAt(hour) {
  const turn = (hour - 12) * 15 * RADIANS; /* from the south, to the west */
  const noon = NOON * RADIANS;
  const [west, south, up] = [Math.sin(turn), Math.cos(turn) * Math.cos(noon),
    Math.cos(turn) * Math.sin(noon)];
  const azimuth = (Math.atan2(-west, -south) / RADIANS + 360) % 360;
  return { azimuth, altitude: Math.asin(up) / RADIANS };
}

const parts = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
const mix = (a, b, share) => a + (b - a) * share;

function mixColors(a, b, share) {
  const [from, to] = [a, b].map(parts);
  return `#${from.map((part, i) => Math.round(mix(part, to[i], share)).toString(16)
    .padStart(2, '0')).join('')}`;
}

/* The stage at an altitude. */
function stageAt(altitude) {
  const next = STAGES.findIndex((stage) => stage.altitude > altitude);
  if (next <= 0) return STAGES.at(next);
  const [a, b] = [STAGES[next - 1], STAGES[next]];
  const share = (altitude - a.altitude) / (b.altitude - a.altitude);
  const colors = Object.fromEntries(['sky', 'horizon', 'fog', 'light'].map((name) =>
    [name, mixColors(a[name], b[name], share)]));
  return { ...colors, picture: mix(a.picture, b.picture, share) };
}

/* Everything that an hour changes: {azimuth, altitude} of what shines, `direction` to it (east, up,
 * south), sky, horizon, fog and light as colours, picture 0 … 1, and `shade`, how strong shades are:
 * a low sun makes long ones. */
export function lightAt(hour) {
  const sun = sunAt(hour);
  const isDay = sun.altitude > -4;
  const source = isDay ? { azimuth: sun.azimuth, altitude: Math.max(2, sun.altitude) } : MOON;
  const [turn, tilt] = [source.azimuth * RADIANS, source.altitude * RADIANS];
  const level = Math.cos(tilt);
  return {
    ...stageAt(sun.altitude), ...source,
    direction: [Math.sin(turn) * level, Math.sin(tilt), -Math.cos(turn) * level],
    shade: isDay ? mix(0.75, 0.3, Math.min(1, source.altitude / NOON)) : 0.35,
  };
}

/* "6:15" of 6.25. */
export function hourText(hour) {
  const minutes = Math.round(hour * 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}
