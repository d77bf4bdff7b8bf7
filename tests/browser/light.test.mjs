/* The light of the scene and what lies on its ground: the sun's path and its colours, by arithmetic; tufts and pebbles
 * by materials. The slider of the hour is in long/light.test.mjs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readScene, writeScene } from '../../server/viewer/scene/address.js';
import { shapeOf, shapes, CORNER_FLOATS } from '../../server/viewer/scene/shapes.js';
import { thingOf } from '../../server/viewer/scene/things.js';
import { hourText, lightAt, sunAt } from '../../server/viewer/scene/sun.js';

const close = (value, expected) => assert.ok(Math.abs(value - expected) < 1e-9, `${value}, not ${expected}`);

test('the sun rises in the east, stands in the south at noon and sets in the west', () => {
  for (const [hour, azimuth, altitude] of [[6, 90, 0], [12, 180, 50], [18, 270, 0]]) {
    close(sunAt(hour).azimuth, azimuth);
    close(sunAt(hour).altitude, altitude);
  }
  close(sunAt(0).altitude, -50);
  /* At 9 h it has turned 45 of 90 degrees: sin(altitude) = sin 50° · cos 45°. */
  close(Math.sin((sunAt(9).altitude * Math.PI) / 180), Math.sin((50 * Math.PI) / 180) * Math.SQRT1_2);
  const [east, up, south] = lightAt(9).direction;
  close(Math.hypot(east, up, south), 1);
  assert.ok(east > 0 && up > 0 && south > 0);
  assert.ok(lightAt(0).picture < lightAt(6).picture && lightAt(6).picture < lightAt(12).picture);
  assert.ok(lightAt(0).direction[1] > 0, 'the moon stands above the horizon');
  assert.ok(lightAt(7).shade > lightAt(12).shade);
  for (let hour = 0; hour <= 24; hour += 0.25) {
    const { sky, horizon, fog, light } = lightAt(hour);
    for (const colour of [sky, horizon, fog, light]) assert.match(colour, /^#[0-9a-f]{6}$/);
  }
  assert.deepEqual([0, 6.25, 17.75, 24].map(hourText), ['0:00', '6:15', '17:45', '24:00']);
});

test('the address keeps the hour, and none is the light of the map', () => {
  assert.deepEqual([readScene({ sun: '18.25' }).sun, readScene({ sun: '25' }).sun, readScene({ sun: 'x' }).sun], [18.25, 24, null]);
  const view = { pitch: 60, bearing: 0, zoom: 14, exaggeration: 1, walk: false };
  assert.deepEqual([writeScene({ ...view, sun: 18.25 }).sun, writeScene({ ...view, sun: null }).sun], ['18.25', null]);
});

test('every kind has a shape of triangles with normals of length one', () => {
  const numbers = ['conifer', 'acacia', 'rock', 'shrub', 'oak', 'tuft', 'pebble'].map(shapeOf);
  assert.equal(new Set(numbers).size, numbers.length);
  for (const corners of shapes()) {
    assert.equal(corners.length % (3 * CORNER_FLOATS), 0);
    for (let at = 0; at < corners.length; at += CORNER_FLOATS) {
      const [x, y, z, material] = corners.slice(at + 3, at + 7);
      assert.ok(Math.abs(Math.hypot(x, y, z) - 1) < 1e-6);
      assert.ok([0, 0.5, 1].includes(material));
    }
  }
});

test('what lies on the ground is of the material that its number picks', () => {
  const materials = [{ name: 'dry_grass', color: '#c2b478' }, { name: 'rock', color: '#8f877d' }, { name: 'snow', color: '#f4f7fa' }];
  const of = (shares, pick, amount = 0.5) => thingOf(materials, shares, [pick, amount]);
  assert.deepEqual(of([255, 0, 0], 0.5), { kind: 'tuft', color: '#c2b478', size: 0.18 });
  assert.deepEqual(['tuft', 'pebble'], [0.2, 0.9].map((pick) => of([128, 127, 0], pick).kind));
  assert.equal(of([0, 0, 255], 0.5, 1), null);
  assert.equal(of([0, 0, 0], 0.5), null);
  assert.equal(of([], 0.5), null);
});
