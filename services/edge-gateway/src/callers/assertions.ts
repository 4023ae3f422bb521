import type { ResolvedSession, ServiceName } from '@overtone/contracts';
import { createAssertionSigner } from '@overtone/service-kit';

const reuseMs = 8_000;
const maxKept = 20_000;

/** Signs who is calling, once per session and service; an assertion goes out for a few of the 30 s it is good for. */
export function createAssertions(privateKeyPem: string) {
  const sign = createAssertionSigner(privateKeyPem);
  const kept = new Map<string, { token: string; until: number }>();
  return (audience: ServiceName, session: ResolvedSession | null): string => {
    const key = session ? `${audience} ${session.sessionId} ${session.role} ${session.expiresAt}` : audience;
    const hit = kept.get(key);
    const now = Date.now();
    if (hit && hit.until > now) return hit.token;
    const token = sign(
      audience,
      session && {
        userId: session.userId,
        sessionId: session.sessionId,
        role: session.role,
        tokenExpiresAt: session.expiresAt,
      },
    );
    if (kept.size >= maxKept) kept.clear();
    kept.set(key, { token, until: now + reuseMs });
    return token;
  };
}
