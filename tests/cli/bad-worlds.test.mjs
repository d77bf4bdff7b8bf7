/* World files that are refused: each with the exact line that `terrane check` prints. The sign § stands
 * where the error must point to and is no part of the file. */

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

function assertRefused(text, expected) {
  const { file, status, stdout, stderr } = check(text);
  assert.equal(stderr, `${file}: ${expected}\n`);
  assert.equal(stdout, '');
  assert.equal(status, 1);
}

/* "a§b" as "ab", and the line and column (in characters, from 1) of the sign. */
function takeMark(marked) {
  const before = marked.split('§')[0].split('\n');
  return {
    text: marked.replace('§', ''),
    line: before.length,
    column: [...before.at(-1)].length + 1,
  };
}

/* The formula of the layer height; the message. */
const formulas = [
  ['300 * §fbmm(wavelength=64, octaves=2)', 'unknown function "fbmm" (did you mean "fbm"?)'],
  ['§thunder(3)', 'unknown function "thunder"; "terrane formulas" lists all functions'],
  ['1 + §hils', 'unknown name "hils" (did you mean "hills"?)'],
  ['1 + §zzyzx', 'unknown name "zzyzx"; names are x, y, z, t, pi and the layers of this world'],
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
  ['worley(64, §"f3")', 'feature must be "f1", "f2", "f2-f1" or "cell", not "f3"'],
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
  ['x ^ §y', 'the exponent must be a constant whole number from -64 to 64'],
  ['x ^ §0.5', 'the exponent must be a constant whole number from -64 to 64'],
  ['§spline(x, 0, 1, 2)', 'spline: the points are pairs x, y; the last y is missing'],
  ['spline(x, 0, 1, §0, 2)', "spline: the x of the points must increase"],
  ['hills + §height', 'the layers use each other in a cycle: height -> height'],
];

for (const [marked, message] of formulas) {
  test(`formula: ${marked}`, () => {
    const { text, column } = takeMark(marked);
    const world = { generator: 1, layers: { hills: 'perlin(99)', height: text } };
    assertRefused(JSON.stringify(world), `layers.height: column ${column}: ${message}`);
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
    const { text, line, column } = takeMark(marked);
    assertRefused(text, `line ${line}: column ${column}: ${message}`);
  });
}

test('syntax: bytes that are no UTF-8', () => {
  assertRefused(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    'line 1: column 3: the byte 0xFF is not valid UTF-8');
});

test('a file over 1 MB', () => {
  assertRefused(' '.repeat((1 << 20) + 1),
    'the file has 1048577 bytes; at most 1048576 are allowed');
});

