import { describe, expect, it } from '@jest/globals';
import { routes } from '@overtone/contracts';
import { forwardedHeader } from '@overtone/service-kit';
import { setUpEdge, raw } from '../../test/running-edge.ts';

const { edge } = await setUpEdge({ TRUSTED_PROXIES: '127.0.0.1', signInPerMinute: null });

async function send(path: string, lines: readonly string[], method = 'POST') {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Content-Length: 0', 'Connection: close', ...lines];
  await raw(edge.port, `${head.join('\r\n')}\r\n\r\n`);
  return edge.identity.seen.findLast((request) => request.url === path);
}

function statement(header: string | string[] | undefined) {
  return edge.forwardedOf(String(header));
}

const ways = ['/api/auth/pki/authenticate', '/api/auth/proxy/authenticate'];

describe('what the edge tells identity of a proxy in front of it', () => {
  it.each(ways)('is the whole head as it came, signed: %s', async (path) => {
    const lines = ['X-User: a', 'x_user: b', 'X-User: c', 'Proxy-Connection: X-User'];
    const seen = await send(path, lines);
    const { headers } = statement(seen?.headers[forwardedHeader]);
    expect(headers.slice(-8)).toEqual(['X-User', 'a', 'x_user', 'b', 'X-User', 'c', 'Proxy-Connection', 'X-User']);
    expect(headers).toEqual(expect.arrayContaining(['Connection', 'close']));
  });

  it('names the end of the socket, not whom a believed proxy names as the client', async () => {
    const seen = await send(ways[0] as string, ['X-Forwarded-For: 192.0.2.7']);
    expect(seen?.headers['x-forwarded-for']).toBe('192.0.2.7');
    expect(statement(seen?.headers[forwardedHeader]).peer).toMatch(/^(::ffff:)?127\.0\.0\.1$/);
  });

  it('keeps back the secrets of the caller', async () => {
    const seen = await send(ways[0] as string, ['Authorization: Bearer x', 'COOKIE: access_token=secret']);
    const text = JSON.stringify(statement(seen?.headers[forwardedHeader]));
    expect(text).not.toMatch(/secret|bearer/i);
  });

  it('cannot be written by a client', async () => {
    const seen = await send(ways[0] as string, [`${forwardedHeader}: forged`, 'X_Overtone_Forwarded: forged']);
    const given = seen?.raw.filter((name) => /forwarded$/i.test(name) && /overtone/i.test(name));
    expect(given).toEqual([forwardedHeader]);
    expect(() => statement(seen?.headers[forwardedHeader])).not.toThrow();
  });

  it('fits into one request, however long the head of the client was', async () => {
    const long = Array.from({ length: 14 }, (_, i) => `X-Client-Cert-${i}: ${'"é\\'.repeat(260)}`);
    const seen = await send(ways[0] as string, long);
    expect(statement(seen?.headers[forwardedHeader]).headers).toHaveLength(2 * (3 + long.length));
  });

  const publicRoutes = routes.filter(({ service, access }) => service === 'identity' && access === 'public');
  const others = publicRoutes.filter(({ path }) => !ways.includes(path));
  it.each(others.map(({ method, path }) => [method, path] as const))(
    'is passed on no other route: %s %s',
    async (method, path) => {
      const seen = await send(path.replace(/\{\w+\}/, 'x'), ['X-Forwarded-User: root', 'X-Client-Cert: root'], method);
      expect(seen?.raw.filter((name) => name.toLowerCase() === forwardedHeader)).toEqual([]);
      expect(seen?.headers['x-forwarded-user']).toBeUndefined();
      expect(seen?.headers['x-client-cert']).toBeUndefined();
    },
  );
});

describe('the cookies of a sign-in at an identity provider', () => {
  const cookie = 'Cookie: access_token=a; oidc_flow_0123456789abcdef=one; refresh_token=r; __Host-oidc_flow_x=two';
  it.each(['/api/auth/oidc/login', '/api/auth/oidc/callback'])('alone reach identity on %s', async (path) => {
    const seen = await send(path, [cookie], 'GET');
    expect(seen?.headers.cookie).toBe('oidc_flow_0123456789abcdef=one; __Host-oidc_flow_x=two');
  });

  it('reach identity on no other route', async () => {
    const seen = await send('/api/auth/logout', [cookie, 'Authorization: Bearer none']);
    expect(seen?.headers.cookie ?? '').not.toContain('oidc_flow');
  });
});
