import { describe, expect, it } from '@jest/globals';
import { identityRoutes, mediaRoutes, routes, type ResolvedSession } from '@overtone/contracts';
import { authorise, bearerOf, checkCsrf, identityCookies, sessionCookiesOf, signInCookies } from './callers.ts';
import { createSessionCache } from './session-cache.ts';

function session(change: Partial<ResolvedSession> = {}): ResolvedSession {
  return {
    userId: 'u',
    sessionId: 's',
    role: 'user',
    refusal: null,
    expiresAt: Date.now() + 60_000,
    ...change,
  };
}

function codeOf(work: () => void): string {
  try {
    work();
    return 'ok';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('CSRF', () => {
  const token = 'ab'.repeat(32);
  const base = {
    method: 'POST',
    def: { csrfExempt: false },
    cookies: { access: 'a', refresh: 'r', csrf: token },
    hasBearer: false,
    session: session({ csrfToken: token }),
    header: token,
    fetchSite: undefined,
    sameOrigin: true,
  };
  const planted = 'cd'.repeat(32);
  const cases: [string, Partial<Parameters<typeof checkCsrf>[0]>, string][] = [
    ['the header repeats the cookie', {}, 'ok'],
    ['the header is missing', { header: undefined }, 'csrf_failed'],
    ['the header is empty', { header: '' }, 'csrf_failed'],
    ['the header differs', { header: 'cd'.repeat(32) }, 'csrf_failed'],
    ['the header is a part of the cookie', { header: token.slice(2) }, 'csrf_failed'],
    ['the cookie is missing', { cookies: { access: 'a' } }, 'csrf_failed'],
    ['both are empty', { cookies: { access: 'a', csrf: '' }, header: '' }, 'csrf_failed'],
    ['only the refresh cookie is left', { cookies: { refresh: 'r' }, header: undefined }, 'csrf_failed'],
    [
      'only the refresh cookie is left and the header is right',
      { session: null, cookies: { refresh: 'r', csrf: token } },
      'ok',
    ],
    [
      'header and cookie agree, but are those of another session',
      { header: planted, cookies: { access: 'a', refresh: 'r', csrf: planted } },
      'csrf_failed',
    ],
    ['the session has no known token', { session: session() }, 'csrf_failed'],
    ['a page of another origin sends even the right header', { sameOrigin: false }, 'csrf_failed'],
    ['another site sends even the right header', { fetchSite: 'cross-site' }, 'csrf_failed'],
    ['the same site says so', { fetchSite: 'same-origin' }, 'ok'],
    ['a bearer token is used', { hasBearer: true, header: undefined }, 'ok'],
    [
      'a refresh has a bearer token beside the cookie that it uses',
      { hasBearer: true, header: undefined, def: identityRoutes.refresh },
      'csrf_failed',
    ],
    [
      'such a refresh repeats the readable cookie',
      { hasBearer: true, def: identityRoutes.refresh, session: null },
      'ok',
    ],
    [
      'a refresh has a bearer token and no cookie',
      { hasBearer: true, header: undefined, cookies: {}, def: identityRoutes.refresh },
      'ok',
    ],
    ['there are no cookies', { cookies: {}, header: undefined }, 'ok'],
    ['only a CSRF cookie is there', { cookies: { csrf: token }, header: undefined }, 'ok'],
    ['the route is exempt', { def: { csrfExempt: true }, header: undefined }, 'ok'],
  ];
  it.each(cases)('when %s', (_when, change, result) => {
    expect(codeOf(() => checkCsrf({ ...base, ...change }))).toBe(result);
  });
  it.each(['GET', 'HEAD', 'OPTIONS'])('is not asked for %s', (method) => {
    expect(codeOf(() => checkCsrf({ ...base, method, header: undefined }))).toBe('ok');
  });
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('is asked for %s', (method) => {
    expect(codeOf(() => checkCsrf({ ...base, method, header: undefined }))).toBe('csrf_failed');
  });
  it('exempts no route of the catalogue that changes something with a session', () => {
    const exempt = routes.filter((route) => route.csrfExempt && !['GET', 'HEAD', 'OPTIONS'].includes(route.method));
    expect(exempt.map((route) => route.path).toSorted()).toEqual([
      '/api/auth/invitation',
      '/api/auth/invitation/accept',
      '/api/auth/pki/authenticate',
      '/api/auth/proxy/authenticate',
      '/api/auth/register',
      '/api/auth/token',
      '/api/public/links/open',
      '/api/public/links/unlock',
    ]);
    expect(exempt.every((route) => route.access === 'public')).toBe(true);
  });
});

describe('role and state', () => {
  it.each(routes)('$method $path asks for its role', (route) => {
    const tried = [null, 'user', 'admin', 'super_admin'] as const;
    const results = tried.map((role) => codeOf(() => authorise(route, role && session({ role }))));
    const need = { public: 0, user: 1, admin: 2, super_admin: 3 }[route.access];
    expect(results).toEqual(
      tried.map((role, i) => (i >= need ? 'ok' : role === null ? 'not_authenticated' : 'role_required')),
    );
  });

  const refusals = [
    'account_pending_approval',
    'account_rejected',
    'account_disabled',
    'password_change_required',
    'account_expired',
  ] as const;
  it.each(refusals)('%s stops everything but reading oneself and signing out', (refusal) => {
    const stopped = session({ refusal });
    expect(codeOf(() => authorise(mediaRoutes.listFiles, stopped))).toBe(refusal);
    expect(codeOf(() => authorise(identityRoutes.sessions, stopped))).toBe(refusal);
    for (const def of [identityRoutes.me, identityRoutes.logout, identityRoutes.logoutAll])
      expect(codeOf(() => authorise(def, stopped))).toBe('ok');
    const changes = refusal === 'password_change_required' ? 'ok' : refusal;
    expect(codeOf(() => authorise(identityRoutes.updateMe, stopped))).toBe(changes);
  });
});

describe('credentials', () => {
  it('are read from cookies; of a name given twice the first counts', () => {
    expect(sessionCookiesOf('a=1; access_token=t; access_token=evil; csrf_token=c=d')).toEqual({
      access: 't',
      csrf: 'c=d',
    });
    expect(sessionCookiesOf(undefined)).toEqual({});
    expect(sessionCookiesOf('__proto__=x; constructor=y; access_token')).toEqual({});
  });
  it('go to identity without the access token', () => {
    expect(identityCookies({ access: 'a', refresh: 'r', csrf: 'c' })).toBe('refresh_token=r; csrf_token=c');
    expect(identityCookies({ access: 'a' })).toBeUndefined();
  });
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer   abc', 'abc'],
    ['Basic abc', null],
    ['Bearer', null],
    ['Bearer a b', null],
    [undefined, undefined],
  ])('of the header %j are %j', (header, token) => {
    expect(bearerOf(header)).toBe(token);
  });
});

