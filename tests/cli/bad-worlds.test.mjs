/* World files that are refused: each with the exact lines that `terrane check` prints. The sign § stands
 * where an error must point to and is no part of the file. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const folder = temporaryFolder();
let count = 0;

function check(text) {
  const name = `worlds/bad${++count}.json`;
  folder.write(name, text);
  return { file: name, ...terrane(['check', name], { cwd: folder.path }) };
}

/* `expected` are the errors, each behind ":line:column: ", or behind ": " if the file has no place for it. */
function assertRefused(text, ...expected) {
  const { file, status, stdout, stderr } = check(text);
  assert.equal(stderr, expected.map((error) => `${file}${error}\n`).join(''));
  assert.equal(stdout, '');
  assert.equal(status, 1);
}

/* "a§b" as "ab", and the place of each sign: ":line:column: ", columns in characters. */
function takeMarks(marked) {
  const parts = marked.split('§');
  const places = parts.slice(1).map((_, i) => {
    const lines = parts.slice(0, i + 1).join('').split('\n');
    return `:${lines.length}:${[...lines.at(-1)].length + 1}: `;
  });
  return { text: parts.join(''), places };
}

/* The formula of the layer height; the message. */
const formulas = [
  ['300 * §fbmm(wavelength=64, octaves=2)', 'unknown function "fbmm" (did you mean "fbm"?)'],
  ['§thunder(3)', 'unknown function "thunder"; "terrane formulas" lists all functions'],
  ['1 + §hils', 'unknown name "hils" (did you mean "hills"?)'],
  ['1 + §zzyzx', 'unknown name "zzyzx"; names are x, y, z, t, pi and the layers of this world'],
  ['§if(x > 3, 1, 2)', 'unknown function "if"; write c ? a : b'],
  ['§lerp(1, 2, x)', 'unknown function "lerp"; write mix(a, b, t)'],
  ['§Saturate(x)', 'unknown function "Saturate"; write clamp(v, 0, 1)'],
  ['§mod(x, 3)', 'unknown function "mod"; write a - b * floor(a / b)'],
  ['§ceil(x)', 'unknown function "ceil"; write -floor(-v)'],
  ['x §% 3', 'unexpected character "%"; write a - b * floor(a / b)'],
  ['x > 1 §and y > 1',
    'expected an operator or the end of the formula, found "and"; write a && b'],
  ['x §= 3', 'expected an operator or the end of the formula, found "="; write a == b'],
  ['x *§* 2', 'expected a number, a name, a call or "(", found "*"; write v ^ 2, or pow(v, e)'],
  ['x > 1 §& y', 'unexpected character "&"; write a && b'],
  ['2 * §PI2', 'unknown name "PI2"; names are x, y, z, t, pi and the layers of this world'],
  ['sin(§time)', 'unknown name "time"; write t'],
  ['3 * §fbm', '"fbm" is a function; call it with its arguments in parentheses'],
  ['1 +§', 'expected a number, a name, a call or "(", found the end of the formula'],
  ['(1 + 2§', 'expected ")", found the end of the formula'],
  ['1 + 2§)', 'expected an operator or the end of the formula, found ")"'],
  ['1 §2', 'expected an operator or the end of the formula, found "2"'],
  ['§', 'expected a formula, found the end of the formula'],
  ['x §@ y', 'unexpected character "@"; a formula consists of numbers, names, texts in quotes and '
    + '+ - * / ^ < <= > >= == != ! && || ? : ( ) , ='],
  ['§é', 'unexpected character "é"; a formula consists of numbers, names, texts in quotes and '
    + '+ - * / ^ < <= > >= == != ! && || ? : ( ) , ='],
  ['x > 1 ? 2§', 'expected ":" of the choice, found the end of the formula'],
  ['§1.2.3', 'malformed number; write it like 12, 0.5 or 1e3'],
  ['§1e', 'malformed number; write it like 12, 0.5 or 1e3'],
  ['1 + §1e99', 'number too large; at most 3.4e38'],
  ['perlin(wavelength=§0)', 'wavelength must be a number from 0.01 to 1000000000, not 0'],
  ['perlin(§x)', 'wavelength must be a constant'],
  ['§perlin()', 'perlin needs the argument "wavelength"; its form is perlin(wavelength, '
    + 'interpolation="quintic", axes="xy", wavelength_z=wavelength, wavelength_t=60, salt="")'],
  ['perlin(64, §wavelenght=5)', 'perlin has no argument "wavelenght" (did you mean "wavelength"?)'],
  ['perlin(64, §wavelength=5)', 'perlin: argument "wavelength" is given twice'],
  ['perlin(wavelength=64, §"cubic")', 'perlin: arguments without a name must come before '
    + 'named ones'],
  ['perlin(64, §"kubic")',
    'interpolation must be "linear", "cosine", "cubic" or "quintic", not "kubic"'],
  ['perlin(64, §3)', 'interpolation must be "linear", "cosine", "cubic" or "quintic", in quotes'],
  ['perlin(64, salt=§5)', 'salt must be a text in quotes'],
  ['perlin(64, salt=§"a)', 'the text that begins here has no closing quote'],
  ['fbm(64, octaves=§2.5)', 'octaves must be a whole number from 1 to 24, not 2.5'],
  ['white(§0)', 'wavelength must be a number from 0.01 to 1000000000, not 0'],
  ['billow(64, 3, basis=§"simplexx")',
    'basis must be "white", "value", "perlin", "simplex" or "worley", not "simplexx"'],
  ['§turbulence(64)', 'turbulence needs the argument "octaves"; its form is turbulence(wavelength, '
    + 'octaves, persistence=0.5, lacunarity=2, basis="perlin", damping=0, interpolation="quintic", '
    + 'axes="xy", wavelength_z=wavelength, wavelength_t=60, salt="", rotate_octaves=0)'],
  ['worley(64, §"f3")', 'feature must be "f1", "f2", "f2-f1", "cell", "x", "y" or "edge", not "f3"'],
  ['worley(64, §"edge", axes="xyz")', 'worley: feature="edge" needs the axes "xy"'],
  ['worley(64, axes="x", feature=§"y")', 'worley: feature="y" needs y among the axes, as in axes="xy"'],
  ['scatter(§0, r)', 'spacing must be a number from 0.1 to 1000000, not 0'],
  ['scatter(90, r, §"all")', 'join must be "sum", "max", "min" or "nearest", not "all"'],
  ['x + §dx', 'unknown name "dx" (did you mean "x"?)'],
  ['gullies(x, §0, 3)', 'wavelength must be a number from 0.01 to 1000000000, not 0'],
  ['gullies(x, 90, §0)', 'octaves must be a whole number from 1 to 24, not 0'],
  ['gullies(x, 90, 3, §2)', 'strength must be a number from 0 to 1, not 2'],
  ['gullies(x, 1, §9)', 'gullies: octave 8 would be finer than 0.01 m; at most 7 octaves fit this wavelength'],
  ['scale(gullies(x, §90, 3), 1e-5)', 'gullies: scale() makes the wavelength 0.0009 m; it must be from 0.01 to 1e+09'],
  ['zero_distance(§gullies(x, 90, 3))', 'zero_distance: its argument must be a noise or fractal, '
    + 'which may be warped, rotated or scaled, or a layer that is one'],
  ['scatter(90, §zzyzx)', 'unknown name "zzyzx"; names are x, y, z, t, pi, in scatter() dx, dy, r, angle and id, '
    + 'and the layers of this world'],
  ['scatter(90, §angel)', 'unknown name "angel" (did you mean "angle"?)'],
  ['scatter(90, zero_distance(§r))', 'zero_distance: r is not a noise or fractal'],
  ['scatter(90, slope(§r, 1))', 'scatter: r is known at the sample only, not where warp(), at(), slope() and the like '
    + 'sample; only id is'],
  ['scale(scatter(§0.1, r), 0.01)', 'scatter: scale() makes the spacing 0.001 m; it must be from 0.01 to 1e+09'],
  ["§path('a')", 'path needs the argument "output"; its form is path(name, output, reach=1000)'],
  ["path('a', §'far')", 'output must be "distance", "along", "side", "dx" or "dy", not "far"'],
  ["path(§'a', 'side')", 'unknown path "a": the world has no member "paths"'],
  ["area('a', 'signed', §0)", 'reach must be a number from 0.1 to 1000000, not 0'],
  ["area('a', §'distance')", 'output must be "signed", not "distance"'],
  ["zero_distance(§path('a', 'side'))", 'zero_distance: its argument must be a noise or fractal, '
    + 'which may be warped, rotated or scaled, or a layer that is one'],
  ['zero_distance(§scatter(9, 1))', 'zero_distance: its argument must be a noise or fractal, '
    + 'which may be warped, rotated or scaled, or a layer that is one'],
  ['random(x, §70000)', 'n must be a whole number from 0 to 65535, not 70000'],
  ['random(x, §y)', 'n must be a constant'],
  ['§at(x, 3)', 'at needs the argument "y"; its form is at(e, x, y)'],
  ['zero_distance(§atan2(x, y))', 'zero_distance: its argument must be a noise or fractal, '
    + 'which may be warped, rotated or scaled, or a layer that is one'],
  ['simplex(64, axes=§"yx")',
    'axes must be "x", "xy", "xyz", "xyt" or "xyzt", not "yx"'],
  ['perlin2002(64, axes=§"xyzt")', 'axes must be "xy", "xyz" or "xyt", not "xyzt"'],
  ['perlin2002(64, §salt="a")', 'perlin2002 has no argument "salt"; its form is perlin2002(wavelength, '
    + 'axes="xy", wavelength_z=wavelength, wavelength_t=60)'],
  ['perlin(64, wavelength_z=§32)',
    'perlin: wavelength_z needs z among the axes, as in axes="xyz"'],
  ['fbm(64, 3, axes="xyz", wavelength_t=§32)',
    'fbm: wavelength_t needs t among the axes, as in axes="xyt"'],
  ['fbm(64, §4, axes="xyz", wavelength_z=0.05)',
    'fbm: octave 4 would be finer than 0.01 m; at most 3 octaves fit this wavelength'],
  ['fbm(64, 3, damping=§-1)', 'damping must be a number from 0 to 1000, not -1'],
  ['fbm(64, 3, rotate_octaves=§2)', 'rotate_octaves must be a whole number from 0 to 1, not 2'],
  ['rotate(x, §t)', 'degrees must be a constant'],
  ['rotate(x, §4000)', 'degrees must be a number from -3600 to 3600, not 4000'],
  ['zero_distance(2 §* perlin(64))', 'zero_distance: its argument must be a noise or fractal, '
    + 'which may be warped, rotated or scaled, or a layer that is one'],
  ['zero_distance(§abs(perlin(64)))', 'zero_distance: its argument must be a noise or fractal, '
    + 'which may be warped, rotated or scaled, or a layer that is one'],
  ['zero_distance(fbm(64, 3, damping=§0.5))',
    'zero_distance: the gradient of a damped fbm is not known; leave out the damping'],
  ['zero_distance(rotate(warp(§x, 1, 1), 30))',
    'zero_distance: x is not a noise or fractal'],
  ['§zero_distance()', 'zero_distance needs the argument "noise"; its form is zero_distance(noise, signed=0)'],
  ['scale(perlin(64, axes="xyz", wavelength_z=§1e-2), 0.5)',
    'perlin: scale() makes the wavelength_z 0.005 m; it must be from 0.01 to 1e+09'],
  ['scale(x, §0)', 'k must be a number from 1e-6 to 1000000, not 0'],
  ['scale(x, §y)', 'k must be a constant'],
  ['scale(scale(x, §1e5), 1e5)', 'scale: nested scales multiply to 1e+10; their product must be '
    + 'from 1e-06 to 1e+06'],
  ['scale(perlin(§64), 1e-5)', 'perlin: scale() makes the wavelength 0.00064 m; it must be from '
    + '0.01 to 1e+09'],
  ["scale(cycle('x', §10), 1e-5)", 'cycle: scale() makes the period 0.0001 m; it must be from '
    + '0.01 to 1e+09'],
  ['slope(x, §0)', 'spacing must be a number from 0.001 to 1000000, not 0'],
  ['gradient_x(§, 5)', 'expected a number, a name, a call or "(", found ","'],
  ['distance(0, §2e12)', 'cy must be a number from -1099511627776 to 1099511627776, not '
    + '2000000000000'],
  ['scale(distance(§1e12, 0), 2)', 'distance: the place is beyond 2^40 m (about 1.1e12)'],
  ['abs(1, §2)', 'abs takes at most 1 argument'],
  ['min(§"a", 2)', 'a text can only be an argument, as in basis="perlin"'],
  ['x ^ §y', 'the exponent must be a constant whole number from -64 to 64; pow(v, e) takes any other'],
  ['x ^ §0.5', 'the exponent must be a constant whole number from -64 to 64; pow(v, e) takes any other'],
  ['§spline(x, 0, 1, 2)', 'spline: the points are pairs x, y; the last y is missing'],
  ['spline(x, 0, 1, §0, 2)', "spline: the x of the points must increase"],
  ['hills + §height', 'the layers use each other in a cycle: height -> height'],
];

