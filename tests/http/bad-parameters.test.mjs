/* Invalid parameters of tiles, chunks, volumes and queries: each gets the right status and a problem document that names
 * the parameter and has an example that works; and the connection stays open. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { server } from './queries.mjs';
import { Connection, get } from './raw.mjs';

/* Invalid numbers: only strict decimal is accepted. */
const NUMBERS = ['', 'big', '0x10', '1,5', 'nan', '+1'];
const COORDINATES = [...NUMBERS, 'Infinity', '1099511627777'];
const WHOLE = [...NUMBERS, '1.5', '01'];
const BOX = ['', '1,2,3', '0,0,9', '9,0,0,9', '0,0,9,9,9', 'a,0,9,9', '0,0,9,inf'];
const SWITCHES = { pretty: ['yes', '2', ''], format: ['xml', 'JSON', ''] };
const DETAILS = ['', 'fine', 'Grid', '0'];
const PLACE = { x: COORDINATES, y: COORDINATES };

/* Each parameter of a route, with a valid value and values that are refused with 400. */
const routes = [
  { path: '/chunks/0/0.r32f', good: 'size=4&step=1&apron=0&layers=height&t=0',
    wrong: {
      size: [...WHOLE, '0', '1025', '-1', '-0'], step: [...NUMBERS, '0', '3', '-1', '131072', '0.03125'], apron: [...WHOLE, '-1', '9'],
      t: [...NUMBERS, '1e13'], layers: ['', ',', 'height,', 'height,height'],
    } },
  { path: '/worlds/caves/volumes/0/0/0.r32f', good: 'size=4&step=1&layer=density&t=0',
    wrong: { size: ['', 'big', '0', '129', '1.5'], step: ['', '0', '5', '-2'], t: ['now', ''], layer: [''] } },
  { path: '/at', good: 'x=0&y=0&z=0&t=0&zoom=9', needs: ['x', 'y'],
    wrong: { ...PLACE, z: NUMBERS, t: NUMBERS, zoom: ['', '21', '-1', '1.5', 'far'], ...SWITCHES } },
  { path: '/explain', good: 'x=0&y=0&z=0&t=0&zoom=9', needs: ['x', 'y'],
    wrong: { x: ['', 'a', '1e99'], y: ['', 'b'], z: ['', 'up'], t: ['', 'now'], zoom: ['21', 'x'], ...SWITCHES } },
  { path: '/profile', good: 'line=0,0;9,9&samples=4', needs: ['line'],
    wrong: { line: ['', '0,0', '0;0', '0,0;a,1', '0,0,1;1,1', '0,0;1,1;'], samples: [...WHOLE, '1', '100000000'], ...SWITCHES } },
  { path: '/profile.svg', good: 'line=0,0;9,9&samples=4', needs: ['line'], wrong: { line: ['', '5,5', 'x'], samples: ['0', 'many'] } },
  { path: '/stats', good: 'bbox=0,0,9,9&samples=4&detail=full', needs: ['bbox'],
    wrong: { bbox: BOX, samples: [...WHOLE, '0', '1025'], detail: DETAILS, ...SWITCHES } },
  { path: '/objects', good: 'bbox=0,0,9,9', needs: ['bbox'], wrong: { bbox: BOX, ...SWITCHES } },
  { path: '/objects.geojson', good: 'bbox=0,0,9,9', needs: ['bbox'], wrong: { bbox: ['', '1,2,3', 'here'], pretty: ['yes'] } },
  { path: '/trace', good: 'x=0&y=0', needs: ['x', 'y'], wrong: { ...PLACE, ...SWITCHES } },
  { path: '/trace.svg', good: 'x=0&y=0', needs: ['x', 'y'], wrong: PLACE },
  { path: '/trace.geojson', good: 'x=0&y=0', needs: ['x', 'y'], wrong: { ...PLACE, pretty: ['yes'] } },
  { path: '/rivers', good: 'bbox=0,0,9,9&min_flow=1e9', needs: ['bbox'], wrong: { bbox: BOX, min_flow: [...NUMBERS, '0', '-1', '1e16'], ...SWITCHES } },
  { path: '/rivers.geojson', good: 'bbox=0,0,9,9', needs: ['bbox'], wrong: { bbox: ['', '1,2,3', 'here'], min_flow: ['0', 'much'], pretty: ['yes'] } },
  { path: '/locate', good: 'min_height=-9000&x=0&y=0&radius=10',
    wrong: { x: ['', 'a'], y: ['', 'b'], radius: [...NUMBERS, '0', '-5'], min_height: ['', 'high', 'nan'], detail: DETAILS, ...SWITCHES } },
  { path: '/spawn', good: 'x=0&y=0&radius=50', wrong: { x: ['', 'a'], y: ['', 'b'], radius: [...NUMBERS, '-5'], detail: DETAILS, ...SWITCHES } },
  { path: '/sight', good: 'from=0,0,9&to=9,9,9', needs: ['from', 'to'],
    wrong: { from: ['', '0,0', '0,0,a', '0,0,1,1'], to: ['', '0,0', '0,0,inf', 'there'], ...SWITCHES } },
  { path: '/diff', good: 'a=terra&b=terra~2&bbox=0,0,9,9&samples=3', needs: ['b', 'bbox'],
    wrong: { a: ['terra@x', 'terra~'], b: ['terra@g1-0', 'terra%7E'], bbox: BOX, samples: ['0', '1025', 'few'], detail: DETAILS, ...SWITCHES } },
  { path: '/verify', good: 'chunk=0,0&size=4&step=1&apron=0&layers=height&t=0', needs: ['chunk'],
    wrong: {
      chunk: ['', '0', '0,0,0', 'a,0', '0,-0'], size: ['0', '1025', 'x'], step: ['3', '0'], apron: ['9', '-1'], layers: ['', 'height,height'],
      t: ['now'], digest: ['', 'x', '0'.repeat(31), 'G'.repeat(32)], ...SWITCHES,
    } },
];

