import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { downloadJobs, modelJobs, workerJobs } from '@overtone/contracts';
import { connectionsNeeded } from '@overtone/database/connections';
import { databaseRoles } from '@overtone/database/migrate';
import { createFolder } from '@overtone/testkit/cleanup';
import { freshValues } from '../../test/compose-file.ts';
import { imageEnvironment } from '../../test/dockerfile.ts';
import { readAs, unknownTo } from '../../test/environments.ts';
import {
  containerOf,
  labelsOf,
  podEnvironment,
  selects,
  serviceOf,
  workloadsOf,
  type Workload,
} from '../../test/kube-pods.ts';
import { faultsOf, unknownNames } from '../../test/kube-schema.ts';
import { render, type KubeObject } from '../../test/kustomize.ts';
import { productFolder, productVersion } from '../paths.ts';
import { requireProgram } from '../servers/binaries.ts';
import { run } from '../setup/run.ts';
import { serviceNames } from '../supervisor/plan.ts';
import { setByManifests, toolsSecrets } from './kubernetes.ts';

const services = serviceNames();
const values = freshValues();
const overlays = ['single-node', 'production'] as const;
const rendered = new Map<string, KubeObject[]>();
for (const overlay of overlays) rendered.set(overlay, await render(overlay));

function object(kind: string, spec: unknown): KubeObject {
  return {
    apiVersion: kind === 'ScaledObject' ? 'keda.sh/v1alpha1' : 'policy/v1',
    kind,
    metadata: { name: 'x' },
    spec,
  };
}

describe('the schema check', () => {
  it('finds values of a wrong kind and names that Kubernetes does not know', async () => {
    expect(await faultsOf([object('PodDisruptionBudget', { maxUnavailable: true })])).toHaveLength(1);
    expect(await unknownNames([object('PodDisruptionBudget', { maxUnavailible: 1 })])).toContain('maxUnavailible');
    expect(await faultsOf([object('ScaledObject', { triggers: [] })])).toHaveLength(1);
  });
});

