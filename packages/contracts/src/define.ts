import type { z } from 'zod';
import type { RouteError } from './errors.ts';

/** The ten services, by the name used in bus users, database roles, durables, logs and metrics. */
export const serviceNames = [
  'identity',
  'directory-sync',
  'media',
  'transcription-dispatcher',
  'transcription-worker',
  'search-indexer',
  'operations',
  'insights',
  'realtime-gateway',
  'edge-gateway',
] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Roles, lowest to highest (specification, "What the service does"). */
export const roles = ['user', 'admin', 'super_admin'] as const;
export type Role = (typeof roles)[number];

/** True when `role` is at least `needed`. */
export function roleAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

// --- Events -------------------------------------------------------------------------------------------------

/** A fact on the JetStream stream EVENTS. `subject` is `evt.<domain>.<entity>.<participle>.v<N>`. */
export type EventDef<S extends z.ZodType = z.ZodType> = { readonly subject: string; readonly data: S };

export function defineEvent<S extends z.ZodType>(subject: `evt.${string}.v${number}`, data: S): EventDef<S> {
  return {
    subject,
    data,
  };
}

export type DataOf<E extends EventDef> = z.infer<E['data']>;

// --- Jobs ---------------------------------------------------------------------------------------------------

/** Worker queues (specification, "Limits": worker concurrency). */
export const queues = ['gpu', 'download', 'cpu', 'utility', 'nlp', 'default', 'embedding'] as const;
export type Queue = (typeof queues)[number];

/**
 * Attempts, backoff and ack wait of a job. Attempts are copied to the task when it is enqueued and counted in the
 * dispatcher's database; the broker has no limit for them.
 */
export type JobPolicy = { readonly attempts: number; readonly backoffMs: number; readonly ackWaitMs: number };

/** A job for one worker on the work-queue stream JOBS. `subject` is `job.<queue>.<domain>.<verb>`. */
export type JobDef<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly subject: string;
  readonly queue: Queue;
  readonly domain: string;
  readonly input: I;
  readonly output: O;
  readonly policy: JobPolicy;
  /**
   * How repeated deliveries are fenced: by the dispatcher's token of a claimed task, or by the handler itself, which is
   * then idempotent.
   */
  readonly fencedBy: 'dispatcher' | 'handler';
};

export function defineJob<Q extends Queue, I extends z.ZodType, O extends z.ZodType>(
  subject: `job.${Q}.${string}.${string}`,
  def: {
    input: I;
    output: O;
    attempts: number;
    backoffMs?: number;
    ackWaitMs?: number;
    fencedBy?: JobDef['fencedBy'];
  },
): JobDef<I, O> {
  const [, queue, domain] = subject.split('.') as [string, Q, string];
  const { input, output, attempts, backoffMs = 2_000, ackWaitMs = 20_000, fencedBy = 'dispatcher' } = def;
  return { subject, queue, domain, input, output, policy: { attempts, backoffMs, ackWaitMs }, fencedBy };
}

export type InputOf<J extends JobDef> = z.infer<J['input']>;
export type OutputOf<J extends JobDef> = z.infer<J['output']>;
/** The durable pull consumer for the jobs of one queue and domain; a service pulls only the domains it handles. */
export function jobDurable(job: Pick<JobDef, 'queue' | 'domain'>): string {
  return `${job.queue}-${job.domain}`;
}

// --- Requests between services --------------------------------------------------------------------------------

/** An RPC of one service over request/reply, subject `rpc.<service>.<verb>`. */
export type RpcDef<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly subject: string;
  readonly service: ServiceName;
  readonly request: I;
  readonly reply: O;
  readonly timeoutMs: number;
  /** A client that waits for the reply does so for all of `timeoutMs`: the work takes that long. */
  readonly longRunning: boolean;
};

export function defineRpc<I extends z.ZodType, O extends z.ZodType>(
  service: ServiceName,
  verb: string,
  def: { request: I; reply: O; timeoutMs?: number; longRunning?: boolean },
): RpcDef<I, O> {
  return {
    subject: `rpc.${service}.${verb}`,
    service,
    request: def.request,
    reply: def.reply,
    timeoutMs: def.timeoutMs ?? 5_000,
    longRunning: def.longRunning ?? false,
  };
}

export type RequestOf<R extends RpcDef> = z.infer<R['request']>;
export type ReplyOf<R extends RpcDef> = z.infer<R['reply']>;

// --- Live signals -----------------------------------------------------------------------------------------------

/** A transient value such as progress: plain NATS, never stored, may be lost. */
export type LiveDef<S extends z.ZodType = z.ZodType> = { readonly subject: string; readonly data: S };

export function defineLive<S extends z.ZodType>(subject: `live.${string}`, data: S): LiveDef<S> {
  return { subject, data };
}

// --- HTTP routes --------------------------------------------------------------------------------------------------

/** Required role of the caller; `public` needs no session. */
export type Access = 'public' | Role;
/** Body kinds besides JSON: the handler reads the request itself (`raw`) or gets url-encoded fields (`form`). */
export type BodyKind = 'json' | 'form' | 'raw';
export type RouteDef<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  A extends z.ZodType = z.ZodType,
> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  readonly path: string;
  readonly service: ServiceName;
  readonly access: Access;
  readonly summary: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly bodyKind: BodyKind;
  readonly answer: A;
  readonly status: number;
  /** Media type of the response when it is not JSON, e.g. `text/vtt`. */
  readonly answerType: string;
  /** Other media types of the response, if the caller can choose. */
  readonly otherAnswers: Readonly<Record<string, z.ZodType>>;
  /** Other success statuses with their meaning, e.g. 206. */
  readonly otherStatuses: Readonly<Record<number, string>>;
  /** Errors of the route, in addition to those that `errorsOf` derives from its definition. */
  readonly errors: readonly RouteError[];
  /** True if callers with cookies need no CSRF header (sign-in itself). */
  readonly csrfExempt: boolean;
  /** True if the response sets or clears session cookies: the edge then rejects cross-site requests. */
  readonly setsCookies: boolean;
};
export type ParamsOf<R extends RouteDef> = z.infer<R['params']>;
export type QueryOf<R extends RouteDef> = z.infer<R['query']>;
/** The query as the client sends it, before defaults and conversions. */
export type QueryInputOf<R extends RouteDef> = z.input<R['query']>;
export type BodyOf<R extends RouteDef> = z.infer<R['body']>;
/** The body as the client sends it, before defaults. */
export type BodyInputOf<R extends RouteDef> = z.input<R['body']>;
export type AnswerOf<R extends RouteDef> = z.infer<R['answer']>;