const fingerprint = '0123456789abcdef'.repeat(2);

/* What is asked, and the part that all of its targets begin with: [rest of the target, status, parameter, part of the
 * problem's detail]. */
const targets = {
  'places and formats of chunks': ['/chunks/', [
    ['a/0.r32f', 400, 'cx'], ['0/b.r32f', 400, 'cy'], ['1.5/0.r32f', 400, 'cx'], ['-0/0.r32f', 400, 'cx'], ['0/1e3.r32f', 400, 'cy'],
    ['+1/0.r32f', 400, 'cx'], ['99999999999999999999/0.r32f', 400, 'cx'], ['0/0', 404, 'format', 'ends in the format'],
    ['0/0.bin', 404, 'format', 'r32f, r16'], ['0/0.R32F', 404, 'format', 'no format'], ['0/0.mvt', 404, 'format', 'r32f, r16'],
    ['17179869184/0.r32f', 404, 'cx', '-17179869184 … 17179869183'], ['0/-17179869185.r32f', 404, 'cy', '-17179869184'],
    ['0/0.png?layers=height,biome', 400, 'layers', 'one layer'], ['0/0.glb?layers=height,biome', 400, 'layers', 'one layer'],
    ['0x1/0.r32f', 400, 'cx'], ['0/.r32f', 400, 'cy'], ['9223372036854775807/0.r32f', 404, 'cx', 'must be'],
    ['0/-9223372036854775808.r32f?size=1', 404, 'cy', 'must be'], ['0/0.asc?layers=height,biome', 400, 'layers', 'one layer'],
    ['0.r32f', 404, undefined], ['0/0/0.r32f', 404, undefined], ['0/-0.r32f', 400, 'cy'],
  ]],
  'parameters of meshes': ['/chunks/0/0.glb?', [
    ['skirt=-1', 400, 'skirt', '0 to 65536'], ['skirt=65537', 400, 'skirt'], ['skirt=', 400, 'skirt'], ['skirt=high', 400, 'skirt'],
  ]],
  'parameters of chunks': ['/chunks/0/0.r32f?', [
    ['skirt=4', 400, 'skirt', 'these formats only: glb'],
    ['layers=heigt', 404, 'layers', 'did you mean "height"'], ['size=1024&apron=8&layers=height,biome,upland,shores', 413, 'size', '4194304 samples'],
    ['size=0', 400, 'size'], ['size=1025', 400, 'size', '1024'], ['size=-1', 400, 'size'], ['size=big', 400, 'size', 'big'], ['size=', 400, 'size'],
    ['size=6.4e1', 400, 'size'], ['step=0', 400, 'step'], ['step=3', 400, 'step', 'power of two'], ['step=-1', 400, 'step'],
    ['step=0.03125', 400, 'step', '0.0625'], ['step=131072', 400, 'step', '65536'], ['step=inf', 400, 'step', 'inf'], ['step=1.0001', 400, 'step'],
    ['step=0x1', 400, 'step'], ['step=1,0', 400, 'step'], ['apron=9', 400, 'apron'], ['apron=-1', 400, 'apron'], ['apron=x', 400, 'apron'],
    ['t=nan', 400, 't', 't: must'], ['t=1e13', 400, 't', 't: must'], ['t=', 400, 't', 't: must'], ['layers=', 400, 'layers', 'empty'],
    ['layers=height,', 400, 'layers', 'empty'], ['layers=height,height', 400, 'layers', 'more than once'],
    ['layers=height,biom', 404, 'layers', 'biome'], ['layers=Height', 404, 'layers', 'height'],
    [`layers=${'x'.repeat(64)}`, 400, 'layers', 'so long'], [`layers=${'%C3%A4'.repeat(31)}`, 404, 'layers', 'unknown layer'],
    ['szie=64', 400, 'szie', 'did you mean "size"'], ['size=4&size=4', 400, 'size', 'more than once'], ['zoom=3', 400, 'zoom'],
  ]],
  volumes: ['', [
    ['/worlds/caves/volumes/a/0/0.r32f', 400, 'cx'], ['/worlds/caves/volumes/0/a/0.r32f', 400, 'cy'], ['/worlds/caves/volumes/0/0/a.r32f', 400, 'cz'],
    ['/worlds/caves/volumes/0/0/0.png', 404, 'format', 'r32f, r8, json'], ['/worlds/caves/volumes/0/0/0', 404, 'format'],
    ['/worlds/caves/volumes/0/0/0.r32f?layer=densty', 404, 'layer', 'density'],
    ['/worlds/caves/volumes/0/0/34359738368.r32f', 404, 'cz', '-34359738368 … 34359738367'], ['/volumes/0/0/0.r32f?layer=density', 404, 'layer'],
    ['/volumes/0/0/0.r32f', 404, 'layer', 'unknown layer "density"'], ['/worlds/caves/volumes/0/0/z.r32f', 400, 'cz'],
    ['/worlds/caves/volumes/0/0.5/0.r32f', 400, 'cy'], ['/worlds/caves/volumes/0/0/0.r32f?size=129', 400, 'size', '128'],
    ['/worlds/caves/volumes/0/0/0.r32f?size=0', 400, 'size'], ['/worlds/caves/volumes/0/0/0.r32f?step=5', 400, 'step', 'power of two'],
    ['/worlds/caves/volumes/0/0/0.r32f?t=x', 400, 't', 't: must'], ['/worlds/caves/volumes/0/0/0.r32f?apron=1', 400, 'apron'],
    ['/worlds/caves/volumes/0/0/0.r32f?layers=density', 400, 'layers', 'layer'],
    ['/worlds/caves/volumes/0/0/0.r32f?layer=density,height', 404, 'layer', 'unknown layer'],
    ['/worlds/caves/volumes/0/0/0.r32f?layer=', 400, 'layer', 'empty'], ['/worlds/caves/volumes/0/0.r32f', 404, undefined],
  ]],
  tiles: ['/tiles/', [
    ['three/4/2.png', 400, 'z'], ['03/4/2.png', 400, 'z'], ['3/4.0/2.png', 400, 'x'], ['3/0x4/2.png', 400, 'x'], ['3/1e1/2.png', 400, 'x'],
    ['9/-0/256.png', 400, 'x'], ['-0/0/0.png', 400, 'z'], ['3/4/+2.png', 400, 'y'], ['3/4/.png', 400, 'y'],
    ['3/99999999999999999999/2.png', 400, 'x'], ['21/4/2.png', 404], ['-1/4/2.png', 404], ['0/32768/0.png', 404], ['3/4/2.gif', 404], ['3/4/2', 404],
    ['3/4/2@3x.png', 400, 'y'], ['3/4/2.png?size=300', 400, 'size'], ['3/4/2@2x.png?size=256', 400, 'size'], ['3/4/2.png?t=now', 400, 't'],
    ['3/4/2.png?t=inf', 400, 't'], ['3/4/2.png?siez=512', 400, 'siez'], ['3/4/2.png?size=512&size=512', 400, 'size'],
  ]],
  'names, seeds and pins': ['', [
    ['/worlds/tera/tiles/relief/3/4/2.png', 404, 'world'], ['/worlds/tera~1/tiles/relief/3/4/2.png', 404, 'world'],
    ['/tiles/3/4/2.png?world=tera', 404, 'world'], ['/tiles/relif/3/4/2.png', 404, 'style'], [`/worlds/${'a'.repeat(64)}`, 404, 'world'],
    [`/worlds/terra~${'a'.repeat(257)}`, 400, 'world'], ['/worlds/terra~', 400, 'world'], ['/worlds/terra@', 400, 'world'],
    ['/worlds/terra@g1-12', 400, 'world'], [`/worlds/terra@g1-${fingerprint.toUpperCase()}`, 400, 'world'],
    [`/worlds/terra@g1-${fingerprint}`, 410, 'world'], ['/tiles/relief@s1-0123456789abcdef/3/4/2.png', 410, 'style'],
    ['/tiles/relief/3/4/2.png?world=terra', 400, 'world'], ['/worlds/tera', 404, 'world'], ['/worlds/tera/at?x=0&y=0', 404, 'world'],
    ['/worlds/tera/chunks/0/0.r32f', 404, 'world', 'terra'], ['/worlds/terra@x/at?x=0&y=0', 400, 'world'],
    ['/worlds/terra~/at?x=0&y=0', 400, 'world'], ['/worlds/terra%40x/chunks/0/0.r32f', 400, 'world'],
    [`/worlds/terra@g1-${'0'.repeat(32)}/at?x=0&y=0`, 410, 'world'],
  ]],
  queries: ['/', [
    ['at?x=1&y=1&lon=1&lat=1', 400, 'lon'], ['at?lon=0&lat=86', 400, 'lat'], ['at?lon=180.5&lat=0', 400, 'lon'], ['at?lon=0', 400, 'lat'],
    ['objects?bbox=0,0,9,9&kind=oka', 404, 'kind'], ['objects?bbox=-1e6,-1e6,1e6,1e6', 413, 'bbox'],
    ['locate?biome=forst&x=0&y=0&radius=100', 404, 'biome'], ['locate?x=0&y=0&radius=100', 400, 'biome'],
    ['diff?a=tera&b=terra&bbox=0,0,9,9', 404, 'a'], ['diff?b=tera&bbox=0,0,9,9', 404, 'b'], ['at?', 400, 'x'], ['at?x=1', 400, 'y'],
    ['at?x=&y=1', 400, 'x'], ['at?x=0x10&y=1', 400, 'x'], ['at?x=Infinity&y=1', 400, 'x'], ['at?x=nan&y=1', 400, 'x'], ['at?x=1,5&y=1', 400, 'x'],
    ['at?x=+1&y=1', 400, 'x'], ['at?x=1099511627777&y=0', 400, 'x'], ['at?x=0&y=0&zoom=21', 400, 'zoom'], ['at?x=0&y=0&format=xml', 400, 'format'],
    ['at?x=0&y=0&pretty=yes', 400, 'pretty'],
  ]],
  '/verify': ['/verify', [
    ['?chunk=17179869184,0', 404, 'chunk'], ['?chunk=0,0&layers=heigt', 404, 'layers'], ['', 400, 'chunk'], ['?chunk=', 400, 'chunk'],
    ['?chunk=1', 400, 'chunk'], ['?chunk=1,', 400, 'chunk'], ['?chunk=1,2,3', 400, 'chunk'], ['?chunk=1.5,2', 400, 'chunk'],
    ['?chunk=0x1,2', 400, 'chunk'], ['?chunk=9223372036854775808,0', 400, 'chunk'], ['?chunk=0,0&digest=', 400, 'digest'],
    ['?chunk=0,0&digest=abc', 400, 'digest'], [`?chunk=0,0&digest=${'g'.repeat(32)}`, 400, 'digest'],
    [`?chunk=0,0&digest=${'0'.repeat(33)}`, 400, 'digest'], ['?chunk=0,0&size=0', 400, 'size'], ['?chunk=0,0&size=1025', 400, 'size'],
    ['?chunk=0,0&step=3', 400, 'step'], ['?chunk=0,0&apron=9', 400, 'apron'], ['?chunk=0,0&t=x', 400, 't'],
    ['?chunk=0,0&layers=height,height', 400, 'layers'], ['?chunk=0,0&format=csv', 400, 'format'], ['?chunk=0,0&layer=height', 400, 'layer'],
    ['?chunk=0,0&layers=hight', 404, 'layers'], ['?chunk=34359738368,0&size=32', 404, 'chunk'],
    ['?chunk=0,0&size=1024&layers=height,biome,water_level,temperature', 413, 'size'],
  ]],
};

