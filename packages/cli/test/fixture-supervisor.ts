import { dataFolder } from '../src/paths.ts';
import { createSupervisor } from '../src/supervisor/supervisor.ts';
import { fixtureService } from './fixtures.ts';

// A supervisor in its own process, to be killed: FOLDER, PORT, whether its service outlives it, service behaviour.
const [folder = '', port = '', mode = '', ...traits] = process.argv.slice(2);
const supervisor = createSupervisor({
  folder: dataFolder(folder),
  plan: { servers: [], services: [fixtureService('fixture', Number(port), traits)], mark: 'this' },
  servicesOutlive: mode === 'outlives',
  migrate: async () => await Promise.resolve('nothing to do'),
  progress: () => undefined,
  log: () => undefined,
});
await supervisor.start();
process.stdout.write('ready\n');
