import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { productFolder } from '../src/paths.ts';
import type { KubeObject } from './kustomize.ts';

/** The Helm chart. */
export const chartFolder = join(productFolder, 'deploy', 'helm', 'overtone');

type Kustomization = {
  readonly resources: readonly string[];
  readonly configMapGenerator?: readonly { readonly name: string; readonly literals: readonly string[] }[];
};

/** What the chart adapts to its values: the objects of k8s/, the rules and the dashboards, by path in its folder `files`. */
export function chartFiles(): Map<string, string> {
  const base = parse(read('k8s/base/kustomization.yaml')) as Kustomization;
  const objects = [
    ...(base.configMapGenerator ?? []).map(configMap),
    ...base.resources.flatMap((file) => documents(`k8s/base/${file}`)),
    ...['network', 'ingress', 'pod-monitor', 'scaling'].flatMap((name) =>
      documents(`k8s/overlays/production/${name}.yaml`),
    ),
  ].filter(({ kind }) => kind !== 'Namespace');
  const rules = globSync('deploy/prometheus/rules/*.yml', { cwd: productFolder }).sort();
  const groups = rules.map((file) => [basename(file, '.yml'), (parse(read(file)) as { groups: unknown }).groups]);
  const dashboards = globSync('deploy/grafana/dashboards/*.json', { cwd: productFolder });
  return new Map([
    ['objects.json', `[\n${objects.map((object) => JSON.stringify(object)).join(',\n')}\n]\n`],
    ['rules.json', `${JSON.stringify(Object.fromEntries(groups))}\n`],
    ...dashboards.map((file): [string, string] => [
      `dashboards/${basename(file)}`,
      `${JSON.stringify(JSON.parse(read(file)))}\n`,
    ]),
  ]);
}

function configMap({ name, literals }: { readonly name: string; readonly literals: readonly string[] }): KubeObject {
  const data = Object.fromEntries(
    literals.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { 'app.kubernetes.io/part-of': 'overtone' } },
    data,
  };
}

function documents(file: string): KubeObject[] {
  return parseAllDocuments(read(file)).map((document) => document.toJS() as KubeObject);
}

function read(file: string): string {
  return readFileSync(join(productFolder, file), 'utf8');
}
