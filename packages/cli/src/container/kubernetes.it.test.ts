import { beforeAll, describe, expect, it } from '@jest/globals';
import { workerJobs } from '@overtone/contracts';
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
import { productVersion } from '../paths.ts';
import { serviceNames } from '../supervisor/plan.ts';

const services = serviceNames();
const values = freshValues();
const overlays = ['single-node', 'production'] as const;
const rendered = new Map<string, KubeObject[]>();
beforeAll(async () => {
  for (const overlay of overlays) rendered.set(overlay, await render(overlay));
});

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
  const of = <O extends KubeObject>(kind: string) => objects().filter((o) => o.kind === kind) as O[];
  const workloads = () => workloadsOf(objects());
  const ours = () => workloads().filter((w) => w.kind === 'Deployment' && serviceOf(w) !== undefined);
  const each = async (list: readonly Workload[], check: (w: Workload) => unknown) => {
    for (const w of list) await check(w);
    expect(list.length).toBeGreaterThan(0);
  };

  it('is made of objects that Kubernetes, KEDA and the Prometheus operator know', async () => {
    expect(await faultsOf(objects())).toEqual([]);
    expect(await unknownNames(objects())).toBe('');
  });

  it('stands in one namespace, whose pods are restricted', () => {
    expect(objects().filter((o) => o.kind !== 'Namespace' && o.metadata.namespace !== 'overtone')).toEqual([]);
    expect(of('Namespace')[0]!.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  it('runs every service, in the release that this is', () => {
    const images = [
      ...new Set(
        workloads()
          .map(containerOf)
          .map((c) => c.image),
      ),
    ].filter((i) => i.startsWith('overtone/'));
    expect(images.sort()).toEqual(services.map((name) => `overtone/${name}:${productVersion()}`));
    expect([...new Set(ours().map((w) => serviceOf(w)!))].sort()).toEqual(services);
  });

  it('tells every service only what its env.ts knows, and all that it needs', async () => {
    await each(ours(), async (w) => {
      const given = podEnvironment(w, objects(), values);
      const reading = await readAs(serviceOf(w)!, { ...imageEnvironment(), ...given });
      expect([w.metadata.name, reading.fault, unknownTo(reading, given)]).toEqual([w.metadata.name, undefined, []]);
      expect(given['NATS_USER']).toBe(serviceOf(w));
    });
  });

  it('gives every pod its own secret and no other', async () => {
    await each(workloads(), (w) => {
      const secrets = (containerOf(w).envFrom ?? []).flatMap((s) => (s.secretRef ? [s.secretRef.name] : []));
      const own = w.kind === 'Deployment' ? serviceOf(w)! : w.metadata.name;
      expect(secrets.filter((name) => name !== `overtone-${own}`)).toEqual([]);
      podEnvironment(w, objects(), values);
    });
  });

  it('runs every pod without rights, and ours as user 1000 of group 999', async () => {
    await each(workloads(), (w) => {
      const { securityContext, automountServiceAccountToken } = w.spec.template.spec;
      expect(automountServiceAccountToken).toBe(false);
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(containerOf(w).securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        // Elasticsearch keeps a keystore and logs beside its programs.
        ...(w.metadata.name === 'elasticsearch' ? {} : { readOnlyRootFilesystem: true }),
      });
      if (serviceOf(w)) expect(securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 999 });
      expect(containerOf(w).resources).toMatchObject({ requests: {}, limits: {} });
    });
  });

  it('mounts a place for what a pod writes, and nothing that is not there', async () => {
    await each(workloads(), (w) => {
      const { volumes = [] } = w.spec.template.spec;
      const there = [...volumes, ...(w.spec.volumeClaimTemplates ?? []).map((c) => c.metadata)].map((v) => v.name);
      const mounted = (containerOf(w).volumeMounts ?? []).map((m) => m.name);
      expect([w.metadata.name, [...new Set(mounted)].sort()]).toEqual([w.metadata.name, there.sort()]);
      if (serviceOf(w)) expect(containerOf(w).volumeMounts!.map((m) => m.mountPath)).toContain('/tmp');
    });
  });

  it('asks every service on its internal port whether it lives and whether it is ready', async () => {
    const { API_PORT, INTERNAL_PORT } = imageEnvironment();
    await each(ours(), (w) => {
      const c = containerOf(w);
      expect(c.ports).toEqual([
        { name: 'api', containerPort: Number(API_PORT) },
        { name: 'internal', containerPort: Number(INTERNAL_PORT) },
      ]);
      expect(c.startupProbe?.httpGet).toEqual({ path: '/health', port: 'internal' });
      expect(c.livenessProbe?.httpGet).toEqual({ path: '/health', port: 'internal' });
      expect(c.readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'internal' });
      expect(w.spec.template.metadata.annotations).toMatchObject({ 'prometheus.io/port': INTERNAL_PORT });
    });
  });

  it('asks every server whether it is well', async () => {
    const servers = workloads().filter((w) => w.kind === 'StatefulSet');
    for (const w of servers) expect(containerOf(w).readinessProbe && containerOf(w).livenessProbe).toBeDefined();
    expect(servers.length).toBe(overlay === 'single-node' ? 5 : 0);
  });

  it('lets a pod go only when another is ready, and gives it time to finish', async () => {
    await each(ours(), (w) => {
      expect(w.spec.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
      const env = podEnvironment(w, objects(), values);
      const needed = Number(env['DRAIN_DELAY_MS']) + Number(env['SHUTDOWN_GRACE_MS']) + 3_000;
      expect(w.spec.template.spec.terminationGracePeriodSeconds! * 1000).toBeGreaterThan(needed);
      expect(Number(env['DRAIN_DELAY_MS'])).toBeGreaterThan(0);
    });
  });

  it('selects by labels that the pods have', async () => {
    type Selecting = KubeObject & {
      spec: { selector: Readonly<Record<string, string>> & { matchLabels?: Readonly<Record<string, string>> } };
    };
    const selected = (selector: Readonly<Record<string, string>>) =>
      workloads().filter((w) => selects(selector, labelsOf(w)));
    await each(
      workloads().filter((w) => w.kind !== 'Job'),
      (w) => {
        expect(selected(w.spec.selector!.matchLabels)).toEqual([w]);
        const spread = w.spec.template.spec.topologySpreadConstraints?.[0]?.labelSelector.matchLabels;
        if (serviceOf(w)) expect(spread).toEqual(w.spec.selector!.matchLabels);
      },
    );
    for (const s of of<Selecting>('Service'))
      expect(selected(s.spec.selector).map((w) => w.metadata.name)).toEqual([s.metadata.name]);
    const budgets = of<Selecting>('PodDisruptionBudget').map((b) =>
      selected(b.spec.selector.matchLabels!).map((w) => w.metadata.name),
    );
    expect(budgets.flat().sort()).toEqual(
      ours()
        .map((w) => w.metadata.name)
        .sort(),
    );
  });

  it('has workers for every queue that workers take jobs from, and for vectors', () => {
    const taken = ours().flatMap((w) => podEnvironment(w, objects(), values)['WORKER_QUEUES']?.split(',') ?? []);
    expect(taken.sort()).toEqual(
      [...new Set([...Object.values(workerJobs).map((job) => job.queue), 'embedding'])].sort(),
    );
  });
});
