/* A finger drags the drawer away by its header: down on phones, where it lies at the lower edge,
 * and else to the right, where its buttons are. */

const AWAY_PX = 72;      /* from here on it goes when the finger is lifted; before, it comes back */
const FLICK_PX = 24;     /* a quick stroke needs to be no longer than this */
const FLICK_SPEED = 0.5; /* pixels a millisecond */

/* `narrow` is a media query, of drawers at the lower edge. */
export function createDismissal({ drawer, header, narrow }, dismiss) {
  let start = null; /* {x, y, time} of the finger */

  const wayOf = ({ clientX, clientY }) =>
    Math.max(0, matchMedia(narrow).matches ? clientY - start.y : clientX - start.x);
  const move = (pixels) => {
    drawer.style.translate = matchMedia(narrow).matches ? `0 ${pixels}px` : `${pixels}px`;
  };
  const end = () => {
    start = null;
    drawer.style.translate = '';
  };
  header.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'mouse' || !event.isPrimary || event.target.closest('button')) return;
    start = { x: event.clientX, y: event.clientY, time: event.timeStamp };
    header.setPointerCapture(event.pointerId);
  });
  header.addEventListener('pointermove', (event) => start && move(wayOf(event)));
  header.addEventListener('pointercancel', end);
  header.addEventListener('pointerup', (event) => {
    if (start === null) return;
    const way = wayOf(event);
    const speed = way / Math.max(1, event.timeStamp - start.time);
    end();
    if (way > AWAY_PX || (way > FLICK_PX && speed > FLICK_SPEED)) dismiss();
  });
}
