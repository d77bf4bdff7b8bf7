/* Places and permalinks as text: the page's own modules, without a browser. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { formatPermalink, parsePermalink } from '../../server/viewer/app/permalink.js';
import {
  coordinateText, exactText, heightText, parseCoordinate, parsePlace, readable, valueText,
} from '../../server/viewer/app/place.js';

test('coordinates are written as finely as the map can point', () => {
  const cases = [
    [1234567.89, 0, '1230000'], /* 131072 m a pixel */
    [1234567.89, 9, '1234600'], /* 256 m a pixel */
    [-1234567.89, 17, '-1234567.9'],
    [0.126, 20, '0.13'], /* 12.5 cm a pixel */
    [-0.001, 20, '0'],
    [-40, 5, '0'],
    [2 ** 40, 20, '1099511627776'],
  ];
  for (const [metres, zoom, text] of cases) assert.equal(coordinateText(metres, zoom), text);
});

test('places are read in the ways people write them', () => {
  const cases = [
    ['1200, -350', { x: 1200, y: -350 }],
    [' 1200;-350.25 ', { x: 1200, y: -350.25 }],
    ['-5 7', { x: -5, y: 7 }],
    ['12 345, \u22126\u202f789', { x: 12345, y: -6789 }],
    ['1099511627776, 0', { x: 2 ** 40, y: 0 }],
    ['-0, +3', { x: 0, y: 3 }],
    ['10 km, 20 km', { x: 10000, y: 20000 }],
    ['-1.5km 20 m', { x: -1500, y: 20 }],
    ['1e5;2e5', { x: 100000, y: 200000 }],
    ['-5,554,200, -12,466,200', { x: -5554200, y: -12466200 }],
    ['5,554,200;12,466,200.5', { x: 5554200, y: 12466200.5 }],
    ['5,554,200 12', { x: 5554200, y: 12 }],
    ['1200,-350', { x: 1200, y: -350 }],
    ['x \u22125 488 800   y \u221212 549 500', { x: -5488800, y: -12549500 }],
    ['X: 3, Y: 4', { x: 3, y: 4 }],
  ];
  for (const [text, place] of cases) assert.deepEqual(parsePlace(text), place, text);
});

test('invalid places are refused', () => {
  const cases = ['', '1', '1,2,3', 'a, b', '1e13, 0', '1e-3, 0', '0x10, 0', '5,55,200; 3', '10 miles, 0', '2000000000 km, 0', '1 2 3', 'x 1 2', 'Infinity, 0', '1099511627777, 0',
    '., 0', '1,,2', '--1, 0'];
  for (const text of cases) assert.equal(parsePlace(text), null, text);
});

test('numbers are formatted for people', () => {
  assert.equal(readable('-1234567.25'), '\u22121\u202f234\u202f567.25');
  assert.equal(heightText(2699.6), '2\u202f700\u202fm');
  assert.equal(heightText(-3.449), '\u22123.4\u202fm');
  assert.equal(heightText(-0.04), '0\u202fm');
  assert.equal(valueText(-0.123456, ''), '\u22120.1235');
  assert.equal(valueText(12.5, '°C'), '12.5\u202f°C');
});

test('exact places are written as they were typed', () => {
  for (const text of ['56640', '-41015', '0', '0.000000001', '-0.1', '1099511627776', '1234567.891']) {
    assert.equal(exactText(parseCoordinate(text)), text);
  }
  const view = { world: 'terra', seed: null, style: 'relief', zoom: 4, x: 56640, y: -41015.25, exact: true };
  assert.equal(formatPermalink(view), '#terra/relief/4/56640/-41015.25');
  assert.equal(formatPermalink({ ...view, exact: false }), '#terra/relief/4/57000/-41000');
});

test('permalinks are read as they are written', () => {
  const views = [
    { world: 'terra', seed: null, style: 'relief', zoom: 9, x: 0, y: 0, extras: {} },
    {
      world: 'terra', seed: 'a b/ü~@#%?', style: 'biome', zoom: 20, x: -2.25, y: 1000000.5,
      extras: { t: '2.5', note: 'a?b&c/d#é' },
    },
  ];
  for (const view of views) {
    assert.deepEqual(parsePermalink(formatPermalink(view)), { ...view, problems: [] });
  }
  assert.equal(formatPermalink(views[1]),
    '#terra~a%20b%2F%C3%BC%7E%40%23%25%3F/biome/20/-2.25/1000000.5?t=2.5&note=a%3Fb%26c%2Fd%23%C3%A9');
});

test('permalinks may be cut at any part', () => {
  const nothing = parsePermalink('');
  for (const [part, value] of Object.entries(nothing)) {
    assert.deepEqual(value, { problems: [], extras: {} }[part] ?? null);
  }
  assert.deepEqual(parsePermalink('#'), nothing);
  assert.deepEqual(parsePermalink('#perlin~'), { ...nothing, world: 'perlin' });
  assert.deepEqual(parsePermalink('#perlin/height/4'),
    { ...nothing, world: 'perlin', style: 'height', zoom: 4 });
});

test('the invalid parts of a permalink are named', () => {
  const cases = [
    ['#terra/relief/21/0/0', ['zoom']],
    ['#terra/relief/-1/0/0', ['zoom']],
    ['#terra/relief/5/x/0', ['x']],
    ['#terra/relief/5/1e3/1099511627777', ['x', 'y']],
    ['#%E0%A4%A/%zz/9', ['world', 'style']],
    ['#terra~%ff/relief', ['seed']],
  ];
  for (const [hash, problems] of cases) {
    assert.deepEqual(parsePermalink(hash).problems, problems, hash);
  }
  assert.equal(parsePermalink('#terra/relief/5/x/7').y, null);
});
