/* path() and area() by brute force: every segment for every place, with differences of BigInt and everything else in
 * doubles. Inside or outside is told by the winding number, in whole numbers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terrane } from '../cli/terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { ask, decimal, limit, randomBelow, randomWithin } from './sample.mjs';

const unit = 65536n;
const metres = (units) => Number(units) / 65536;
/* 2⁻¹⁶ m as a number of a world file. */
const written = (vertices) => vertices.map((vertex) => `[${vertex.map(decimal).join(',')}]`).join(',');

/* All segments: [from, to], the last one of an area back to where it begins. */
const sidesOf = (vertices, closed) => vertices.slice(closed ? 0 : 1).map((to, i) =>
  (closed ? [vertices[(i + vertices.length - 1) % vertices.length], to] : [vertices[i], to]));

/* The nearest point: { distance, along, dx, dy, right }; `right` is in metres from the line through its segment, and not known
 * if the point is a vertex. */
function nearestOf(vertices, closed, place) {
  let best = { distance: Infinity };
  let start = 0;
  for (const [a, b] of sidesOf(vertices, closed)) {
    const [dx, dy] = [metres(b[0] - a[0]), metres(b[1] - a[1])];
    const [ex, ey] = [metres(place[0] - a[0]), metres(place[1] - a[1])];
    const length = Math.hypot(dx, dy);
    const t = Math.min(Math.max((ex * dx + ey * dy) / length / length, 0), 1);
    const distance = t === 1 ? Math.hypot(metres(place[0] - b[0]), metres(place[1] - b[1]))
      : Math.hypot(ex - t * dx, ey - t * dy);
    if (distance < best.distance)
      best = { distance, along: start + t * length, dx: ex - t * dx, dy: ey - t * dy, right: t > 0 && t < 1 ? (dx * ey - dy * ex) / length : NaN };
    start += length;
  }
  return best;
}

/* The times that the border goes around the place: D. Sunday, "Inclusion of a Point in a Polygon" (2001). */
function windingOf(vertices, [x, y]) {
  let winding = 0;
  for (const [a, b] of sidesOf(vertices, true)) {
    const left = (b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1]);
    if (a[1] <= y && b[1] > y && left > 0n) winding++;
    if (a[1] > y && b[1] <= y && left < 0n) winding--;
  }
  return winding;
}

/* A walk with steps of up to `step` metres. */
function walk(from, count, step) {
  const vertices = [from];
  while (vertices.length < count) {
    const [x, y] = vertices.at(-1);
    vertices.push([x + randomWithin(BigInt(step) * unit), y + randomWithin(BigInt(step) * unit) + 1n]);
  }
  return vertices;
}

/* A star-shaped border about a middle. */
function star(middle, count, radius) {
  return Array.from({ length: count }, (_, i) => {
    const r = radius * (0.3 + 0.7 * Number(randomBelow(1000n)) / 1000);
    const angle = 2 * Math.PI * i / count;
    return [middle[0] + BigInt(Math.round(r * Math.cos(angle) * 65536)), middle[1] + BigInt(Math.round(r * Math.sin(angle) * 65536))];
  });
}

const far = limit - 5000000n * unit;
const lines = {
  road: { vertices: walk([0n, 0n], 200, 300) },
  straight: { vertices: [[-3000n * unit, 7n], [40000n * unit, 12345n]] },
  edge: { vertices: walk([far, -far], 120, 500) },
  tiny: { vertices: walk([9n * unit, 9n * unit], 60, 1) },
  across: { vertices: [[-limit, -limit], [limit, limit - 1n], [limit, -limit]] },
  town: { vertices: star([0n, 0n], 90, 2500), closed: true },
  island: { vertices: star([-far, far], 5, 4000), closed: true },
  triangle: { vertices: [[0n, 0n], [900n * unit, 1n], [450n * unit, 1n - 700n * unit]], closed: true },
};
const members = (closed) => Object.entries(lines).filter(([, line]) => Boolean(line.closed) === closed)
  .map(([name, { vertices }]) => `"${name}": [${written(vertices)}]`).join(',');

