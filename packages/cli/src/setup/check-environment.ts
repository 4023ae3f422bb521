import { join } from 'node:path';
import { describeMissingConnections } from '@overtone/database/connections';
import { faultsIn } from '@overtone/service-kit/env';
import { z } from 'zod';
import { furtherVariables, incompleteBuckets } from '../configuration/script-variables.ts';
import { compileCache, productFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { maxConnections } from '../supervisor/plan.ts';
import { poolLimits } from '../supervisor/environment.ts';
import { lastLines, run } from './run.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const main = join(productFolder, 'packages', 'cli', 'src', 'check-environment.main.ts');

/** What is wrong with the variables that are set: one sentence each, with name, value and what is allowed. */
export async function findEnvironmentFaults(environment: Environment): Promise<string[]> {
  const own = faultsIn(furtherVariables, { ...environment });
  const { code, output } = await run(process.execPath, [main], { env: { NODE_COMPILE_CACHE: compileCache } });
  if (code !== 0) throw new Error(`the environment cannot be checked: ${lastLines(output, 3)}`);
  const ofServices = z.array(z.string()).parse(JSON.parse(lastLines(output, 1)));
  const connections =
    own.length === 0 ? describeMissingConnections(poolLimits(environment), maxConnections(environment)) : undefined;
  return [
    ...new Set([
      ...own.map(({ fault }) => fault),
      ...ofServices,
      ...incompleteBuckets(environment),
      ...(connections ? [connections] : []),
    ]),
  ];
}

/** Rejects a start with variables that a service could not read, before anything is started. */
export async function checkEnvironment(environment: Environment): Promise<void> {
  const faults = await findEnvironmentFaults(environment);
  if (faults.length > 0)
    throw new Refusal(
      `The environment has ${faults.length === 1 ? 'a value' : 'values'} that cannot be used. ${faults.join('. ')}`,
    );
}