describe('remembered sessions', () => {
  const setup = (isReceiving = () => true) => {
    const asked: string[] = [];
    let answer: () => Promise<ResolvedSession | null> = async () => session();
    const cache = createSessionCache({
      ask: (token) => {
        asked.push(token);
        return answer();
      },
      isReceiving,
    });
    return { cache, asked, answerWith: (next: typeof answer) => (answer = next) };
  };

  it('are asked for once', async () => {
    const { cache, asked } = setup();
    await cache.resolve('t');
    await cache.resolve('t');
    expect(asked).toEqual(['t']);
  });

  it('are asked for once by many at once', async () => {
    const { cache, asked } = setup();
    await Promise.all(Array.from({ length: 50 }, async () => cache.resolve('t')));
    expect(asked).toEqual(['t']);
  });

  it('are resolved every time while revocations cannot be received', async () => {
    let receiving = true;
    const { cache, asked } = setup(() => receiving);
    await cache.resolve('t');
    receiving = false;
    await cache.resolve('t');
    await cache.resolve('t');
    expect(asked).toHaveLength(3);
  });

  it('are forgotten when they end, one or all of a user', async () => {
    const { cache, asked } = setup();
    await cache.resolve('t');
    cache.drop('u', 'another session');
    cache.drop('another user', null);
    await cache.resolve('t');
    expect(asked).toHaveLength(1);
    cache.drop('u', 's');
    await cache.resolve('t');
    cache.drop('u', null);
    await cache.resolve('t');
    expect(asked).toHaveLength(3);
  });

  it('are not cached when they ended during the request', async () => {
    const { cache, asked, answerWith } = setup();
    let reply: (found: ResolvedSession) => void = () => {};
    answerWith(() => new Promise((resolve) => (reply = resolve)));
    const first = cache.resolve('t');
    cache.drop('u', 's');
    reply(session());
    await first;
    answerWith(async () => null);
    expect(await cache.resolve('t')).toBeNull();
    expect(asked).toHaveLength(2);
  });

  it('resolve to no user when the token has expired, and a failed request is not cached', async () => {
    const { cache, answerWith } = setup();
    answerWith(async () => session({ expiresAt: Date.now() - 1 }));
    expect(await cache.resolve('t')).toBeNull();
    answerWith(() => Promise.reject(new Error('down')));
    await expect(cache.resolve('t')).rejects.toThrow('down');
    answerWith(async () => session());
    expect(await cache.resolve('t')).not.toBeNull();
  });
});

describe('the cookies of a sign-in at an identity provider', () => {
  it('are distinguished from all others, with and without the prefix that needs HTTPS', () => {
    expect(signInCookies('a=1; oidc_flow_x1=one; access_token=t;__Host-oidc_flow_Y-_2=two;oidc_flow_=no')).toBe(
      'oidc_flow_x1=one;__Host-oidc_flow_Y-_2=two',
    );
    expect(signInCookies('access_token=t; xoidc_flow_a=1; __Secure-oidc_flow_a=1; oidc_flow_a.b=1')).toBeUndefined();
    expect(signInCookies(undefined)).toBeUndefined();
  });

  it('are at most sixteen, the latest', () => {
    const many = Array.from({ length: 40 }, (_, i) => `oidc_flow_${i}=v`).join('; ');
    expect(
      signInCookies(many)
        ?.split(';')
        .map((cookie) => cookie.trim()),
    ).toEqual(Array.from({ length: 16 }, (_, i) => `oidc_flow_${i + 24}=v`));
  });
});
