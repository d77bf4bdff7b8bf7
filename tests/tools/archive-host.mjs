/* A web server with files of exports: nginx with the configuration of the manual (server/export/README.md). */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Part, accepts, freePort } from '../fleet/parts.mjs';
import { temporaryFolder } from './folder.mjs';

const manual = readFileSync(fileURLToPath(new URL('../../server/export/README.md', import.meta.url)), 'utf8');
const [, server] = /^```nginx\n([\s\S]*?)^```$/m.exec(manual);
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/* Serves a folder: { url, stop() }. */
export async function startArchiveHost(files) {
  const folder = temporaryFolder();
  const port = await freePort();
  const own = server.replace('listen 8080;', `listen 127.0.0.1:${port};`).replace('root /srv/maps;', `root ${files};`);
  if (own.includes('8080') || own.includes('/srv')) throw new Error('the manual has another configuration');
  mkdirSync(folder.file('temporary'));
  writeFileSync(folder.file('nginx.conf'), `pid ${folder.file('nginx.pid')};
error_log stderr;
events {}
http {
include /etc/nginx/mime.types;
default_type application/octet-stream;
access_log off;
${TEMPORARY.map((name) => `${name}_temp_path ${join(folder.path, 'temporary', name)};`).join('\n')}
${own}
}
`);
  const nginx = new Part('nginx', port, ['nginx', '-p', folder.path, '-c', folder.file('nginx.conf'), '-e', 'stderr',
    '-g', `daemon off;${process.getuid() === 0 ? ' user root;' : ''}`], accepts);
  await nginx.start();
  return { url: `http://127.0.0.1:${port}`, stop: () => nginx.end() };
}
