import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { chartFolder } from '../../test/chart.ts';
import { helm, renderChart } from '../../test/helm.ts';
import { containerOf, workloadsOf, type Workload } from '../../test/kube-pods.ts';
import { faultsOf, unknownNames } from '../../test/kube-schema.ts';
import { render, type KubeObject } from '../../test/kustomize.ts';

const sets = ['production', 'traefik', 'gateway', 'addresses', 'minimal'] as const;
const rendered = new Map<string, KubeObject[]>();
for (const set of sets) rendered.set(set, await renderChart(set));

function objectsOf(set: (typeof sets)[number], kind: string): KubeObject[] {
  return rendered.get(set)!.filter((object) => object.kind === kind);
}

function workload(set: (typeof sets)[number], name: string): Workload {
  return workloadsOf(rendered.get(set)!).find(({ metadata }) => metadata.name === name)!;
}

function environmentOf(set: (typeof sets)[number], name: string) {
  return Object.fromEntries((containerOf(workload(set, name)).env ?? []).map((entry) => [entry.name, entry]));
}

describe.each(sets)('the Helm chart with the values %s', (set) => {
  it('passes the linter', async () => {
    const file = join(chartFolder, 'ci', `${set}-values.yaml`);
    const { code, output } = await helm('lint', chartFolder, '--strict', '--values', file);
    expect([code, output]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
  });

  it('is made of objects that Kubernetes, KEDA, the Prometheus operator and the Gateway API know', async () => {
    expect(await faultsOf(rendered.get(set)!)).toEqual([]);
    expect(await unknownNames(rendered.get(set)!)).toBe('');
  });

  it('has each object once, in the namespace of the release', () => {
    const names = rendered.get(set)!.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(rendered.get(set)!.filter(({ metadata }) => metadata.namespace !== 'overtone')).toEqual([]);
  });
});

describe('the Helm chart with its default values', () => {
  /** What Kustomize and Helm write differently: names of ConfigMaps, of the Job, and what makes pods new. */
  const comparable = (object: KubeObject): unknown => {
    const text = JSON.stringify(object, (key, value: unknown) => {
      if (key === 'imagePullPolicy' || key === 'checksum/config') return undefined;
      return Array.isArray(value)
        ? value.filter((item) => (item as { name?: string } | null)?.name !== 'models')
        : value;
    });
    const isJob = object.kind === 'Job';
    return JSON.parse(
      text
        .replaceAll(/"name":"(overtone-(?:common|database|edge|objects|search))-[a-z0-9]{10}"/g, '"name":"$1"')
        .replace(isJob ? '"name":"migrate-1"' : '', isJob ? '"name":"migrate"' : ''),
    );
  };
  const byName = (objects: readonly KubeObject[]) =>
    new Map(
      objects
        .map((object) => comparable(object) as KubeObject)
        .map((object) => [`${object.kind} ${object.metadata.name}`, object]),
    );

  it('is the overlay production of k8s, and in addition rules, dashboards and a volume of models', async () => {
    const [ours, theirs] = [byName(rendered.get('production')!), byName(await render('production'))];
    const added = [...ours.keys()].filter((name) => !theirs.has(name));
    expect(added.filter((name) => !/^(PrometheusRule overtone|ConfigMap overtone-dashboard)-/.test(name))).toEqual([
      'PersistentVolumeClaim models',
    ]);
    for (const [name, object] of theirs) {
      if (object.kind === 'Namespace') continue;
      // The chart also names what the services would use by default.
      if (object.kind === 'ConfigMap') expect(ours.get(name)).toMatchObject({ data: object.data });
      else expect([name, ours.get(name)]).toEqual([name, object]);
    }
  });
});

describe('values of the Helm chart', () => {
  it('scale workers by each of their queues, with KEDA or with a horizontal pod autoscaler', () => {
    type Scaled = KubeObject & { spec: { triggers: { metadata: { query: string; threshold: string } }[] } };
    type Autoscaler = KubeObject & {
      spec: {
        minReplicas: number;
        metrics: {
          external: { metric: { selector: { matchLabels: { queue: string } } }; target: { averageValue: string } };
        }[];
      };
    };
    const scaled = (objectsOf('production', 'ScaledObject') as Scaled[]).map(({ metadata, spec }) => [
      metadata.name,
      spec.triggers.map((trigger) => [/queue="(\w+)"/.exec(trigger.metadata.query)![1], trigger.metadata.threshold]),
    ]);
    const autoscaled = (objectsOf('traefik', 'HorizontalPodAutoscaler') as Autoscaler[]).map(({ metadata, spec }) => [
      metadata.name,
      spec.metrics.map(({ external }) => [external.metric.selector.matchLabels.queue, external.target.averageValue]),
    ]);
    expect(autoscaled).toEqual(scaled);
    expect(scaled).toEqual([
      [
        'transcription-worker-gpu',
        [
          ['gpu', '2'],
          // Recordings at OpenAI-compatible servers, of which a worker has more.
          ['gpu', '4'],
        ],
      ],
      [
        'transcription-worker',
        [
          ['cpu', '8'],
          ['download', '3'],
          ['embedding', '20'],
        ],
      ],
    ]);
    for (const { spec } of objectsOf('traefik', 'HorizontalPodAutoscaler') as Autoscaler[])
      expect(spec.minReplicas).toBeGreaterThan(0);
    expect(workload('minimal', 'transcription-worker').spec).toMatchObject({ replicas: 1 });
  });

  it('put models on a shared volume or fill a volume of the pod, never on an empty folder', () => {
    const volumesOf = (set: (typeof sets)[number]) =>
      ['transcription-worker', 'transcription-worker-gpu'].flatMap((name) =>
        workload(set, name).spec.template.spec.volumes!.filter((volume) => volume.name === 'models'),
      );
    for (const set of sets) expect(volumesOf(set).filter((volume) => 'emptyDir' in volume)).toEqual([]);
    expect(volumesOf('traefik')[0]).toMatchObject({ persistentVolumeClaim: { claimName: 'shared-models' } });
    expect(objectsOf('traefik', 'PersistentVolumeClaim')).toEqual([]);
    expect(volumesOf('gateway')[0]).toMatchObject({
      ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'fast' } } },
    });
    const pulls = workload('gateway', 'transcription-worker-gpu').spec.template.spec.initContainers!;
    expect(pulls).toMatchObject([
      { name: 'pull-whisper-small-int8', args: ['models', 'pull', 'whisper-small-int8', '--accept-licence'] },
      { name: 'pull-pyannote-segmentation-3-0', image: expect.stringContaining('overtone/operations:') },
    ]);
  });

  it('request GPUs and nodes for the workers of the queue gpu only', () => {
    const gpu = workload('gateway', 'transcription-worker-gpu').spec.template.spec;
    expect(gpu).toMatchObject({ runtimeClassName: 'nvidia', nodeSelector: { accelerator: 'h100' } });
    expect(gpu.containers[0].resources!.limits).toEqual({ memory: '8Gi', 'nvidia.com/gpu': '2' });
    expect(gpu.containers[0].image).toMatch(/\/transcription-worker:[^:]+-gpu$/);
    expect(workload('gateway', 'transcription-worker').spec.template.spec.containers[0].image).not.toMatch(/-gpu$/);
    expect(containerOf(workload('gateway', 'transcription-worker')).resources!.limits).not.toHaveProperty(
      'nvidia.com/gpu',
    );
  });

  it('name your servers, and open the way to them', () => {
    expect(environmentOf('addresses', 'transcription-dispatcher')).toMatchObject({
      DB_PASSWORD: {
        valueFrom: { secretKeyRef: { name: 'overtone-migrate', key: 'DB_PASSWORD_TRANSCRIPTION_DISPATCHER' } },
      },
      DATABASE_URL: {
        value: 'postgresql://transcription_dispatcher:$(DB_PASSWORD)@postgres.data:5432/overtone?sslmode=verify-full',
      },
    });
    const owner = 'postgresql://overtone:$(DB_PASSWORD)@postgres.data:5432/overtone?sslmode=verify-full';
    for (const name of ['migrate-1', 'tools'])
      expect(environmentOf('addresses', name)['DATABASE_URL']).toMatchObject({ value: owner });
    expect(environmentOf('addresses', 'edge-gateway')['REDIS_URL']).toMatchObject({
      value: 'rediss://:$(REDIS_PASSWORD)@redis.data:6380/0',
    });
    expect(environmentOf('addresses', 'search-indexer')).toMatchObject({
      ELASTICSEARCH_API_KEY: { valueFrom: { secretKeyRef: { name: 'search-key', key: 'api-key' } } },
      ELASTICSEARCH_CA_FILE: { value: '/etc/elasticsearch-ca/ca.crt' },
    });
    const data = (name: string) =>
      objectsOf('addresses', 'ConfigMap').find(({ metadata }) => metadata.name === name)?.data;
    expect(data('overtone-objects')).toMatchObject({ S3_ENDPOINT: 'http://minio.data:9000' });
    expect(data('overtone-search')).toMatchObject({ ELASTICSEARCH_REPLICAS: '2' });
    expect(data('overtone-edge')).toMatchObject({ MAX_UPLOAD_BYTES: '1073741824' });
    const policy = (name: string) =>
      objectsOf('addresses', 'NetworkPolicy').find(({ metadata }) => metadata.name === name);
    expect(policy('use-cache')).toMatchObject({ spec: { egress: [{ ports: [{ port: 6380 }] }] } });
    expect(policy('use-database')).toMatchObject({
      spec: { egress: [{ to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'data' } } }] }] },
    });
  });

  it('choose the way in: nginx, Traefik, the Gateway API or none', () => {
    expect(objectsOf('production', 'Ingress')).toMatchObject([{ spec: { ingressClassName: 'nginx' } }]);
    const [traefik] = objectsOf('traefik', 'Ingress');
    expect(traefik).toMatchObject({ spec: { ingressClassName: 'traefik', rules: [{ host: 'speech.example.org' }] } });
    expect(JSON.stringify(traefik)).not.toContain('nginx');
    expect(objectsOf('gateway', 'HTTPRoute')).toMatchObject([{ spec: { parentRefs: [{ name: 'public' }] } }]);
    for (const set of ['gateway', 'minimal'] as const) expect(objectsOf(set, 'Ingress')).toEqual([]);
  });

  it('choose how metrics are collected, with the labels of the operator', () => {
    expect(objectsOf('production', 'PodMonitor')).toHaveLength(1);
    expect(objectsOf('traefik', 'ServiceMonitor')).toMatchObject([{ metadata: { labels: { release: 'prometheus' } } }]);
    expect(objectsOf('traefik', 'Service').map(({ metadata }) => metadata.name)).toContain('metrics');
    const rules = objectsOf('traefik', 'PrometheusRule');
    expect(rules).toHaveLength(7);
    expect(rules[0]).toMatchObject({ metadata: { labels: { release: 'prometheus' } } });
    const labels = { grafana_dashboard: '1' };
    expect(
      objectsOf('production', 'ConfigMap').filter(({ metadata }) => metadata.labels?.['grafana_dashboard']),
    ).toMatchObject(Array.from({ length: 7 }, () => ({ metadata: { labels } })));
    for (const kind of ['PodMonitor', 'ServiceMonitor', 'PrometheusRule', 'NetworkPolicy'])
      expect(objectsOf('minimal', kind)).toEqual([]);
    expect(objectsOf('addresses', 'PodDisruptionBudget')).toEqual([]);
  });

  it('are for single services, too', () => {
    expect(workload('gateway', 'media').spec).toMatchObject({
      replicas: 4,
      template: { spec: { priorityClassName: 'high', containers: [{ resources: { limits: { memory: '2Gi' } } }] } },
    });
    expect(environmentOf('gateway', 'media')).toMatchObject({
      IMPORTS_PER_HOUR: { value: '100' },
      UPLOAD_MAX_RESERVED_BYTES: { value: '1099511627776' },
    });
    expect(workload('gateway', 'transcription-worker').spec.template.metadata.annotations).toMatchObject({
      'example.org/owner': 'speech',
      'prometheus.io/port': '9090',
    });
  });

  it.each(['ingress.kind=nginxx', 'models.source=pull', 'postgresql.poolSize=0', 'nats.uri=nats://a'])(
    'are refused where they cannot be used: %s',
    async (value) => {
      const { code, output } = await helm('template', 'overtone', chartFolder, '--set', value);
      expect([code, output]).toEqual([1, expect.stringContaining(`don't meet the specifications of the schema`)]);
    },
  );
});
