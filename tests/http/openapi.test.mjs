/* /openapi.json is valid, complete and true: every example in it is asked, and every answer is what
 * the document says. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import SwaggerParser from '@apidevtools/swagger-parser';
import Ajv2020 from 'ajv/dist/2020.js';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { Connection, get } from './raw.mjs';

let server;
let document;
let ajv;
before(async () => {
  server = await startServer({ arguments: ['--watch'] });
  document = await (await fetch(`${server.url}/openapi.json`)).json();
  for (const item of Object.values(document.paths))
    item.parameters = item.parameters.map((each) => (each.$ref ? document.components.parameters[each.$ref.split('/').at(-1)] : each));
  ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'document', ...document });
});
after(() => server?.stop());

const ask = (target, options) => fetch(server.url + target, options);
const schema = (reference) => ajv.getSchema(`document${reference}`);

/* Every operation of a method with its path. */
const operations = (method) => Object.entries(document.paths)
  .filter(([, item]) => item[method])
  .map(([path, item]) => ({ path, item, operation: item[method] }));

/* The response as the document has it, references followed. */
function described(operation, status) {
  const response = operation.responses[status];
  return response?.$ref ? document.components.responses[response.$ref.split('/').at(-1)] : response;
}

/* The answer is one that the operation has: type, headers and body. */
async function check(answer, operation, what) {
  const response = described(operation, answer.status);
  assert.ok(response, `${what}: ${answer.status} is not in the document`);
  for (const name of Object.keys(response.headers ?? {}))
    assert.ok(answer.headers.has(name) || !document.components.headers[name].required, `${what}: the answer has no ${name}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (!response.content) {
    assert.equal(bytes.length, 0, what);
    return;
  }
  const type = answer.headers.get('content-type').split(';')[0];
  const media = response.content[type] ?? response.content['*/*'];
  assert.ok(media, `${what}: ${type} is not in the document`);
  if (!media.schema) return;
  const validate = schema(media.schema.$ref);
  assert.ok(validate(JSON.parse(bytes)), `${what}: ${ajv.errorsText(validate.errors)}`);
}

test('/openapi.json is a valid OpenAPI 3.1 document', async () => {
  assert.equal(document.openapi, '3.1.0');
  const checked = await SwaggerParser.validate(structuredClone(document));
  assert.ok(Object.keys(checked.paths).length > 50);
});

test('Redocly finds nothing to improve in /openapi.json', async () => {
  const folder = temporaryFolder({ 'openapi.json': await (await ask('/openapi.json')).text() });
  const program = fileURLToPath(new URL('../node_modules/.bin/redocly', import.meta.url));
  const { stdout } = await promisify(execFile)(program, ['lint', '--format=json', 'openapi.json'], { cwd: folder.path,
    maxBuffer: 1 << 26, env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } });
  const { totals, problems } = JSON.parse(stdout);
  assert.deepEqual([totals, problems], [{ errors: 0, warnings: 0, ignored: 0 }, []]);
});

test('OPTIONS answers as the document says', async () => {
  for (const [target, status] of [['/at', 204], [`/at?${'a'.repeat(2000)}`, 414]]) {
    const answer = await ask(target, { method: 'OPTIONS' });
    assert.equal(answer.status, status);
    await check(answer, document.paths['/at'].options, target.slice(0, 20));
  }
});

test('no operation needs credentials, and every tag is described', () => {
  assert.deepEqual(document.security, []);
  const tags = new Set(document.tags.map(({ name }) => name));
  for (const item of Object.values(document.paths))
    for (const { tags: used } of Object.values(item).filter((each) => each.responses)) assert.ok(used.every((tag) => tags.has(tag)));
});

test('/openapi.json?pretty=1 is the same document', async () => {
  assert.deepEqual(await (await ask('/openapi.json?pretty=1')).json(), await (await ask('/openapi.json')).json());
});

test('operations have ids of their own', () => {
  const ids = ['get', 'head', 'post', 'options'].flatMap(operations).map(({ operation }) => operation.operationId ?? '');
  const all = Object.values(document.paths)
    .flatMap((item) => ['get', 'head', 'post', 'options'].flatMap((method) => item[method] ?? []));
  assert.equal(new Set(all.map(({ operationId }) => operationId)).size, all.length);
  assert.ok(ids.every((id) => /^[a-z][A-Za-z0-9]+$/.test(id)));
});

const shape = (path) => path.split('/').map((part) => (/[{*]/.test(part) ? '*' : part)).join('/');

/* The routes that answered so far, as the server counts them. */
async function countedRoutes() {
  const text = await (await ask('/metrics')).text();
  return new Set([...text.matchAll(/^terrane_requests_total\{route="(\/[^"]*)"/gm)].map(([, route]) => route));
}

test('the document has every route, with every method and parameter', async () => {
  const seen = new Set();
  for (const [path, item] of Object.entries(document.paths)) {
    const posted = 'post' in item;
    const target = posted ? path.replace('{world}', 'terra') : item.get['x-examples'][0];
    assert.deepEqual(Object.keys(item).filter((key) => key !== 'parameters').sort(),
      posted ? ['options', 'post'] : ['get', 'head', 'options'], path);
    const { headers } = await ask(target, { method: 'OPTIONS' });
    assert.equal(headers.get('allow'), posted ? 'POST, OPTIONS' : 'GET, HEAD, OPTIONS', path);
    const refused = await ask(`${target.split('?')[0]}?nonsense=1`, posted ? { method: 'POST', body: '{}' } : {});
    const names = item.parameters.filter((each) => each.in === 'query').map(({ name }) => name);
    const body = await refused.text();
    const allowed = refused.headers.get('content-type') === 'application/xml' /* of a service of the OGC */
      ? /; allowed: ([^<]*)</.exec(body)[1] : JSON.parse(body).allowed ?? '';
    assert.equal(allowed, names.join(', '), path);
    seen.add(shape(path.replace('/worlds/{world}/', '/')));
  }
  const routes = [...await countedRoutes()].map(shape);
  assert.ok(routes.length > 30);
  assert.deepEqual(routes.sort(), [...seen].sort());
  const { urls } = await (await ask('/worlds/terra')).json();
  for (const url of Object.values(urls)) {
    const template = url.split('?')[0].replace(/^\/worlds\/[^/]*/, '');
    assert.ok(seen.has(shape(template)), url);
  }
});

test('every parameter has a schema, a description and an example that fits the schema', () => {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const parameter of item.parameters) {
      const what = `${path}: ${parameter.name}`;
      assert.ok(parameter.description.length > 4, what);
      assert.ok('example' in parameter, what);
      const validate = ajv.compile(parameter.schema);
      assert.ok(validate(parameter.example), `${what}: ${ajv.errorsText(validate.errors)}`);
      if ('default' in parameter.schema) assert.ok(validate(parameter.schema.default), `${what}: the default`);
    }
  }
});

test('the response to every example is 200 and matches the document', async () => {
  let asked = 0;
  for (const { path, item, operation } of operations('get')) {
    const used = new Set();
    assert.ok(operation['x-examples'].length > 0, path);
    for (const target of operation['x-examples']) {
      const answer = await ask(target);
      assert.equal(answer.status, 200, target);
      await check(answer, operation, target);
      for (const [name] of new URL(target, server.url).searchParams) used.add(name);
      asked += 1;
    }
    const names = item.parameters.filter((each) => each.in === 'query').map(({ name }) => name);
    assert.deepEqual(names.filter((name) => !used.has(name)), [], `${path}: parameters in no example`);
  }
  assert.ok(asked > 120);
});

test('a parameter\'s example works in an example of its operation', () => {
  for (const { path, item, operation } of operations('get')) {
    const targets = operation['x-examples'].map((target) => new URL(target, server.url));
    for (const { name, example } of item.parameters.filter((each) => each.in === 'query'))
      assert.ok(targets.some((url) => url.searchParams.get(name) === String(example)), `${path}: ${name}=${example}`);
  }
});

test('path parameters\' examples make a path that works', async () => {
  for (const { path, item, operation } of operations('get')) {
    let target = path;
    for (const { name, example } of item.parameters.filter((each) => each.in === 'path'))
      target = target.replace(`{${name}}`, example);
    assert.doesNotMatch(target, /[{}]/);
    const query = item.parameters.filter((each) => each.in === 'query' && each.required);
    const search = new Map(query.map(({ name, example }) => [name, example]));
    for (const { name } of item.parameters.filter((each) => each.in === 'query' && /^[xy]$/.test(each.name))) search.set(name, '0');
    if (/\/locate$/.test(path)) search.set('min_height', '1');
    if (/\/volumes\//.test(path)) search.set('layer', 'height');
    const whole = `${target}?${[...search].map((pair) => pair.join('=')).join('&')}`;
    assert.equal((await ask(whole)).status, 200, whole);
  }
});

test('every body that is an example answers 200 or 201, and fits its schema', async () => {
  let asked = 0;
  for (const { path, item, operation } of operations('post')) {
    const { schema: wanted, examples } = operation.requestBody.content['application/json'];
    /* Of layer and layers a request has one. */
    const listed = item.parameters.some(({ name }) => name === 'layers');
    const query = item.parameters.filter((each) => each.in === 'query' && !(listed && each.name === 'layer'))
      .map(({ name, example }) => `${name}=${example}`);
    const target = `${path.replace('{world}', 'terra')}${query.length > 0 ? '?' : ''}${query.join('&')}`;
    for (const { value } of Object.values(examples)) {
      const validate = schema(wanted.$ref);
      assert.ok(validate(value), ajv.errorsText(validate.errors));
      const answer = await ask(target, { method: 'POST', body: JSON.stringify(value) });
      assert.equal(answer.status, path === '/preview' ? 201 : 200, `${target} ${JSON.stringify(value)}`);
      await check(answer, operation, target);
      asked += 1;
    }
  }
  assert.equal(asked, 25);
});

test('HEAD, OPTIONS, other methods, entity tags and unknown parameters work as documented', async () => {
  for (const { path, item, operation } of operations('get')) {
    const target = operation['x-examples'][0];
    await check(await ask(target, { method: 'HEAD' }), item.head, `HEAD ${target}`);
    assert.equal((await ask(target, { method: 'OPTIONS' })).status, 204, target);
    assert.ok('204' in item.options.responses, path);
    const refused = await ask(target, { method: 'DELETE' });
    assert.equal(refused.status, 405, target);
    await check(refused, operation, `DELETE ${target}`);
    const unknown = await ask(`${target}${target.includes('?') ? '&' : '?'}nonsense=1`);
    assert.equal(unknown.status, 400, target);
    await check(unknown, operation, `unknown parameter of ${target}`);
    const tag = (await ask(target)).headers.get('etag');
    assert.equal(tag !== null, '304' in operation.responses, `${path}: 304`);
    if (tag) {
      const known = await ask(target, { headers: { 'if-none-match': tag } });
      assert.equal(known.status, 304, target);
      await check(known, operation, `304 of ${target}`);
    }
  }
});

test('nothing follows the headers of a HEAD', async () => {
  for (const { operation } of operations('get')) {
    for (const target of operation['x-examples']) {
      const connection = new Connection(server.port);
      connection.send(get(target, 'Connection: close\r\n').replace('GET', 'HEAD'));
      const bytes = await connection.end();
      assert.equal(bytes.indexOf('\r\n\r\n'), bytes.length - 4, target);
    }
  }
});

/* Numbers beyond a parameter's range, and texts that are no choice. */
function wrongValues({ schema: { type, enum: values, minimum, maximum, exclusiveMinimum, pattern } }) {
  if (values) return ['nonsense'];
  if (pattern) return ['nonsense'];
  if (type === 'string') return [];
  return ['', 'nonsense', String(maximum + 1), String(exclusiveMinimum ?? minimum - 1),
    ...(type === 'integer' ? ['1.5'] : [])];
}

test('the server refuses values that a schema excludes, and names the parameter', async () => {
  let asked = 0;
  for (const { item, operation } of operations('get')) {
    for (const parameter of item.parameters.filter((each) => each.in === 'query')) {
      for (const wrong of wrongValues(parameter)) {
        const base = operation['x-examples'].map((target) => new URL(target, server.url))
          .find((url) => url.searchParams.has(parameter.name));
        base.searchParams.set(parameter.name, wrong);
        const answer = await ask(base.pathname + base.search);
        assert.equal(answer.status, 400, base.href);
        const body = await answer.clone().text();
        const named = described(operation, 400).content['application/xml'] /* of a service of the OGC */
          ? /locator="([^"]*)"/.exec(body)[1] : JSON.parse(body).parameter;
        assert.equal(named, parameter.name, `${base.href}: ${body}`);
        await check(answer, operation, base.href);
        asked += 1;
      }
    }
  }
  assert.ok(asked > 200, `${asked}`);
});

/* Hundreds of requests, among them the most expensive ones that are allowed. */
test('the server accepts the minimum and the maximum of a range', { timeout: 60_000 }, async () => {
  for (const { item, operation } of operations('get')) {
    for (const parameter of item.parameters.filter((each) => each.in === 'query')) {
      const { type, minimum, maximum, enum: values } = parameter.schema;
      if (['samples', 'width'].includes(parameter.name) || (parameter.name === 'size' && maximum)) continue; /* costly */
      const fit = values ?? (type === 'string' ? [] : [minimum, maximum].filter((each) => each !== undefined));
      for (const value of fit) {
        const bases = operation['x-examples'].map((target) => new URL(target, server.url))
          .filter((url) => url.searchParams.has(parameter.name));
        const statuses = [];
        for (const base of bases) {
          base.searchParams.set(parameter.name, value);
          if (parameter.name === 'min_distance') base.searchParams.set('radius', maximum); /* which it may not exceed */
          statuses.push((await ask(base.pathname + base.search)).status);
        }
        /* A size is of some formats only; a far place may have no chunk, or a search may cost too much. */
        assert.ok(statuses.some((status) => [200, 404, 413].includes(status)), `${bases[0].href}: ${statuses}`);
      }
    }
  }
});

test('a missing parameter has its documented default', async () => {
  let compared = 0;
  const known = new Map();
  const load = async (target) => {
    if (!known.has(target)) {
      const answer = await ask(target);
      known.set(target, { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) });
    }
    return known.get(target);
  };
  for (const { path, item, operation } of operations('get')) {
    for (const { name, schema: { default: value } } of item.parameters.filter((each) => each.in === 'query')) {
      if (value === undefined) continue;
      for (const target of operation['x-examples']) {
        const url = new URL(target, server.url);
        if (url.searchParams.has(name)) continue;
        const given = await ask(`${target}${url.search ? '&' : '?'}${name}=${value}`);
        if (given.status === 400) continue; /* not of this form */
        const without = await load(target);
        assert.equal(given.status, without.status, `${target} ${name}=${value}`);
        assert.ok(Buffer.from(await given.arrayBuffer()).equals(without.body), `${path}: ${target} ${name}=${value}`);
        compared += 1;
      }
    }
  }
  assert.ok(compared > 150, `${compared}`);
});

test('the document has the limits of a world\'s descriptor', async () => {
  const { limits } = await (await ask('/worlds/terra')).json();
  const { HeightsRequest, ChunksRequest } = document.components.schemas;
  assert.equal(HeightsRequest.properties.points.maxItems, limits.points);
  assert.equal(HeightsRequest.properties.zoom.maximum, limits.maxzoom);
  assert.equal(ChunksRequest.properties.chunks.maxItems, limits.chunks);
  const chunk = document.paths['/chunks/{cx}/{cy}.{format}'].parameters;
  const named = (name) => chunk.find((each) => each.name === name).schema;
  assert.deepEqual(ChunksRequest.properties.format.enum, named('format').enum);
  for (const name of ['size', 'apron']) {
    assert.equal(ChunksRequest.properties[name].maximum, named(name).maximum, name);
    assert.equal(ChunksRequest.properties[name].minimum, named(name).minimum, name);
  }
  assert.equal(ChunksRequest.properties.step.maximum, Math.max(...named('step').enum));
});

test('the responses of every world match the document', async () => {
  const { worlds } = await (await ask('/worlds')).json();
  const places = ['', '/at?x=0&y=0', '/explain?x=5&y=7', '/stats?bbox=0,0,9,9&samples=3', '/profile?line=0,0;9,9&samples=3',
    '/spawn?x=0&y=0&radius=50', '/locate?min_height=-1000&x=0&y=0&radius=50', '/sight?from=0,0,9&to=9,9,9',
    '/objects?bbox=0,0,9,9', '/diff?b=terra&bbox=0,0,9,9&samples=3', '/verify?chunk=0,0&size=2', '/tiles.json', '/style.json'];
  for (const { name } of worlds) {
    for (const place of places) {
      const path = place === '' ? '/worlds/{world}' : `/worlds/{world}${place.split('?')[0]}`;
      await check(await ask(`/worlds/${name}${place}`), document.paths[path].get, `${name} ${place}`);
    }
  }
});
