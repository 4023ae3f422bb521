import { resolve } from 'node:path';
import { toGrafana } from './dashboard.ts';
import { dashboards } from './dashboards.ts';

const root = resolve(import.meta.dirname, '../../..');
/** Folders of the files that this package generates or checks. */
export const folders = {
  root,
  otel: resolve(root, 'deploy/otel'),
  dashboards: resolve(root, 'deploy/grafana/dashboards'),
  provisioning: resolve(root, 'deploy/grafana/provisioning'),
  prometheus: resolve(root, 'deploy/prometheus'),
  runbooks: resolve(root, 'docs/runbooks'),
};

/** The path of a dashboard's file. */
export function fileOf(name: string): string {
  return resolve(folders.dashboards, `${name}.json`);
}

/** The content of a dashboard's file. */
export function textOf(name: string): string {
  const spec = dashboards[name];
  if (!spec) throw new Error(`no dashboard ${name}`);
  return `${JSON.stringify(toGrafana(spec), undefined, 2)}\n`;
}
