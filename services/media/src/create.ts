import type { EnvSource, Service } from '@overtone/service-kit';
import { createMedia } from './media.ts';
import { env } from './env.ts';

/** The service of these variables, by default those of the process. */
export function create(source?: EnvSource): Service {
  return createMedia(env(source));
}
