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
  const identity = (await instance.status()).services.find((service) => service.name === 'identity');
  if (!identity?.url) throw new Error('the status contains no address of identity');
  const sign = createAssertionSigner(await settingOf(instance, 'edge-gateway', 'ASSERTION_PRIVATE_KEY'));
  let assertion = { token: '', until: 0 };
  /** Caches an assertion for some seconds, like the edge. */
  const current = (): string => {
    if (assertion.until < Date.now()) assertion = { token: sign('identity', null), until: Date.now() + 8_000 };
    return assertion.token;
  };
  const direct = clientOf(identity.url, '');
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
