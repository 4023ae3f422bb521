import { closeCodes } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import type { Outgoing } from './frames.ts';

/** Why the gateway closes a socket. The first four are the contract's, the others are from RFC 6455 section 7.4.1. */
export const closing = {
  notAuthenticated: { code: closeCodes.notAuthenticated, reason: 'not authenticated' },
  badFrame: { code: closeCodes.badFrame, reason: 'frame not understood' },
  tokenRefused: { code: closeCodes.tokenRefused, reason: 'token refused' },
  flood: { code: closeCodes.badFrame, reason: 'too many frames' },
  sessionRevoked: { code: closeCodes.sessionRevoked, reason: 'session revoked' },
  tokenExpired: { code: closeCodes.notAuthenticated, reason: 'access token expired' },
  restarting: { code: 1012, reason: 'restarting' },
  tooMany: { code: 1013, reason: 'too many sockets' },
  tooSlow: { code: 1013, reason: 'too far behind' },
  identityDown: { code: 1013, reason: 'try again later' },
} as const;
export type Closing = (typeof closing)[keyof typeof closing];

/** One open socket of either protocol. */
export type Sink = {
  send: (out: Outgoing) => void;
  /** Bytes waiting to be sent. */
  buffered: () => number;
  close: (why: Closing) => void;
};

export type Member = {
  caller: Caller;
  /** When the caller's session was looked up. */
  knownAt: number;
  readonly sink: Sink;
  /** The stream's sequence when it joined: later facts were sent live. */
  readonly joinedAtSeq: number;
  /** Progress delayed while the socket is slow: the latest of each file. */
  readonly delayedProgress: Map<string, Outgoing>;
};

/** Above this buffer size a socket receives facts only. */
export const slowBytes = 256 * 1024;
/** Above this buffer size a socket is closed; the client reconnects and receives what it missed. */
export const lostBytes = 8 * 1024 * 1024;

/** What may be sent to a socket with this buffer size. */
export function paceOf(buffered: number): 'all' | 'facts' | 'none' {
  return buffered < slowBytes ? 'all' : buffered < lostBytes ? 'facts' : 'none';
}

/**
 * Whether a page may open a socket. Browsers send the page's origin; only pages of the same origin may use the
 * user's cookies. Other programs send no Origin.
 */
export function sameOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return true;
  try {
    return new URL(origin).host === host;
  } catch {
    return false;
  }
}
