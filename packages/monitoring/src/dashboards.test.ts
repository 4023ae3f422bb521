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

function overlap(left: Panel['gridPos'], right: Panel['gridPos']): boolean {
  return (
    left.x < right.x + right.w && right.x < left.x + left.w && left.y < right.y + right.h && right.y < left.y + left.h
  );
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
  const shown = panels.filter((panel) => panel.type !== 'row');

  it('has a supported schema version, and uses the selected Prometheus', () => {
    expect(schemaVersion).toBeGreaterThanOrEqual(39);
    expect(templating.list).toContainEqual(expect.objectContaining({ name: 'datasource', type: 'datasource' }));
    const sources = shown.flatMap((panel) => [
      panel.datasource,
      ...(panel.targets ?? []).map((target) => target.datasource),
    ]);
    expect(new Set(sources.map((source) => source?.uid))).toEqual(new Set(['${datasource}']));
  });

  it('gives every panel a unique id and a free position', () => {
    expect(new Set(panels.map((panel) => panel.id)).size).toBe(panels.length);
    const outside = panels.filter(
      ({ gridPos: place }) => place.x < 0 || place.x + place.w > 24 || place.w < 1 || place.h < 1,
    );
    expect(outside.map((panel) => panel.title)).toEqual([]);
    const covered = panels.filter((panel) =>
      panels.some((other) => other !== panel && overlap(panel.gridPos, other.gridPos)),
    );
    expect(covered.map((panel) => panel.title)).toEqual([]);
  });

  it('has a description, a unit and legends for every panel', () => {
    const bare = shown.filter(
      (panel) => !panel.description || !panel.fieldConfig?.defaults.unit || !panel.targets?.length,
    );
    expect(bare.map((panel) => panel.title)).toEqual([]);
    const targets = shown.flatMap((panel) => panel.targets ?? []);
    expect(targets.filter((target) => !target.legendFormat || !target.expr)).toEqual([]);
    for (const panel of shown)
      expect(new Set(panel.targets?.map((target) => target.refId)).size).toBe(panel.targets?.length);
  });

  it('uses only defined variables', () => {
    const known = new Set([...templating.list.map((variable) => variable.name), '__rate_interval']);
    const used = shown.flatMap((panel) =>
      (panel.targets ?? []).flatMap((target) => [...target.expr.matchAll(/\$\{?(\w+)/g)]),
    );
    expect(used.map((match) => match[1] ?? '').filter((variable) => !known.has(variable))).toEqual([]);
  });

  it('links runbooks that exist', () => {
    const links = shown.flatMap((panel) => panel.links ?? []).map((link) => link.url.replace('${runbooks}/', ''));
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
