import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

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
