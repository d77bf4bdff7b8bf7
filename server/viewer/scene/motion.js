/* Moving by keys and by held buttons. Over the land, the camera keeps its altitude and goes faster
 * the farther it looks; the ground lifts it. On foot, the eye follows the ground at a person's
 * height, and dragging turns the head. Keys are those of their place on the keyboard: W A S D
 * wherever that is. */

import { PITCH_MAX, WALK_PITCH_MAX, distanceAt, eyeOf, setEye } from './camera.js';
import { toMapZoom } from './square.js';

const EYE = 1.7;            /* metres above the ground, on foot */
const WALK = 1.4;           /* metres a second */
const WALK_FASTER = 10;     /* times, with shift */
const FLY = 0.5;            /* of the view's distance, a second */
const FLY_FASTER = 4;
const TURN = 60;            /* degrees a second */
const WALK_ZOOM = 20.9;     /* of the place that the eye looks at, on foot */
const CLEARANCE = 0.02;     /* of the view's distance, from the ground, at least */
const RISEN = { pitch: 60, zoom: 17 }; /* after a walk */
const LOOK = 0.2;           /* degrees a pixel */
const FOLLOW = 12;          /* how fast the eye sinks to the ground: of the gap, a second */
const GAP = 0.01;           /* metres that the eye need not sink */
const CATCH_UP = 0.25;      /* metres that finer ground may lie beside the eye's */
const FRAME_MAX = 0.1;      /* seconds: after a longer pause nothing leaps */

/* What a key moves: [along the view, to the right, turn, tilt, zoom]. */
const KEYS = {
  KeyW: [1, 0, 0, 0, 0], ArrowUp: [1, 0, 0, 0, 0],
  KeyS: [-1, 0, 0, 0, 0], ArrowDown: [-1, 0, 0, 0, 0],
  KeyA: [0, -1, 0, 0, 0], KeyD: [0, 1, 0, 0, 0],
  ArrowLeft: [0, 0, -1, 0, 0], ArrowRight: [0, 0, 1, 0, 0],
  KeyQ: [0, 0, -1, 0, 0], KeyE: [0, 0, 1, 0, 0],
  PageUp: [0, 0, 0, 1, 0], PageDown: [0, 0, 0, -1, 0],
  Equal: [0, 0, 0, 0, 1], NumpadAdd: [0, 0, 0, 0, 1],
  Minus: [0, 0, 0, 0, -1], NumpadSubtract: [0, 0, 0, 0, -1],
};

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/* The sum of what is held down. */
function wish(held) {
  const sum = [0, 0, 0, 0, 0];
  for (const code of held) KEYS[code].forEach((part, index) => { sum[index] += part; });
  return sum.map(Math.sign);
}

function stepAside({ x, y }, bearing, along, right) {
  const turn = (bearing * Math.PI) / 180;
  return {
    x: x + along * Math.sin(turn) + right * Math.cos(turn),
    y: y - along * Math.cos(turn) + right * Math.sin(turn),
  };
}

const GESTURES = [
  'dragPan', 'dragRotate', 'scrollZoom', 'touchZoomRotate', 'touchPitch', 'doubleClickZoom',
  'boxZoom',
];

