/* random() and atan2() once more, in JavaScript: the bits of float32 that the manual promises. */

import { mix, seedNumber } from './noise.mjs';

const f = Math.fround;
const words = new DataView(new ArrayBuffer(4));

/* lowbias32. */
function scramble(bits) {
  let h = Math.imul(bits ^ (bits >>> 16), 0x7FEB352D);
  h = Math.imul(h ^ (h >>> 15), 0x846CA68B);
  return (h ^ (h >>> 16)) >>> 0;
}

/* random(id, n) in a world with this seed. */
export function makeRandom(seed) {
  const salt = BigInt(`0x${Buffer.from('random').toString('hex')}`);
  const world = mix(seedNumber(seed)) + salt;
  return (id, n) => {
    const key = Number(mix(world + BigInt(n)) >> 32n);
    words.setFloat32(0, id + 0); /* one zero, not two */
    return (scramble((scramble(words.getUint32(0)) + key) | 0) >>> 8) * 2 ** -24;
  };
}

/* Cephes' atanf, rounded at every step. */
export function angle(y, x) {
  const [across, along] = [Math.abs(x), Math.abs(y)];
  const [large, small] = along > across ? [along, across] : [across, along];
  const ratio = large > 0 ? f(small / large) : 0;
  const wide = ratio > f(0.414213562);
  const v = wide ? f(f(ratio - 1) / f(ratio + 1)) : ratio;
  const q = f(v * v);
  let sum = f(f(8.05374449538e-2) * q);
  sum = f(f(sum - f(1.38776856032e-1)) * q);
  sum = f(f(sum + f(1.99777106478e-1)) * q);
  let turn = f(f(f(f(sum - f(3.33329491539e-1)) * q) * v) + v);
  if (wide) turn = f(f(0.785398163) + turn);
  if (along > across) turn = f(f(1.57079633) - turn);
  if (x < 0) turn = f(f(3.14159265) - turn);
  return (y < 0 ? -turn : turn) + 0;
}
