import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { productFolder } from '../src/paths.ts';
import { run } from '../src/setup/run.ts';
import type { KubeObject } from './kustomize.ts';

/** Where the schemas of a group stand: of Kubernetes itself, or of those who extend it. */
const packageOf = (apiVersion: string): string => {
  const group = apiVersion.split('/')[0]!;
  if (group === 'keda.sh') return '@kubernetes-models/keda';
  return group === 'monitoring.coreos.com' ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
};
const moduleOf = ({ apiVersion, kind }: KubeObject) => `${packageOf(apiVersion)}/${apiVersion}/${kind}`;

type Model = new (object: KubeObject) => { validate: () => void };

/** What the schemas of Kubernetes object to: values of a wrong kind, and required ones that are missing. */
export async function faultsOf(objects: readonly KubeObject[]): Promise<string[]> {
  const faults: string[] = [];
  for (const object of objects) {
    const models = (await import(moduleOf(object))) as Record<string, Model>;
    try {
      new models[object.kind]!(object).validate();
    } catch (error) {
      faults.push(`${object.kind} ${object.metadata.name}: ${(error as Error).message}`);
    }
  }
  return faults;
}

/** What the types made from the same schemas object to: names that Kubernetes does not know, misspelt ones for instance. */
export async function unknownNames(objects: readonly KubeObject[]): Promise<string> {
  // Beside the packages that the types are in.
  const cache = join(productFolder, 'packages', 'cli', 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'kube-'));
  try {
    const lines = objects.map((object, index) => {
      const { kind } = object;
      return `import type { I${kind} as T${index} } from '${moduleOf(object)}';\nexport const o${index}: T${index} = ${JSON.stringify(object)};\n`;
    });
    const file = join(folder, 'objects.ts');
    writeFileSync(file, lines.join(''));
    const options = ['--noEmit', '--ignoreConfig', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
    const tsc = join(productFolder, 'node_modules', '.bin', 'tsc');
    const { code, output } = await run(tsc, [...options, file]);
    return code === 0 ? '' : output;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
