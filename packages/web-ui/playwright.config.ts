import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { chromiumPath, quietArguments } from '@overtone/testkit/chromium';

const results = join(import.meta.dirname, '../../test-results');

// The built pages in Chromium, with scripted responses instead of a server: see README.md, "Component tests".
export default defineConfig({
  testDir: 'test',
  testMatch: '*.spec.ts',
  outputDir: join(results, 'components'),
  reporter: [['list'], ['json', { outputFile: join(results, 'components.json') }]],
  fullyParallel: true,
  workers: 2,
  // Only an action that never succeeds ends here: the machine may be busy.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: {
    launchOptions: { executablePath: chromiumPath(), args: quietArguments },
    actionTimeout: 30_000,
    screenshot: 'only-on-failure',
  },
});