/* [body, status, parameter, part of the detail] */
const many = (count) => JSON.stringify(Array(count).fill([0, 0]));
const bodies = {
  '/chunks': [
    ['', 400, 'body'], ['[]', 400, 'body', 'object'], ['{', 400, 'body'], ['{}', 400, 'chunks'], ['{"chunks":{}}', 400, 'chunks', 'array'],
    ['{"chunks":[0]}', 400, 'chunks', 'chunks[0]'], ['{"chunks":[[1]]}', 400, 'chunks'], ['{"chunks":[[0,0,0]]}', 400, 'chunks', 'chunks[0]'],
    ['{"chunks":[[0,0.5]]}', 400, 'chunks', 'chunks[0]'], ['{"chunks":[["0",0]]}', 400, 'chunks'], ['{"chunks":[[0,-0]]}', 400, 'chunks'],
    ['{"chunks":[[0,0]],"size":0}', 400, 'size'], ['{"chunks":[[0,0]],"size":"64"}', 400, 'size'],
    ['{"chunks":[[0,0]],"step":3}', 400, 'step', 'power of two'], ['{"chunks":[[0,0]],"apron":9}', 400, 'apron'],
    ['{"chunks":[[0,0]],"t":"now"}', 400, 't', '"t"'], ['{"chunks":[[0,0]],"format":"bin"}', 400, 'format', 'r32f, r16'],
    ['{"chunks":[[0,0]],"format":7}', 400, 'format'], ['{"chunks":[[0,0]],"layers":"height"}', 400, 'layers', 'array'],
    ['{"chunks":[[0,0]],"layers":[]}', 400, 'layers'], ['{"chunks":[[0,0]],"layers":[1]}', 400, 'layers', 'names'],
    ['{"chunks":[[0,0]],"layers":["heigt"]}', 404, 'layers', 'height'],
    ['{"chunks":[[0,0]],"format":"glb","layers":["height","biome"]}', 400, 'layers', 'one layer'],
    ['{"chunks":[[0,0]],"skirt":2}', 400, 'skirt', 'glb'], ['{"chunks":[[0,0]],"format":"glb","skirt":-1}', 400, 'skirt', '65536'],
    ['{"chunks":[[0,0]],"chnks":1}', 400, 'chnks', 'did you mean'], [`{"chunks":${many(257)}}`, 413, 'chunks', '256'],
    ['{"size":1024,"chunks":[[0,0],[0,0],[0,0],[0,0]]}', 413, 'size', '4194304'], ['{"chunks":[[0,0],[1]]}', 400, 'chunks', 'chunks[1]'],
    ['{"chunks":[["0","0"]]}', 400, 'chunks', 'chunks[0]'], ['{"chunks":[{"x":1,"y":2}]}', 400, 'chunks', 'chunks[0]'],
    ['{"chunks":[[null,0]]}', 400, 'chunks', 'chunks[0]'], ['{"chunks":[[0,99999999999999999999]]}', 400, 'chunks', 'chunks[0]'],
    ['{"chunks":[[0,0]],"size":null}', 400, 'size'], ['{"chunks":[[0,0]],"layers":[""]}', 400, 'layers', 'empty'],
    ['{"chunks":[[0,0]],"layers":["height","height"]}', 400, 'layers', 'more than once'],
    ['{"chunks":[[0,0]],"chunks":[[0,0]]}', 400, 'body', 'chunks'], ['{"chunks":[[0,0]]} x', 400, 'body'], ['{"chunks":[[[[[0]]]]]}', 400, 'body'],
  ],
  '/volumes': [
    ['{"layer":"height"}', 400, 'volumes', 'array'], ['{"layer":"height","volumes":[[0,0]]}', 400, 'volumes', 'volumes[0] must be three'],
    ['{"chunks":[[0,0]]}', 400, 'chunks', 'unknown key'], ['{"volumes":[[0,0,0]],"layer":["density"]}', 400, 'layer', 'name'],
    ['{"volumes":[[0,0,0]],"layer":"heigt"}', 404, 'layer', 'height'], ['{"volumes":[[0,0,0]]}', 404, 'layer', 'density'],
    ['{"volumes":[[0,0,0]],"layer":"height","size":129}', 400, 'size', '128'],
    ['{"volumes":[[0,0,0]],"layer":"height","apron":1}', 400, 'apron', 'unknown key'],
    ['{"volumes":[[0,0,0]],"layer":"height","format":"png"}', 400, 'format', 'r32f, r8, json'],
    ['{"volumes":[[0,0,0]],"layer":"height","surface":"0"}', 400, 'surface', 'number'],
    ['{"volumes":[[0,0,0]],"layer":"height","surface":1e7}', 400, 'surface', '1000000'],
    ['{"layer":"height","size":128,"volumes":[[0,0,0],[0,0,1]]}', 413, 'size', '4194304'],
    [`{"layer":"height","volumes":${many(257)}}`, 413, 'volumes', '256 volumes'],
  ],
  '/heights': [
    ['', 400, 'body'], ['[]', 400, 'body'], ['{}', 400, 'points'], ['{"points":{}}', 400, 'points'], ['{"points":[[0]]}', 400, 'points'],
    ['{"points":[[0,0,0]]}', 400, 'points'], ['{"points":[[0,"a"]]}', 400, 'points'], ['{"points":[[0,10000000000000]]}', 400, 'points'],
    ['{"points":[],"layer":1}', 400, 'layer'], ['{"points":[],"layer":"hight"}', 404, 'layer'], ['{"points":[],"zoom":21}', 400, 'zoom'],
    ['{"points":[],"zoom":1.5}', 400, 'zoom'], ['{"points":[],"lod":1}', 400, 'lod'], [`{"points":${many(10001)}}`, 413, 'points'],
    ['points', 400, 'body'], ['{"points":[]} x', 400, 'body'], ['[[0,0]]', 400, 'body'], ['{"points":[],"lod":3}', 400, 'lod'],
    ['{"points":[],"points":[]}', 400, 'body'], ['{"points":[["0",0]]}', 400, 'points'], ['{"points":[null]}', 400, 'points'],
    ['{"points":[[0,0],[10000000000000,0]]}', 400, 'points'], ['{"points":[[[[[0]]]]]}', 400, 'body'],
    [Buffer.from([0x22, 0xff, 0x22]), 400, 'body'],
  ],
};

