/* The search box: a place in metres is gone to at once; whatever else is looked for by search.js,
 * which is loaded when the box is used. */

import { parsePlace } from '../app/place.js';

export function startSearch(app, { form, input }) {
  let box = null;
  let texts = 0; /* that were typed or gone to */
  const load = async () => {
    const { createSearch } = await import('./search.js');
    box ??= createSearch(app, { form, input });
    return box;
  };
  const use = async (act) => {
    try {
      act(await load());
    } catch (error) {
      app.status.set('goto', error.message);
    }
  };
  input.addEventListener('focus', () => use(() => {}));
  input.addEventListener('input', () => {
    texts += 1;
    const typed = texts;
    use((search) => typed === texts && search.suggest());
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    texts += 1;
    const place = parsePlace(input.value);
    if (place === null) {
      use((search) => search.submit());
      return;
    }
    input.setAttribute('aria-invalid', 'false');
    app.status.set('goto', '');
    box?.close();
    app.go(place);
  });
}
