import type { Role, ServiceName } from '@overtone/contracts';
import { createAssertionSigner, assertionHeader } from '@overtone/service-kit';
import type { Instance } from '@overtone/e2e/instance';
import { admin } from '@overtone/e2e/instance';
import { clientOf, signIn, type Client } from '@overtone/e2e/client';
import { settingOf } from '@overtone/e2e/service-access';

export type Entrance = {
  /** Signs in at identity directly, without the edge's rate limit. @returns status and milliseconds. */
  enter: (username: string, password: string) => Promise<{ status: number; ms: number; text: string }>;
  /** Signs in at identity directly. @returns the access token. */
  token: (username: string, password: string) => Promise<string>;
  administrator: Client;
  set: (category: string, values: Record<string, unknown>) => Promise<unknown>;
};

export async function entranceOf(instance: Instance): Promise<Entrance> {
  const sign = await assertionSigner(instance);
  let assertion = { token: '', until: 0 };
  /** Caches an assertion for some seconds, like the edge. */
  const current = (): string => {
    if (assertion.until < Date.now()) assertion = { token: sign('identity', null), until: Date.now() + 8_000 };
    return assertion.token;
  };
  const direct = clientOf(await identityUrl(instance), '');
  const enter: Entrance['enter'] = async (username, password) => {
    const started = performance.now();
    const { status, text } = await direct.call('POST', '/api/auth/token', {
      body: new URLSearchParams({ username, password }),
      headers: { [assertionHeader]: current() },
    });
    return { status, text, ms: performance.now() - started };
  };
  return {
    enter,
    token: async (username, password) => {
      const { status, text } = await enter(username, password);
      if (status !== 200) throw new Error(`${username}: ${status} ${text}`);
      return (JSON.parse(text) as { access_token: string }).access_token;
    },
    administrator: await signIn(instance.baseUrl, admin.email, admin.password),
    set: async (category, values) => {
      // Tokens expire during a long measurement.
      const fresh = await signIn(instance.baseUrl, admin.email, admin.password);
      return fresh.send('PUT', `/api/admin/auth-config/${category}`, values);
    },
  };
}

/** The address of identity itself, without the edge. */
export async function identityUrl(instance: Instance): Promise<string> {
  const identity = (await instance.status()).services.find((service) => service.name === 'identity');
  if (!identity?.url) throw new Error('the status contains no address of identity');
  return identity.url;
}

/** The identity assertion that the edge would send for this caller, signed with the edge's key. */
export async function assertionOf(instance: Instance, service: ServiceName, accessToken: string): Promise<string> {
  const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()) as {
    sub: string;
    sid: string;
    role: Role;
    exp: number;
  };
  return (await assertionSigner(instance))(service, {
    userId: claims.sub,
    sessionId: claims.sid,
    role: claims.role,
    tokenExpiresAt: claims.exp * 1000,
  });
}

async function assertionSigner(instance: Instance) {
  return createAssertionSigner(await settingOf(instance, 'edge-gateway', 'ASSERTION_PRIVATE_KEY'));
}
