import { randomBytes } from 'node:crypto';
import type { AuthSettings, ResolvedSession, Role, sessionObject } from '@overtone/contracts';
import type { z } from 'zod';
import type { Client } from '@overtone/service-kit';
import type { AuditRecord } from '../audit/audit.ts';
import type { Tx } from '../database.ts';
import type { RefreshToken } from '../generated/client.ts';
import type { Issued } from './token-cookies.ts';
import { mustChange, type PasswordAges, type PasswordState } from '../passwords/passwords.ts';

export { secureCookies, tokenReply, type Issued } from './token-cookies.ts';

/** Refresh tokens are opaque: 256 random bits, of which only a hash is stored. */
export function newRefreshToken(): string {
  return randomBytes(32).toString('base64url');
}

const minute = 60;
const day = 86_400;

type SessionSettings = Pick<
  AuthSettings,
  | 'jwt_access_token_expire_minutes'
  | 'jwt_refresh_token_expire_days'
  | 'session_idle_timeout_minutes'
  | 'session_absolute_timeout_minutes'
>;
export type Lifetimes = { accessSeconds: number; refreshSeconds: number; absoluteSeconds: number };

/**
 * Lifetimes of tokens and sessions. Activity is noticed at a refresh, so with an idle limit access tokens expire after a
 * quarter of it: a session in use is refreshed often enough to continue.
 */
export function lifetimesOf(settings: SessionSettings): Lifetimes {
  const idleSeconds = settings.session_idle_timeout_minutes * minute || Infinity;
  return {
    accessSeconds: Math.min(settings.jwt_access_token_expire_minutes * minute, idleSeconds / 4),
    refreshSeconds: Math.min(settings.jwt_refresh_token_expire_days * day, idleSeconds),
    absoluteSeconds: settings.session_absolute_timeout_minutes * minute,
  };
}

/** Expiry of a token that is issued now: after the idle limit, but not after the end of the session. */
export function expiryOf(
  now: Date,
  absoluteExpiresAt: Date,
  { refreshSeconds }: Pick<Lifetimes, 'refreshSeconds'>,
): Date {
  return new Date(Math.min(now.getTime() + refreshSeconds * 1000, absoluteExpiresAt.getTime()));
}

/** A session that began or was last refreshed before these times has ended; the current limits apply. */
export type Bounds = { startedAfter: Date; refreshedAfter: Date };

export function boundsOf(now: Date, { refreshSeconds, absoluteSeconds }: Lifetimes): Bounds {
  return {
    startedAfter: new Date(now.getTime() - absoluteSeconds * 1000),
    refreshedAfter: new Date(now.getTime() - refreshSeconds * 1000),
  };
}

/**
 * A second use of a spent token means that the token was stolen, unless the request was received before the token was
 * spent: then two tabs refreshed concurrently.
 */
export function isReplay(spentAt: Date, receivedAt: Date): boolean {
  return spentAt.getTime() < receivedAt.getTime();
}

/** When the request reached the edge. Its clock may differ; a time in the future is ignored. */
export function receivedAtOf(header: string | undefined, now: number): Date {
  const at = Number(header);
  return new Date(at > now - 60_000 && at < now ? at : now);
}

export type Lifecycle = PasswordState & { isActive: boolean; approvalStatus: string; accountExpiresAt: Date | null };
/** The 403 code for the state of an account; null: it may do everything its role allows. */
export function refusalOf(user: Lifecycle, now: Date, ages: PasswordAges): ResolvedSession['refusal'] {
  if (!user.isActive) return 'account_disabled';
  if (user.approvalStatus === 'rejected') return 'account_rejected';
  if (user.approvalStatus !== 'approved') return 'account_pending_approval';
  if (user.accountExpiresAt && user.accountExpiresAt <= now) return 'account_expired';
  return mustChange(user, now, ages) ? 'password_change_required' : null;
}

/** Number of sessions to end before one more may begin. */
export function surplus(alive: number, max: number): number {
  return max === 0 ? 0 : Math.max(0, alive + 1 - max);
}

/**
 * SQL that hashes the row of an account (alias `t`) without the columns that every sign-in changes. A decision
 * about an account is valid for this hash only.
 */
export function accountStamp(text: string): string {
  return `md5((to_jsonb(${text}) - array['failed_logins', 'lockouts', 'locked_until', 'last_login_at', 'updated_at'])::text)`;
}

/** An admitted account that the sign-in does not change otherwise. */
export type SignInCandidate = {
  user: { id: string; role: string; stamp: string };
  client: Client;
  audit: AuditRecord;
  /** The counters that a correct password resets; null: sign-in without a password. */
  forgives: { locks: boolean } | null;
};
export type Sessions = {
  /** Opens a session in the transaction of the sign-in. */
  open: (tx: Tx, user: { id: string; role: string }, client: Client) => Promise<Issued>;
  /**
   * Opens a session for an unchanged account in a single statement. @returns undefined, with nothing
   * written, when the account has changed since it was read or has a session limit: then `open` decides.
   */
  openSessionIfUnchanged: (candidate: SignInCandidate) => Promise<Issued | undefined>;
  /** @throws AppError unauthenticated, code refresh_refused. */
  rotate: (refreshToken: string, receivedAt: Date, client: Client) => Promise<Issued>;
  /** Ends sessions of a user except `except` and publishes it. @returns how many ended. */
  endAll: (tx: Tx, userId: string, reason: string, except?: string) => Promise<number>;
  /** Ends every session of these accounts and publishes it. @returns how many ended, for accounts that had any. */
  endAllOf: (tx: Tx, userIds: readonly string[], reason: string) => Promise<ReadonlyMap<string, number>>;
  /** Makes the edge close or re-authenticate open connections of these accounts; their sessions stay valid. */
  closeOpen: (tx: Tx, userIds: readonly string[], reason: string) => Promise<void>;
  endOne: (tx: Tx, userId: string, sessionId: string, reason: string) => Promise<boolean>;
  /** The active sessions of a user, the last used first. */
  alive: (userId: string) => Promise<RefreshToken[]>;
  /** Accounts of this `auth_type` with live sessions. */
  countOf: (authType: string) => Promise<{ accounts: number; sessions: number }>;
  /** Up to `limit` such accounts whose id follows `after`, in the order of their ids. */
  holdersOf: (authType: string, after: string | null, limit: number) => Promise<{ userId: string; email: string }[]>;
  resolve: (accessToken: string) => Promise<ResolvedSession | null>;
  /** The session of a current or former refresh token. */
  ownerOf: (refreshToken: string) => Promise<{ userId: string; sessionId: string } | null>;
  /** Whether this is the CSRF token of that session. */
  isCsrfOf: (sessionId: string, candidate: string | undefined) => boolean;
};

export function asRole(role: string): Role {
  return role as Role;
}

/** A session as a client sees it; it was last used when it was last refreshed. */
export function toSessionObject(row: RefreshToken, current: string): z.infer<typeof sessionObject> {
  return {
    uuid: row.sessionId,
    created_at: row.sessionStartedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    last_used_at: row.createdAt.toISOString(),
    ip_address: row.ipAddress,
    user_agent: row.userAgent,
    current: row.sessionId === current,
  };
}