for (const [marked, message] of formulas) {
  test(`formula: ${marked}`, () => {
    const world = { generator: 1, layers: { hills: 'perlin(99)', height: marked } };
    const { text, places } = takeMarks(JSON.stringify(world));
    assertRefused(text, `${places[0]}layers.height: ${message}`);
  });
}

/* The whole file, with the sign where it does not parse; the message. */
const syntax = [
  ['§', "expected a value, found the end of the text"],
  ['{"a": 1§', "expected ',' or '}', found the end of the text"],
  ['{"a": [1, 2§}', "expected ',' or ']', found '}'"],
  ['{"a": 1}\n§x', "expected nothing more after the value, found 'x'"],
  ['{\n  §// a\n}', "expected a key in \"quotes\", found '/' (JSON has no comments)"],
  ["{§'a': 1}", "expected a key in \"quotes\", found ''' (JSON quotes with \")"],
  ['{"a": §01}', 'malformed number "01": a number is written like 0, -12.5 or 1.5e3'],
  ['{"a": §.5}', 'malformed number ".5": a number is written like 0, -12.5 or 1.5e3'],
  ['{"a": §True}', 'unknown word "True": allowed are null, true and false; a text needs '
    + '"quotes"'],
  ['{"a": "x§\n"}', 'a string must end in the line where it begins: a line break is \\n'],
  ['{"é": 1,\n "b": §}', "expected a value, found '}'"],
  ['{"a": "§\\q"}', 'bad escape in a string: allowed are \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX'],
  [`${'['.repeat(32)}§[`, 'nested too deeply: allowed are 32 levels'],
];

