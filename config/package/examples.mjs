/* The examples of the manual pages. */

/* The files of the pages of section 5. */
export const hills = [
  '{',
  '  "title": "Hills", "generator": 1, "seed": "hello",',
  '  "layers": { "height": "400 * fbm(wavelength=4096, octaves=8)" }',
  '}',
];
export const snow = [
  '{',
  '  "title": "Snow line",',
  '  "paint": [',
  '    { "ramp": { "layer": "height", "stops": [[0, "#86b07a"], [2800, "#f6f6f4"]] } },',
  '    { "shade": { "layer": "height", "lights": [[315, 45, 1]] } }',
  '  ]',
  '}',
];
export const service = [
  '{',
  '  "cache_memory": "1G",',
  '  "cache_disk": "/var/cache/terrane/tiles.db",',
  '  "public_url": "https://maps.example"',
  '}',
];

/* [what for, line...], by command. A test runs them in this order, in a folder with the world hills.json. */
export const examples = {
  serve: [['The built-in worlds, and those of a folder, for every machine of a network:',
    'terrane serve --worlds worlds --listen 0.0.0.0:8080'],
    ['Tiles that outlive a restart:', 'terrane serve --cache-disk tiles.db --cache-disk-size 20G']],
  render: [['One tile:', 'terrane render --tile 8/128/127 -o tile.png'],
    ['The heights of a rectangle as 32-bit floats:', 'terrane render --bbox 0,0,4096,4096 --width 256 -o heights.r32f'],
    ['A world of a file, with another seed, in the terminal:',
      'terrane render --world hills.json~42 --tile 12/2048/2048 --format txt -o -']],
  export: [['Map tiles in one file, for any web server:', 'terrane export --zoom 0-8 -o terra.pmtiles'],
    ['The same on two machines:',
      'terrane export --zoom 0-8 --shard 1/2 -o part-1.pmtiles',
      'terrane export --zoom 0-8 --shard 2/2 -o part-2.pmtiles']],
  merge: [['Both parts of an export:', 'terrane merge part-1.pmtiles part-2.pmtiles -o joined.pmtiles']],
  verify: [['With four tiles made anew:', 'terrane verify --tiles 4 terra.pmtiles']],
  query: [['All values at a place:', 'terrane query 0 0'],
    ['The heights of many places:', "printf '0 0\\n1000 0\\n' | terrane query --layer height -"]],
  profile: [['Heights along a line of two parts:', "terrane profile --samples 32 --line '0,0;10000,0;10000,5000'"]],
  stats: [['Heights and biomes of a rectangle:', 'terrane stats --bbox -8000,-8000,8000,8000 --samples 64']],
  locate: [['The nearest high ground:', 'terrane locate --min-height 1000 --radius 50000 0 0'],
    ['The nearest place of a condition:', "terrane locate --where 'height > 50 && height < 100' --radius 50000 0 0"]],
  seeds: [['The first seed that has high ground near the origin:', "terrane seeds --where 'height > 500' --count 1"]],
  objects: [['The trees and rocks of a square, as JSON:', 'terrane objects --json --bbox 0,0,200,200']],
  trace: [['From the origin to the sea:', 'terrane trace 0 0']],
  rivers: [['The rivers of a square:', 'terrane rivers --bbox -20000,-20000,20000,20000']],
  health: [['As the check of a container:', 'terrane health http://127.0.0.1:8080']],
  check: [['A world, with all of its errors:', 'terrane check hills.json'], ['The numbers of this build:', 'terrane check --golden'],
    ['What a layer is compiled to:', 'terrane check --program terra:height']],
  worlds: [['With the worlds of a folder:', 'terrane worlds --worlds .']],
  styles: [['Those of one world:', 'terrane styles --world terra']],
  formulas: [['In full, with every parameter:', 'terrane formulas --json']],
  names: [['Lakes in the tongues of a world:', 'terrane names --world terra --kind lake --count 20'],
    ['All kinds in one tongue, of another seed:', 'terrane names --world terra~42 --tongue celtic']],
  cache: [['What a cache holds, by format and world:', 'terrane cache tiles.db'],
    ['Without the tiles of one world:', 'terrane cache tiles.db --purge --world terra']],
  bench: [['As JSON:', 'terrane bench --json']],
};
