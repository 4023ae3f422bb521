import { assertionEnv, busEnv, defineEnv, readEnv, serviceEnv } from '@overtone/service-kit';
import { z } from 'zod';

export const gatewayEnv = {
  ...serviceEnv,
  ...busEnv,
  ...assertionEnv,
  /** Open sockets one user may have. */
  WS_MAX_SOCKETS_PER_USER: z.coerce.number().int().min(1).default(50),
  /** Sockets that may be waiting for their first frame at once. */
  WS_MAX_UNAUTHENTICATED: z.coerce.number().int().min(1).default(500),
  WS_AUTHENTICATE_WITHIN_MS: z.coerce.number().int().min(100).default(10_000),
  WS_HEARTBEAT_MS: z.coerce.number().int().min(100).default(25_000),
};
export type GatewayEnv = z.infer<z.ZodObject<typeof gatewayEnv>>;

export const env = defineEnv(gatewayEnv, (source) => readEnv(gatewayEnv, source));