for (const [marked, message] of syntax) {
  test(`syntax: ${marked.slice(0, 40)}`, () => {
    const { text, places } = takeMarks(marked);
    assertRefused(text, places[0] + message);
  });
}

test('syntax: bytes that are no UTF-8', () => {
  assertRefused(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    ':1:3: the byte 0xFF is not valid UTF-8');
});

test('a file over 1 MB', () => {
  assertRefused(' '.repeat((1 << 20) + 1),
    ': the file has 1048577 bytes; at most 1048576 are allowed');
});

/* A tongue that is as it should be, but for the members given. */
const ten = [...'BDFGKLMNRT'];
const tongue = (change) => ({ starts: ten.map((letter) => `${letter}a`), ends: ten.map((letter) => `${letter.toLowerCase()}on`), ...change });
const letters = "allowed are letters, with their marks in one character (NFC), - and '";

/* Members that replace those of a good world (undefined takes one away); the text at the place; path and message. */
const members = [
  [{ layers: undefined }, '{"title', 'layers: is missing; it must be an object'],
  [{ layers: [] }, '[]', 'layers: must be an object, not an array'],
  [{ layers: { hills: '1' } }, '{"hills', 'layers: the layer "height" is missing; every world has one'],
  [{ layers: { height: 5 } }, '5', 'layers.height: must be a formula or an object with a formula, not a number'],
  [{ layers: { height: {} } }, '{}', 'layers.height.formula: is missing; it must be a string'],
  [{ layers: { height: { formula: '1', unit: 5 } } }, '5', 'layers.height.unit: must be a string, not a number'],
  [{ layers: { height: { formula: '1', range: [2, 1] } } }, '[2',
    'layers.height.range: must be [low, high], two numbers, the lower one first'],
  [{ layers: { height: { formula: '1', ragne: [1, 2] } } }, '"ragne"',
    'layers.height: unknown key "ragne" (did you mean "range"?)'],
  [{ layers: { height: { formula: 'x + ' } } }, '"}',
    'layers.height.formula: expected a number, a name, a call or "(", found the end of the formula'],
  [{ layers: { height: '1', 'a b': '1' } }, '"a b"',
    'layers: "a b" is not a valid name: a name has 1 to 63 letters, digits or _, and does not start with a digit'],
  [{ layers: { height: '1', pi: '1' } }, '"pi"', 'layers: "pi" is reserved in formulas; choose another name'],
  [{ layers: { height: 'a', a: 'b + 1', b: '2 * a' } }, 'a"}',
    'layers.b: the layers use each other in a cycle: a -> b -> a'],
  [{ generator: undefined }, '{"title', 'generator: is missing; it must be a number'],
  [{ generator: 2 }, '2', 'generator: must be 1, the only generator there is, not 2'],
  [{ generator: '1' }, '"1"', 'generator: must be a number, not a string'],
  [{ seed: -1 }, '-1', 'seed: must be a whole number from 0 to 18446744073709551615, or a text, not -1'],
  [{ seed: 0.5 }, '0.5', 'seed: must be a whole number from 0 to 18446744073709551615, or a text, not 0.5'],
  [{ seed: null }, 'null', 'seed: must be a text or a whole number, not null'],
  [{ seed: '' }, '""', 'seed: must have 1 to 256 bytes'],
  [{ title: 5 }, '5', 'title: must be a string, not a number'],
  [{ sede: 1 }, '"sede"', 'unknown key "sede" (did you mean "seed"?)'],
  [{ biomes: [] }, '[]', 'biomes: has 0 entries; 1 to 256 are allowed'],
  [{ biomes: {} }, '{}}', 'biomes: must be an array, not an object'],
  [{ biomes: [{ name: 'a', color: '#12' }] }, '"#12"', 'biomes[0].color: must be a color like "#2f7d32" or "#273"'],
  [{ biomes: [{ name: 'a', color: '#123' }, { name: 'b', color: '#123' }] }, '{"name":"a"',
    'biomes[0].when: is missing; only the last biome may be without a condition'],
  [{ biomes: [{ name: 'a', color: '#123', when: 'height <' }, { name: 'b', color: '#123' }] }, '"},{',
    'biomes[0].when: expected a number, a name, a call or "(", found the end of the formula'],
  [{ biomes: [{ name: 'a', color: '#123', when: '1' }, { name: 'a', color: '#246' }] }, '"a","color":"#246"',
    'biomes[1].name: is the name of an earlier biome, too'],
  [{ biomes: [{ color: '#123' }] }, '{"color"', 'biomes[0].name: is missing; it must be a string'],
  [{ biomes: [{ name: 'a', color: '#123', whne: '1' }] }, '"whne"',
    'biomes[0]: unknown key "whne" (did you mean "when"?)'],
  [{ view: [0, 0] }, '[0', 'view: must be an object, not an array'],
  [{ view: { zom: 3 } }, '"zom"', 'view: unknown key "zom" (did you mean "zoom"?)'],
  [{ view: { x: '1' } }, '"1"', 'view.x: must be a number of metres from -1099511627776 to 1099511627776'],
  [{ view: { near: [1, 2] } }, '[1,2', 'view.near: goes with "where", the condition of the places to look for; "x" and "y" are a place that is the same '
    + 'for every seed'],
  [{ view: { where: 'heigt > 0' } }, 'heigt', 'view.where: unknown name "heigt" (did you mean "height"?)'],
  [{ view: { where: 'height > 0', x: 5 } }, '5', 'view.x: does not go with "where", which has "near": [x, y] for the place to look around'],
  [{ view: { where: 'height > 0', near: [1] } }, '[1', 'view.near: must be [x, y], metres from -1099511627776 to 1099511627776 each'],
  [{ view: { y: 2e12 } }, '2',
    'view.y: must be a number of metres from -1099511627776 to 1099511627776, not 2000000000000'],
  [{ view: { zoom: 2.5 } }, '2.5', 'view.zoom: must be a whole number from 0 to 20'],
  [{ view: { zoom: 21 } }, '21', 'view.zoom: must be a whole number from 0 to 20'],
  [{ view: { t: null } }, 'null', 'view.t: must be a number of seconds from -1099511627776 to 1099511627776'],
  [{ view: { style: 5 } }, '5', 'view.style: must be a string, not a number'],
  [{ view: { style: 'relef' } }, '"relef"', 'view.style: unknown style "relef" (did you mean "relief"?)'],
  [{ names: true }, 'true', 'names: must be an object, or false for no names, not true'],
  [{ names: { tongue: [] } }, '"tongue"', 'names: unknown key "tongue" (did you mean "tongues"?)'],
  [{ names: { tongues: 'nordic' } }, '"nordic"', 'names.tongues: must be an array, not a string'],
  [{ names: { tongues: ['norse'] } }, '"norse"', 'names.tongues[0]: unknown tongue "norse"; there are nordic, romance, slavic, '
    + 'celtic, polynesian, semitic, sinitic, sylvan'],
  [{ names: { syllables: {} } }, '{}}', 'names.syllables: has 0 entries; 1 to 8 are allowed'],
  [{ names: { syllables: { nordic: tongue() } } }, '{"starts', 'names.syllables.nordic: is a tongue of the program; choose another name'],
  [{ names: { syllables: { 'a b': tongue() } } }, '{"starts',
    'names.syllables.a b: "a b" is not a valid name: a name has 1 to 63 letters, digits or _, and does not start with a digit'],
  [{ names: { syllables: { own: tongue({ ends: undefined }) } } }, '{"starts', 'names.syllables.own.ends: is missing; it must be an array'],
  [{ names: { syllables: { own: tongue({ starts: [] }) } } }, '[]', 'names.syllables.own.starts: has 0 entries; 1 to 1024 are allowed'],
  [{ names: { syllables: { own: tongue({ starts: [''] }) } } }, '""', 'names.syllables.own.starts[0]: must have 1 to 24 bytes, not 0'],
  [{ names: { syllables: { own: tongue({ starts: ['Grim', 'arn'] }) } } }, '"arn"',
    'names.syllables.own.starts[1]: must begin with a capital, as names do'],
  [{ names: { syllables: { own: tongue({ ends: ['a'.repeat(1e4)] }) } } }, '"aaa', 'names.syllables.own.ends[0]: must have 1 to 24 bytes, not 10000'],
  [{ names: { syllables: { own: tongue({ ends: ['<b>'] }) } } }, '"<b>"', `names.syllables.own.ends[0]: has the character "<"; ${letters}`],
  [{ names: { syllables: { own: tongue({ ends: ['a\n'] }) } } }, '"a\\n', `names.syllables.own.ends[0]: has the character U+000A; ${letters}`],
  [{ names: { syllables: { own: tongue({ ends: ['e\u0301'] }) } } }, '"e\u0301', `names.syllables.own.ends[0]: has the character U+0301; ${letters}`],
  [{ names: { syllables: { own: tongue({ ends: ['a\u202e'] }) } } }, '"a\u202e', `names.syllables.own.ends[0]: has the character U+202E; ${letters}`],
  [{ names: { syllables: { own: tongue({ ends: ['😀'] }) } } }, '"😀', `names.syllables.own.ends[0]: has the character U+1F600; ${letters}`],
  [{ names: { syllables: { own: tongue({ starts: ['Ba'] }) } } }, '{"starts',
    'names.syllables.own: has 1 starts and 10 ends, which make only 10 roots; at least 100 are needed, so that names differ'],
  [{ names: { syllables: { own: tongue({ ends: ten.map((letter) => `${letter}${letter}${letter}${letter}`.toLowerCase()) }) } } }, '{"starts',
    'names.syllables.own: only 0 of 64 starts with an end are roots: one has 3 to 14 letters, at most 3 vowels or 3 consonants '
    + 'behind each other, no syllable twice in a row, no obscene word, and is no well-known place'],
  [{ names: { syllables: { own: tongue({ patterns: { see: ['%'] } }) } } }, '"see"',
    'names.syllables.own.patterns: unknown key "see" (did you mean "sea"?)'],
  [{ names: { syllables: { own: tongue({ patterns: { sea: ['Sea'] } }) } } }, '"Sea"',
    'names.syllables.own.patterns.sea[0]: must have one % for the root of the name, as "Lake %" has'],
  [{ names: { syllables: { own: tongue({ patterns: { sea: ['%  Sea'] } }) } } }, '"%  Sea"',
    'names.syllables.own.patterns.sea[0]: must have single spaces, and none at its ends'],
  [{ names: { syllables: { own: tongue({ patterns: { sea: ['Shit %'] } }) } } }, '"Shit %"',
    'names.syllables.own.patterns.sea[0]: has a word that no name has: an obscene one, or a well-known place'],
  [{ names: { syllables: { own: tongue({ patterns: { sea: ['%kenlandersee'] } }) } } }, '"%kenlandersee"',
    'names.syllables.own.patterns.sea[0]: only 0 of 16 roots go with it: a root and what is joined to it have at most 15 letters, '
    + 'and flow as a root does'],
  [{ names: { places: [{ kind: 'ocean', at: [0, 0], name: 'A' }] } }, '"ocean"', 'names.places[0].kind: must be one of sea, strait, '
    + 'bay, cape, mouth, island, range, plateau, plain, desert, forest, peak, hill, pass, river, stream, lake, fjord, not "ocean"'],
  [{ names: { places: [{ kind: 'sea', at: [0, 2e12], name: 'A' }] } }, '[0,',
    'names.places[0].at: must be [x, y], metres from -1099511627776 to 1099511627776 each'],
  [{ names: { places: [{ kind: 'sea', name: 'A' }] } }, '{"kind',
    'names.places[0].at: is missing; it must be [x, y], metres from -1099511627776 to 1099511627776 each'],
  [{ names: { places: [{ kind: 'sea', at: [0, 0], name: '<i>A</i>' }] } }, '"<i>',
    'names.places[0].name: has the character "<"; allowed are letters (NFC), digits, single spaces and - \' . , / ( )'],
  [{ styles: [] }, '[]', 'styles: must be an object, not an array'],
  [{ styles: { 'a/b': { paint: [] } } }, '{"paint"',
    'styles.a/b: a style\'s name must be letters, digits, "_" and "-", at most 63'],
];