/* Members that replace those of a good world (undefined takes one away); path and message. */
const members = [
  [{ layers: undefined }, 'layers: is missing; it must be an object'],
  [{ layers: [] }, 'layers: must be an object, not an array'],
  [{ layers: { hills: '1' } }, 'layers: the layer "height" is missing; every world has one'],
  [{ layers: { height: 5 } }, 'layers.height: must be a formula or an object with a formula, not a number'],
  [{ layers: { height: {} } }, 'layers.height.formula: is missing; it must be a string'],
  [{ layers: { height: { formula: '1', unit: 5 } } },
    'layers.height.unit: must be a string, not a number'],
  [{ layers: { height: { formula: '1', range: [2, 1] } } },
    'layers.height.range: must be [low, high], two numbers, the lower one first'],
  [{ layers: { height: { formula: '1', ragne: [1, 2] } } },
    'layers.height: unknown key "ragne" (did you mean "range"?)'],
  [{ layers: { height: { formula: 'x + ' } } },
    'layers.height.formula: column 5: expected a number, a name, a call or "(", found the end of '
    + 'the formula'],
  [{ layers: { height: '1', 'a b': '1' } },
    'layers: "a b" is not a valid name: a name has 1 to 63 letters, digits or _, and does not start with a digit'],
  [{ layers: { height: '1', pi: '1' } },
    'layers: "pi" is reserved in formulas; choose another name'],
  [{ layers: { height: 'a', a: 'b + 1', b: '2 * a' } },
    'layers.b: column 5: the layers use each other in a cycle: a -> b -> a'],
  [{ generator: undefined }, 'generator: is missing; it must be a number'],
  [{ generator: 2 }, 'generator: must be 1, the only generator there is, not 2'],
  [{ generator: '1' }, 'generator: must be a number, not a string'],
  [{ seed: -1 },
    'seed: must be a whole number from 0 to 18446744073709551615, or a text, not -1'],
  [{ seed: 0.5 },
    'seed: must be a whole number from 0 to 18446744073709551615, or a text, not 0.5'],
  [{ seed: null }, 'seed: must be a text or a whole number, not null'],
  [{ seed: '' }, 'seed: must have 1 to 256 bytes'],
  [{ title: 5 }, 'title: must be a string, not a number'],
  [{ sede: 1 }, 'unknown key "sede" (did you mean "seed"?)'],
  [{ biomes: [] }, 'biomes: has 0 entries; 1 to 256 are allowed'],
  [{ biomes: {} }, 'biomes: must be an array, not an object'],
  [{ biomes: [{ name: 'a', color: '#12' }] },
    'biomes[0].color: must be a color like "#2f7d32" or "#273"'],
  [{ biomes: [{ name: 'a', color: '#123' }, { name: 'b', color: '#123' }] },
    'biomes[0].when: is missing; only the last biome may be without a condition'],
  [{ biomes: [{ name: 'a', color: '#123', when: 'height <' }, { name: 'b', color: '#123' }] },
    'biomes[0].when: column 9: expected a number, a name, a call or "(", found the end of the '
    + 'formula'],
  [{ biomes: [{ name: 'a', color: '#123', when: '1' }, { name: 'a', color: '#123' }] },
    'biomes[1].name: is the name of an earlier biome, too'],
  [{ biomes: [{ color: '#123' }] }, 'biomes[0].name: is missing; it must be a string'],
  [{ biomes: [{ name: 'a', color: '#123', whne: '1' }] },
    'biomes[0]: unknown key "whne" (did you mean "when"?)'],
  [{ styles: [] }, 'styles: must be an object, not an array'],
  [{ styles: { 'a/b': { paint: [] } } },
    'styles.a/b: a style\'s name must be letters, digits, "_" and "-", at most 63'],
];

for (const [change, expected] of members) {
  test(`member: ${JSON.stringify(change)}`, () => {
    const world = { title: 'A', generator: 1, seed: 1, layers: { height: '1' }, ...change };
    assertRefused(JSON.stringify(world), expected);
  });
}

test('member: a removed member is named', () => {
  assertRefused('{}', 'generator: is missing; it must be a number');
});

test('a duplicate key is refused', () => {
  assertRefused('{"generator": 1,\n "layers": {"height": "1", "height": "2"}}',
    'line 2: column 28: the key "height" appears twice in the same object');
});

test('a world that costs more than the limit', () => {
  const octaves = 'fbm(wavelength=65536, octaves=16)';
  const layers = { height: Array.from({ length: 26 }, (_, i) =>
    octaves.replace(')', `, salt="${i}")`)).join(' + ') };
  /* 26 × 16 octaves */
  assertRefused(JSON.stringify({ generator: 1, layers }),
    'layers.height: too expensive: 416 noise evaluations (octaves) a sample; at most 400 are allowed');
});

test('the limit on cost is a setting', () => {
  folder.write('worlds/cost.json',
    { generator: 1, layers: { height: 'fbm(wavelength=65536, octaves=16)' } });
  const words = ['check', 'worlds/cost.json', '--world-cost'];
  assert.equal(terrane([...words, '16'], { cwd: folder.path }).status, 0);
  assert.equal(terrane([...words, '15'], { cwd: folder.path }).status, 1);
});
