import type { Db, Tx } from '../database.ts';
import {
  decideRequest,
  failuresBeforePause,
  pauseSecondsAfter,
  type GateDecision,
  type GateState,
} from './request-gate.ts';

/** A row of a request in progress ends automatically when its process has ended. */
const leaseSeconds = 45;

type Wanted = { requestId: string; providerId: string; fileId: string | null; timeoutSeconds: number };
type Used = {
  userId: string | null;
  fileId: string | null;
  provider: string;
  model: string;
  purpose: string;
  inputTokens: number;
  outputTokens: number;
};

/** The requests in progress of all replicas, the pauses of providers, and the used tokens. */
export const requestStore = {
  /** @returns null when the provider was removed. */
  begin: (db: Db, { requestId, providerId, fileId, timeoutSeconds }: Wanted): Promise<GateDecision | null> =>
    db.$transaction(async (tx) => {
      // Counting and inserting are one step for all replicas.
      await tx.$executeRaw`select pg_advisory_xact_lock(hashtext('llm_request'))`;
      await tx.$executeRaw`delete from llm_request where expires_at < now()`;
      const state = await readState(tx, providerId, fileId);
      if (!state) return null;
      const decision = decideRequest(state);
      if (decision.kind !== 'granted') return decision;
      await tx.$executeRaw`
        insert into llm_request (uuid, provider_id, file_id, expires_at)
        values (${requestId}::uuid, ${providerId}::uuid, ${fileId}::uuid, now() + make_interval(secs => ${leaseSeconds}))`;
      if (decision.isProbe)
        await tx.$executeRaw`
          update llm_provider set paused_until = now() + make_interval(secs => ${timeoutSeconds})
          where uuid = ${providerId}::uuid`;
      return decision;
    }),
  renew: async (db: Db, requestId: string): Promise<void> =>
    void (await db.$executeRaw`
      update llm_request set expires_at = now() + make_interval(secs => ${leaseSeconds})
      where uuid = ${requestId}::uuid`),
  end: async (db: Db, requestId: string): Promise<void> =>
    void (await db.$executeRaw`delete from llm_request where uuid = ${requestId}::uuid`),
  /** A rate limit of another request stays. */
  recordSuccess: async (db: Db, providerId: string): Promise<void> =>
    void (await db.$executeRaw`
      update llm_provider set failures = 0, paused_until = null, pause_code = null
      where uuid = ${providerId}::uuid and (failures > 0 or paused_until is not null)
        and pause_code is distinct from 'provider_rate_limited'`),
  recordFailure: (db: Db, providerId: string, code: string): Promise<void> =>
    db.$transaction(async (tx) => {
      const [row] = await tx.$queryRaw<{ failures: number }[]>`
        update llm_provider set failures = failures + 1 where uuid = ${providerId}::uuid returning failures`;
      const seconds = pauseSecondsAfter(row?.failures ?? 0);
      if (seconds > 0)
        await tx.$executeRaw`
          update llm_provider set paused_until = now() + make_interval(secs => ${seconds}), pause_code = ${code}
          where uuid = ${providerId}::uuid`;
    }),
  recordRateLimit: async (db: Db, providerId: string, seconds: number): Promise<void> =>
    void (await db.$executeRaw`
      update llm_provider set pause_code = 'provider_rate_limited',
        paused_until = greatest(paused_until, now() + make_interval(secs => ${seconds}))
      where uuid = ${providerId}::uuid`),
  addUsage: async (db: Db, used: Used): Promise<void> =>
    void (await db.$executeRaw`
      insert into llm_usage as u (day, user_id, file_id, provider, model, purpose, requests, input_tokens, output_tokens)
      values ((now() at time zone 'utc')::date, ${used.userId}::uuid, ${used.fileId}::uuid, ${used.provider}, ${used.model},
        ${used.purpose}, 1, ${used.inputTokens}, ${used.outputTokens})
      on conflict (day, user_id, file_id, provider, model, purpose) do update set requests = u.requests + 1,
        input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens`),
  usage: (db: Db, by: 'user' | 'file', days: number): Promise<UsageRow[]> =>
    db.$queryRaw<UsageRow[]>`
      select case when ${by} = 'user' then user_id else file_id end as uuid, provider, model,
        sum(requests)::int as requests, sum(input_tokens)::float8 as "inputTokens", sum(output_tokens)::float8 as "outputTokens"
      from llm_usage where day > (now() at time zone 'utc')::date - ${days}::int
      group by 1, 2, 3 order by sum(input_tokens + output_tokens) desc, 1, 2, 3 limit 500`,
  /** The tokens of a deleted file stay with its person, without the file. */
  detachFile: async (tx: Tx, fileId: string): Promise<void> =>
    void (await tx.$executeRaw`
      with gone as (delete from llm_usage where file_id = ${fileId}::uuid returning *)
      insert into llm_usage as u (day, user_id, file_id, provider, model, purpose, requests, input_tokens, output_tokens)
      select day, user_id, null, provider, model, purpose, sum(requests), sum(input_tokens), sum(output_tokens)
      from gone group by day, user_id, provider, model, purpose
      on conflict (day, user_id, file_id, provider, model, purpose) do update set
        requests = u.requests + excluded.requests, input_tokens = u.input_tokens + excluded.input_tokens,
        output_tokens = u.output_tokens + excluded.output_tokens`),
  removeUsageOf: (tx: Tx, userId: string): Promise<number> =>
    tx.$executeRaw`delete from llm_usage where user_id = ${userId}::uuid`,
  /** Tokens are accounted for a year, as the pages show at most. */
  removeOldUsage: (db: Db): Promise<number> =>
    db.$executeRaw`delete from llm_usage where day < (now() at time zone 'utc')::date - 366`,
  countPaused: async (db: Db): Promise<number> => {
    const [row] = await db.$queryRaw<{ count: number }[]>`
      select count(*)::int as count from llm_provider
      where owner_id is null and is_active and failures >= ${failuresBeforePause}`;
    return row?.count ?? 0;
  },
};

export type UsageRow = {
  uuid: string | null;
  provider: string;
  model: string;
  requests: number;
  inputTokens: number;
  outputTokens: number;
};

async function readState(tx: Tx, providerId: string, fileId: string | null): Promise<GateState | undefined> {
  const [state] = await tx.$queryRaw<GateState[]>`
    select p.failures, p.max_parallel as "maxParallel", p.paused_until as "pausedUntil", p.pause_code as "pauseCode", now() as now,
      (select count(*)::int from llm_request r where r.provider_id = p.uuid) as "providerRequests",
      (select count(*)::int from llm_request r where r.file_id = ${fileId}::uuid) as "fileRequests"
    from llm_provider p where p.uuid = ${providerId}::uuid`;
  return state;
}