/* Parameters of tiles by format: [rest of the target, parameter, what is allowed]. */
const sizes = { pixels: '256, 512', few: '1, 2, 4, 8, 16, 32, 64', one: '256' };
const formats = ['png', 'webp', 'r32f', 'r16', 'json', 'mvt', 'txt', 'ansi', 'tif', 'npy', 'terrain'];
const formatParameters = [
  ...['png', 'webp', 'r32f', 'r16', 'tif', 'npy'].flatMap((format) => ['0', '64', '255', '513', '1024', '-256', '256.0', 'big', '']
    .map((size) => [`${format}?size=${size}`, 'size', sizes.pixels])),
  ...['0', '3', '65', '128', '256', '512', '1e1', '+4'].map((size) => [`json?size=${size}`, 'size', sizes.few]),
  ...['mvt', 'txt', 'ansi'].flatMap((format) => ['64', '512', 'x'].map((size) => [`${format}?size=${size}`, 'size', sizes.one])),
  ...['32', '65', '128', '256'].map((size) => [`terrain?size=${size}`, 'size', '64']),
  ...['txt', 'ansi'].flatMap((format) => ['7', '201', '0', '-80', '80.5', '', 'wide', '0x50']
    .map((columns) => [`${format}?cols=${columns}`, 'cols', '8 … 200'])),
  ...['0', '-1', '1000001', 'nan', 'inf', '', '1,5', '0x10'].map((interval) => [`mvt?interval=${interval}`, 'interval', 'above 0, to 1000000']),
  ['mvt?interval=0.0001', 'interval', 'larger, or left out'],
  ...formats.filter((format) => !/txt|ansi/.test(format)).map((format) => [`${format}?cols=80`, 'cols', 'txt, ansi']),
  ...formats.filter((format) => format !== 'mvt').map((format) => [`${format}?interval=10`, 'interval', 'mvt']),
  ...formats.flatMap((format) => ['now', '', '1e400', '0x1', '1099511627777'].map((t) => [`${format}?t=${t}`, 't', '-1099511627776 … 1099511627776'])),
  ...formats.map((format) => [`${format}?colour=1`, 'colour', 'world, style, size, t, interval, labels, cols']),
];

