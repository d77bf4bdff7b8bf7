/* Links to what the page shows, for people to pass on. The address of a preview of the lab dies with
 * it, so a link to one holds its world. */

/* Whether a world is a preview of the lab, by its name. */
export const isPreview = (name) => name.startsWith('preview-');

/* The link to the present view, or to a place {x, y} with further extras. Throws Refusal when the
 * server has dropped the preview. */
export async function linkTo(app, place = null, extras = {}) {
  if (app.world !== null && isPreview(app.world.name)) {
    const { linkOfPreview } = await import('../lab/link.js');
    return linkOfPreview(app, place, extras);
  }
  return new URL(place === null ? location.hash : app.addressOf(place, extras), location.href).href;
}