for (const [change, at, expected] of members) {
  test(`member: ${JSON.stringify(change)}`, () => {
    const world = { title: 'A', generator: 1, seed: 1, layers: { height: '1' }, ...change };
    const text = JSON.stringify(world);
    const from = text.indexOf(JSON.stringify(change).slice(1, -1).replace('undefined', ''));
    assertRefused(text, `:1:${text.indexOf(at, at.startsWith('{"title') ? 0 : from) + 1}: ${expected}`);
  });
}

test('member: a removed member is named', () => {
  assertRefused('{}', ':1:1: generator: is missing; it must be a number',
    ':1:1: layers: is missing; it must be an object');
});

/* Every part has an error; none is a consequence of another: c names a and b, which have errors, too. */
const manyErrors = `{
  "generator": 1,
  §"sede": 3,
  "layers": {
    "height": {"formula": "120 * §fbmm(512, 8)", §"ragne": [-100, 300]},
    "a": "1 +§",
    "b": "perlin(64, salt=\\"\\u00e9é\\") + §zzyzx",
    "c": "a + b + perlin(§a)"
  },
  "biomes": [
    {"name": "sea", "color": §"#12", "when": "height < 0 && §xx"},
    {"name": "land", "color": "#123"}
  ],
  "objects": {"oak": {"spacing": 9, "radius": §99, "density": "a * §q"}},
  "materials": [{"name": "sand", "color": "#dc8", "weight": "biome == §landd"}, {"name": §"sand", "color": "#dc8", "weight": §3}],
  "drainage": {"potential": §5, "target": "height", "relief": "§r"},
  "styles": {"mine": {"paint": [
    {"ramp": {"layer": "height", "stops": [[0, "#123"], §[1, "blue"]]}}, §{"shdae": {}}
  ]}}
}
`.replaceAll('\\\\', '\\');