/* Queries of a world: [target, status, parameter, part of the detail]. All of them say what is allowed. */
const numbers = ['', 'a', '0x10', 'inf', 'nan', '1e', '1.', '.5', '+1', ' 1', '1%20', '1,5', '--1', '01'];
const worldQueries = [
  ['/profile', 400, 'line', 'is missing'],
  ['/profile?line=0,0', 400, 'line', 'at least two places'],
  ['/profile?line=0,0;0,0', 400, 'line', 'not the same'],
  ['/profile?line=0,0;', 400, 'line', 'x,y'],
  ['/profile?line=;', 400, 'line', 'x,y'],
  ['/profile?line=0,0;1,2,3', 400, 'line', 'x,y'],
  ['/profile?line=0,0;1e13,0', 400, 'line', ''],
  [`/profile?line=${Array.from({ length: 65 }, (_, i) => `${i},0`).join(';')}`, 400, 'line', 'more than 64'],
  ['/profile?line=0,0;9,9&samples=1', 400, 'samples', 'from 2 to 4096, not "1"'],
  ['/profile?line=0,0;9,9&samples=4097', 400, 'samples', '4097'],
  ['/profile?line=0,0;9,9&samples=9.5', 400, 'samples', '9.5'],
  ['/profile?line=0,0;9,9&sample=9', 400, 'sample', 'did you mean "samples"'],
  ['/profile?line=0,0;9,9&format=svg', 400, 'format', 'json or text'],
  ['/profile?line=0,0;9,9&pretty=yes', 400, 'pretty', '1 or 0'],
  ['/profile?line=0,0;9,9&line=0,0;8,8', 400, 'line', 'more than once'],
  ['/profile.svg?line=0,0;9,9&format=text', 400, 'format', 'unknown parameter'],
  ['/profile.svg?line=x', 400, 'line', 'x,y'],
  ['/stats', 400, 'bbox', 'is missing'],
  ['/stats?bbox=0,0,1', 400, 'bbox', 'x0,y0,x1,y1'],
  ['/stats?bbox=0,0,1,1,1', 400, 'bbox', ''],
  ['/stats?bbox=1,0,0,1', 400, 'bbox', 'less than'],
  ['/stats?bbox=0,1,1,0', 400, 'bbox', 'less than'],
  ['/stats?bbox=0,0,0,1', 400, 'bbox', 'less than'],
  ['/stats?bbox=0,0,2e12,1', 400, 'bbox', ''],
  ['/stats?bbox=0,0,1,1&samples=0', 400, 'samples', 'from 1 to 1024'],
  ['/stats?bbox=0,0,1,1&samples=1025', 400, 'samples', ''],
  ['/stats?bbox=0,0,1,1&kind=a', 400, 'kind', 'unknown parameter'],
  ['/objects', 400, 'bbox', 'is missing'],
  ['/objects?bbox=0,0,1', 400, 'bbox', ''],
  ['/objects?bbox=0,0,9,9&kind=posd', 404, 'kind', 'did you mean "post"'],
  ['/objects?bbox=0,0,9,9&kind=', 404, 'kind', 'unknown kind'],
  ['/objects.geojson?bbox=16777210,0,16777217,9', 400, 'bbox', '16777216'],
  ['/objects.geojson?bbox=0,-2e7,9,9', 400, 'bbox', '16777216'],
  ['/locate', 400, 'biome', 'not none'],
  ['/locate?biome=sea', 400, 'x', 'is missing'],
  ['/locate?biome=sea&x=0', 400, 'y', 'is missing'],
  ['/locate?biome=sea&lon=0', 400, 'lat', 'is missing'],
  ['/locate?biome=sea&x=0&y=0&lat=0', 400, 'lon', 'not both'],
  ['/locate?biome=sea&min_height=1&x=0&y=0', 400, 'min_height', 'not several'],
  ['/locate?biome=sea&feature=peak&x=0&y=0', 400, 'feature', 'not several'],
  ['/locate?feature=hill&x=0&y=0', 400, 'feature', 'peak or pass or source or mouth or lake'],
  ['/locate?feature=lake&x=0&y=0', 404, 'feature', 'no drainage network'],
  ['/locate?biome=see&x=0&y=0', 404, 'biome', 'did you mean "sea"'],
  ['/locate?biome=&x=0&y=0', 404, 'biome', 'unknown biome'],
  ['/locate?min_height=2e6&x=0&y=0', 400, 'min_height', '1000000'],
  ['/locate?min_height=1&x=0&y=0&radius=0', 400, 'radius', 'from 1 to 16777216'],
  ['/locate?min_height=1&x=0&y=0&radius=16777217', 400, 'radius', ''],
  ['/locate?min_height=1&x=0&y=0&radius=-5', 400, 'radius', ''],
  ['/locate?min_height=1&lon=181&lat=0', 400, 'lon', '180'],
  ['/locate?min_height=1&lon=0&lat=90', 400, 'lat', '85.05'],
  ['/spawn', 400, 'x', 'is missing'],
  ['/spawn?x=0&y=0&radius=0.5', 400, 'radius', ''],
  ['/spawn?x=0&y=0&biome=sea', 400, 'biome', 'unknown parameter'],
  ['/sight', 400, 'from', 'is missing'],
  ['/sight?from=0,0,1', 400, 'to', 'is missing'],
  ['/sight?from=0,0&to=1,1,1', 400, 'from', 'x,y,height'],
  ['/sight?from=0,0,1&to=1,1,1,1', 400, 'to', 'x,y,height'],
  ['/sight?from=0,0,1e7&to=1,1,1', 400, 'from', '1000000'],
  ['/sight?from=0,0,h&to=1,1,1', 400, 'from', 'the height'],
  ['/diff', 400, 'b', 'is missing'],
  ['/diff?a=plane&bbox=0,0,9,9', 400, 'b', 'is missing'],
  ['/diff?b=cone', 400, 'bbox', 'is missing'],
  ['/diff?b=cone&bbox=9,0,0,9', 400, 'bbox', 'less than'],
  ['/diff?b=cone&bbox=0,0,9,9&samples=2000', 400, 'samples', 'from 1 to 1024'],
  ['/diff?b=coen&bbox=0,0,9,9', 404, 'b', 'did you mean "cone"'],
  ['/diff?a=plan&b=cone&bbox=0,0,9,9', 404, 'a', 'did you mean "plane"'],
  ['/explain', 400, 'x', 'is missing'],
  ['/explain?x=0&y=0&zoom=21', 400, 'zoom', 'from 0 to 20'],
  ['/explain?x=0&y=0&zoom=-1', 400, 'zoom', ''],
  ['/explain?x=0&y=0&t=x', 400, 't', ''],
  ['/explain?x=0&y=0&z=1e13', 400, 'z', ''],
  ...numbers.flatMap((number) => [
    [`/profile?line=0,0;${number},9`, 400, 'line', ''],
    [`/stats?bbox=0,0,9,${number}`, 400, 'bbox', ''],
    [`/objects?bbox=${number},0,9,9`, 400, 'bbox', ''],
    [`/spawn?x=${number}&y=0`, 400, 'x', ''],
    [`/locate?min_height=${number}&x=0&y=0`, 400, 'min_height', ''],
    [`/locate?biome=sea&x=0&y=0&radius=${number}`, 400, 'radius', ''],
    [`/sight?from=0,0,1&to=0,${number},1`, 400, 'to', ''],
    [`/sight?from=0,0,${number}&to=0,0,1`, 400, 'from', ''],
    [`/explain?x=0&y=${number}`, 400, 'y', ''],
    [`/explain?x=0&y=0&zoom=${number}`, 400, 'zoom', ''],
    [`/profile?line=0,0;9,9&samples=${number}`, 400, 'samples', ''],
  ]),
].filter(([path]) => !path.includes(' '));

