import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chartFiles, chartFolder } from './chart.ts';

// Writes deploy/helm/overtone/files from k8s/ and deploy/; a test compares it.
const folder = join(chartFolder, 'files');
rmSync(folder, { recursive: true, force: true });
for (const [name, text] of chartFiles()) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}
