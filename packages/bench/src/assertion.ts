import { createAssertionSigner } from '@overtone/service-kit';
import type { ServiceName } from '@overtone/contracts';
import type { Instance } from '@overtone/e2e/instance';
import { settingOf } from '@overtone/e2e/service-access';

/** The identity assertion that the edge would send for this caller, signed with the edge's key. */
export async function assertionOf(instance: Instance, service: ServiceName, accessToken: string): Promise<string> {
  const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()) as {
    sub: string;
    sid: string;
    role: 'user' | 'admin' | 'super_admin';
    exp: number;
  };
  return createAssertionSigner(await settingOf(instance, 'edge-gateway', 'ASSERTION_PRIVATE_KEY'))(service, {
    userId: claims.sub,
    sessionId: claims.sid,
    role: claims.role,
    tokenExpiresAt: claims.exp * 1000,
  });
}
