import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { limitsFor, missing } from '../container/container.ts';
import { migrationSecrets, refusedValues, secretsOf, setByManifests, toolsSecrets } from '../container/kubernetes.ts';
import { productFolder } from '../paths.ts';
import { readComposeVariables } from './compose-variables.ts';
import { configurationPage, isSignInSetting, kubernetesVariables, scriptVariables } from './configuration-page.ts';
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
      ...scriptVariables,
    ]);
    const documented = [...known].filter((name) => !isSignInSetting(name));
    expect(Object.keys(variableTexts).sort()).toEqual(documented.sort());
  });

  it('names every variable that the management script and the packages read from the environment', () => {
    const files = ['cli', 'backup', 'models'].flatMap((name) =>
      globSync(`packages/${name}/src/**/*.ts`, { cwd: productFolder }).filter(
        (file) => !/\.test\.ts$|\/testing\//.test(file),
      ),
    );
    const read = files.flatMap((file) =>
      [
        ...readFileSync(join(productFolder, file), 'utf8').matchAll(
          /process\.env\['([A-Z_]+)'\]|^ *(OT_[A-Z_]+): z\b/gm,
        ),
      ].map(([, first, second]) => first ?? second!),
    );
    // Of the operating system, of tests, and of the script's own processes.
    const others = ['PATH', 'NO_COLOR', 'OVERTONE_HOME', 'OT_TEST_SEED', 'OT_TEST_PULL_BYTES', 'OT_BENCH_QMSUM'];
    expect(read.length).toBeGreaterThan(10);
    expect(read.filter((name) => !others.includes(name) && !page.includes(`| \`${name}\` |`))).toEqual([]);
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
