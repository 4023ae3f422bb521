import { busEnv, defineEnv, readableBy, readEnv, serviceEnv } from '@overtone/service-kit';
import { z } from 'zod';
import { createTrustedProxies } from './routing/client.ts';

const origin = z.url({ protocol: /^http$/ });

export const edgeEnv = {
  ...serviceEnv,
  ...busEnv,
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\/\S+$/)
    .describe('an address such as redis://:password@host:6379')
    .optional(),
  /** PEM of the P-256 key that signs identity assertions; only the edge holds it. */
  ASSERTION_PRIVATE_KEY: z.string().min(1),
  IDENTITY_URL: origin,
  MEDIA_URL: origin,
  TRANSCRIPTION_DISPATCHER_URL: origin,
  SEARCH_INDEXER_URL: origin,
  REALTIME_GATEWAY_URL: origin,
  DIRECTORY_SYNC_URL: origin.optional(),
  OPERATIONS_URL: origin.optional(),
  INSIGHTS_URL: origin.optional(),
  /** How long a request waits for a service that takes no connection; it may only be started again. */
  UPSTREAM_WAIT_MS: z.coerce.number().int().min(0).default(10_000),
  /** Folder of the built browser UI. */
  UI_DIR: z.string().optional(),
  /** Limits the body of an upload at once; media refuses by the same variable what is announced. */
  MAX_UPLOAD_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(16 * 1024 ** 3),
  /** Addresses or CIDR blocks whose X-Forwarded-* headers are believed, separated by commas; none by default. */
  TRUSTED_PROXIES: z
    .string()
    .refine(readableBy(createTrustedProxies))
    .describe('addresses or blocks such as 10.0.0.0/8, separated by commas')
    .default(''),
  /** Requests per minute and session; 0 switches the limit off. */
  RATE_LIMIT_SESSION_PER_MINUTE: z.coerce.number().int().min(0).default(600_000),
  /** Requests per minute and client address of callers who are not signed in; 0 switches the limit off. */
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: z.coerce.number().int().min(0).default(6_000),
  /**
   * Connections per client address; 0 switches the limit off. A trusted proxy's connections are not counted: for its
   * clients the requests at one time are.
   */
  MAX_CONNECTIONS_PER_ADDRESS: z.coerce.number().int().min(0).default(4_096),
  /** Sockets of `/api/ws` per client address that have not authenticated; 0 switches the limit off. */
  MAX_UNAUTHENTICATED_SOCKETS_PER_ADDRESS: z.coerce.number().int().min(0).default(256),
};
export type EdgeEnv = z.infer<z.ZodObject<typeof edgeEnv>>;

export const env = defineEnv(edgeEnv, (source) => readEnv(edgeEnv, source));