const worked = new Map();
/* Checks that the example works, once for each example. The answer is read: another would hold up the server's end. */
async function works(example, target) {
  const key = `${target} ${example}`;
  if (!worked.has(key)) {
    const answer = target ? await fetch(server.url + target, { method: 'POST', body: example }) : await fetch(server.url + example);
    worked.set(key, answer.status);
    await answer.arrayBuffer();
  }
  return worked.get(key);
}

const post = (target, body) => Buffer.concat([
  Buffer.from(`POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`), Buffer.from(body)]);

/* Sends the requests [bytes, what, status, parameter, part, target of a POST], one after another on one connection,
 * and returns the problems. */
async function refused(requests) {
  const connection = new Connection(server.port);
  const problems = [];
  try {
    for (const [bytes, what, status, parameter, part = '', target] of requests) {
      connection.send(bytes);
      const answer = await connection.answer();
      assert.ok(answer, `${what}: no answer`);
      const text = `${what}: ${answer.body}`;
      assert.equal(answer.status, status, text);
      assert.equal(answer.headers['content-type'], 'application/problem+json', what);
      assert.equal(answer.headers['cache-control'], 'no-store', what);
      assert.equal(answer.rest.length, 0, what);
      const problem = JSON.parse(answer.body);
      assert.equal(problem.status, status, what);
      if (parameter) {
        assert.equal(problem.parameter, parameter, text);
        assert.ok(problem.example, `${text}: no example`);
      }
      assert.ok(problem.detail.includes(part), text);
      if (problem.example) assert.equal(await works(problem.example, target), 200, text);
      problems.push(problem);
    }
    connection.send(get('/livez'));
    const last = await connection.answer();
    assert.equal(last?.body.toString(), 'alive\n');
    assert.equal(last.rest.length, 0);
  } finally {
    connection.destroy();
  }
  return problems;
}
const refuseTargets = (rows) => refused(rows.map(([target, ...rest]) => [get(target), target, ...rest]));

