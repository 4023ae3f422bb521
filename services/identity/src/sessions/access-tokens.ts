import { createSecretKey, randomUUID } from 'node:crypto';
import { roles, type Role } from '@overtone/contracts';
import jwt from 'jsonwebtoken';
import { z } from 'zod';

/** Seconds since the epoch that a date can hold. */
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
  /** What a token signed now lives. */
  lifetimeSeconds: () => number;
  sign: (who: { userId: string; sessionId: string; role: Role }) => string;
  /** The claims of a good token; null for anything else, whatever its own header says about how to check it. */
  verify: (token: string) => AccessClaims | null;
};

export const createAccessTokens = (d: { secret: string; lifetimeSeconds: () => number }): AccessTokens => {
  // Made once: from the text, every signature would make its own.
  const key = createSecretKey(d.secret, 'utf8');
  return {
    lifetimeSeconds: d.lifetimeSeconds,
    sign: ({ userId, sessionId, role }) =>
      jwt.sign({ sid: sessionId, role, type: 'access' }, key, {
        algorithm: 'HS256',
        subject: userId,
        jwtid: randomUUID(),
        expiresIn: d.lifetimeSeconds(),
      }),
    verify: (token) => {
      try {
        const { header, payload } = jwt.verify(token, key, { algorithms: ['HS256'], complete: true });
        // RFC 7515, 4.1.11: an extension that must be understood, and we understand none.
        if ('crit' in header) return null;
        const parsed = claims.safeParse(payload);
        return parsed.success ? parsed.data : null;
      } catch {
        return null;
      }
    },
  };
};
