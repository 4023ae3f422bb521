import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { dashboards } from './dashboards.ts';
import { fileOf, folders, textOf } from './files.ts';

type Panel = {
  id: number;
  type: string;
  title: string;
  description?: string;
  datasource?: { uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { refId: string; expr: string; legendFormat: string; datasource: { uid: string } }[];
  fieldConfig?: { defaults: { unit: string } };
  links?: { url: string }[];
};
type Dashboard = {
  uid: string;
  title: string;
  schemaVersion: number;
  templating: { list: { name: string; type: string }[] };
  panels: Panel[];
};

const names = Object.keys(dashboards);

function read(name: string) {
  return JSON.parse(readFileSync(fileOf(name), 'utf8')) as Dashboard;
}

function overlap(a: Panel['gridPos'], b: Panel['gridPos']): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

describe('the dashboards', () => {
  it('match the generated files (regenerate with node packages/monitoring/src/generate.main.ts)', () => {
    expect(readdirSync(folders.dashboards).sort()).toEqual(names.map((name) => `${name}.json`).sort());
    expect(names.filter((name) => readFileSync(fileOf(name), 'utf8') !== textOf(name))).toEqual([]);
  });

  it('have unique uids and titles', () => {
    expect(new Set(names.map((name) => read(name).uid)).size).toBe(names.length);
    expect(new Set(names.map((name) => read(name).title)).size).toBe(names.length);
  });
});

describe.each(names)('the dashboard %s', (name) => {
  const { panels, schemaVersion, templating } = read(name);
  const shown = panels.filter((p) => p.type !== 'row');

  it('has a supported schema version, and uses the selected Prometheus', () => {
    expect(schemaVersion).toBeGreaterThanOrEqual(39);
    expect(templating.list).toContainEqual(expect.objectContaining({ name: 'datasource', type: 'datasource' }));
    const sources = shown.flatMap((p) => [p.datasource, ...(p.targets ?? []).map((t) => t.datasource)]);
    expect(new Set(sources.map((s) => s?.uid))).toEqual(new Set(['${datasource}']));
  });

  it('gives every panel a unique id and a free position', () => {
    expect(new Set(panels.map((p) => p.id)).size).toBe(panels.length);
    const outside = panels.filter(({ gridPos: g }) => g.x < 0 || g.x + g.w > 24 || g.w < 1 || g.h < 1);
    expect(outside.map((p) => p.title)).toEqual([]);
    const covered = panels.filter((p) => panels.some((q) => q !== p && overlap(p.gridPos, q.gridPos)));
    expect(covered.map((p) => p.title)).toEqual([]);
  });

  it('has a description, a unit and legends for every panel', () => {
    const bare = shown.filter((p) => !p.description || !p.fieldConfig?.defaults.unit || !p.targets?.length);
    expect(bare.map((p) => p.title)).toEqual([]);
    const targets = shown.flatMap((p) => p.targets ?? []);
    expect(targets.filter((t) => !t.legendFormat || !t.expr)).toEqual([]);
    for (const p of shown) expect(new Set(p.targets?.map((t) => t.refId)).size).toBe(p.targets?.length);
  });

  it('uses only defined variables', () => {
    const known = new Set([...templating.list.map((v) => v.name), '__rate_interval']);
    const used = shown.flatMap((p) => (p.targets ?? []).flatMap((t) => [...t.expr.matchAll(/\$\{?(\w+)/g)]));
    expect(used.map((m) => m[1] ?? '').filter((variable) => !known.has(variable))).toEqual([]);
  });

  it('links runbooks that exist', () => {
    const links = shown.flatMap((p) => p.links ?? []).map((link) => link.url.replace('${runbooks}/', ''));
    expect(links.filter((file) => !existsSync(resolve(folders.runbooks, file)))).toEqual([]);
  });
});

describe('provisioning of Grafana', () => {
  const provisioned = (path: string) => parse(readFileSync(resolve(folders.provisioning, path), 'utf8')) as unknown;

  it('contains the Prometheus of compose.yaml as the default data source', () => {
    expect(provisioned('datasources/prometheus.yml')).toMatchObject({
      datasources: [{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true, editable: false }],
    });
  });

  it('contains the folder of these dashboards, without changes in the browser', () => {
    expect(provisioned('dashboards/overtone.yml')).toMatchObject({
      providers: [{ type: 'file', allowUiUpdates: false, options: { path: '/etc/grafana/dashboards' } }],
    });
  });
});
