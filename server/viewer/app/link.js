/* Links to what the page shows, for people to pass on: to the page of the place, which programs show
 * with a picture. The address of a preview of the lab dies with it, so a link to one holds its
 * world. */

import { parsePermalink, worldAddress } from './permalink.js';

/* Whether a world is a preview of the lab, by its name. */
export const isPreview = (name) => name.startsWith('preview-');

/* The page of the place that a permalink of the map page shows. What tools keep in it stands behind
 * the #, as the server has no use for it. */
function pageOf(permalink) {
  const { world, seed, style, zoom, extras: { t, ...others } } = parsePermalink(permalink);
  const [x, y] = permalink.split('?')[0].split('/').slice(3);
  if (world === null || y === undefined) return new URL(permalink, document.baseURI).href;
  const moment = t === undefined ? {} : { t };
  const query = new URLSearchParams({ x, y, zoom, style, ...moment });
  const rest = Object.keys(others).length > 0 ? permalink : '';
  return new URL(`w/${worldAddress(world, seed)}?${query}${rest}`, document.baseURI).href;
}

/* The link to the present view, or to a place {x, y} with further extras. Throws Refusal when the
 * server has dropped the preview. */
export async function linkTo(app, place = null, extras = {}) {
  if (app.world !== null && isPreview(app.world.name)) {
    const { linkOfPreview } = await import('../lab/link.js');
    return linkOfPreview(app, place, extras);
  }
  return pageOf(place === null ? location.hash : app.addressOf(place, extras));
}
