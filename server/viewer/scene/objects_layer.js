/* A layer of MapLibre that draws objects: one draw for each shape, with an instance for each
 * object. Positions are metres from an anchor near the eye, so that 32 bits suffice anywhere. */

import { eyeOf } from './camera.js';
import { CORNER_FLOATS, shapeOf, shapes } from './shapes.js';
import { metreInMercator, toMercator } from './square.js';

const VERTEX = `#version 300 es
uniform mat4 view;         /* metres from the anchor to the window */
uniform vec3 eye;          /* east and south of the anchor, up */
uniform vec3 sun;          /* east, up, south */
uniform vec3 shine;        /* the sun's colour, */
uniform float day;         /* and how bright it is */
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 normal;
layout(location = 2) in float leaf;
layout(location = 3) in vec4 place;    /* east, south, up; size */
layout(location = 4) in vec4 look;     /* colour, rotation */
out vec3 tint;
out vec3 spot;             /* on the object, in its radii */
out vec2 leafy;            /* how much of it is leaves; how much of their detail is seen */
out float facing;          /* the eye, 0 … 1 */
vec3 turned(vec3 v, float c, float s) {
  return vec3(c * v.x - s * v.z, v.y, s * v.x + c * v.z);
}
void main() {
  float c = cos(look.w), s = sin(look.w);
  /* Nobody stands in a tree. */
  float size = distance(eye.xy, place.xy) < 1.2 * place.w ? 0.0 : place.w;
  vec3 at = turned(corner, c, s) * size;
  vec3 faces = turned(normal, c, s);
  float lit = 0.72 + 0.42 * dot(faces, sun);
  vec3 own = leaf > 0.25 ? look.rgb : vec3(0.34, 0.26, 0.19);
  tint = own * lit * mix(vec3(1.0), shine, 0.7) * day;
  vec3 away = vec3(eye.x, eye.z, eye.y) - vec3(place.x + at.x, place.z + at.y, place.y + at.z);
  float far = length(away);
  facing = abs(dot(faces, away / max(far, 0.01)));
  spot = corner + vec3(look.w * 3.7);
  leafy = vec2(leaf > 0.75 ? 1.0 : 0.0, clamp(1.6 - far / (32.0 * place.w), 0.0, 1.0));
  gl_Position = view * vec4(place.x + at.x, place.y + at.z, place.z + at.y, 1.0);
}`;
const FRAGMENT = `#version 300 es
precision highp float;
in vec3 tint;
in vec3 spot;
in vec2 leafy;
in float facing;
out vec4 colour;
/* 0 … 1, of a cell. */
float cell(vec3 at) {
  at = fract(floor(at) * vec3(0.1031, 0.1030, 0.0973));
  at += dot(at, at.yzx + 33.33);
  return fract((at.x + at.y) * at.z);
}
void main() {
  float shade = 1.0;
  if (leafy.x > 0.5 && leafy.y > 0.0) {
    float small = cell(spot * 17.0), clump = cell(spot * 5.0);
    /* Crowns have ragged borders, through which the sky is seen. */
    if (facing < 0.5 * leafy.y * small) discard;
    shade = mix(1.0, 0.66 + 0.3 * small + 0.3 * clump, leafy.y);
  }
  colour = vec4(tint * shade, 1.0);
}`;
const INSTANCE_FLOATS = 8;

function compile(gl, type, source) {
  const shader = gl.createShader(type);
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

function link(gl) {
  const program = gl.createProgram();
  const shaders = [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]
    .map(([type, source]) => compile(gl, type, source));
  for (const shader of shaders) gl.attachShader(program, shader);
  gl.linkProgram(program);
  for (const shader of shaders) gl.deleteShader(shader);   /* as soon as the program is */
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
    throw new Error(gl.getProgramInfoLog(program));
  }
  return program;
}

function fill(gl, data) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  return buffer;
}

/* Attributes from `location` on, of these numbers of floats, interleaved in the bound buffer. */
function pointTo(gl, location, sizes, divisor) {
  const stride = 4 * sizes.reduce((sum, size) => sum + size, 0);
  let offset = 0;
  sizes.forEach((size, index) => {
    gl.enableVertexAttribArray(location + index);
    gl.vertexAttribPointer(location + index, size, gl.FLOAT, false, stride, offset);
    gl.vertexAttribDivisor(location + index, divisor);
    offset += 4 * size;
  });
}

