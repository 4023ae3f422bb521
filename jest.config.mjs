// Rings: `pure` is every x.test.ts (no I/O); `it` is every x.it.test.ts (real servers, see packages/testkit).
// `endurance` is every x.endurance.test.ts, in the nightly tier: kills, many restores, old releases, images.
// `elasticsearch` and `models` run only when they are named: x.elasticsearch.test.ts needs a real search server,
// x.models.test.ts real speech models, x.helm.test.ts Helm.
function swc(experimental) {
  const transform = { react: { runtime: 'automatic' } };
  const parser = { syntax: 'typescript', tsx: true };
  const jsc = { target: 'es2024', parser, transform, experimental };
  return ['@swc/jest', { jsc, module: { type: 'es6' }, sourceMaps: 'inline' }];
}
const base = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    'packages/web-ui/.+\\.tsx?$': swc({ plugins: [['@lingui/swc-plugin', {}]], cacheRoot: 'node_modules/.cache/swc' }),
    '\\.tsx?$': swc({}),
  },
  modulePathIgnorePatterns: ['<rootDir>/data/', '<rootDir>/.tools/', '<rootDir>/.releases/'],
};
const roots = ['<rootDir>/packages/*/**', '<rootDir>/services/*/**'];
export default {
  // The tests with real servers mostly wait: with three workers two processors are idle for more than half of the time.
  maxWorkers: 4,
  // Real servers on a busy machine; no test waits for time to pass on purpose.
  testTimeout: 400_000,
  projects: [
    {
      ...base,
      displayName: 'pure',
      setupFilesAfterEnv: ['<rootDir>/packages/web-ui/test/english.setup.ts'],
      testMatch: roots.map((root) => `${root}/*.test.ts`),
      testPathIgnorePatterns: ['/node_modules/', '\\.(it|endurance|elasticsearch|helm|models)\\.test\\.ts$'],
    },
    ...['it', 'endurance'].map((ring) => ({
      ...base,
      displayName: ring,
      runner: '<rootDir>/packages/testkit/runner/runner.mjs',
      globalSetup: '<rootDir>/packages/testkit/setup.config.mjs',
      globalTeardown: '<rootDir>/packages/testkit/teardown.config.mjs',
      setupFilesAfterEnv: ['<rootDir>/packages/testkit/src/answers.setup.ts'],
      testMatch: roots.map((root) => `${root}/*.${ring}.test.ts`),
      testPathIgnorePatterns: ['/node_modules/', '/packages/e2e/'],
    })),
    {
      ...base,
      displayName: 'helm',
      testMatch: roots.map((root) => `${root}/*.helm.test.ts`),
      testPathIgnorePatterns: ['/node_modules/', '/packages/e2e/'],
    },
    {
      ...base,
      displayName: 'models',
      globalSetup: '<rootDir>/packages/testkit/setup.config.mjs',
      globalTeardown: '<rootDir>/packages/testkit/teardown.config.mjs',
      testMatch: roots.map((root) => `${root}/*.models.test.ts`),
      testPathIgnorePatterns: ['/node_modules/', '/packages/e2e/'],
    },
    {
      ...base,
      displayName: 'elasticsearch',
      globalSetup: '<rootDir>/packages/testkit/setup.config.mjs',
      globalTeardown: '<rootDir>/packages/testkit/teardown.config.mjs',
      setupFilesAfterEnv: ['<rootDir>/packages/testkit/src/answers.setup.ts'],
      testMatch: roots.map((root) => `${root}/*.elasticsearch.test.ts`),
      testPathIgnorePatterns: ['/node_modules/', '/packages/e2e/'],
    },
  ],
};
