/* Layers in words: those that worlds have under usual names, and those of the worlds that come with
 * the program whose names alone say too little in a legend. Others are called as they are. */

import { tr } from '../texts/texts.js';

const TITLES = {
  height: tr('Height'), tint: tr('Height'), slope: tr('Slope'), depth: tr('Depth'), water_level: tr('Water level'),
  temperature: tr('Temperature'), precipitation: tr('Precipitation'), flow: tr('Flow'),
  stream: tr('Streams'), river: tr('Rivers'), valley: tr('Streams'), warmth: tr('Warmth'),
  moisture: tr('Moisture'), lushness: tr('Plant growth, from dry to lush'),
  arid: tr('Dry land'), bare: tr('Bare rock'), pale: tr('Snow and beaches'),
  growth: tr('Plants'), cover: tr('Plant cover'), cold: tr('Cold land'), turf: tr('Grassland'),
  canopy: tr('Forest'), trees: tr('Trees'), scrub: tr('Scrub'), oasis: tr('Oases'),
  erg: tr('Dunes of sand'), hamada: tr('Stony desert'), stone: tr('Bare rock'),
  flat: tr('Flat ground'), walls: tr('Walls of rock'), painted: tr('Bands of coloured rock'),
  far: tr('Rugged land, from afar'), hypsometry: tr('Land by height'),
};

/* "snow_line" as "Snow line". */
const spaced = (name) =>
  name.replaceAll('_', ' ').replace(/^./u, (first) => first.toUpperCase());

export const layerTitle = (name) =>
  (Object.hasOwn(TITLES, name) ? TITLES[name] : spaced(name));
