import { resolve } from 'node:path';
import { toGrafana } from './dashboard.ts';
import { dashboards } from './dashboards.ts';

const root = resolve(import.meta.dirname, '../../..');
/** Folders that hold what this package makes or checks. */
export const folders = {
  root,
  otel: resolve(root, 'deploy/otel'),
  dashboards: resolve(root, 'deploy/grafana/dashboards'),
  provisioning: resolve(root, 'deploy/grafana/provisioning'),
  prometheus: resolve(root, 'deploy/prometheus'),
  runbooks: resolve(root, 'docs/runbooks'),
};

/** Where a dashboard's file is. */
export const fileOf = (name: string): string => resolve(folders.dashboards, `${name}.json`);

/** What stands in it. */
export const textOf = (name: string): string => {
  const spec = dashboards[name];
  if (!spec) throw new Error(`no dashboard ${name}`);
  return `${JSON.stringify(toGrafana(spec), undefined, 2)}\n`;
};
