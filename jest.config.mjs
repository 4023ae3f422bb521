// Rings: `pure` is every x.test.ts (no I/O); `it` is every x.it.test.ts (real servers, see packages/testkit).
const base = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '\\.tsx?$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic' } },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/data/', '<rootDir>/.tools/'],
};
const roots = ['<rootDir>/packages/*/**', '<rootDir>/services/*/**'];
export default {
  maxWorkers: 2,
  // Real servers on a busy machine; no test waits for time to pass on purpose.
  testTimeout: 400_000,
  projects: [
    {
      ...base,
      displayName: 'pure',
      testMatch: roots.map((r) => `${r}/*.test.ts`),
      testPathIgnorePatterns: ['/node_modules/', '\\.it\\.test\\.ts$', '/packages/e2e/'],
    },
    {
      ...base,
      displayName: 'it',
      globalSetup: '<rootDir>/packages/testkit/setup.config.mjs',
      globalTeardown: '<rootDir>/packages/testkit/teardown.config.mjs',
      setupFilesAfterEnv: ['<rootDir>/packages/testkit/src/answers.setup.ts'],
      testMatch: roots.map((r) => `${r}/*.it.test.ts`),
      testPathIgnorePatterns: ['/node_modules/', '/packages/e2e/'],
    },
  ],
};
