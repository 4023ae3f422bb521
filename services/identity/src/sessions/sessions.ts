import { createHash, randomBytes } from 'node:crypto';
import type { ResolvedSession, Role } from '@overtone/contracts';
import type { Client } from '../client.ts';
import type { Tx } from '../database.ts';

export { clearedCookies, cookieValue, keptCsrfToken, newCsrfToken, secureCookies, sessionCookies } from './cookies.ts';
export { tokenReply } from './token-reply.ts';

/** Refresh tokens are opaque: 256 random bits, kept as a hash only. */
export const newRefreshToken = (): string => randomBytes(32).toString('base64url');
export const hashOf = (refreshToken: string): string => createHash('sha256').update(refreshToken).digest('hex');

export type Lifetimes = { refreshSeconds: number; absoluteSeconds: number };

/** When a token made now ends: after the idle limit, but never after the session's own end. */
export const expiryOf = (now: Date, absoluteExpiresAt: Date, { refreshSeconds }: Lifetimes): Date =>
  new Date(Math.min(now.getTime() + refreshSeconds * 1000, absoluteExpiresAt.getTime()));

/**
 * A spent token that shows up again was stolen, or its thief was faster; unless the request was on its way already when
 * the token was spent: then two tabs asked at once.
 */
export const isReplay = (spentAt: Date, receivedAt: Date): boolean => spentAt.getTime() < receivedAt.getTime();

/** When a request reached the edge; its own clock may be a little off, and it is never believed to be in the future. */
export const receivedAtOf = (told: string | undefined, now: number): Date => {
  const at = Number(told);
  return new Date(at > now - 60_000 && at < now ? at : now);
};

type Lifecycle = {
  isActive: boolean;
  approvalStatus: string;
  accountExpiresAt: Date | null;
  mustChangePassword: boolean;
};
/** The 403 code that an account's state calls for; null when it may do everything its role allows. */
export const refusalOf = (user: Lifecycle, now: Date): ResolvedSession['refusal'] => {
  if (!user.isActive) return 'account_disabled';
  if (user.approvalStatus === 'rejected') return 'account_rejected';
  if (user.approvalStatus !== 'approved') return 'account_pending_approval';
  if (user.accountExpiresAt && user.accountExpiresAt <= now) return 'account_expired';
  return user.mustChangePassword ? 'password_change_required' : null;
};

export type Issued = { accessToken: string; accessSeconds: number; refreshToken: string; refreshSeconds: number };
export type Sessions = {
  /** Begins a session in the transaction that signs somebody in. */
  open: (tx: Tx, user: { id: string; role: string }, client: Client) => Promise<Issued>;
  /** @throws AppError unauthenticated, code refresh_refused. */
  rotate: (refreshToken: string, receivedAt: Date, client: Client) => Promise<Issued>;
  /** Ends sessions of a user and says so; `except` stays. @returns how many ended. */
  endAll: (tx: Tx, userId: string, reason: string, except?: string) => Promise<number>;
  endOne: (tx: Tx, userId: string, sessionId: string, reason: string) => Promise<boolean>;
  resolve: (accessToken: string) => Promise<ResolvedSession | null>;
};
export const asRole = (role: string): Role => role as Role;
