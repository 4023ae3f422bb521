import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { folders } from './files.ts';

type Parts = Record<string, unknown>;
type Pipeline = { receivers: string[]; processors: string[]; exporters: string[] };
type Collector = {
  receivers: Parts;
  processors: Parts;
  exporters: Parts;
  extensions: Parts;
  service: { extensions: string[]; pipelines: Record<string, Pipeline> };
};
type Container = { ports?: string[]; command?: string[] | string; volumes?: string[]; profiles?: string[] };

function read<T>(...path: string[]): T {
  return parse(readFileSync(resolve(...path), 'utf8'), { merge: true }) as T;
}

describe('the collector of traces', () => {
  const collector = read<Collector>(folders.otel, 'collector.yml');

  it('uses every defined component, and defines no unused one', () => {
    const pipelines = Object.values(collector.service.pipelines);
    const used = (kind: keyof Pipeline) => [...new Set(pipelines.flatMap((pipeline) => pipeline[kind]))].sort();
    for (const kind of ['receivers', 'processors', 'exporters'] as const)
      expect(Object.keys(collector[kind]).sort()).toEqual(used(kind));
    expect(Object.keys(collector.extensions)).toEqual(collector.service.extensions);
  });

  it('limits its memory first', () => {
    for (const { processors } of Object.values(collector.service.pipelines))
      expect(processors[0]).toBe('memory_limiter');
  });
});

describe('the monitoring of compose.yaml', () => {
  const { services } = read<{ services: Record<string, Container> }>(folders.root, 'compose.yaml');
  const pages = Object.entries(services).filter(([, value]) => value.profiles?.includes('monitoring'));

  it('has Prometheus and Grafana', () => {
    expect(pages.map(([name]) => name)).toEqual(expect.arrayContaining(['prometheus', 'grafana']));
  });

  // Specification, "Authentication" 12.
  it('binds its pages to the loopback interface only', () => {
    const published = pages.flatMap(([, service]) => service.ports ?? []);
    expect(published.length).toBeGreaterThan(0);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  // Specification, "Limits".
  it('keeps samples for 15 days', () => {
    expect(services['prometheus']?.command).toContain('--storage.tsdb.retention.time=15d');
  });

  it('mounts the rules, the dashboards and the provisioning of this repository', () => {
    const mounted = (name: string) =>
      services[name]?.volumes?.map((volume) => volume.split(':').slice(0, 2).join(':')) ?? [];
    expect(mounted('prometheus')).toContain('./deploy/prometheus:/etc/prometheus');
    expect(mounted('grafana')).toContain('./deploy/grafana/provisioning:/etc/grafana/provisioning');
    expect(mounted('grafana')).toContain('./deploy/grafana/dashboards:/etc/grafana/dashboards');
  });
});
