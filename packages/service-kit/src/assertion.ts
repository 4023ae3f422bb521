import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { roles, type Role, type ServiceName } from '@overtone/contracts';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { unauthenticated, unavailable } from './errors.ts';

/** Header in which the edge tells a service who is calling. Whatever a client sends under this name is dropped. */
export const assertionHeader = 'x-overtone-assertion';

const claims = z.object({
  aud: z.string(),
  /** Absent: no user is signed in. */
  sub: z.uuid().optional(),
  sid: z.uuid().optional(),
  role: z.enum(roles).optional(),
  /** Epoch milliseconds at which the access token behind it ends. */
  tex: z.number().optional(),
});

/** Who is calling, as the edge resolved it. */
export type Caller = { userId: string; sessionId: string; role: Role; tokenExpiresAt: number };

const lifetimeSeconds = 30;

/**
 * Signs identity assertions (ES256, 30 s, audience = the service). Only the edge holds the private key.
 * @param privateKeyPem PEM of a P-256 key.
 */
export function createAssertionSigner(privateKeyPem: string) {
  const key: KeyObject = createPrivateKey(privateKeyPem);
  return (audience: ServiceName, caller: Caller | null): string =>
    jwt.sign(caller ? { sid: caller.sessionId, role: caller.role, tex: caller.tokenExpiresAt } : {}, key, {
      algorithm: 'ES256',
      audience,
      expiresIn: lifetimeSeconds,
      ...(caller ? { subject: caller.userId } : {}),
    });
}

/**
 * Verifies identity assertions. Good ones are remembered until they expire, because the edge reuses one for a few
 * seconds and verifying costs more than most handlers.
 */
export function createAssertionVerifier(publicKeyPem: string, audience: ServiceName) {
  const key = createPublicKey(publicKeyPem);
  const known = new Map<string, { caller: Caller | null; until: number }>();

  const verify = (token: string): { caller: Caller | null; until: number } => {
    try {
      const payload = jwt.verify(token, key, { algorithms: ['ES256'], audience }) as jwt.JwtPayload;
      const claim = claims.parse(payload);
      const caller =
        claim.sub && claim.sid && claim.role
          ? { userId: claim.sub, sessionId: claim.sid, role: claim.role, tokenExpiresAt: claim.tex ?? 0 }
          : null;
      return { caller, until: (payload.exp ?? 0) * 1000 };
    } catch (cause) {
      // The edge signs at once, so the request has waited here for all of its lifetime. Its session may well be valid.
      if (cause instanceof jwt.TokenExpiredError)
        throw unavailable('service_unavailable', 'The request waited too long. Please try again shortly.', {
          cause,
          retryAfterSeconds: lifetimeSeconds / 2,
        });
      throw unauthenticated('invalid_assertion', 'The request did not come through the gateway', { cause });
    }
  };

  /** @throws AppError unauthenticated, code invalid_assertion; unavailable when the assertion ended while the request waited. */
  return (token: string | undefined): Caller | null => {
    if (!token) throw unauthenticated('invalid_assertion', 'The request did not come through the gateway');
    const hit = known.get(token);
    if (hit && hit.until > Date.now()) return hit.caller;
    const fresh = verify(token);
    if (known.size > 5_000) known.clear();
    known.set(token, fresh);
    return fresh.caller;
  };
}