test('the view may name a style of the world, a shared style or a layer', () => {
  folder.write('shared/mine.json', { paint: [{ biomes: {} }] });
  for (const style of ['own', 'relief', 'height', 'mine']) {
    folder.write('view.json', { generator: 1, view: { style }, layers: { height: '1' },
      biomes: [{ name: 'a', color: '#123' }], styles: { own: { paint: [{ biomes: {} }] } } });
    assert.equal(terrane(['check', 'view.json', '--styles', 'shared'], { cwd: folder.path }).status, 0, style);
  }
  assert.match(terrane(['check', 'view.json'], { cwd: folder.path }).stderr, /view\.style: unknown style "mine"/);
});

test('all errors of a file are reported, by place', () => {
  const { text, places } = takeMarks(manyErrors);
  const messages = ['unknown key "sede" (did you mean "seed"?)',
    'layers.height.formula: unknown function "fbmm" (did you mean "fbm"?)',
    'layers.height: unknown key "ragne" (did you mean "range"?)',
    'layers.a: expected a number, a name, a call or "(", found the end of the formula',
    'layers.b: unknown name "zzyzx"; names are x, y, z, t, pi and the layers of this world',
    'layers.c: wavelength must be a constant',
    'biomes[0].color: must be a color like "#2f7d32" or "#273"',
    'biomes[0].when: unknown name "xx" (did you mean "x"?)',
    'objects.oak.radius: must be a number of metres from 0 to 9, not 99 (the spacing, so that few objects meet '
      + 'in a pixel)',
    'objects.oak.density: unknown name "q"; names are x, y, z, t, pi and the layers and biomes of this world',
    'materials[0].weight: unknown name "landd" (did you mean "land"?)',
    'materials[1].name: is the name of an earlier material, too',
    'materials[1].weight: must be a string, not a number',
    'drainage.potential: must be a string, not a number',
    'drainage.relief: unknown name "r"; names are x, y, z, t, pi and the layers of this world',
    'styles.mine.paint[0].ramp.stops[1]: must be a value and a color, like [0, "#2a6fb0"]',
    'styles.mine.paint[1]: there is no step "shdae" (did you mean "shade"?)'];
  assertRefused(text, ...messages.map((message, i) => places[i] + message));
});

