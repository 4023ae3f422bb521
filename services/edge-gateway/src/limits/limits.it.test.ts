import { beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { startBackends, startEdge, type RunningEdge } from '../../test/running-edge.ts';

const backends = await startBackends();
// A fresh budget for every test.
beforeEach(() => backends.redis.restart());

async function attempt(edge: RunningEdge, path = '/api/auth/token', method = 'POST') {
  const json = path.endsWith('/register') ? { 'content-type': 'application/json' } : {};
  return (await edge.call(path, { method, headers: json })).status;
}

/** How many of so many attempts are let through. */
async function passed(edge: RunningEdge, attempts: number): Promise<number> {
  const statuses: number[] = [];
  for (let i = 0; i < attempts; i++) statuses.push(await attempt(edge));
  return statuses.filter((status) => status !== 429).length;
}

describe('the limit of sign-in attempts', () => {
  it('is one budget over all routes that check a password or a sign-in, without the refresh of a session', async () => {
    const edge = await startEdge(backends, { signInPerMinute: 5 });
    for (let i = 0; i < 8; i++) expect(await attempt(edge, '/api/auth/token/refresh')).not.toBe(429);
    const ways = [
      ['/api/auth/token', 'POST'],
      ['/api/auth/oidc/callback?code=x&state=y', 'GET'],
      ['/api/auth/pki/authenticate', 'POST'],
      ['/api/auth/proxy/authenticate', 'POST'],
      ['/api/public/links/unlock', 'POST'],
    ] as const;
    for (const [path, method] of ways) expect(await attempt(edge, path, method)).not.toBe(429);
    const others = ['/api/auth/register', '/api/auth/invitation', '/api/auth/invitation/accept'];
    for (const [path, method] of [...ways, ...others.map((other) => [other, 'POST'] as const)])
      expect(await attempt(edge, path, method)).toBe(429);
    expect(await attempt(edge, '/api/auth/token/refresh')).not.toBe(429);
    await edge.stop();
  });

  it('rate_limit_auth_per_minute: follows a change at once, and what was counted stays counted', async () => {
    const edge = await startEdge(backends, { signInPerMinute: 3 });
    expect(await passed(edge, 5)).toBe(3);
    edge.settings.signInPerMinute = 8;
    edge.tellSettings();
    await waitFor(async () => (await attempt(edge)) !== 429);
    expect(await passed(edge, 8)).toBeLessThan(5);
    await edge.stop();
  });

  it('rate_limit_enabled: does not limit while it is off, and does again when it is on', async () => {
    const edge = await startEdge(backends, { signInPerMinute: null });
    expect(await passed(edge, 30)).toBe(30);
    edge.settings.signInPerMinute = 2;
    edge.tellSettings();
    await waitFor(async () => (await attempt(edge)) === 429);
    await edge.stop();
  });

  it('is received after an outage of the broker', async () => {
    const edge = await startEdge(backends, { signInPerMinute: 2 });
    expect(await passed(edge, 3)).toBe(2);
    await backends.nats.kill9();
    edge.settings.signInPerMinute = null;
    await backends.nats.restart();
    await waitFor(async () => (await attempt(edge)) !== 429);
    await edge.stop();
  });

  it('is the default until identity answers for the first time', async () => {
    const deaf = await startEdge(backends, { IDENTITY_URL: 'http://127.0.0.1:9' });
    const statuses = [];
    for (let i = 0; i < 12; i++) statuses.push(await attempt(deaf));
    await deaf.stop();
    expect(statuses.filter((status) => status === 503)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  });
});
