import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runServices, type EnvSource, type Service } from '@overtone/service-kit';
import { productFolder } from './paths.ts';
import { takeHostedEnvironments } from './supervisor/hosting.ts';

// One process of several services, whose names are the arguments; see `groupOf` of the supervisor's plan.
const environments = takeHostedEnvironments(process.env);

await runServices(
  process.argv.slice(2).map((name) => ({
    name,
    create: async () => {
      const file = join(productFolder, 'services', name, 'src', 'create.ts');
      const { create } = (await import(pathToFileURL(file).href)) as { create: (source: EnvSource) => Service };
      return create({ ...process.env, ...environments[name] });
    },
  })),
);
