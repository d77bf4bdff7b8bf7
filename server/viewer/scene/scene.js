/* 3-D: the world of the map as ground to fly over and to walk on. It covers the map while it is
 * open; the map below follows, so that every other tool and the address know the place. */

import { setWorkerUrl } from 'maplibre-gl';
import { getPlace } from '../app/api.js';
import { h, loadStyle } from '../app/dom.js';
import { EXTRAS, readScene } from './address.js';
import { PITCH_MAX, eyeOf } from './camera.js';
import { createControls } from './controls.js';
import { createGround } from './ground.js';
import { createLink } from './link.js';
import { createMotion } from './motion.js';
import { createObjects } from './objects.js';
import { lightAt } from './sun.js';
import { heightsOf } from './style.js';
import { ZOOMS, createView } from './view.js';
import { tr } from '../texts/texts.js';

const BUTTON = 'tool-scene';
const STEP_DOWN_PITCH = 85;
const NO_WEBGL = tr('This browser shows no 3-D: it has no WebGL 2.');
const NO_HEIGHTS = tr('This world has no heights to show in 3-D.');
const LABEL = tr('3-D view. W A S D moves, left and right arrows turn, page up and down tilt, '
  + 'plus and minus zoom.');

setWorkerUrl('viewer/scene/worker.js');

/* The context of the trial is given back: browsers have few. */
function hasWebGl() {
  const context = document.createElement('canvas').getContext('webgl2');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}

/* The height of the ground or the water at the map's centre, at which the camera looks. */
async function groundBelow(app) {
  const { x, y, zoom } = app.map.view();
  try {
    const { height, water } = await getPlace(app.world, { x, y, zoom, time: app.time });
    return water?.level ?? height;
  } catch {
    return 0;
  }
}

/* The controls on the scene, which act on it and show how the eye is turned and how high it is. */
function addControls(view, motion, element, on) {
  const { map } = view;
  const controls = createControls({
    ...on,
    north: () => (motion.walking() ? motion.turn(0) : map.easeTo({ bearing: 0 })),
    zoom: (by) => !motion.walking() && map.easeTo({ zoom: map.getZoom() + by }),
    walk() {
      if (motion.walking()) motion.rise();
      else motion.walk(view.place(), map.getBearing(), STEP_DOWN_PITCH);
      map.getCanvas().focus();
    },
    press: motion.press,
    release: motion.release,
  });
  const showEye = () => {
    const eye = eyeOf(map, view.square());
    const ground = view.groundAt(eye);
    const above = ground === null ? null : eye.altitude - ground;
    controls.setBearing(map.getBearing(), map.getPitch());
    controls.setExaggeration(view.exaggeration());
    controls.setEye(eye.altitude, above);
    /* The ground that has come may be above the eye: any movement makes MapLibre rise. */
    if (above < 0 && !motion.walking() && !map.isMoving()) map.jumpTo({ pitch: map.getPitch() });
  };
  view.on('moved', showEye);
  view.on('drawn', showEye);
  showEye();
  controls.showHint(false);
  element.append(...controls.elements);
  return controls;
}

/* Everything that lives as long as the scene is open; `on` has leave() and refuse(message). */
function openScene(app, element, ground, on) {
  const wanted = readScene(app.extras);
  const { zoom, ...place } = app.map.view();
  const lightOf = (hour) => (hour === null ? null : lightAt(hour));
  const container = h('div', { class: 'scene-map' });
  element.replaceChildren(container);
  const view = createView(app, container, {
    ...wanted, place, ground, light: lightOf(wanted.sun),
    zoom: Math.max(ZOOMS.min, zoom + wanted.scale),
    pitch: Math.min(wanted.pitch, PITCH_MAX),
  });
  const motion = createMotion(view, element, (walking) => controls.setWalking(walking));
  const objects = createObjects(app, view);
  const things = createGround(app, view, motion.walking);
  let hour = wanted.sun;
  const setSun = (newHour) => {
    if (newHour === hour) return;
    hour = newHour;
    showSun();
    view.setLight(lightOf(hour));
  };
  const showSun = () => {
    controls.setSun(hour);
    for (const { setLight } of [objects, things]) setLight(lightOf(hour));
  };
  const shown = () => {
    if (heightsOf(app.world) === undefined) {
      on.refuse(NO_HEIGHTS);
      return;
    }
    view.follow();
    objects.update();
    things.update();
  };
  const link = createLink(app, view, { motion, sun: { hour: () => hour, set: setSun }, shown });
  const controls = addControls(view, motion, element, {
    leave: on.leave,
    sun(newHour) {
      setSun(newHour);
      link.write();
    },
    exaggerate(times) {
      view.setExaggeration(times);
      objects.update();
      things.settle();
      link.write();
    },
  });
  showSun();
  view.on('ready', () => {
    for (const { layer } of [objects, things]) view.map.addLayer(layer);
  });
  view.on('moved', objects.update);
  view.on('moved', things.update);
  view.on('mended', things.settle);
  view.on('detail', (share) => {
    for (const { setShare } of [objects, things]) setShare(share);
  });
  view.map.once('load', () => {
    if (wanted.walk) motion.walk(place, wanted.bearing, wanted.pitch);
    link.write();
  });
  view.map.getCanvas().setAttribute('aria-label', LABEL);
  /* Who opened the scene by its button goes on with keys. */
  if (document.activeElement?.id === BUTTON) view.map.getCanvas().focus();
  return {
    close() {
      link.close();
      motion.stop();
      objects.remove();
      things.remove();
      view.remove();
      element.replaceChildren();
    },
  };
}

export function create(app, element) {
  let scene = null;
  let open = false;

  const leave = () => {
    app.drawers.leave('scene');
    document.getElementById(BUTTON).focus();
  };
  const refuse = (message) => {
    app.status.set('tool', message);
    app.drawers.leave('scene');
  };
  const start = async () => {
    const sheet = loadStyle('viewer/scene/scene.css').catch((error) => error);
    const [ground, failure] = await Promise.all([groundBelow(app), sheet]);
    if (!open || scene !== null) return;
    if (failure instanceof Error) {
      refuse(tr('3-D did not start: {0}', failure.message));
      return;
    }
    if (heightsOf(app.world) === undefined) {
      refuse(NO_HEIGHTS);
      return;
    }
    app.map.setHidden(true);
    app.status.set('tool', '');
    try {
      scene = openScene(app, element, ground, { leave, refuse });
    } catch (error) {
      refuse(tr('3-D did not start: {0}', error.message));
    }
  };

  return {
    opened() {
      open = true;
      if (!hasWebGl()) refuse(NO_WEBGL);
      else if (app.world !== null) start();
      else {
        const end = app.on('shown', () => {
          end();
          start();
        });
      }
    },
    closed() {
      open = false;
      scene?.close();
      scene = null;
      app.map.setHidden(false);
      for (const name of EXTRAS) app.setExtra(name, null);
    },
  };
}