/* Places around the vertices and the segments of all lines, a few of them exactly there, and others anywhere near. */
function placesNear({ vertices }) {
  const places = [];
  for (let i = 0; i < 150; i++) {
    const [x, y] = vertices[Number(randomBelow(BigInt(vertices.length)))];
    const reach = 1n << randomBelow(30n);
    places.push([x + randomWithin(reach), y + randomWithin(reach)]);
    if (i % 10 === 0) places.push([x, y]);
  }
  return places.map((place) => place.map((v) => (v > limit ? limit : v < -limit ? -limit : v)));
}

/* World text, as the digits of places are more than a double has. */
const worldOf = (layers) => `{"generator": 1, "paths": {${members(false)}}, "areas": {${members(true)}}, "layers": ${
  JSON.stringify(layers)}}`;

/* Floats hold 24 bits; differences are exact, and a segment's length has 53. */
const isNear = (value, expected, extent = 0) => Math.abs(value - expected) <= 1.2e-7 * Math.abs(expected) + 1e-12 * extent + 1e-9;

test('distances, ways along and sides are those of the brute force, near and far', () => {
  let [sides, within] = [0, 0];
  for (const [name, line] of Object.entries(lines)) {
    const layers = line.closed ? { height: `area('${name}', 'signed', 3000)` }
      : { height: `path('${name}', 'distance', 3000)`, along: `path('${name}', 'along', 3000)`, side: `path('${name}', 'side', 3000)`,
        dx: `path('${name}', 'dx', 3000)`, dy: `path('${name}', 'dy', 3000)` };
    const extent = name === 'across' ? 2 ** 41 : 1e5;
    const places = placesNear(line);
    ask(worldOf(layers), places).forEach(({ height, along, side, dx, dy }, i) => {
      const { distance, along: way, right, ...off } = nearestOf(line.vertices, line.closed, places[i]);
      const text = `${name} at ${places[i].map(decimal)}`;
      if (line.closed) {
        const signed = (windingOf(line.vertices, places[i]) === 0 ? 1 : -1) * Math.min(distance, 3000);
        assert.ok(isNear(height, signed, extent), `${text}: ${height}, not ${signed}`);
        return;
      }
      assert.ok(isNear(height, Math.min(distance, 3000), extent), `${text}: ${height}, not ${distance}`);
      if (Math.abs(distance - 3000) < 1e-3) return;
      if (distance > 3000) {
        assert.deepEqual([along, side, dx, dy], [0, 0, 0, 0], text);
        return;
      }
      within++;
      assert.ok(isNear(along, way, extent), `${text}: ${along} along it, not ${way}`);
      for (const [value, wanted] of [[dx, off.dx], [dy, off.dy]])
        assert.ok(Math.abs(value - wanted) <= 1e-9 + 1e-6 * distance + 1e-12 * extent, `${text}: ${value} from it, not ${wanted}`);
      if (Math.abs(right) > 1e-6 + 1e-14 * extent) {
        assert.equal(side, Math.sign(right), text);
        sides++;
      }
    });
  }
  assert.ok(within > 500 && sides > 200, `${within} places within the reach, ${sides} with a side`);
});

test('a path is moved as noises are: warped, turned, enlarged, and looked at from elsewhere', () => {
  const layers = {
    height: "path('road', 'distance', 5000)",
    warped: "warp(height, 100, -30.25)",
    moved: "warp(height, x / 8, 3 - y / 8)",
    turned: "rotate(height, 90)",
    enlarged: "scale(height, 4)",
    elsewhere: "at(height, 12, 3 * y)",
    both: "rotate(scale(warp(height, 10, 20), 2), 180)",
    nodes: "coarse(path('straight', 'distance', 9000), 64)",
  };
  const places = Array.from({ length: 200 }, () => [randomWithin(2000n) * unit, randomWithin(2000n) * unit]);
  const distance = (x, y, name = 'road') => nearestOf(lines[name].vertices, false,
    [x, y].map((v) => BigInt(Math.round(v * 65536)))).distance;
  ask(worldOf(layers), places).forEach((layers, i) => {
    const [x, y] = places[i].map(metres);
    const expected = {
      height: distance(x, y),
      warped: distance(x + 100, y - 30.25),
      moved: distance(x + x / 8, y + 3 - y / 8),
      /* Turned clockwise: what was in the north is in the east. */
      turned: distance(y, -x),
      enlarged: distance(x / 4, y / 4),
      elsewhere: distance(12, 3 * y),
      both: distance(-x / 2 + 10, -y / 2 + 20),
      /* Beside a straight line distances are linear, so nodes give them again. */
      ...Math.abs(y) > 300 && { nodes: distance(x, y, 'straight') },
    };
    for (const [name, value] of Object.entries(expected))
      assert.ok(Math.abs(layers[name] - Math.min(value, name === 'nodes' ? 9000 : 5000)) < (name === 'nodes' ? 2 : 1e-3),
        `${name} at ${x}, ${y}: ${layers[name]}, not ${value}`);
  });
});

