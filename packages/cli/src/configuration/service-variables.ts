import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ReadServiceEnv } from '@overtone/service-kit/env';
import type { z } from 'zod';
import { productFolder } from '../paths.ts';
import { serviceNames } from '../supervisor/plan.ts';

/** The variables that each service reads, by service. */
export type ServiceVariables = ReadonlyMap<string, z.ZodRawShape>;

/** Loads them from the env.ts of every service. It loads much of the services' code, which stays in memory. */
export async function loadServiceVariables(): Promise<ServiceVariables> {
  const variables = new Map<string, z.ZodRawShape>();
  for (const service of serviceNames()) {
    const file = join(productFolder, 'services', service, 'src', 'env.ts');
    const readers = Object.values((await import(pathToFileURL(file).href)) as Record<string, unknown>).filter(isReader);
    if (readers.length !== 1) throw new Error(`services/${service}/src/env.ts must export one reader`);
    variables.set(service, readers[0]!.variables);
  }
  return variables;
}

function isReader(value: unknown): value is ReadServiceEnv<unknown> {
  return typeof value === 'function' && 'variables' in value;
}
