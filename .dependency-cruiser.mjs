// The import rules of docs/architecture.md: contracts <- service-kit <- database | directory | jobs | models | object-store <- services.
const test = '\\.test\\.tsx?$|/test/|/bench/|\\.bench\\.ts$|/playwright\\.config\\.ts$';
const libraries = '^packages/(database|directory|jobs|models|object-store)/';
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

export default {
  forbidden: [
    rule('no-circular', 'A cycle has no first file to read. Type imports count.', {}, { circular: true }),
    rule(
      'contracts-know-zod-only',
      'The wire truth depends on nothing of ours.',
      { path: '^packages/contracts/', pathNot: test },
      {
        pathNot: '^packages/contracts/|node_modules/zod|^(node:)?(fs|path|url|crypto|process)',
        dependencyTypesNot: ['core'],
      },
    ),
    rule(
      'client-stands-alone',
      'Other projects install the client without anything else of ours.',
      { path: '^packages/client/', pathNot: test },
      { pathNot: '^packages/client/' },
    ),
    rule(
      'kit-below-libraries',
      'The kit knows the contracts only.',
      { path: '^packages/service-kit/', pathNot: test },
      { path: '^(packages/(?!service-kit|contracts)|services/)' },
    ),
    rule(
      'libraries-side-by-side',
      'database, directory, jobs, models and object-store do not know each other.',
      { path: libraries, pathNot: test },
      { path: '^(packages/(?!service-kit|contracts|$1/)|services/)' },
    ),
    rule(
      'no-schemas-in-the-browser',
      'Schemas are heavy, and the library behind them compiles code, which the content policy of the pages forbids.',
      { path: '^packages/web-ui/src/', pathNot: test },
      { path: '^packages/contracts/src/index', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'web-ui-layers',
      'The folders of the web UI: lib, live <- api <- ui <- state <- slices <- app.',
      { path: '^packages/web-ui/src/(lib|live|api|ui)/', pathNot: test },
      { path: '^packages/web-ui/src/(?!(lib|live|api|ui)/)' },
    ),
    rule(
      'web-ui-slices-below-app',
      'The app composes the slices, and the state outlives their pages.',
      { path: '^packages/web-ui/src/(?!app/)[^/]+/', pathNot: test },
      { path: '^packages/web-ui/src/app/' },
    ),
    rule(
      'web-ui-state-below-slices',
      'State lives as long as the page and knows no slice.',
      { path: '^packages/web-ui/src/state/', pathNot: test },
      { path: '^packages/web-ui/src/(?!(lib|live|api|ui|state)/)' },
    ),
    rule(
      'web-ui-own-styles',
      'A style module belongs to its folder; shared classes are in global.css.',
      { path: '^packages/web-ui/src/(.+)/[^/]+$' },
      { path: '[.]module[.]css$', pathNot: '^packages/web-ui/src/$1/[^/]+$' },
    ),
    rule(
      'service-not-service',
      'Services talk over the wire.',
      { path: '^services/([^/]+)/' },
      { path: '^services/', pathNot: '^services/$1/' },
    ),
    rule(
      'packages-not-services',
      'A package does not know who uses it.',
      { path: '^packages/(?!e2e|bench)', pathNot: test },
      { path: '^services/' },
    ),
    rule(
      'testkit-in-tests-only',
      'Production code starts no test servers.',
      { path: '^(packages/(?!testkit|e2e|bench)|services/)', pathNot: test },
      { path: '^packages/testkit/' },
    ),
    rule(
      'slice-through-its-front',
      // The worker's slices are stages; they share the handling of sound (audio) and of processes (children). The slices of
      // insights share the pure functions that need no language model (extractive).
      'A slice sees of a sibling slice only its rules, <slice>.ts, and its statements, <slice>.store.ts.',
      { path: '^services/([^/]+)/src/([^/]+)/', pathNot: `${test}|/src/generated/` },
      {
        path: '^services/$1/src/([^/]+)/',
        pathNot: [
          '^services/$1/src/($2|ports|generated|audio|children|extractive)/',
          '/src/(?<slice>[^/]+)/\\k<slice>(\\.store)?\\.ts$',
        ],
      },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|generated|node_modules/(?!@overtone))/' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
