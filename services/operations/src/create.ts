import type { EnvSource, Service } from '@overtone/service-kit';
import { createOperations } from './operations.ts';
import { env } from './env.ts';

/** The service of these variables, by default those of the process. */
export function create(source?: EnvSource): Service {
  return createOperations(env(source));
}
