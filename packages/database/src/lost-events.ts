import type { Bus } from '@overtone/service-kit';
import type { Pool } from 'pg';
import { limitedQuery } from './limited-query.ts';

type Deps = {
  bus: Pick<Bus, 'onRenewal' | 'jetstreamManager' | 'nc'>;
  pool: Pick<Pool, 'query'>;
  table: string;
  queryTimeoutMs: number;
};
type SentRow = { id: string; subject: string; message_id: string; sent_at: Date };

const checkIntervalMs = 5_000;
const refusedIntervalMs = 20_000;
/** A search of the whole table that is given up would begin again, behind its own row locks. */
const fullSearchTimeoutMs = 600_000;
/** The broker writes to its disk every two minutes; a power failure loses what it acknowledged since. */
const lostWithPower = '4 minutes';

/**
 * Requeues events that the broker lost; each is sent again under the same message id. (Lost jobs are requeued by the
 * dispatcher, which knows which of them are still valid.)
 * - Lost with the broker's disk: a stream that was created after a row was sent is not the stream the row was sent to. The table
 *   can be large, so it is searched once per stream.
 * - Lost with the broker's power: the stream lacks the last event that was sent. This is checked once per connection.
 * @returns a function that checks when a check is due: after every reconnection, and five seconds after the last one.
 */
export function createLossCheck({ bus, pool, table, queryTimeoutMs }: Deps): () => Promise<number> {
  let due = 0;
  let checkedStream: string | undefined;
  let isConnectionNew = true;
  /** When the first check of the connection failed; the relay still sends. */
  let failedAt: Date | undefined;
  bus.onRenewal(() => {
    due = 0;
    isConnectionNew = true;
  });
  const query = (text: string, values: unknown[] = [], timeoutMs = queryTimeoutMs) =>
    pool.query(limitedQuery({ text, values }, timeoutMs));

  const requeueSentBefore = async (created: string): Promise<number> => {
    if (created === checkedStream) return 0;
    const text = `update ${table} set sent_at = null where sent_at < $1 and subject like 'evt.%'`;
    const { rowCount } = await query(text, [created], fullSearchTimeoutMs);
    checkedStream = created;
    return rowCount ?? 0;
  };
  const requeueLostTail = async (maxAgeMs: number): Promise<number> => {
    if (!isConnectionNew) return 0;
    isConnectionNew = false;
    try {
      const last = (await query(lastSentQuery(table))).rows[0] as SentRow | undefined;
      if (!last) return 0;
      // What was sent since a failed check hides what is missing before it.
      if (failedAt && last.sent_at > failedAt)
        return (await query(requeueAroundQuery(table), [failedAt])).rowCount ?? 0;
      const stored = await lastMessageId(bus, last.subject);
      if (stored === last.message_id) return 0;
      return (await query(requeueTailQuery(table), [last.id, stored, maxAgeMs])).rowCount ?? 0;
    } catch (error) {
      isConnectionNew = true;
      // A broker without the rights of this version logs each attempt.
      due = Date.now() + refusedIntervalMs;
      throw error;
    }
  };

  return async () => {
    if (Date.now() < due) return 0;
    try {
      const jsm = await bus.jetstreamManager();
      const { created, config } = await jsm.streams.info('EVENTS');
      due = Date.now() + checkIntervalMs;
      const requeued = (await requeueSentBefore(created)) + (await requeueLostTail(config.max_age / 1e6));
      failedAt = undefined;
      return requeued;
    } catch (error) {
      if (isConnectionNew) failedAt ??= new Date();
      throw error;
    }
  };
}

function lastSentQuery(table: string): string {
  return `select id, subject, message_id, sent_at from ${table}
          where sent_at is not null and subject like 'evt.%' order by id desc limit 1`;
}

/** By subject, because a service may read the last message of its own subjects only. Null: the stream has none of it. */
async function lastMessageId(bus: Deps['bus'], subject: string): Promise<string | null> {
  const reply = await bus.nc().request(`$JS.API.DIRECT.GET.EVENTS.${subject}`, '', { timeout: 5_000 });
  const { code = 0, description = '' } = reply.headers ?? {};
  if (code !== 0 && code !== 404) throw new Error(`last event not read: ${code} ${description}`);
  return reply.headers?.get('Nats-Msg-Id') || null;
}

function requeueAroundQuery(table: string): string {
  return `
    update ${table} set sent_at = null
    where sent_at between $1::timestamptz - interval '${lostWithPower}' and $1 and subject like 'evt.%'`;
}

/**
 * Nothing was lost when the stored message is a later one, which another replica has sent. A message that the stream removed
 * because of its age is not sent again.
 */
function requeueTailQuery(table: string): string {
  return `
    update ${table} as sent set sent_at = null
    from (
      select sent_at from ${table}
      where id = $1 and (sent_at > now() - nullif($3::float, 0) * interval '1 ms') is not false) last
    where sent.sent_at > last.sent_at - interval '${lostWithPower}' and sent.subject like 'evt.%'
      and not exists (
        select 1 from ${table} later
        where message_id::text = $2 and (later.sent_at is null or later.sent_at > last.sent_at))`;
}
