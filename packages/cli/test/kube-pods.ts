import type { ServiceVariables } from '../src/configuration/service-variables.ts';
import type { Values } from '../src/container/container.ts';
import { configObjects } from '../src/container/kubernetes.ts';
import type { KubeObject } from './kustomize.ts';

export type Labels = Readonly<Record<string, string>>;
type Probe = {
  readonly httpGet?: { readonly path: string; readonly port: string | number };
};

/** The tested properties of a container of a pod. */
export type PodContainer = {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom?: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly resources?: { readonly requests?: Labels; readonly limits?: Labels };
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
};

/** A workload: a Deployment, a StatefulSet or a Job. */
export type Workload = {
  readonly spec: {
    readonly selector?: { readonly matchLabels: Labels };
    readonly strategy?: unknown;
    readonly template: {
      readonly metadata: { readonly labels: Labels; readonly annotations?: Labels };
      readonly spec: {
        readonly containers: readonly [PodContainer];
        readonly initContainers?: readonly PodContainer[];
        readonly volumes?: readonly { readonly name: string }[];
        readonly securityContext: Readonly<Record<string, unknown>>;
        readonly terminationGracePeriodSeconds?: number;
        readonly automountServiceAccountToken?: boolean;
        readonly topologySpreadConstraints?: readonly { readonly labelSelector: { readonly matchLabels: Labels } }[];
      };
    };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
} & KubeObject;

type CronJob = KubeObject & { readonly spec: { readonly jobTemplate: Pick<Workload, 'spec'> } };
const kinds = ['Deployment', 'StatefulSet', 'Job', 'CronJob'];
/** The workloads of an overlay; of a CronJob the Job that it is the template of. */
export function workloadsOf(objects: readonly KubeObject[]): Workload[] {
  return objects
    .filter(({ kind }) => kinds.includes(kind))
    .map((object) =>
      object.kind === 'CronJob'
        ? { ...object, kind: 'Job', spec: (object as CronJob).spec.jobTemplate.spec }
        : (object as Workload),
    );
}

export function labelsOf(workload: Workload): Labels {
  return workload.spec.template.metadata.labels;
}

export function containerOf(workload: Workload): PodContainer {
  return workload.spec.template.spec.containers[0];
}

/** The service whose image a workload runs; undefined for other images. */
export function serviceOf(workload: Workload): string | undefined {
  return /^overtone\/([a-z-]+):/.exec(containerOf(workload).image)?.[1];
}

/** Whether labels match a selector. */
export function selects(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

/** The environment of a pod's container like the kubelet's, with the secrets that the config command prints. */
export function podEnvironment(
  workload: Workload,
  objects: readonly KubeObject[],
  values: Values,
  variables: ServiceVariables = new Map(),
): Record<string, string> {
  const known = new Map<string, Values>();
  for (const object of objects)
    if (object.kind === 'ConfigMap') known.set(`ConfigMap ${object.metadata.name}`, object.data ?? {});
  for (const object of configObjects(values, variables))
    known.set(`${object.kind} ${object.metadata.name}`, object.stringData ?? object.data ?? {});
  const { envFrom = [], env = [] } = containerOf(workload);
  const sources = envFrom.map(({ configMapRef, secretRef }) =>
    configMapRef ? `ConfigMap ${configMapRef.name}` : `Secret ${secretRef!.name}`,
  );
  for (const name of sources)
    if (!known.has(name)) throw new Error(`${workload.metadata.name} wants ${name}, which is not defined`);
  return Object.fromEntries([
    ...sources.flatMap((name) => Object.entries(known.get(name)!)),
    ...env.map(({ name, value }) => [name, value] as const),
  ]);
}