/* `tellWalking(on)` hears when walking begins and ends. */
export function createMotion(view, element, tellWalking) {
  const { map } = view;
  const held = new Set();
  const fresh = new Set();     /* pressed since the last frame, and perhaps released */
  let faster = false;
  let walking = null;          /* {x, y, altitude, bearing, pitch}, on foot */
  let flying = false;          /* by keys, with the centre off the ground */
  let frame = 0;
  let last = 0;

  /* The gap between the eye's altitude and that of a person there; positive below it. */
  const gapOf = ({ x, y, altitude }) => (view.groundAt({ x, y }) ?? 0) + EYE - altitude;

  /* Gives whether the eye is still sinking. */
  const walk = (seconds, [along, right, turn, tilt]) => {
    const speed = WALK * (faster ? WALK_FASTER : 1) * seconds;
    Object.assign(walking, stepAside(walking, walking.bearing, along * speed, right * speed));
    walking.bearing += turn * TURN * seconds;
    walking.pitch = clamp(walking.pitch + tilt * TURN * seconds, 0, WALK_PITCH_MAX);
    const gap = gapOf(walking);
    const sinks = gap < -GAP;
    walking.altitude += sinks ? gap * Math.min(1, FOLLOW * seconds) : gap;
    setEye(map, view.square(), walking, distanceAt(map, toMapZoom(WALK_ZOOM)));
    return sinks;
  };

  const fly = (seconds, [along, right, turn, tilt, zoom]) => {
    if (zoom !== 0) {
      map.jumpTo({ zoom: map.getZoom() + zoom * seconds });
      return;
    }
    const distance = distanceAt(map, map.getZoom());
    const speed = distance * FLY * (faster ? FLY_FASTER : 1) * seconds;
    const [bearing, pitch] = [map.getBearing(), map.getPitch()];
    const eye = eyeOf(map, view.square());
    const there = stepAside(eye, bearing, along * speed, right * speed);
    const floor = (view.groundAt(there) ?? -Infinity) + CLEARANCE * distance;
    flying = true;
    map.setCenterClampedToGround(false);
    setEye(map, view.square(), {
      ...there,
      altitude: Math.max(eye.altitude, floor),
      bearing: bearing + turn * TURN * seconds,
      pitch: clamp(pitch + tilt * TURN * seconds, 0, map.getMaxPitch()),
    }, distance);
  };

  /* Puts the centre back on the ground that the camera looks at. */
  const land = () => {
    flying = false;
    map.setCenterClampedToGround(true);
    map.easeTo({ center: map.getCenter(), freezeElevation: true, duration: 0 });
  };

  /* A slow frame's own time may be before the key was pressed, so it is not taken. */
  const tick = () => {
    const now = performance.now();
    const seconds = Math.min((now - last) / 1000, FRAME_MAX);
    last = now;
    frame = 0;
    const wanted = wish(new Set([...held, ...fresh]));
    const moves = wanted.some((part) => part !== 0);
    let goesOn = moves;
    if (view.busy()) goesOn = true;
    else {
      fresh.clear();
      if (walking) goesOn = walk(seconds, wanted) || moves;
      else if (moves) fly(seconds, wanted);
    }
    if (goesOn) run();
    else if (flying) land();
  };
  const run = () => {
    if (frame !== 0) return;
    if (last === 0 || performance.now() - last > 1000 * FRAME_MAX) last = performance.now();
    frame = requestAnimationFrame(tick);
  };

  const press = (code) => {
    if (!held.has(code)) fresh.add(code);
    held.add(code);
    run();
  };
  const release = (code) => held.delete(code);
  const releaseAll = () => {
    held.clear();
    fresh.clear();
  };

  const keydown = (event) => {
    faster = event.shiftKey;
    if (event.key === 'Escape' && walking && !event.defaultPrevented) {
      event.preventDefault();
      rise();
      return;
    }
    if (!KEYS[event.code] || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches('select')) return;
    event.preventDefault();
    press(event.code);
  };
  const keyup = (event) => {
    faster = event.shiftKey;
    release(event.code);
  };

  const look = ({ buttons, movementX, movementY }) => {
    if (!walking || buttons === 0) return;
    walking.bearing -= LOOK * movementX;
    walking.pitch = clamp(walking.pitch + LOOK * movementY, 0, WALK_PITCH_MAX);
    run();
  };
  const grasp = ({ target, pointerId }) => walking && target.setPointerCapture(pointerId);

  const canvas = map.getCanvas();
  const ended = new AbortController();
  const listen = (target, type, listener) =>
    target.addEventListener(type, listener, { signal: ended.signal });
  listen(element, 'keydown', keydown);
  listen(element, 'keyup', keyup);
  listen(element, 'focusout', releaseAll);
  listen(canvas, 'pointerdown', grasp);
  listen(canvas, 'pointermove', look);
  /* On foot the ground may come, or come finer, without a key. */
  view.on('drawn', () => {
    if (walking && Math.abs(gapOf(walking)) > CATCH_UP) walk(FRAME_MAX, [0, 0, 0, 0]);
  });

  const setWalking = (next) => {
    const gesture = next ? 'disable' : 'enable';
    walking = next;
    for (const name of GESTURES) map[name][gesture]();
    element.classList.toggle('walking', next !== null);
    tellWalking(next !== null);
  };

  /* Rises above the ground, to look at where the walker stood. */
  const rise = () => {
    const { bearing, ...stood } = walking;
    setWalking(null);
    map.setMaxPitch(PITCH_MAX);
    map.setCenterClampedToGround(true);
    map.jumpTo({ bearing, pitch: RISEN.pitch });
    view.go(stood, RISEN.zoom);
  };

  return {
    press,
    release,
    rise,
    walking: () => walking !== null,
    /* Steps down to the ground at a place, looking along a bearing; pitch 90 is level. */
    walk({ x, y }, bearing, pitch) {
      map.stop();
      flying = false;
      map.setCenterClampedToGround(false);
      map.setMaxPitch(WALK_PITCH_MAX);
      setWalking({ x, y, altitude: (view.groundAt({ x, y }) ?? 0) + EYE, bearing, pitch });
      run();
    },
    /* Where the walker stands. */
    stands: () => walking,
    /* Turns to a bearing at once. */
    turn(bearing) {
      walking.bearing = bearing;
      run();
    },
    stop() {
      ended.abort();
      cancelAnimationFrame(frame);
      releaseAll();
    },
  };
}
