/* Work that is put off: the page's own module, without a browser. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { createRest } from '../../server/viewer/app/rest.js';

function restOf({ mock: { timers } }) {
  timers.enable({ apis: ['setTimeout'] });
  const rest = { done: 0, tick: (milliseconds) => timers.tick(milliseconds) };
  return Object.assign(rest, createRest(100, () => { rest.done += 1; }));
}

test('is done once for many reasons, and again for later ones', (context) => {
  const rest = restOf(context);
  rest.later();
  rest.tick(60);
  rest.later();
  rest.tick(60);
  assert.equal(rest.done, 1);
  rest.later();
  rest.tick(99);
  assert.equal(rest.done, 1);
  rest.tick(1);
  assert.equal(rest.done, 2);
});

test('is not done after its end, neither for earlier reasons nor for later ones', (context) => {
  const waiting = restOf(context);
  waiting.later();
  waiting.end();
  waiting.later();
  waiting.tick(200);
  assert.equal(waiting.done, 0);
});

test('is not done after its end when it had nothing to do', (context) => {
  const idle = restOf(context);
  idle.end();
  idle.later();
  idle.tick(200);
  assert.equal(idle.done, 0);
});