/* Every value of every parameter of `routes`. */
const values = [];
for (const { path, good, wrong, needs = [] } of routes) {
  const change = (name, given) => {
    const rest = good.split('&').filter((pair) => !pair.startsWith(`${name}=`));
    return `${path}?${[...rest, ...given.map((value) => `${name}=${value.replaceAll('+', '%2B')}`)].join('&')}`;
  };
  for (const [name, given] of Object.entries(wrong)) {
    for (const value of given) values.push([change(name, [value]), 400, name]);
    values.push([change(name, ['1', '1']), 400, name]);
  }
  for (const name of needs) values.push([change(name, []), 400, name]);
  values.push([`${path}?${good}&colour=blue`, 400, 'colour']);
  const [first] = Object.keys(wrong);
  values.push([`${path}?${good}&${first}s=1`, 400, `${first}s`]);
}
test(`${values.length} wrong values, and missing, unknown and repeated parameters, of every route`, async () => {
  assert.ok(values.length >= 386);
  await refuseTargets(values);
});

for (const [what, [prefix, rows]] of Object.entries(targets)) {
  test(`${rows.length} wrong requests: ${what}`, async () => {
    await refuseTargets(rows.map(([target, ...rest]) => [prefix + target, ...rest]));
  });
}

for (const [target, rows] of Object.entries(bodies)) {
  test(`${rows.length} wrong bodies of ${target}`, async () => {
    await refused(rows.map(([body, status, parameter, part]) =>
      [post(target, body), `${target} ${body.slice(0, 80)}`, status, parameter, part, target]));
  });
}

