import { createHmac, createSecretKey, randomUUID, timingSafeEqual, type KeyObject } from 'node:crypto';
import { roles, type Role } from '@overtone/contracts';
import jwt from 'jsonwebtoken';
import { z } from 'zod';

/** Seconds since the epoch, within the range of a JavaScript date. */
const instant = z.int().min(0).max(8_640_000_000_000);
const claims = z.object({
  sub: z.uuid(),
  sid: z.uuid(),
  role: z.enum(roles),
  type: z.literal('access'),
  jti: z.string(),
  iat: instant,
  exp: instant,
});
type AccessClaims = z.infer<typeof claims>;

export type AccessTokens = {
  /** Lifetime of a token that is signed now. */
  lifetimeSeconds: () => number;
  sign: (who: { userId: string; sessionId: string; role: Role }) => string;
  /** The claims of a valid token; null otherwise. The header of the token does not select the algorithm. */
  verify: (token: string) => AccessClaims | null;
};

export function createAccessTokens(dependencies: { secret: string; lifetimeSeconds: () => number }): AccessTokens {
  // Created once: with a text, every signature would create its own key object.
  const key = createSecretKey(dependencies.secret, 'utf8');
  return {
    lifetimeSeconds: dependencies.lifetimeSeconds,
    sign: ({ userId, sessionId, role }) =>
      jwt.sign({ sid: sessionId, role, type: 'access' }, key, {
        algorithm: 'HS256',
        subject: userId,
        jwtid: randomUUID(),
        expiresIn: dependencies.lifetimeSeconds(),
      }),
    verify: (token) => {
      try {
        const { header, payload } = jwt.verify(token, key, { algorithms: ['HS256'], complete: true });
        // RFC 7515, 4.1.11: critical extensions must be understood; none is supported.
        if ('crit' in header) return null;
        const parsed = claims.safeParse(payload);
        return parsed.success ? parsed.data : null;
      } catch {
        return null;
      }
    },
  };
}

/** Values derived from the signing secret: sessions of another secret are invalid. */
export type SessionKeys = {
  /** Identifies the secret without revealing it. */
  secretId: string;
  /** The hash that is stored for a refresh token. */
  hashOf: (refreshToken: string) => string;
  /** The CSRF token of a session: it cannot be forged for another session or chosen by the client. */
  csrfOf: (sessionId: string) => string;
  isCsrfOf: (sessionId: string, candidate: string | undefined) => boolean;
};

export function createSessionKeys(secret: string): SessionKeys {
  const keyFor = (what: string): KeyObject => createSecretKey(hmac(secret, what));
  const [refreshKey, csrfKey] = [keyFor('refresh tokens'), keyFor('csrf tokens')];
  const csrfOf = (sessionId: string): string => hmac(csrfKey, sessionId).toString('hex');
  return {
    secretId: hmac(secret, 'name of this secret').toString('hex').slice(0, 16),
    hashOf: (refreshToken) => hmac(refreshKey, refreshToken).toString('hex'),
    csrfOf,
    isCsrfOf: (sessionId, candidate) => {
      const [expected, given] = [Buffer.from(csrfOf(sessionId)), Buffer.from(candidate ?? '')];
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
  };
}

function hmac(key: string | KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
