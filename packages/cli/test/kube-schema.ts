import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { productFolder } from '../src/paths.ts';
import { run } from '../src/setup/run.ts';
import type { KubeObject } from './kustomize.ts';

/** The location of the schemas of an API group: Kubernetes itself or an extension. */
function packageOf(apiVersion: string): string {
  const group = apiVersion.split('/')[0]!;
  if (group === 'keda.sh') return '@kubernetes-models/keda';
  if (group === 'gateway.networking.k8s.io') return '@kubernetes-models/gateway-api';
  return group === 'monitoring.coreos.com' ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
}

function moduleOf({ apiVersion, kind }: KubeObject) {
  return `${packageOf(apiVersion)}/${apiVersion}/${kind}`;
}

type Model = new (object: KubeObject) => { validate: () => void };

/** Schema errors: values of a wrong type, and missing required values. */
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

/** Type errors: unknown property names, such as misspelt ones. */
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
