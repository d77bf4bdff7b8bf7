/* Detail that follows the machine. Where frames take too long, as without a graphics card, the
 * moving picture has fewer pixels, the ground fewer triangles and the land fewer trees; as soon as
 * the camera rests, the picture is drawn again in full. Pixels alone or triangles alone gain little
 * there: each of them takes half of a frame's time. */

const LEVELS = [
  { pixels: 1, quads: 128, objects: 1 },      /* quads: MapLibre's own number along a tile's edge */
  { pixels: 0.75, quads: 64, objects: 0.6 },
  { pixels: 0.5, quads: 32, objects: 0.3 },
  { pixels: 0.35, quads: 32, objects: 0.15 },
];
const COARSEST = LEVELS.length - 1;
const SLOW_MS = 45;        /* of a frame, from which on there is less detail */
const STALLED_MS = 150;    /* of a frame, from which on only the coarsest level will do */
const QUICK_MS = 20;       /* of a frame, below which more detail is tried */
const SPAN_MS = 600;       /* whose frames are judged together: single ones may wait for others */
const QUICK_SPANS = 2;     /* after which it is tried the first time; later after twice as many */
const REST_MS = 300;       /* after the last frame of a movement, and */
const REST_FRAMES = 2;     /* so many empty ones, the picture is drawn in full */

/* Decides on the level from the milliseconds of each frame. */
export function createGovernor() {
  let level = 0;
  let frames = 0;
  let elapsed = 0;
  let quick = 0;
  let patience = QUICK_SPANS;
  const restart = () => {
    frames = 0;
    elapsed = 0;
  };
  const judge = (ms) => {
    quick = ms < QUICK_MS ? quick + 1 : 0;
    if (ms > SLOW_MS && level < COARSEST) {
      patience *= 2;
      level = ms > STALLED_MS ? COARSEST : level + 1;
    } else if (quick >= patience && level > 0) {
      quick = 0;
      level -= 1;
    }
  };
  return {
    level: () => level,
    /* Forgets the frames of the movement before. */
    restart,
    add(ms) {
      frames += 1;
      elapsed += ms;
      if (elapsed < SPAN_MS) return;
      judge(elapsed / frames);
      restart();
    },
  };
}

/* The ground's mesh is one for all tiles, and made when it is first drawn. MapLibre has no way to
 * change it afterwards, so the one that was made is removed. */
function setQuads(terrain, quads) {
  if (!terrain || terrain.meshSize === quads) return;
  for (const mesh of Object.values(terrain._meshCache)) mesh.destroy();
  terrain._meshCache = {};
  terrain.meshSize = quads;
}

/* MapLibre's own setPixelRatio() ends the gesture that is going on. */
function setPixels(map, share) {
  map._overridePixelRatio = share === 1 ? null : share * devicePixelRatio;
  map._resizeInternal();
}

/* Calls `task` when so many frames have passed after some milliseconds; gives what takes it back.
 * (A slow picture holds frames back, and with them the movement that goes on.) */
function afterRest(ms, frames, task) {
  let frame = 0;
  const wait = (left) => {
    frame = requestAnimationFrame(() => (left > 1 ? wait(left - 1) : task()));
  };
  const timer = setTimeout(wait, ms, frames);
  return () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
}

/* `changed(share)` hears which share of the objects is to be drawn. */
export function createPace(map, changed) {
  const governor = createGovernor();
  let shown = 0;          /* the level that is drawn */
  let moving = false;
  let last = 0;           /* when the last frame of this movement was drawn; 0: none was */
  let frame = 0;
  let cancelRest = () => {};
  let changing = false;   /* the frame that is drawn is none of the movement */

  const restLater = () => {
    cancelRest();
    cancelRest = afterRest(REST_MS, REST_FRAMES, rest);
  };
  const show = () => {
    frame = 0;
    const level = moving ? governor.level() : 0;
    if (level === shown) return;
    shown = level;
    last = 0;
    const { pixels, quads, objects } = LEVELS[level];
    changed(objects);
    setQuads(map.terrain, quads);
    setPixels(map, pixels);
    changing = true;
    map.redraw();         /* a picture of another size is empty until then */
    changing = false;
    if (moving) restLater();   /* it may stand for the movement's last frame */
  };
  /* Not within a frame, where MapLibre can draw no other. */
  const adjust = () => {
    if (frame === 0 && governor.level() !== shown) frame = requestAnimationFrame(show);
  };
  const rest = () => {
    moving = false;
    governor.restart();
    show();
  };

  map.on('move', () => {
    if (changing) return;
    cancelRest();
    if (!moving) last = 0;
    moving = true;
    adjust();
  });
  map.on('render', () => {
    if (changing || !moving) return;
    const now = performance.now();
    if (last !== 0) governor.add(now - last);
    last = now;
    adjust();
    restLater();
  });
  map.on('terrain', () => setQuads(map.terrain, LEVELS[shown].quads));

  return {
    /* Whether the picture is coarser than it will be at rest. */
    coarse: () => shown > 0,
    stop() {
      cancelRest();
      cancelAnimationFrame(frame);
    },
  };
}
