import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { faultsIn, type ReadServiceEnv } from '@overtone/service-kit/env';
import { productFolder } from './paths.ts';
import { passedOn, serviceNames } from './supervisor/plan.ts';

// Prints the faults of the environment as JSON, one for each variable. A process of its own, because the services' code
// would stay in the supervisor's memory.
const faults = new Map<string, string>();
for (const service of serviceNames()) {
  const file = join(productFolder, 'services', service, 'src', 'env.ts');
  const readers = Object.values((await import(pathToFileURL(file).href)) as Record<string, unknown>).filter(isReader);
  if (readers.length !== 1) throw new Error(`services/${service}/src/env.ts must export one reader`);
  const source = passedOn(service, process.env);
  for (const { variables } of readers)
    for (const { name, fault } of faultsIn(variables, source)) faults.set(name, fault);
}
process.stdout.write(`${JSON.stringify([...faults.values()])}\n`);

function isReader(value: unknown): value is ReadServiceEnv<unknown> {
  return typeof value === 'function' && 'variables' in value;
}