test('a warp that moves every place too far is reported, and one that may is not', () => {
  const text = (warps) => JSON.stringify({ generator: 1, layers: { height: 'drainage("height")' },
    drainage: { potential: '1', target: '1', relief: '1', ...warps } });
  const { text: bad, places } = takeMarks(text({ warp_x: '§1e15', warp_y: '§perlin(64) - 3e12' }).replaceAll('"§', '§"'));
  const what = 'moves every place by more than 2^40 m (about 1.1e12), the most that is allowed';
  assertRefused(bad, `${places[0]}drainage.warp_x: ${what}`, `${places[1]}drainage.warp_y: ${what}`);
  assert.equal(check(text({ warp_x: '1e12', warp_y: '2e12 * perlin(64)' })).status, 0);
});

test('formulas that are too expensive are all reported', () => {
  const octaves = Array.from({ length: 26 }, (_, i) => `fbm(65536, 16, salt="${i}")`).join(' + ');
  const marked = JSON.stringify({ generator: 1, layers: { a: `§${octaves}`, height: `§t + ${octaves}` } });
  const { text, places } = takeMarks(marked.replaceAll('"§', '§"'));
  assertRefused(text, ...['a', 'height'].map((name, i) => `${places[i]}layers.${name}: too expensive: 416 of 400 `
    + `octaves a sample (--world-cost); most in ${name} 416 (100 %)`));
});

