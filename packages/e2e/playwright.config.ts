import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { defaultLimitMs } from './src/suite.ts';

const results = join(import.meta.dirname, '../../test-results');

// Each spec file has its own instance. Three run at the same time, and mostly wait; the longest begin first.
export default defineConfig({
  testDir: 'src',
  testMatch: '*.spec.ts',
  outputDir: join(results, 'e2e'),
  reporter: [['list'], ['json', { outputFile: join(results, 'e2e.json') }]],
  timeout: defaultLimitMs,
  workers: 3,
  projects: [
    'landing',
    'product',
    'pages',
    'panels',
    'scripted',
    'replicas',
    'killed',
    'one-update',
    'update',
    'containers',
  ].map((name) => ({
    name,
    testMatch: `${name}.spec.ts`,
  })),
});