describe.each(overlays)('k8s/overlays/%s', (overlay) => {
  const objects = () => rendered.get(overlay)!;
  const of = <O extends KubeObject>(kind: string) => objects().filter((object) => object.kind === kind) as O[];
  const workloads = () => workloadsOf(objects());
  const ours = () =>
    workloads().filter((workload) => workload.kind === 'Deployment' && serviceOf(workload) !== undefined);
  const each = async (list: readonly Workload[], check: (workload: Workload) => unknown) => {
    for (const workload of list) await check(workload);
    expect(list.length).toBeGreaterThan(0);
  };

  it('is made of objects that Kubernetes, KEDA and the Prometheus operator know', async () => {
    expect(await faultsOf(objects())).toEqual([]);
    expect(await unknownNames(objects())).toBe('');
  });

  it('stands in one namespace, whose pods are restricted', () => {
    expect(
      objects().filter((object) => object.kind !== 'Namespace' && object.metadata.namespace !== 'overtone'),
    ).toEqual([]);
    expect(of('Namespace')[0]!.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  it('runs every service, in the release that this is', () => {
    const images = [
      ...new Set(
        workloads()
          .map(containerOf)
          .map((container) => container.image),
      ),
    ].filter((i) => i.startsWith('overtone/'));
    expect(images.sort()).toEqual(services.map((name) => `overtone/${name}:${productVersion()}`));
    expect([...new Set(ours().map((workload) => serviceOf(workload)!))].sort()).toEqual(services);
  });

  it('tells every service only what its env.ts knows, and all that it needs', async () => {
    await each(ours(), async (workload) => {
      const given = podEnvironment(workload, objects(), values);
      const reading = await readAs(serviceOf(workload)!, { ...imageEnvironment(), ...given });
      expect([workload.metadata.name, reading.fault, unknownTo(reading, given)]).toEqual([
        workload.metadata.name,
        undefined,
        [],
      ]);
      expect(given['NATS_USER']).toBe(serviceOf(workload));
    });
  });

  it('gives the pools of all replicas no more connections than the database server accepts', async () => {
    const pooled = ours().filter((workload) => 'DATABASE_URL' in podEnvironment(workload, objects(), values));
    const { DB_POOL_SIZE: size, DB_MAX_OVERFLOW: overflow } = podEnvironment(pooled[0]!, objects(), values);
    const processes = pooled.reduce((sum, { spec }) => sum + ((spec as { replicas?: number }).replicas ?? 1), 0);
    const limits = { DB_POOL_SIZE: Number(size), DB_MAX_OVERFLOW: Number(overflow) };
    expect(processes).toBeGreaterThanOrEqual(databaseRoles.length);
    expect(connectionsNeeded(limits, processes)).toBeLessThanOrEqual(200);
  });

  it('sets for its pods nothing that .env may set, too', async () => {
    await each(ours(), (workload) => {
      const own = (containerOf(workload).env ?? []).map(({ name }) => name);
      expect(own.filter((name) => !setByManifests.includes(name))).toEqual([]);
    });
  });

  it('gives every pod its own secret and no other', async () => {
    await each(workloads(), (workload) => {
      const secrets = (containerOf(workload).envFrom ?? []).flatMap((scaled) =>
        scaled.secretRef ? [scaled.secretRef.name] : [],
      );
      const own = workload.kind === 'Deployment' ? serviceOf(workload)! : workload.metadata.name;
      expect(secrets.filter((name) => name !== `overtone-${own}`)).toEqual([]);
      podEnvironment(workload, objects(), values);
    });
  });

  it('runs every pod without rights, and ours as user 1000 of group 999', async () => {
    await each(workloads(), (workload) => {
      const { securityContext, automountServiceAccountToken } = workload.spec.template.spec;
      expect(automountServiceAccountToken).toBe(false);
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(containerOf(workload).securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        // Elasticsearch keeps a keystore and logs beside its programs.
        ...(workload.metadata.name === 'elasticsearch' ? {} : { readOnlyRootFilesystem: true }),
      });
      if (serviceOf(workload)) expect(securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 999 });
      expect(containerOf(workload).resources).toMatchObject({ requests: {}, limits: {} });
    });
  });

  it('mounts a place for what a pod writes, and nothing that is not there', async () => {
    await each(workloads(), (workload) => {
      const { volumes = [] } = workload.spec.template.spec;
      const there = [
        ...volumes,
        ...(workload.spec.volumeClaimTemplates ?? []).map((template) => template.metadata),
      ].map((volume) => volume.name);
      const mounted = (containerOf(workload).volumeMounts ?? []).map((mount) => mount.name);
      expect([workload.metadata.name, [...new Set(mounted)].sort()]).toEqual([workload.metadata.name, there.sort()]);
      if (serviceOf(workload))
        expect(containerOf(workload).volumeMounts!.map((mount) => mount.mountPath)).toContain('/tmp');
    });
  });

  it('asks every service on its internal port whether it lives and whether it is ready', async () => {
    const { API_PORT, INTERNAL_PORT } = imageEnvironment();
    await each(ours(), (workload) => {
      const container = containerOf(workload);
      expect(container.ports).toEqual([
        { name: 'api', containerPort: Number(API_PORT) },
        { name: 'internal', containerPort: Number(INTERNAL_PORT) },
      ]);
      expect(container.startupProbe?.httpGet).toEqual({ path: '/health', port: 'internal' });
      expect(container.livenessProbe?.httpGet).toEqual({ path: '/health', port: 'internal' });
      expect(container.readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'internal' });
      expect(workload.spec.template.metadata.annotations).toMatchObject({ 'prometheus.io/port': INTERNAL_PORT });
    });
  });

  it('asks every server whether it is well', async () => {
    const servers = workloads().filter((workload) => workload.kind === 'StatefulSet');
    for (const server of servers)
      expect(containerOf(server).readinessProbe && containerOf(server).livenessProbe).toBeDefined();
    expect(servers.length).toBe(overlay === 'single-node' ? 5 : 0);
  });

  it('lets a pod go only when another is ready, and gives it time to finish', async () => {
    await each(ours(), (workload) => {
      expect(workload.spec.strategy).toEqual({
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
      });
      const env = podEnvironment(workload, objects(), values);
      const needed = Number(env['DRAIN_DELAY_MS']) + Number(env['SHUTDOWN_GRACE_MS']) + 3_000;
      expect(workload.spec.template.spec.terminationGracePeriodSeconds! * 1000).toBeGreaterThan(needed);
      expect(Number(env['DRAIN_DELAY_MS'])).toBeGreaterThan(0);
    });
  });

  it('selects by labels that the pods have', async () => {
    type Selecting = KubeObject & {
      spec: { selector: Readonly<Record<string, string>> & { matchLabels?: Readonly<Record<string, string>> } };
    };
    const selected = (selector: Readonly<Record<string, string>>) =>
      workloads().filter((workload) => selects(selector, labelsOf(workload)));
    await each(
      workloads().filter((workload) => workload.kind !== 'Job'),
      (workload) => {
        expect(selected(workload.spec.selector!.matchLabels)).toEqual([workload]);
        const spread = workload.spec.template.spec.topologySpreadConstraints?.[0]?.labelSelector.matchLabels;
        if (serviceOf(workload)) expect(spread).toEqual(workload.spec.selector!.matchLabels);
      },
    );
    for (const scaled of of<Selecting>('Service'))
      expect(selected(scaled.spec.selector).map((workload) => workload.metadata.name)).toEqual([scaled.metadata.name]);
    const budgets = of<Selecting>('PodDisruptionBudget').map((budget) =>
      selected(budget.spec.selector.matchLabels!).map((workload) => workload.metadata.name),
    );
    expect(budgets.flat().sort()).toEqual(
      ours()
        .map((workload) => workload.metadata.name)
        .sort(),
    );
  });

  it('has workers for every queue that workers take jobs from, and for vectors', () => {
    const taken = ours().flatMap(
      (workload) => podEnvironment(workload, objects(), values)['WORKER_QUEUES']?.split(',') ?? [],
    );
    expect(taken.sort()).toEqual(
      [
        ...new Set([
          ...Object.values({ ...workerJobs, ...downloadJobs, ...modelJobs }).map((job) => job.queue),
          'embedding',
        ]),
      ].sort(),
    );
  });

  it('never schedules the tools, and gives them what a restore needs', () => {
    const tools = of<KubeObject & { spec: { suspend: boolean } }>('CronJob');
    expect(tools.map(({ metadata, spec }) => [metadata.name, spec.suspend])).toEqual([['tools', true]]);
    const job = workloads().find(({ metadata }) => metadata.name === 'tools')!;
    expect(podEnvironment(job, objects(), values)).toMatchObject({
      ...toolsSecrets(values),
      NATS_USER: 'transcription-dispatcher',
      NATS_URL: expect.stringMatching(/^nats:/),
      S3_BUCKET: 'overtone',
      ELASTICSEARCH_URL: expect.stringMatching(/^http:/),
    });
  });

  it('makes a Job of the tools with the command of the documentation', async () => {
    const text = readFileSync(join(productFolder, 'docs', 'backup.md'), 'utf8');
    const [, patch] = /--patch '(\[.*\])'/.exec(text)!;
    const { jobTemplate } = of<KubeObject & { spec: { jobTemplate: { spec: unknown } } }>('CronJob')[0]!.spec;
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'restore' }, spec: jobTemplate.spec };
    const folder = await createFolder();
    const file = join(folder, 'job.json');
    writeFileSync(file, JSON.stringify(job));
    const args = ['patch', '--local', '--type=json', `--filename=${file}`, '--output=json', `--patch=${patch}`];
    const { code, output } = await run(requireProgram('kubectl'), args);
    expect([code, output]).toEqual([0, expect.stringContaining('"kind": "Job"')]);
    const patched = JSON.parse(output) as Workload & KubeObject;
    expect(patched.spec.template.spec.containers[0]).toMatchObject({
      args: ['restore', expect.stringMatching(/^s3:.*\.dump\.age$/), '--yes'],
    });
    expect(await faultsOf([patched])).toEqual([]);
  });
});
