import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { faultsIn } from '@overtone/service-kit/env';
import { limitsFor, missing } from '../container/container.ts';
import { migrationSecrets, refusedValues, secretsOf, setByManifests, toolsSecrets } from '../container/kubernetes.ts';
import { productFolder } from '../paths.ts';
import { databaseServices } from '../supervisor/environment.ts';
import { readComposeVariables } from './compose-variables.ts';
import { configurationPage, isSignInSetting, kubernetesVariables } from './configuration-page.ts';
import { furtherVariables, incompleteBuckets, scriptVariables, systemVariables } from './script-variables.ts';
import { loadServiceVariables } from './service-variables.ts';
import { variableTexts } from './variable-texts.ts';

const services = await loadServiceVariables();
const compose = readComposeVariables();
const page = readFileSync(join(productFolder, 'docs', 'configuration.md'), 'utf8');

describe('docs/configuration.md', () => {
  it('is what the variables of the services and of compose.yaml make it', () => {
    // Repair: node packages/cli/src/configuration.main.ts
    expect(page).toBe(configurationPage(services, compose));
  });

  it('has a text for every variable, and none for another', () => {
    const known = new Set([
      ...[...services.values()].flatMap((shape) => Object.keys(shape)),
      ...compose.keys(),
      ...kubernetesVariables,
      ...Object.keys(scriptVariables),
      ...Object.keys(systemVariables),
    ]);
    const documented = [...known].filter((name) => !isSignInSetting(name));
    expect(Object.keys(variableTexts).sort()).toEqual(documented.sort());
  });

  it('names every variable that a source of the product reads from the environment', () => {
    const files = globSync('{packages,services}/*/src/**/*.ts', { cwd: productFolder }).filter(
      (file) => !/\.test\.ts$|\/testing\/|\/generated\/|^packages\/(bench|e2e|testkit|web-ui)\//.test(file),
    );
    const read = files.flatMap((file) =>
      [
        ...readFileSync(join(productFolder, file), 'utf8').matchAll(
          /(?:process\.env|environment|caller|source|env)\??\.?\['([A-Z][A-Z_]+)'\]|^ *(OT_[A-Z_]+): z\b/gm,
        ),
      ].map(([, first, second]) => (first ?? second!).replace(/_FILE$/, '')),
    );
    // Of tests, and of the product's own processes.
    const others = ['OT_TEST_SEED', 'OT_TEST_PULL_BYTES'];
    expect(read.length).toBeGreaterThan(40);
    expect(read.filter((name) => !others.includes(name) && !page.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it('has the variables of every env.ts, and the database of every service with tables', () => {
    const own = [...services.values()].flatMap((shape) => Object.keys(shape));
    expect(own.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
    expect(globSync('services/*/src/env.ts', { cwd: productFolder })).toHaveLength(services.size);
    const withTables = [...services].filter(([, shape]) => 'DATABASE_URL' in shape).map(([service]) => service);
    expect([...databaseServices].sort()).toEqual(withTables.sort());
  });
});

// Names, paths, keys and passwords: any text may be the right one.
const freeText =
  /_(API_KEY|ACCESS_KEY_ID|SECRET_ACCESS_KEY|REGION|MODEL|DIR|CA_FILE|PASSWORD)$|^(CUDA_VISIBLE_DEVICES|HTTPS?_PROXY|NO_PROXY|NO_COLOR|LANCEDB_LOG|LD_LIBRARY_PATH|NODE_COMPILE_CACHE|NODE_EXTRA_CA_CERTS|OVERTONE_HOME|PATH|OT_(LOG_PATH|MODEL_CATALOGUE|RELEASE_SIGNERS|SCRIPTED_ENGINE|SPEECH_ENVIRONMENT)|ASSERTION_(PUBLIC|PRIVATE)_KEY|NATS_USER|SERVICE_HOST|YT_DLP_COMMAND|S3_BUCKET|OT_BACKUP_PASSPHRASE|JWT_SECRET_KEY)$/;

describe('a variable of docs/configuration.md', () => {
  const shapes = [...services.values(), furtherVariables];
  const names = [...page.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, name]) => name!);
  const wrong = 'no value: \u0007, 1 2';
  const faultsOf = (name: string, value: string) => shapes.flatMap((shape) => faultsIn(shape, { [name]: value }));

  it('is refused by name with a wrong value, unless it is free text', () => {
    const accepted = names.filter((name) => faultsOf(name, wrong).length === 0);
    expect(names.length).toBeGreaterThan(220);
    // The texts of sign-in settings are checked where they are edited.
    expect(accepted.filter((name) => !isSignInSetting(name) && !freeText.test(name))).toEqual([]);
  });

  it('has its allowed values in the fault', () => {
    const faults = names.flatMap((name) => faultsOf(name, wrong));
    expect(faults.length).toBeGreaterThan(150);
    expect(
      faults.filter(({ fault }) => !/^[A-Z0-9_]+=.* is not valid: it must be [^(]|_FILE=.*ENOENT/.test(fault)),
    ).toEqual([]);
  });

  it.each([
    ['GPU_SCALE_DEVICE_ID', 'first', 'the number of a GPU'],
    ['GPU_SCALE_WORKERS', '0', 'a whole number from 1 to 32'],
    ['OT_PROCESSES', 'few', 'one of grouped, one-each'],
    ['OT_BACKUP_PASSPHRASE', 'short', 'text of at least 12 characters'],
    ['OT_BACKUP_PLACE', 'ftp://host/folder', 'a folder, or s3://bucket/prefix'],
    ['OT_BACKUP_ROOTS', 'relative:/mnt', 'full paths of folders'],
    ['OT_MIRROR_S3_ENDPOINT', 'bucket', 'an address'],
    ['OT_LISTEN', 'everywhere', 'a port, or an address and a port'],
    ['SEARCH_HEAP', 'much', 'a size'],
    ['ENCRYPTION_KEY', 'short', '32 bytes in base64'],
    ['TRUSTED_PROXIES', '10.0.0.0/99', 'addresses or blocks'],
    ['ASR_ENGINE', 'other', 'one of faster-whisper'],
  ])('%s=%s is refused: it must be %s', (name, value, allowed) => {
    const [fault] = faultsOf(name, value);
    expect(fault?.fault).toContain(`it must be ${allowed}`);
  });

  it.each([
    ['OT_LISTEN', '8080'],
    ['OT_LISTEN', '0.0.0.0:8080'],
    ['OT_LISTEN', '[::1]:8080'],
    ['OT_BACKUP_PLACE', '/backups'],
    ['OT_BACKUP_PLACE', 's3://bucket'],
    ['OT_IMAGE_PREFIX', 'registry.example.org:5000/overtone'],
    ['TRUSTED_PROXIES', '10.0.0.0/8, fd00::/8'],
    ['OT_SPEECH_MODEL', 'none'],
    ['GPU_SCALE_DEVICE_ID', 'GPU-5c1b-2f'],
    ['NATS_URL', 'nats://nats:4222'],
    ['POSTGRES_PARAMETERS', 'sslmode=verify-full&connect_timeout=5'],
  ])('%s=%s is accepted', (name, value) => {
    expect(faultsOf(name, value)).toEqual([]);
  });

  it('that names an S3 server needs its keys', () => {
    expect(incompleteBuckets({ OT_BACKUP_S3_ENDPOINT: 'http://a', OT_BACKUP_S3_ACCESS_KEY_ID: 'x' })).toEqual([
      'OT_BACKUP_S3_ENDPOINT is set without OT_BACKUP_S3_SECRET_ACCESS_KEY',
    ]);
    expect(incompleteBuckets({ S3_ENDPOINT: 'http://a' })).toHaveLength(1);
    expect(incompleteBuckets({})).toEqual([]);
  });
});

describe('variables of .env in Kubernetes', () => {
  const fresh = () => missing({}, '1.2.3', () => 'Ot-first-password-1');
  const refused = (values: Record<string, string>) => refusedValues({ ...fresh(), ...values }, services);

  it('accepts what the product itself writes to .env', () => {
    expect(refused(limitsFor({ processors: 2, memoryBytes: 8 * 1024 ** 3 }))).toEqual([]);
  });

  it('names each variable that reaches no pod, with the reason', () => {
    expect(refused({ OT_LISTEN: '127.0.0.1:9000', UPLOAD_MAX_OPN: '5' })).toEqual([
      'OT_LISTEN is read by no pod in Kubernetes',
      'UPLOAD_MAX_OPN is read by no pod in Kubernetes',
    ]);
    expect(refused({ WORKER_QUEUES: 'gpu' })).toEqual(['WORKER_QUEUES is set in k8s; change it in an overlay']);
    expect(refused({ DATABASE_URL: 'postgresql://a' })[0]).toContain('is made for each service');
    expect(refused({ OIDC_CLIENT_SECRET_FILE: '/run/secret' })).toEqual([
      'OIDC_CLIENT_SECRET_FILE names a file that no pod has; set OIDC_CLIENT_SECRET',
    ]);
    expect(refused({ OT_LISTEN: '' })).toEqual([]);
  });

  it('hands every variable of every service that it accepts to each service that reads it', () => {
    const all = [...new Set([...services.values()].flatMap((shape) => Object.keys(shape)))];
    const values = Object.fromEntries(all.map((name) => [name, `value-of-${name}`]));
    const isRefused = (name: string) => refusedValues({ [name]: 'x' }, services).length > 0;
    const accepted = all.filter((name) => !isRefused(name));
    expect(accepted.length).toBeGreaterThan(200);
    for (const [service, shape] of services) {
      const secrets = secretsOf(service, { ...fresh(), ...values }, services);
      const missed = accepted.filter((name) => name in shape && !(name in secrets));
      expect([service, missed]).toEqual([service, []]);
      expect(Object.keys(secrets).filter((name) => setByManifests.includes(name))).toEqual([]);
    }
  });

  it('hands the migration and the tools theirs', () => {
    const values = {
      ...fresh(),
      DB_POOL_SIZE: '5',
      ELASTICSEARCH_API_KEY: 'key',
      OT_BACKUP_PLACE: 's3://a/b',
      NATS_URL: 'nats://n',
    };
    expect(migrationSecrets(values)).toMatchObject({ DB_POOL_SIZE: '5' });
    expect(toolsSecrets(values)).toMatchObject({
      ELASTICSEARCH_API_KEY: 'key',
      OT_BACKUP_PLACE: 's3://a/b',
      NATS_URL: 'nats://n',
    });
  });
});