function createShape(gl, corners) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  const solid = fill(gl, corners);
  pointTo(gl, 0, [3, 3, 1], 0);
  const instances = fill(gl, new Float32Array(0));
  pointTo(gl, 3, [4, 4], 1);
  gl.bindVertexArray(null);
  return { array, solid, instances, corners: corners.length / CORNER_FLOATS, count: 0 };
}

/* The matrix of Mercator's coordinates as one of metres from a place there; computed in 64 bits. */
function place(matrix, [x, y]) {
  const [first, second, third, last] = [0, 4, 8, 12].map((at) => [...matrix.slice(at, at + 4)]);
  const moved = last.map((value, row) => value + first[row] * x + second[row] * y);
  const scaled = [first, second, third].flat().map((value) => value * metreInMercator);
  return new Float32Array([...scaled, ...moved]);
}

const rgb = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);

/* An object as an instance; no two of a kind have quite the same colour. */
function instance({ x, y, height, rotation, color, size }, anchor, lift) {
  const shade = 0.88 + 0.24 * ((rotation * 7.31) % 1);
  return [x - anchor.x, y - anchor.y, height * lift, size,
    ...rgb(color).map((part) => part * shade), (rotation * Math.PI) / 180];
}

/* The light of the map itself: from the north-west, white. */
const MAP_LIGHT = { direction: [-0.5, 0.7, -0.5], color: [1, 1, 1], day: 1 };

export function createObjectsLayer(view, id = 'objects') {
  let gl = null;
  let program = null;
  let drawn = [];
  let objects = [];
  let anchor = { x: 0, y: 0 };
  let stale = false;
  let share = 1;
  let light = MAP_LIGHT;

  const upload = () => {
    stale = false;
    const lists = drawn.map(() => []);
    for (const object of objects) lists[shapeOf(object.kind)].push(object);
    drawn.forEach((shape, index) => {
      const data = lists[index].flatMap((one) => instance(one, anchor, view.exaggeration()));
      gl.bindBuffer(gl.ARRAY_BUFFER, shape.instances);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(data), gl.DYNAMIC_DRAW);
      shape.count = data.length / INSTANCE_FLOATS;
    });
  };

  return {
    id,
    type: 'custom',
    renderingMode: '3d',
    onAdd(map, context) {
      gl = context;
      program = link(gl);
      drawn = shapes().map((corners) => createShape(gl, corners));
      stale = true;
    },
    render(context, { defaultProjectionData }) {
      if (objects.length === 0) return;
      if (stale) upload();
      gl.useProgram(program);
      const matrix = place(defaultProjectionData.mainMatrix, toMercator(view.square(), anchor));
      gl.uniformMatrix4fv(gl.getUniformLocation(program, 'view'), false, matrix);
      const eye = eyeOf(view.map, view.square());
      const at = (name) => gl.getUniformLocation(program, name);
      gl.uniform3f(at('eye'), eye.x - anchor.x, eye.y - anchor.y, eye.altitude);
      gl.uniform3fv(at('sun'), light.direction);
      gl.uniform3fv(at('shine'), light.color);
      gl.uniform1f(at('day'), light.day);
      gl.disable(gl.CULL_FACE);
      for (const { array, corners, count } of drawn) {
        if (count === 0) continue;
        gl.bindVertexArray(array);
        gl.drawArraysInstanced(gl.TRIANGLES, 0, corners, Math.ceil(count * share));
      }
      gl.bindVertexArray(null);
    },
    onRemove() {
      for (const { array, solid, instances } of drawn) {
        gl.deleteVertexArray(array);
        gl.deleteBuffer(solid);
        gl.deleteBuffer(instances);
      }
      gl.deleteProgram(program);
      drawn = [];
    },
    /* Draws these objects, the most important ones first; the anchor is a place near them. */
    show(wanted, { x, y }) {
      if (wanted.length === 0 && objects.length === 0) return;
      objects = wanted;
      anchor = { x, y };
      stale = true;
      view.map.triggerRepaint();
    },
    /* The light of an hour (sun.js), or that of the map (null). */
    setLight(wanted) {
      light = wanted === null ? MAP_LIGHT
        : { direction: wanted.direction, color: rgb(wanted.light), day: wanted.picture };
      view.map.triggerRepaint();
    },
    /* Draws the first of each shape alone; 1 is all of them. */
    setShare(wanted) {
      share = wanted;
    },
  };
}
