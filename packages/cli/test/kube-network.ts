import type { Labels, Workload } from './kube-pods.ts';
import { labelsOf, selects } from './kube-pods.ts';
import type { KubeObject } from './kustomize.ts';

type Selector = {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
};

type Peer = {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string };
};

type Rule = {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly port: number; readonly protocol: string }[];
};

type Policy = {
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
} & KubeObject;

/** An endpoint of a connection: a pod of the product, a pod of another namespace, or an external address. */
export type End =
  { readonly kind: 'pod'; readonly labels: Labels; readonly namespace: string } | { readonly kind: 'outside' };

export function podOf(workload: Workload): End {
  return { kind: 'pod', labels: labelsOf(workload), namespace: 'overtone' };
}

export function stranger(namespace: string, labels: Labels = {}): End {
  return { kind: 'pod', labels, namespace };
}

export const outside: End = { kind: 'outside' };

/** Whether the network policies of an overlay allow a connection from `from` to a port of `to`. */
export function mayConnect(objects: readonly KubeObject[], from: End, to: End, port: number): boolean {
  const policies = objects.filter((object): object is Policy => object.kind === 'NetworkPolicy');
  return (
    passes(policies, 'Egress', { subject: from, other: to, port }) &&
    passes(policies, 'Ingress', { subject: to, other: from, port })
  );
}

type Attempt = {
  readonly subject: End;
  readonly other: End;
  readonly port: number;
};

// The policies do not apply to pods of other namespaces.
function passes(
  policies: readonly Policy[],
  direction: 'Ingress' | 'Egress',
  { subject, other, port }: Attempt,
): boolean {
  if (subject.kind !== 'pod' || subject.namespace !== 'overtone') return true;
  const own = policies.filter(
    ({ spec }) => spec.policyTypes.includes(direction) && matches(spec.podSelector, subject.labels),
  );
  if (own.length === 0) return true;
  const rules = own.flatMap(({ spec }) => (direction === 'Ingress' ? spec.ingress : spec.egress) ?? []);
  return rules.some(
    (rule) =>
      (rule.ports === undefined || rule.ports.some((allowed) => allowed.port === port && allowed.protocol === 'TCP')) &&
      reaches(direction === 'Ingress' ? rule.from : rule.to, other),
  );
}

function reaches(peers: readonly Peer[] | undefined, end: End): boolean {
  return peers === undefined || peers.some((peer) => isPeer(peer, end));
}

function isPeer({ podSelector, namespaceSelector, ipBlock }: Peer, end: End): boolean {
  if (end.kind === 'outside') return ipBlock !== undefined;
  if (ipBlock !== undefined) return false;
  const there = namespaceSelector
    ? matches(namespaceSelector, { 'kubernetes.io/metadata.name': end.namespace })
    : end.namespace === 'overtone';
  return there && (podSelector === undefined || matches(podSelector, end.labels));
}

function matches({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  const listed = matchExpressions.every(({ key, operator, values }) => {
    if (operator !== 'In') throw new Error(`the operator ${operator} is not understood here`);
    return values.includes(labels[key] ?? '');
  });
  return listed && selects(matchLabels, labels);
}
