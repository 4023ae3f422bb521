import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { productFolder } from '../src/paths.ts';
import { requireProgram } from '../src/servers/binaries.ts';
import { run } from '../src/setup/run.ts';

/** An object of Kubernetes. */
export type KubeObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
};

/** The objects of an overlay, like `kubectl apply -k`. */
export async function render(overlay: string, kubectl = requireProgram('kubectl')): Promise<KubeObject[]> {
  const folder = mkdtempSync(join(tmpdir(), 'overtone-kustomize-'));
  try {
    cpSync(join(productFolder, 'k8s'), folder, { recursive: true });
    if (await isOld(kubectl))
      for (const file of globSync(`${folder}/**/kustomization.yaml`)) writeFileSync(file, forOld(file));
    const { code, output } = await run(kubectl, ['kustomize', join(folder, 'overlays', overlay)]);
    if (code !== 0) throw new Error(`kubectl kustomize failed: ${output}`);
    return parseAllDocuments(output).map((document) => document.toJS() as KubeObject);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function isOld(kubectl: string): Promise<boolean> {
  const { output } = await run(kubectl, ['version', '--client', '--output=json']);
  // kubectl before 1.24 does not report its kustomize version; 1.20 of Debian 12 contains version 2.
  return (JSON.parse(output) as { kustomizeVersion?: string }).kustomizeVersion === undefined;
}

type Kustomization = {
  readonly resources: readonly string[];
  readonly patches?: readonly { readonly path: string }[];
};

/** Converts a kustomization to the syntax of kustomize 2: bases and typed patches. */
function forOld(file: string): string {
  const { resources, patches = [], ...rest } = parse(readFileSync(file, 'utf8')) as Kustomization;
  const isFile = (name: string) => name.endsWith('.yaml');
  return stringify({
    ...rest,
    resources: resources.filter(isFile),
    bases: resources.filter((name) => !isFile(name)),
    patchesStrategicMerge: patches.map((patch) => patch.path),
  });
}
