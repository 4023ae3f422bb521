import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { productFolder } from '../src/paths.ts';
import { findProgram } from '../src/servers/binaries.ts';
import { run, type RunResult } from '../src/setup/run.ts';
import { chartFolder } from './chart.ts';
import type { KubeObject } from './kustomize.ts';

const helmModule = 'helm.sh/helm/v3/cmd/helm@v3.19.0';

/** Helm of this machine; otherwise it is built from its Go module, once. */
async function helmProgram(): Promise<string> {
  const found = findProgram('helm');
  if (found !== undefined) return found;
  const folder = join(productFolder, 'node_modules', '.cache', 'helm');
  const program = join(folder, 'helm');
  if (existsSync(program)) return program;
  const { code, output } = await run('go', ['install', helmModule], { env: { GOBIN: folder } });
  if (code !== 0) throw new Error(`Helm is not installed and cannot be built (it needs Go): ${output}`);
  return program;
}

export async function helm(...args: readonly string[]): Promise<RunResult> {
  return await run(await helmProgram(), args);
}

/** The objects of the chart with a file of values in its folder `ci`. */
export async function renderChart(values: string): Promise<KubeObject[]> {
  const file = join(chartFolder, 'ci', `${values}-values.yaml`);
  const { code, output } = await helm('template', 'overtone', chartFolder, '--namespace', 'overtone', '--values', file);
  if (code !== 0) throw new Error(`helm template failed: ${output}`);
  return parseAllDocuments(output)
    .map((document) => document.toJS() as KubeObject | null)
    .filter((object) => object !== null);
}
