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
  /** Its log, where it shares the process, and so standard output, with other services; set by the supervisor. */
  OT_LOG_PATH: z.string().min(1).optional(),
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
  NATS_URL: z
    .string()
    .regex(/^(nats|tls|wss?):\/\/[^\s,]+$/)
    .describe('an address such as nats://host:4222')
    .default('nats://127.0.0.1:4222'),
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
};
/** PEM of the key that verifies the edge's identity assertions. */
export const assertionEnv = { ASSERTION_PUBLIC_KEY: z.string().min(1) };

/** A rule of a variable: `parse` reads its text without an error. */
export function readableBy(parse: (text: string) => unknown): (text: string) => boolean {
  return (text) => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  };
}

/** The variables of a process, or of another source. */
export type EnvSource = Record<string, string | undefined>;

/** Reads the environment of a service; `variables` are those that it knows. */
export type ReadServiceEnv<T> = ((source?: EnvSource) => T) & { readonly variables: z.ZodRawShape };

/** Defines the environment of a service, so that it can also be checked and documented without starting the service. */
export function defineEnv<T>(variables: z.ZodRawShape, read: (source: EnvSource) => T): ReadServiceEnv<T> {
  return Object.assign((source: EnvSource = process.env) => read(source), { variables });
}

/**
 * Parses the environment once and freezes it. `NAME_FILE` gives the value of NAME from a file (mounted secrets).
 * @throws Error naming every variable that is missing or malformed, with its value and what is allowed.
 */
export function readEnv<S extends z.ZodRawShape>(
  shape: S,
  source: EnvSource = process.env,
): Readonly<z.infer<z.ZodObject<S>>> {
  const given = givenIn(shape, source);
  const parsed = z.object(shape).safeParse(given);
  if (parsed.success) return Object.freeze(parsed.data);
  const names = [...new Set(parsed.error.issues.map(({ path }) => String(path[0])))];
  const faults = names.map((name) => describeFault(name, given[name], shape[name] as z.ZodType));
  throw new Error(`Environment: ${faults.join('; ')}`);
}

/** The faults of the variables that `source` sets; a missing variable is none. */
export function faultsIn(shape: z.ZodRawShape, source: EnvSource): { name: string; fault: string }[] {
  return Object.keys(shape).flatMap((name) => {
    const schema = shape[name] as z.ZodType;
    try {
      const value = givenIn({ [name]: schema }, source)[name];
      if (value === undefined || schema.safeParse(value).success) return [];
      return [{ name, fault: describeFault(name, value, schema) }];
    } catch (error) {
      return [{ name, fault: (error as Error).message }];
    }
  });
}

function givenIn(shape: z.ZodRawShape, source: EnvSource): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of Object.keys(shape)) {
    const file = source[`${name}_FILE`];
    const value = file ? readValue(name, file) : source[name];
    if (value !== undefined && value !== '') given[name] = value;
  }
  return given;
}

function readValue(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Error(`Environment: ${name}_FILE=${file}: ${(cause as Error).message}`, { cause });
  }
}

/** Values that may contain a password or a key; they are not shown. */
const secret = /KEY|PASSWORD|PASSPHRASE|SECRET|TOKEN|DATABASE_URL|REDIS_URL|NATS_URL/;
const shownLength = 100;

function describeFault(name: string, value: string | undefined, schema: z.ZodType): string {
  if (value === undefined) return `${name} is not set; it must be ${describeAllowed(schema)}`;
  const shown = secret.test(name) ? '(not shown)' : value.slice(0, shownLength);
  const allowed = describeAllowed(schema);
  const message = schema.safeParse(value).error?.issues[0]?.message ?? '';
  return `${name}=${shown} is not valid: it must be ${allowed === anyText ? `text (${message})` : allowed}`;
}

type JsonSchema = {
  description?: string;
  type?: string;
  format?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
};
const anyText = 'text';

/** The values that a variable may have, in words. */
export function describeAllowed(schema: z.ZodType): string {
  if (isSwitch(schema)) return 'true or false';
  const json = jsonSchemaOf(schema);
  if (json.description) return json.description;
  if (json.enum) return `one of ${json.enum.join(', ')}`;
  if (json.type === 'integer' || json.type === 'number')
    return `${json.type === 'integer' ? 'a whole number' : 'a number'}${rangeOf(json)}`;
  if (json.format === 'uri') return 'an address such as https://host:port';
  if ((json.minLength ?? 0) > 1) return `text of at least ${json.minLength} characters`;
  return anyText;
}

function isSwitch(schema: z.ZodType): boolean {
  return ['true', 'false'].every((text) => schema.safeParse(text).success) && !schema.safeParse('other').success;
}

/** The schema of the value, or of its text where the value has none in JSON. */
function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const output = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonSchema;
  return (output.type ?? output.enum)
    ? output
    : (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema);
}

function rangeOf({ minimum, maximum }: JsonSchema): string {
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  if (least !== undefined) return ` of at least ${least}`;
  return most === undefined ? '' : ` of at most ${most}`;
}