test('at a vertex the side is that of the angle, however sharp it is', () => {
  const hairpin = [[0, 0], [1000, 0], [0, 10]];
  const world = { generator: 1, paths: { hairpin, back: hairpin.slice().reverse() },
    layers: { height: "path('hairpin', 'side')", back: "path('back', 'side')" } };
  const places = [[1200, -90], [1100, 0], [1200, 90], [1001, 0], [500, 1], [500, -1], [500, 9]];
  const units = places.map((place) => place.map((v) => BigInt(v) * unit));
  /* The path turns to its right: all that is beyond the tip is on its left, and between its legs on its right. */
  const expected = [-1, -1, -1, -1, 1, -1, -1];
  ask(world, units).forEach(({ height, back }, i) => {
    assert.equal(height, expected[i], `${places[i]}`);
    assert.equal(back, -expected[i], `${places[i]}, on the way back`);
  });
});

/* The share of a square of 1 m around a place that a line of a width through the origin covers. */
function covered([x, y], angle, width) {
  const fine = 64;
  let inside = 0;
  for (let i = 0; i < fine * fine; i++) {
    const [px, py] = [x + (i % fine + 0.5) / fine - 0.5, y + (Math.floor(i / fine) + 0.5) / fine - 0.5];
    inside += Math.abs(py * Math.cos(angle) - px * Math.sin(angle)) < width / 2;
  }
  return inside / fine / fine;
}

test('coverage() is that of the area: exact along the axes, near it at any angle, and the same on average', () => {
  const lines = [[0, 0.02], [90, 0.02], [20, 0.13], [45, 0.13]].flatMap(([degrees, most]) =>
    [0.3, 1, 2.5].map((width, i) => ({ angle: degrees * Math.PI / 180, most, width, layer: `of${degrees}_${i}`, path: `to${degrees}` })));
  const end = ({ angle }, sign) => `[${[Math.cos(angle), Math.sin(angle)].map((v) => (sign * 1e5 * v).toFixed(4))}]`;
  const world = `{"generator": 1, "paths": {${[...new Map(lines.map((line) => [line.path, `"${line.path}": [${end(line, -1)}, ${
    end(line, 1)}]`])).values()]}}, "layers": {"height": "0", ${lines.map(({ layer, path, width }) =>
    `"${layer}": "coverage(path('${path}', 'distance'), ${width})"`)}}}`;
  const places = Array.from({ length: 300 }, () => [randomWithin(2n * unit), randomWithin(2n * unit)]);
  const seen = ask(world, places, ['--zoom', '17']); /* samples are 1 m apart */
  const near = ask(world, places);
  for (const { angle, most, width, layer } of lines) {
    let [sum, expected] = [0, 0];
    places.forEach((place, i) => {
      const [east, south] = place.map(metres);
      const share = covered([east, south], angle, width);
      sum += seen[i][layer];
      expected += share;
      assert.ok(Math.abs(seen[i][layer] - share) <= most, `${layer}, ${width} m at ${east}, ${south}: ${seen[i][layer]}, not ${share}`);
      const off = Math.abs(south * Math.cos(angle) - east * Math.sin(angle)) - width / 2;
      if (Math.abs(off) > 1e-3) assert.equal(near[i][layer], off < 0 ? 1 : 0, `${width} m at full detail`);
    });
    assert.ok(Math.abs(sum - expected) < 0.05 * expected, `${layer}, ${width} m: ${sum} in all, not ${expected}`);
  }
});

