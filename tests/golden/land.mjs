/* `make golden-land`: writes anew what is stored of land, that is of worlds with a drainage network: the golden samples
 * in generator1-land.json, the rows of such worlds in config/golden.json, and the outputs in the blocks "console land" of
 * the manuals. It touches nothing that is locked. (TERRANE_BINARY is the program that answers.) */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { examples, manuals, runExample, startManualServer } from '../cli/manuals.mjs';
import { root } from '../cli/terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { writeDigests } from './digests.mjs';
import { isDrained, makeLand } from './golden.mjs';

/* A block's examples with what they print now. */
function answer(body, url, folder) {
  const shown = examples(body).map(({ command }) => `$ ${command}\n${runExample(command, url, folder)}`.trimEnd());
  return `${shown.join('\n\n')}\n`;
}

async function writeManuals() {
  const server = await startManualServer();
  const folder = temporaryFolder();
  try {
    for (const [name, text] of manuals) {
      const written = text.replace(/^(```console land\n)([\s\S]*?)(?=^```$)/gm, (_, fence, body) => (
        fence + answer(body, server.url, folder.path)));
      if (written !== text) writeFileSync(join(root, name), written);
    }
  } finally {
    folder.remove();
    await server.stop();
  }
}

writeFileSync(new URL('generator1-land.json', import.meta.url), await makeLand());
writeDigests(isDrained);
await writeManuals();
