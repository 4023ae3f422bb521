import { describe, expect, it } from '@jest/globals';
import { freshValues } from '../../test/compose-file.ts';
import { mayConnect, outside, podOf, stranger, type End } from '../../test/kube-network.ts';
import { podEnvironment, serviceOf, workloadsOf, type Workload } from '../../test/kube-pods.ts';
import { render, type KubeObject } from '../../test/kustomize.ts';

const values = freshValues();
const overlays = ['single-node', 'production'] as const;
const rendered = new Map<string, KubeObject[]>();
for (const overlay of overlays) rendered.set(overlay, await render(overlay));

const prometheus = stranger('monitoring', { 'app.kubernetes.io/name': 'prometheus' });
const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

describe.each(overlays)('the network of k8s/overlays/%s', (overlay) => {
  const objects = () => rendered.get(overlay)!;
  const workloads = () => workloadsOf(objects());
  const ours = () => workloads().filter((workload) => workload.kind === 'Deployment');
  const named = (name: string) => workloads().find((workload) => workload.metadata.name === name)!;
  const may = (from: End, to: End, port: number) => mayConnect(objects(), from, to, port);
  const whoReaches = (target: Workload, port: number) =>
    workloads()
      .filter((workload) => may(podOf(workload), podOf(target), port))
      .map((workload) => workload.metadata.name);
  /** Servers and services that the environment of a pod names, with their ports. */
  const serversOf = (workload: Workload) =>
    Object.entries(podEnvironment(workload, objects(), values)).flatMap(([key, value]) => {
      if (!/_(URL|ENDPOINT)$/.test(key) || value === '') return [];
      const { hostname, port, protocol } = new URL(value);
      return [{ host: hostname, port: Number(port) || defaultPorts[protocol]! }];
    });

  it('closes internal ports to the namespace, and opens all of them to Prometheus', () => {
    for (const workload of ours()) {
      expect([workload.metadata.name, whoReaches(workload, 9090)]).toEqual([workload.metadata.name, []]);
      expect(may(prometheus, podOf(workload), 9090)).toBe(true);
      expect(may(stranger('monitoring', { 'app.kubernetes.io/name': 'grafana' }), podOf(workload), 9090)).toBe(false);
      expect(may(stranger('ingress'), podOf(workload), 9090)).toBe(false);
    }
  });

  it('lets only the edge reach the API port of the services behind it', () => {
    const behind = serversOf(named('edge-gateway'))
      .map(({ host }) => host)
      .filter((host) => named(host) && serviceOf(named(host)));
    for (const workload of ours()) {
      const expected = behind.includes(workload.metadata.name) ? ['edge-gateway'] : [];
      expect([workload.metadata.name, whoReaches(workload, 8080)]).toEqual([workload.metadata.name, expected]);
      expect(may(prometheus, podOf(workload), 8080)).toBe(
        overlay === 'single-node' && workload.metadata.name === 'edge-gateway',
      );
    }
    expect(behind).toHaveLength(7);
  });

  it('lets people in at the edge and nowhere else', () => {
    const open = ours().filter((workload) =>
      [80, 8080, 9090].some((port) => may(stranger('ingress'), podOf(workload), port)),
    );
    expect(open.map((workload) => workload.metadata.name)).toEqual(['edge-gateway']);
    const ingress = objects().filter((object) => object.kind === 'Ingress');
    expect(JSON.stringify(ingress).match(/"service":\{"name":"([a-z-]+)"/g) ?? []).toEqual(
      overlay === 'production' ? ['"service":{"name":"edge-gateway"'] : [],
    );
  });

  it('lets every pod reach the servers that its environment names', () => {
    for (const workload of workloads()) {
      for (const { host, port } of serversOf(workload)) {
        const target = named(host);
        // A server that is not in the cluster here has an address that only its owner knows.
        expect([workload.metadata.name, host, may(podOf(workload), target ? podOf(target) : outside, port)]).toEqual([
          workload.metadata.name,
          host,
          true,
        ]);
      }
    }
  });

  it('lets no pod reach a server that its environment does not name', () => {
    for (const server of workloads().filter((workload) => workload.kind === 'StatefulSet')) {
      const { port } = ours()
        .flatMap(serversOf)
        .find(({ host }) => host === server.metadata.name)!;
      const users = workloads().filter((workload) =>
        serversOf(workload).some(({ host }) => host === server.metadata.name),
      );
      expect([server.metadata.name, whoReaches(server, port)]).toEqual([
        server.metadata.name,
        users.map((user) => user.metadata.name),
      ]);
      expect(may(stranger('default'), podOf(server), port)).toBe(false);
    }
  });

  it('holds a pod that no rule is written for', () => {
    const unknown = stranger('overtone', { 'app.kubernetes.io/name': 'unknown' });
    expect([80, 8080, 9090].filter((port) => may(stranger('default'), unknown, port))).toEqual([]);
    expect([443, 5432].filter((port) => may(unknown, outside, port))).toEqual([]);
    expect(whoReaches(named('migrate'), 8080)).toEqual([]);
  });

  it('allows egress only for services that call your servers', () => {
    const out = (port: number) =>
      ours()
        .filter((workload) => may(podOf(workload), outside, port))
        .map((workload) => workload.metadata.name);
    expect(out(636)).toEqual(['directory-sync', 'identity']);
    expect(out(22)).toEqual([]);
    expect(out(443).filter((name) => !name.startsWith('transcription-worker'))).toEqual(
      overlay === 'production'
        ? ['directory-sync', 'identity', 'insights', 'media', 'operations']
        : ['directory-sync', 'identity', 'insights', 'operations'],
    );
  });
});
