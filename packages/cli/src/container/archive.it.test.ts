import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { composeFile, freshValues } from '../../test/compose-file.ts';
import { faultsOf, unknownNames } from '../../test/kube-schema.ts';
import { render, type KubeObject } from '../../test/kustomize.ts';
import { loadServiceVariables } from '../configuration/service-variables.ts';
import { productFolder } from '../paths.ts';
import { configObjects, secretsOf } from './kubernetes.ts';

type Plugin = {
  readonly name: string;
  readonly isWALArchiver?: boolean;
  readonly parameters: { barmanObjectName: string };
};
type Cluster = KubeObject & {
  readonly spec: {
    readonly imageName: string;
    readonly enableSuperuserAccess: boolean;
    readonly postgresql: { readonly parameters: Readonly<Record<string, string>> };
    readonly plugins: readonly Plugin[];
    readonly bootstrap: {
      readonly initdb?: { database: string; owner: string; secret: { name: string }; postInitApplicationSQL: string[] };
      readonly recovery?: {
        source: string;
        database: string;
        owner: string;
        secret: { name: string };
        recoveryTarget: { targetTime: string };
      };
    };
    readonly externalClusters?: readonly { name: string; plugin: Plugin & { parameters: { serverName: string } } }[];
  };
};
type Archive = KubeObject & {
  readonly spec: {
    readonly retentionPolicy: string;
    readonly configuration: { readonly s3Credentials: Readonly<Record<string, { name: string; key: string }>> };
  };
};
type Scheduled = KubeObject & {
  readonly spec: { schedule: string; cluster: { name: string }; method: string; pluginConfiguration: { name: string } };
};

const docs = readFileSync(join(productFolder, 'docs', 'backup.md'), 'utf8');
const objects = await render('production/postgres');
const values = freshValues();
const variables = await loadServiceVariables();
const secretNames = configObjects(values, variables).map(({ metadata }) => metadata.name);

function find<O extends KubeObject>(kind: string): O {
  return objects.find((object) => object.kind === kind) as O;
}

// There is no package with the schemas of CloudNativePG: these are the facts that a recovery depends on.
describe('PostgreSQL of k8s/overlays/production/postgres', () => {
  const { spec } = find<Cluster>('Cluster');

  it('loses at most five minutes: each segment of the log is archived a minute before, at the latest', () => {
    expect(spec.postgresql.parameters['archive_timeout']).toBe('4min');
    expect(spec.plugins).toMatchObject([{ isWALArchiver: true }]);
  });

  it('archives to the store that is defined, which keeps enough for every moment of thirty days', () => {
    const archive = find<Archive>('ObjectStore');
    expect(spec.plugins[0]!.parameters.barmanObjectName).toBe(archive.metadata.name);
    expect(archive.spec.retentionPolicy).toBe('30d');
    const credentials = Object.values(archive.spec.configuration.s3Credentials);
    for (const { name, key } of credentials)
      expect(docs).toMatch(new RegExp(`create secret generic ${name} [^\\n]*--from-literal=${key}=`));
  });

  it('makes a base backup each night with the same plugin', () => {
    const scheduled = find<Scheduled>('ScheduledBackup');
    expect(scheduled.spec).toMatchObject({
      schedule: expect.stringMatching(/^0 0 \d+ \* \* \*$/),
      cluster: { name: find('Cluster').metadata.name },
      method: 'plugin',
      pluginConfiguration: { name: spec.plugins[0]!.name },
    });
  });

  it('is of the version of pg_dump in the image, and creates the database and the owner that the services connect to', () => {
    const version = /^postgres:(\d+)-/.exec(composeFile(values).services['postgres']!.image)?.[1];
    expect(spec.imageName).toBe(`ghcr.io/cloudnative-pg/postgresql:${version}`);
    const { database, owner, secret, postInitApplicationSQL } = spec.bootstrap.initdb!;
    const elsewhere = { ...values, POSTGRES_ADDRESS: `${find('Cluster').metadata.name}-rw:5432` };
    expect(new URL(secretsOf('media', elsewhere, variables)['DATABASE_URL']!)).toMatchObject({
      host: 'overtone-postgres-rw:5432',
      pathname: `/${database}`,
    });
    expect(docs).toContain(`POSTGRES_ADDRESS=${elsewhere.POSTGRES_ADDRESS}`);
    expect(secretNames).toContain(secret.name);
    const found = configObjects(values, variables).find(({ metadata }) => metadata.name === secret.name)!;
    expect(found).toMatchObject({
      type: 'kubernetes.io/basic-auth',
      stringData: { username: owner, password: values['POSTGRES_PASSWORD'] },
    });
    // A restore creates a database, and migrations create roles.
    expect([spec.enableSuperuserAccess, postInitApplicationSQL[0]]).toEqual([
      false,
      `alter role ${owner} createdb createrole`,
    ]);
  });

  it('has network policies that Kubernetes knows', async () => {
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies).toHaveLength(2);
    expect(await faultsOf(policies)).toEqual([]);
    expect(await unknownNames(policies)).toBe('');
    expect(objects.filter(({ metadata }) => metadata.namespace !== 'overtone')).toEqual([]);
  });

  it('is recovered, by the example of the documentation, from its own archive to another name', () => {
    const [, example] = /```yaml\n(apiVersion: postgresql\.cnpg\.io\/v1\n[\s\S]*?)```/.exec(docs)!;
    const recovered = parse(example!) as Cluster;
    const { recovery } = recovered.spec.bootstrap;
    const { database, owner, secret } = spec.bootstrap.initdb!;
    expect(recovery).toMatchObject({ database, owner, secret });
    expect(Date.parse(recovery!.recoveryTarget.targetTime)).not.toBeNaN();
    const source = recovered.spec.externalClusters!.find(({ name }) => name === recovery!.source)!;
    expect(source.plugin).toMatchObject({
      name: spec.plugins[0]!.name,
      parameters: {
        barmanObjectName: spec.plugins[0]!.parameters.barmanObjectName,
        serverName: find('Cluster').metadata.name,
      },
    });
    expect(recovered.metadata.name).not.toBe(find('Cluster').metadata.name);
    expect(recovered.spec.postgresql.parameters).toEqual(spec.postgresql.parameters);
    expect(recovered.spec.plugins).toEqual(spec.plugins);
  });
});
