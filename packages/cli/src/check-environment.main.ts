import { faultsIn } from '@overtone/service-kit/env';
import { loadServiceVariables } from './configuration/service-variables.ts';
import { passedOn } from './supervisor/plan.ts';

// Prints the faults of the environment as JSON, one for each variable. A process of its own, because the services' code
// would stay in the supervisor's memory.
const faults = new Map<string, string>();
for (const [service, variables] of await loadServiceVariables()) {
  const source = passedOn(service, process.env);
  for (const { name, fault } of faultsIn(variables, source)) faults.set(name, fault);
}
process.stdout.write(`${JSON.stringify([...faults.values()])}\n`);