test('no more than 20 errors of a file are reported', () => {
  const layers = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [i ? `l${i}` : 'height', '1 +']));
  const { file, stderr } = check(JSON.stringify({ generator: 1, layers }, null, 1));
  const lines = stderr.split('\n');
  assert.equal(lines.length, 22);
  assert.ok(lines[19].startsWith(`${file}:23:14: layers.l19: `), lines[19]);
  assert.equal(lines[20], `${file}: more than 20 errors; the rest is not shown`);
});

/* Outside a folder "worlds" or "styles" the keys tell what a file is. */
const contents = [
  [{ generator: 1, layer: { height: '1' } }, ['layers: is missing', 'unknown key "layer" (did you mean "layers"?)']],
  [{ layer: { height: '1' } }, ['generator: is missing', 'layers: is missing',
    'unknown key "layer" (did you mean "layers"?)']],
  [{ title: 'Red', pant: [] }, ['paint: must be an array', 'unknown key "pant" (did you mean "paint"?)']],
  [{ liste: [], port: 'a' }, ['unknown key "liste" (did you mean "listen"?)', 'port: must be a number']],
];

for (const [content, expected] of contents) {
  test(`a file with misspelt keys: ${JSON.stringify(content)}`, () => {
    folder.write('keys.json', content);
    const { stderr } = terrane(['check', 'keys.json'], { cwd: folder.path });
    assert.deepEqual(stderr.trimEnd().split('\n').map((line, i) =>
      line.replace(/^keys\.json:1:\d+: /, '').slice(0, expected[i]?.length)), expected);
  });
}

