import type { EnvSource, Service } from '@overtone/service-kit';
import { createRealtimeGateway } from './realtime-gateway.ts';
import { env } from './env.ts';

/** The service of these variables, by default those of the process. */
export function create(source?: EnvSource): Service {
  return createRealtimeGateway(env(source));
}