test(`${worldQueries.length} wrong queries of a world say what is allowed`, async () => {
  assert.ok(worldQueries.length >= 200);
  const problems = await refuseTargets(worldQueries.map(([target, ...rest]) => [`/worlds/plane${target}`, ...rest]));
  problems.forEach(({ allowed, status, detail }, i) =>
    assert.ok(allowed || status === 404 || /more than once/.test(detail), worldQueries[i][0]));
  assert.ok(new Set(problems.map(({ example }) => example)).size >= 8);
});

test(`${formatParameters.length} wrong parameters of tiles by format say what is allowed`, async () => {
  const problems = await refuseTargets(formatParameters.map(([rest, parameter]) => [`/tiles/3/4/2.${rest}`, 400, parameter]));
  problems.forEach(({ allowed }, i) => assert.equal(allowed, formatParameters[i][2], formatParameters[i][0]));
});

test('only pixel formats accept @2x', async () => {
  for (const format of formats) {
    const response = await fetch(`${server.url}/tiles/3/4/2@2x.${format}`);
    const allowed = ['png', 'webp', 'r32f', 'r16', 'tif', 'npy'].includes(format);
    assert.equal(response.status, allowed ? 200 : 400, format);
    const body = Buffer.from(await response.arrayBuffer());
    if (!allowed) assert.equal(JSON.parse(body).parameter, 'size');
    assert.equal((await fetch(`${server.url}/tiles/3/4/2@2x.${format}?size=256`)).status, 400);
  }
});

test('an unknown format gives 404 with the list of formats', async () => {
  for (const row of ['2.gif', '2.PNG', '2.jpg', '2.r32', '2.png2', '2.', '2', '2@2x', '2.pb', '2.json.gz', '2.tiff']) {
    const response = await fetch(`${server.url}/tiles/relief/3/4/${row}`);
    assert.equal(response.status, 404, row);
    const { allowed, example } = await response.json();
    assert.equal(allowed, formats.join(', '), row);
    assert.equal(await works(example), 200);
  }
});

test('an error names the nearest valid word and the allowed values', async () => {
  const problem = async (path) => (await fetch(server.url + path)).json();
  assert.match((await problem('/tiles/3/4/2.png?siez=512')).detail, /"size"/);
  assert.match((await problem('/worlds/tera')).detail, /"terra"/);
  assert.equal((await problem('/worlds/tera')).list, '/worlds');
  assert.match((await problem('/tiles/relif/3/4/2.png')).detail, /"relief"/);
  assert.match((await problem('/tiles/21/4/2.png')).detail, /0 … 20/);
  assert.match((await problem('/tiles/0/32768/0.png')).detail, /-32767.*32767/);
  assert.match((await problem('/tiles/3/4/2.gif')).detail, /png/);
  const bad = await problem('/tiles/3/4/2.png?size=big');
  assert.equal(bad.parameter, 'size');
  assert.equal(bad.allowed, '256, 512');
  const gone = await problem(`/worlds/terra@g1-${fingerprint}`);
  const { fingerprint: current } = await problem('/worlds/terra');
  assert.equal(gone.current, current);
  const point = await fetch(`${server.url}/heights`, { method: 'POST', body: '{"points":[[0,0],[1,"a"]]}' });
  assert.match((await point.json()).detail, /points\[1\]/);
});
