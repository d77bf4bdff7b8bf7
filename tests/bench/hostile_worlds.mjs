/* Worlds whose samples are as expensive as a file may make them: many octaves, warps in warps, nodes that a warp tears
 * apart, scopes of extreme scales, land whose streams lie close. None has a warp of its drainage network that folds the
 * plane. */

const title = 'For tests of prices';
const world = (layers, more = {}) => ({ title, generator: 1, seed: '1', layers, ...more });
const biomes = [{ name: 'sea', color: '#235', when: 'height < 0' }, { name: 'land', color: '#794' }];

/* A continent that is as wide as its network needs, and a network of the spacing. */
const drained = (spacing, fields, more = {}) => world({
  broad: `fbm(${48 * spacing}, 4)`,
  hills: `fbm(${spacing / 2}, 6)`,
  height: { formula: 'drainage("height")', unit: 'm', range: [-2000, 2000] },
  water_level: 'drainage("water")',
  flow: 'drainage("flow")',
}, {
  drainage: { potential: '1500 * broad + 100', target: '1500 * broad + 100 + 300 * hills', relief: '150 + 100 * hills', spacing, ...fields },
  biomes,
  ...more,
});

export const hostileWorlds = {
  octaves: world({ height: '900 * (fbm(1e9, 24, persistence=0.9) + ridged(1e8, 24, basis="simplex") + fbm(1e7, 24, damping=1) + billow(4096, 19, basis="value"))' },
    { biomes, objects: { tree: { spacing: 0.5, density: '0.5 * (biome == land)', min_distance: 2 } } }),
  cells: world({ height: '90 * (fbm(65536, 12, basis="worley") + worley(3, feature="f2-f1") + worley(0.5, feature="f2") + worley(900, feature="cell"))' }),
  warps: world({
    a: 'fbm(16384, 12)', b: 'warp(a, 9000 * fbm(4096, 8), 9000 * fbm(4096, 8, salt="2"))',
    height: '900 * warp(b, 30000 * fbm(32768, 10), 3000 * b) + 90 * warp(fbm(64, 8), 1e6 * perlin(512), 1e6 * perlin(512, salt="2"))',
  }),
  scales: world({ height: '90 * scale(fbm(1024, 12), 9e5) + 9 * scale(fbm(1e7, 16), 1e-4) + 9 * rotate(scale(fbm(65536, 12), 0.001), 30)' }),
  slopes: world({ ground: '900 * fbm(8192, 12)', steep: 'slope(ground, 2)', steeper: 'slope(steep, 16)', height: 'ground + 9 * steeper' }),
  nodes: world({ height: '900 * coarse(warp(fbm(262144, 12), 40000 * fbm(65536, 8), 40000 * fbm(65536, 8, salt="2")), 256) + 9 * coarse(fbm(64, 12), 1) + 90 * coarse(coarse(fbm(1048576, 8), 131072) + fbm(32768, 8), 2048)' }),
  torn: world({ height: '900 * warp(coarse(fbm(4096, 12, damping=1), 16), 50000 * fbm(500, 3), 50000 * fbm(500, 3, salt="2"))' }),
  tiny: world({ height: '1e-30 * fbm(4096, 6)', density: '1e30 * fbm(4096, 6)' }),
  volumes: world({ density: 'fbm(256, 14, axes="xyz") + 0.01 * fbm(16, 8, axes="xyzt") - 0.001 * z', height: '90 * fbm(4096, 10, axes="xyt", wavelength_t=9)' }),
  springs: drained(16384, { lakes: '1', deltas: 1 }),
  rivers: drained(131072, { lakes: '0.5', warp_x: '4000 * fbm(65536, 12)', warp_y: '4000 * fbm(65536, 12, salt="2")' }),
  woods: drained(1048576, {}, { objects: { tree: { spacing: 8, density: '0.5 * (biome == land)', max_slope: 30 } } }),
};
