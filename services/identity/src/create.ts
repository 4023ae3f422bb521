import type { EnvSource, Service } from '@overtone/service-kit';
import { createIdentity } from './identity.ts';
import { env } from './env.ts';

/** The service of these variables, by default those of the process. */
export function create(source?: EnvSource): Service {
  return createIdentity(env(source));
}