/* The point `along` metres along a path, in metres; an end beyond it. */
function pointOf(vertices, along) {
  let rest = Math.max(along, 0);
  for (const [a, b] of sidesOf(vertices, false)) {
    const [dx, dy] = [metres(b[0] - a[0]), metres(b[1] - a[1])];
    const length = Math.hypot(dx, dy);
    if (rest <= length) return [metres(a[0]) + rest / length * dx, metres(a[1]) + rest / length * dy];
    rest -= length;
  }
  return vertices.at(-1).map(metres);
}

/* e at stations, joined by a uniform cubic B-spline. */
function profileOf(e, vertices, spacing, along) {
  const [i, t] = [Math.floor(along / spacing), along / spacing - Math.floor(along / spacing)];
  const weights = [(1 - t) ** 3, 3 * t ** 3 - 6 * t ** 2 + 4, -3 * t ** 3 + 3 * t ** 2 + 3 * t + 1, t ** 3];
  return weights.reduce((sum, weight, k) => sum + weight / 6 * e(...pointOf(vertices, (i + k - 1) * spacing)), 0);
}

test('profile() is e at stations along the path, joined by a spline, and e itself from afar', () => {
  const e = (x, y) => 30 * Math.sin(x / 90) + y / 7;
  const layers = {
    land: '30 * sin(x / 90) + y / 7',
    height: "profile('road', land, 32, 3000)",
    warped: "warp(height, 100, -30.25)",
    turned: 'rotate(height, 90)',
    enlarged: 'scale(height, 4)',
    far: "profile('edge', cycle('x', 16777216), 256, 400)",
  };
  const { road, edge } = lines;
  const places = Array.from({ length: 120 }, () => [randomWithin(6000n) * unit, randomWithin(6000n) * unit]);
  const beside = (x, y) => {
    const { distance, along } = nearestOf(road.vertices, false, [x, y].map((v) => BigInt(Math.round(v * 65536))));
    return distance < 3000 ? profileOf(e, road.vertices, 32, along) : 0;
  };
  let within = 0;
  ask(worldOf(layers), places).forEach((values, i) => {
    const [x, y] = places[i].map(metres);
    const expected = { height: beside(x, y), warped: beside(x + 100, y - 30.25), turned: beside(y, -x), enlarged: beside(x / 4, y / 4) };
    for (const [name, value] of Object.entries(expected))
      assert.ok(Math.abs(values[name] - value) < 0.01, `${name} at ${x}, ${y}: ${values[name]}, not ${value}`);
    within += expected.height !== 0;
  });
  assert.ok(within > 40, `${within} places within the reach`);
  ask(worldOf(layers), places, ['--zoom', '12']).forEach(({ height }, i) => { /* samples 32 m apart */
    const { distance, dx, dy } = nearestOf(road.vertices, false, places[i]);
    const [x, y] = places[i].map(metres);
    const value = distance < 3000 ? e(x - dx, y - dy) : 0;
    assert.ok(Math.abs(height - value) < 0.02, `from afar at ${x}, ${y}: ${height}, not ${value}`);
  });
  const there = Array.from({ length: 40 }, (_, i) => {
    const [x, y] = edge.vertices[i + 10];
    return [x + randomWithin(200n) * unit, y + randomWithin(200n) * unit];
  });
  ask(worldOf(layers), there).forEach(({ far }, i) => {
    const { distance, along } = nearestOf(edge.vertices, false, there[i]);
    const turn = (x) => x / 16777216 - Math.floor(x / 16777216);
    const value = distance < 400 ? profileOf(turn, edge.vertices, 256, along) : 0;
    assert.ok(Math.abs(far - value) < 1e-6, `at ${there[i].map(decimal)}: ${far}, not ${value}`);
  });
});

test('profile() tells what is wrong with its stations', () => {
  for (const [text, words] of [["profile('straight', x, 8)", 'has at most 4096 stations: their spacing must be 16 m or more'],
    ["profile('road', x, 48)", 'spacing must be a power of two'], ["profile('rode', x, 64)", 'did you mean "road"?']]) {
    const folder = temporaryFolder({ 'world.json': worldOf({ height: text }) });
    const { status, stderr } = terrane(['check', 'world.json'], { cwd: folder.path });
    folder.remove();
    assert.equal(status, 1);
    assert.ok(stderr.includes(words), stderr);
  }
});