test('serve and --world report the same lines as check', () => {
  const { text, places } = takeMarks(manyErrors);
  folder.write('many/many.json', text);
  const { stderr } = terrane(['check', 'many/many.json'], { cwd: folder.path });
  const serving = terrane(['serve', '--port', '0', '--worlds', 'many'], { cwd: folder.path });
  assert.equal(serving.status, 1);
  assert.equal(serving.stderr, stderr.replaceAll(/^/gm, 'terrane: ').slice(0, -'terrane: '.length));
  assert.equal(stderr.trimEnd().split('\n').length, places.length);
  const queried = terrane(['query', '--world', 'many/many.json', '0', '0'], { cwd: folder.path });
  assert.deepEqual([queried.status, queried.stderr], [1, serving.stderr]);
});

test('a layer with a name that scatter() gives to its formula', () => {
  const marked = JSON.stringify({ generator: 1, layers: { id: 'x', height: '§scatter(90, id) + id' } });
  const { text } = takeMarks(marked);
  const column = text.indexOf('id) + id') + 1;
  assertRefused(text, `:1:${column}: layers.height: "id" is a layer, and a name of its own inside scatter(); rename the layer`);
});

test('errors of styles do not wait for those of objects', () => {
  const ramp = (layer, mask) => ({ paint: [{ ramp: { layer, stops: [[0, '#fff']], ...mask && { mask: { layer: mask } } } }] });
  const { text, places } = takeMarks(JSON.stringify({ generator: 1, layers: { height: 'x' },
    objects: { oak: { spacing: 9, density: '7 + §hight' } },
    styles: { a: ramp('height'), b: ramp('hight'), c: ramp('height', 'heigth') } }).replaceAll('"§', '§"')
    .replaceAll('{"layer":"hight"', '§{"layer":"hight"').replace('{"layer":"height","stops":[[0,"#fff"]],"mask"', '§{"layer":"height","stops":[[0,"#fff"]],"mask"'));
  assertRefused(text, `${places[0]}objects.oak.density: unknown name "hight" (did you mean "height"?)`,
    `${places[1]}styles.b.paint[0].ramp: the world has no layer "hight" (did you mean "height"?)`,
    `${places[2]}styles.c.paint[0].ramp: the world has no layer "heigth" (did you mean "height"?)`);
});

test('a duplicate key is refused', () => {
  assertRefused('{"generator": 1,\n "layers": {"height": "1", "height": "2"}}',
    ':2:28: the key "height" appears twice in the same object');
});

test('a world that costs more than the limit', () => {
  const octaves = 'fbm(wavelength=65536, octaves=16)';
  const layers = { height: Array.from({ length: 26 }, (_, i) =>
    octaves.replace(')', `, salt="${i}")`)).join(' + ') };
  /* 26 × 16 octaves */
  assertRefused(JSON.stringify({ generator: 1, layers }),
    ':1:35: layers.height: too expensive: 416 of 400 octaves a sample (--world-cost); most in height 416 (100 %)');
});

test('the limit on cost is a setting', () => {
  folder.write('worlds/cost.json',
    { generator: 1, layers: { height: 'fbm(wavelength=65536, octaves=16)' } });
  const words = ['check', 'worlds/cost.json', '--world-cost'];
  assert.equal(terrane([...words, '16'], { cwd: folder.path }).status, 0);
  assert.equal(terrane([...words, '15'], { cwd: folder.path }).status, 1);
});
