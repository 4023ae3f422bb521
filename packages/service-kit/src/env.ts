import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Environment fragments that services put together; see each service's `env.ts`. */
export const serviceEnv = {
  SERVICE_HOST: z.string().default('127.0.0.1'),
  API_PORT: z.coerce.number().int().min(0).max(65_535),
  INTERNAL_PORT: z.coerce.number().int().min(0).max(65_535),
  LOG_LEVEL: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']))
    .default('info'),
  LOG_FORMAT: z.enum(['text', 'json']).default('text'),
  /** How long a stopping service stays reachable but unready, so that load balancers notice. */
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).default(0),
  SHUTDOWN_GRACE_MS: z.coerce.number().int().min(0).default(10_000),
  /** Lets a second process of this service listen on the same ports; without it, they belong to this process alone. */
  REUSE_PORT: z.stringbool().optional(),
  /** Starts and becomes ready, but takes no events, RPCs, jobs or periodic tasks: proves that this version starts. */
  STANDBY: z.stringbool().optional(),
  /** Processes of this service that ended with an uncaught exception before; set by the supervisor. */
  UNCAUGHT_EXCEPTIONS: z.coerce.number().int().min(0).optional(),
  /** Processes of this service that the supervisor ended because they did not respond. */
  UNRESPONSIVE_RESTARTS: z.coerce.number().int().min(0).optional(),
  /** OTLP over HTTP; traces are recorded and exported only when it is set. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
};
export type ServiceEnv = z.infer<z.ZodObject<typeof serviceEnv>>;

export const busEnv = {
  NATS_URL: z.string().default('nats://127.0.0.1:4222'),
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
};
/** PEM of the key that verifies the edge's identity assertions. */
export const assertionEnv = { ASSERTION_PUBLIC_KEY: z.string().min(1) };

/**
 * Parses the environment once and freezes it. `NAME_FILE` gives the value of NAME from a file (mounted secrets).
 * @throws Error naming every variable that is missing or malformed.
 */
export function readEnv<S extends z.ZodRawShape>(
  shape: S,
  source: Record<string, string | undefined> = process.env,
): Readonly<z.infer<z.ZodObject<S>>> {
  const given: Record<string, string> = {};
  for (const key of Object.keys(shape)) {
    const file = source[`${key}_FILE`];
    const value = file ? readFileSync(file, 'utf8').trim() : source[key];
    if (value !== undefined && value !== '') given[key] = value;
  }
  const parsed = z.object(shape).safeParse(given);
  if (parsed.success) return Object.freeze(parsed.data);
  const faults = parsed.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; ');
  throw new Error(`Environment: ${faults}`);
}
