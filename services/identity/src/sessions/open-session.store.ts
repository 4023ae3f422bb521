import type { toAuditRow } from '../audit/audit.ts';
import { queryPrepared } from '@overtone/database';
import type { Pool } from '../database.ts';
import { resetFailuresSql } from '../lockout/lockout.ts';
import type { TokenRow } from './issue.ts';
import { accountStamp } from './sessions.ts';

type SessionEntry = {
  /** Hash of the account's row when it was read. */
  stamp: string;
  token: TokenRow;
  audit: ReturnType<typeof toAuditRow>;
  /** The counters that a correct password resets; null: sign-in without a password. */
  forgives: { locks: boolean } | null;
};

/**
 * Signs in an unchanged account by one statement, which waits for the disk once: time of the sign-in, failure counters,
 * session and audit record. @returns false, with nothing written, when the account has changed since it was read.
 */
export async function openSession(pool: Pool, { stamp, token, audit, forgives }: SessionEntry): Promise<boolean> {
  const kind = forgives === null ? 'no password' : forgives.locks ? 'unlock' : 'forgive';
  const rows = await queryPrepared(pool, {
    name: `sessions: open, ${kind}`,
    text: textOf(forgives),
    values: [...valuesOfToken(stamp, token), ...valuesOfRecord(audit)],
  });
  return rows.length === 1;
}

function textOf(forgives: SessionEntry['forgives']): string {
  return `
  with signed_in as (
    update "user" t set last_login_at = now(), updated_at = now()${forgives ? `, ${resetFailuresSql(forgives.locks)}` : ''}
    where t.uuid = $1::uuid and ${accountStamp('t')} = $2 returning t.uuid),
  opened as (
    insert into refresh_token (user_id, session_id, token_hash, secret_id, created_at, session_started_at, expires_at,
                               absolute_expires_at, user_agent, ip_address)
    select uuid, $3::uuid, $4, $5, $6::timestamptz, $7::timestamptz, $8::timestamptz, $9::timestamptz, $10, $11
    from signed_in),
  published as (
    insert into audit_log (event_type, outcome, actor, user_id, username, source_ip, user_agent, request_id, error_code, details)
    select $12, $13, $14, $15::uuid, $16, $17, $18, $19, $20, $21::jsonb from signed_in)
  select 1 from signed_in`;
}

function valuesOfToken(stamp: string, token: SessionEntry['token']) {
  return [
    token.userId,
    stamp,
    token.sessionId,
    token.tokenHash,
    token.secretId,
    token.createdAt,
    token.sessionStartedAt,
    token.expiresAt,
    token.absoluteExpiresAt,
    token.userAgent,
    token.ipAddress,
  ];
}

function valuesOfRecord(account: SessionEntry['audit']) {
  return [
    account.eventType,
    account.outcome,
    account.actor,
    account.userId,
    account.username,
    account.sourceIp,
    account.userAgent,
    account.requestId,
    account.errorCode,
    JSON.stringify(account.details),
  ];
}
