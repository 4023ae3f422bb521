import type { toAuditRow } from '../audit/audit.ts';
import { ask, type Pool } from '../database.ts';
import { forgiven } from '../lockout/lockout.ts';
import type { TokenRow } from './issue.ts';
import { accountStamp } from './sessions.ts';

type Entry = {
  /** What the account's row was like when it was decided that nothing of it changes. */
  stamp: string;
  token: TokenRow;
  audit: ReturnType<typeof toAuditRow>;
  /** What the right password clears; null: there was none. */
  forgives: { locks: boolean } | null;
};

const textOf = (forgives: Entry['forgives']): string => `
  with entered as (
    update "user" t set last_login_at = now(), updated_at = now()${forgives ? `, ${forgiven(forgives.locks)}` : ''}
    where t.uuid = $1::uuid and ${accountStamp('t')} = $2 returning t.uuid),
  opened as (
    insert into refresh_token (user_id, session_id, token_hash, secret_id, created_at, session_started_at, expires_at,
                               absolute_expires_at, user_agent, ip_address)
    select uuid, $3::uuid, $4, $5, $6::timestamptz, $7::timestamptz, $8::timestamptz, $9::timestamptz, $10, $11
    from entered),
  published as (
    insert into audit_log (event_type, outcome, actor, user_id, username, source_ip, user_agent, request_id, error_code, details)
    select $12, $13, $14, $15::uuid, $16, $17, $18, $19, $20, $21::jsonb from entered)
  select 1 from entered`;

const ofToken = (stamp: string, t: Entry['token']) => [
  t.userId,
  stamp,
  t.sessionId,
  t.tokenHash,
  t.secretId,
  t.createdAt,
  t.sessionStartedAt,
  t.expiresAt,
  t.absoluteExpiresAt,
  t.userAgent,
  t.ipAddress,
];
const ofRecord = (a: Entry['audit']) => [
  a.eventType,
  a.outcome,
  a.actor,
  a.userId,
  a.username,
  a.sourceIp,
  a.userAgent,
  a.requestId,
  a.errorCode,
  JSON.stringify(a.details),
];

/**
 * Signs in an account that does not change otherwise: last sign-in, forgiven failures, session and audit record by one
 * statement, which waits for the disk once.
 * @returns false, and nothing is written, when the account is not as it was seen any more.
 */
export const enter = async (pool: Pool, { stamp, token, audit, forgives }: Entry): Promise<boolean> => {
  const kind = forgives === null ? 'as is' : forgives.locks ? 'unlock' : 'forgive';
  const entered = await ask(pool, {
    name: `sessions: enter, ${kind}`,
    text: textOf(forgives),
    values: [...ofToken(stamp, token), ...ofRecord(audit)],
  });
  return entered.length === 1;
};
