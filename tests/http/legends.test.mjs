/* The legends of a world's descriptor say what the style files say. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile } from '../tools/server.mjs';

const own = {
  generator: 1,
  layers: { height: { formula: 'perlin(wavelength=900)', unit: 'm', range: [-7, 9] }, wind: 't' },
  styles: {
    all: {
      paint: [
        { ramp: { layer: 'wind', stops: [[-2.5, '#010203'], [1e6, '#ffffff']], opacity: 0.25, until: 40, mask: { layer: 'height', from: -1, to: 2 } } },
        { contour: { layer: 'height', interval: 20, index: 4, color: '#b58a5e', index_color: '#8a5f36' } },
        { shade: { layer: 'height', lights: [[0, 90, 1], [123, 1, 0.2], [359, 45, 100]] } },
      ],
    },
  },
};
const folder = temporaryFolder({ 'own.json': JSON.stringify(own) });
const server = serverOfFile({ arguments: ['--worlds', folder.path] });
const describe = async (name) => (await fetch(`${server.url}/worlds/${name}`)).json();

/* The members of a step that a legend has under the same name. */
const SAME = ['layer', 'stops', 'lights', 'intervals', 'exaggeration', 'index', 'color', 'index_color', 'opacity', 'until', 'mask'];

for (const name of ['terra', 'archipelago', 'canyons', 'dunes', 'clouds']) {
  test(`${name}: each step of each style has the colours and numbers of its file`, async () => {
    const world = JSON.parse(readFileSync(`config/worlds/${name}.json`, 'utf8'));
    const { styles, layers } = await describe(name);
    for (const { name: style, legend } of styles) {
      const shared = `config/styles/${style}.json`;
      const { paint } = world.styles?.[style] ?? JSON.parse(readFileSync(existsSync(shared) ? shared : '', 'utf8'));
      const steps = paint.map((step) => Object.entries(step)[0])
        .filter(([kind, { optional }]) => !optional || legend.some((item) => item.kind === kind));
      assert.ok(legend.length > 0 && legend.length <= steps.length, style);
      if (legend.length < steps.length) continue;
      for (const [i, [kind, step]] of steps.entries()) {
        const { [i]: item } = legend;
        assert.equal(item.kind, kind, style);
        const colours = (stops) => stops?.map(([, colour]) => colour);
        assert.deepEqual(colours(item.stops), colours(step.stops), style);
        const same = SAME.filter((key) => key in step && key in item && !(key === 'stops' && step.fit));
        for (const key of same) assert.deepEqual(item[key], step[key], `${style}: ${kind}.${key}`);
        assert.equal('mask' in item, 'mask' in step, style);
        if (kind === 'ramp') assert.equal(item.unit, layers.find((layer) => layer.name === step.layer).unit);
        if (/^grey/.test(kind)) assert.deepEqual(item.range, layers.find((layer) => layer.name === step.layer).range);
      }
    }
  });
}

test('a style of a world has its legend, and layers and styles say whether they move', async () => {
  const { styles, layers } = await describe('own');
  const all = styles.find(({ name }) => name === 'all');
  assert.deepEqual(all.legend, [
    { kind: 'ramp', layer: 'wind', unit: '', stops: [[-2.5, '#010203'], [1000000, '#ffffff']], opacity: 0.25, until: 40, mask: { layer: 'height', from: -1, to: 2 } },
    { kind: 'contour', layer: 'height', intervals: [[0, 20]], index: 4, color: '#b58a5e', index_color: '#8a5f36' },
    { kind: 'shade', layer: 'height', lights: [[0, 90, 1], [123, 1, 0.2], [359, 45, 100]], exaggeration: [[0, 1]] },
  ]);
  assert.equal(all.time, true);
  assert.deepEqual(layers.map(({ name, time }) => [name, time]), [['height', false], ['wind', true]]);
  assert.deepEqual(styles.find(({ name }) => name === 'height').legend, [{ kind: 'grey', layer: 'height', unit: 'm', range: [-7, 9] }]);
});
