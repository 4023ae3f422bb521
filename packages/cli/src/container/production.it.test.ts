import { describe, expect, it } from '@jest/globals';
import { queues } from '@overtone/contracts';
import { freshValues } from '../../test/compose-file.ts';
import { labelsOf, podEnvironment, selects, serviceOf, workloadsOf, type Workload } from '../../test/kube-pods.ts';
import { render, type KubeObject } from '../../test/kustomize.ts';
import { serviceNames } from '../supervisor/plan.ts';

const services = serviceNames();
const values = freshValues();
const objects = await render('production');

describe('the PodMonitor of production', () => {
  type Relabeling = {
    readonly targetLabel: string;
    readonly replacement?: string;
    readonly regex?: string;
    readonly sourceLabels?: readonly string[];
  };
  type Monitor = {
    readonly spec: {
      readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
      readonly podMetricsEndpoints: readonly [
        { readonly port: string; readonly path: string; readonly relabelings: Relabeling[] },
      ];
    };
  } & KubeObject;

  it('scrapes every service with the labels that rules and dashboards require', () => {
    const { selector, podMetricsEndpoints } = (objects.find((object) => object.kind === 'PodMonitor') as Monitor).spec;
    const [{ port, path, relabelings }] = podMetricsEndpoints;
    expect([port, path]).toEqual(['internal', '/metrics']);
    const scraped = workloadsOf(objects).filter(
      (workload) => workload.kind === 'Deployment' && selects(selector.matchLabels, labelsOf(workload)),
    );
    expect(scraped.map((workload) => [workload.metadata.name, seriesOf(workload, relabelings)])).toEqual(
      scraped.map((workload) => [workload.metadata.name, { job: 'overtone', service: serviceOf(workload) }]),
    );
    expect([...new Set(scraped.map((workload) => serviceOf(workload)!))].sort()).toEqual(services);
  });

  const seriesOf = (workload: Workload, relabelings: readonly Relabeling[]) => {
    const labels: Record<string, string> = {
      __meta_kubernetes_pod_label_app_kubernetes_io_name: labelsOf(workload)['app.kubernetes.io/name']!,
    };
    for (const { sourceLabels = [], regex = '(.*)', targetLabel, replacement = '$1' } of relabelings) {
      const match = new RegExp(`^(?:${regex})$`).exec(sourceLabels.map((name) => labels[name]).join(';'));
      if (match) labels[targetLabel] = replacement.replace('$1', match[1] ?? '');
    }
    return { job: labels['job'], service: labels['service'] };
  };
});

describe('scaling in production', () => {
  type Scaled = {
    readonly spec: {
      readonly scaleTargetRef: { readonly name: string };
      readonly minReplicaCount: number;
      readonly fallback: { readonly replicas: number };
      readonly triggers: readonly { readonly type: string; readonly metadata: Readonly<Record<string, string>> }[];
    };
  } & KubeObject;
  const scaled = () => objects.filter((object) => object.kind === 'ScaledObject') as Scaled[];
  const deployments = () => workloadsOf(objects);

  it('uses waiting and running tasks of each queue that a worker takes, and no gauge of alerts', () => {
    for (const { spec } of scaled()) {
      const named = spec.triggers.map(({ metadata }) => {
        const { query = '' } = metadata;
        const gauges = [...query.matchAll(/([a-z_]+)\{queue="([a-z]+)"\}/g)];
        expect(new Set(gauges.map(([, , queue]) => queue)).size).toBe(1);
        return { queue: gauges[0]![2]!, gauges: gauges.map(([, gauge]) => gauge) };
      });
      const work = ['celery_queue_depth', 'celery_queue_reserved'];
      const remote = 'transcription_remote_tasks';
      // Tasks that only wait for another server have places of their own, hence a trigger of their own.
      const expected = named.map(({ queue }, i) => {
        if (queue !== 'gpu') return work;
        return i === 0 ? [...work, remote] : [remote];
      });
      expect(named.map(({ gauges }) => gauges)).toEqual(expected);
      const target = deployments().find((deployment) => deployment.metadata.name === spec.scaleTargetRef.name)!;
      const own = podEnvironment(target, objects, values)['WORKER_QUEUES']!.split(',');
      const queuesNamed = [...new Set(named.map(({ queue }) => queue))];
      expect(queuesNamed.sort()).toEqual(own.sort());
      expect(queuesNamed.filter((name) => !(queues as readonly string[]).includes(name))).toEqual([]);
    }
    expect(
      scaled()
        .map((scaled) => scaled.spec.scaleTargetRef.name)
        .sort(),
    ).toEqual(['transcription-worker', 'transcription-worker-gpu']);
  });

  it('scales only the GPU workers to zero, and none because of missing metrics', () => {
    for (const { spec } of scaled()) {
      expect(spec.minReplicaCount === 0).toBe(spec.scaleTargetRef.name.endsWith('-gpu'));
      for (const { metadata } of spec.triggers) expect(metadata['ignoreNullValues']).toBe('false');
      expect(spec.fallback.replicas).toBeGreaterThan(0);
    }
  });

  it('leaves the number of workers to KEDA and runs two replicas of every other service', () => {
    const counted = deployments().filter((deployment) => deployment.kind === 'Deployment');
    for (const workload of counted) {
      const isScaled = scaled().some((scaled) => scaled.spec.scaleTargetRef.name === workload.metadata.name);
      const { replicas } = workload.spec as { replicas?: number };
      expect([workload.metadata.name, replicas]).toEqual([workload.metadata.name, isScaled ? undefined : 2]);
    }
  });
});
