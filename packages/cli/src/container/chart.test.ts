import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { chartFiles, chartFolder } from '../../test/chart.ts';
import { productFolder, productVersion } from '../paths.ts';

describe('deploy/helm/overtone', () => {
  it('adapts the objects of k8s/, the rules and the dashboards as they are now', () => {
    // Repair: node packages/cli/test/make-chart.main.ts
    const folder = join(chartFolder, 'files');
    const committed = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
    const made = chartFiles();
    expect(committed.sort()).toEqual([...made.keys()].sort());
    const stale = committed.filter((name) => readFileSync(join(folder, name), 'utf8') !== made.get(name));
    expect(stale).toEqual([]);
  });

  it('is of the version of the product', () => {
    const chart = parse(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8')) as {
      version: string;
      appVersion: string;
    };
    expect([chart.version, chart.appVersion]).toEqual([productVersion(), productVersion()]);
  });

  it('has a template for every kind of object', () => {
    const templates = readFileSync(join(chartFolder, 'templates', '_objects.tpl'), 'utf8');
    const objects = JSON.parse(chartFiles().get('objects.json')!) as { kind: string }[];
    const kinds = [...new Set(objects.map(({ kind }) => kind))];
    expect(kinds.filter((kind) => !templates.includes(`define "overtone.${kind}"`))).toEqual([]);
  });

  it('has the database pools of the overlay production, whose replicas fit into the connections of the server', () => {
    const values = parse(readFileSync(join(chartFolder, 'values.yaml'), 'utf8')) as {
      postgresql: { poolSize: number; maxOverflow: number };
    };
    const overlay = readFileSync(join(productFolder, 'k8s', 'overlays', 'production', 'kustomization.yaml'), 'utf8');
    expect(overlay).toContain(`- DB_POOL_SIZE=${values.postgresql.poolSize}\n`);
    expect(overlay).toContain(`- DB_MAX_OVERFLOW=${values.postgresql.maxOverflow}\n`);
  });
});
