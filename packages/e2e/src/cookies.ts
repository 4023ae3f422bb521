import assert from 'node:assert/strict';
import { admin, type Instance } from './instance.ts';
import type { Check } from './suite.ts';

type Browser = { access: string; refresh: string; csrf: string };

/** Specification, "Authentication" 9: a refresh by cookie needs the CSRF token of its session. */
export function cookieChecks(instance: Instance): Check[] {
  return [
    {
      rule: 'a refresh by cookie is rejected without the CSRF header, with a wrong one, with another session’s, from another site or with a bearer token',
      run: async () => {
        const [mine, other] = [await signInAsBrowser(instance.baseUrl), await signInAsBrowser(instance.baseUrl)];
        const good = { 'x-csrf-token': mine.csrf };
        const bearer = { authorization: `Bearer ${mine.access}` };
        const refused = [
          await refresh(instance, mine, {}),
          await refresh(instance, mine, { 'x-csrf-token': '' }),
          await refresh(instance, mine, { 'x-csrf-token': 'ab'.repeat(32) }),
          await refresh(instance, mine, { 'x-csrf-token': other.csrf }),
          await refresh(instance, mine, { 'x-csrf-token': other.csrf }, other.csrf),
          await refresh(instance, mine, bearer),
          await refresh(instance, mine, { ...bearer, 'x-csrf-token': other.csrf }, other.csrf),
        ];
        const crossSite = [
          await refresh(instance, mine, { ...good, origin: 'https://evil.example.org' }),
          await refresh(instance, mine, { ...good, origin: 'null' }),
          await refresh(instance, mine, { ...good, 'sec-fetch-site': 'cross-site' }),
        ];
        assert.deepEqual(
          [...refused, ...crossSite].map((response) => [response.status, response.body.code]),
          [...refused.map(() => [403, 'csrf_failed']), ...crossSite.map(() => [403, 'cross_site_request'])],
        );
        const taken = await refresh(instance, mine, {
          ...good,
          origin: instance.baseUrl,
          'sec-fetch-site': 'same-origin',
        });
        assert.equal(taken.status, 200, 'none of the refused ones spent the token');
      },
    },
    {
      rule: 'the CSRF token is valid for the lifetime of its session',
      run: async () => {
        const mine = await signInAsBrowser(instance.baseUrl);
        for (let i = 0; i < 3; i++) {
          const { status, body } = await refresh(instance, mine, { 'x-csrf-token': mine.csrf });
          assert.equal(status, 200);
          mine.refresh = body.refresh_token ?? '';
        }
      },
    },
  ];
}

async function refresh(
  instance: Instance,
  browser: Browser,
  headers: Record<string, string>,
  csrfCookie = browser.csrf,
) {
  const cookie = `refresh_token=${browser.refresh}; csrf_token=${csrfCookie}`;
  const response = await fetch(`${instance.baseUrl}/api/auth/token/refresh`, {
    method: 'POST',
    headers: { cookie, ...headers },
  });
  return { status: response.status, body: (await response.json()) as { code?: string; refresh_token?: string } };
}

/** The cookies of a sign-in, as a browser keeps them. */
async function signInAsBrowser(baseUrl: string): Promise<Browser> {
  const body = new URLSearchParams({ username: admin.email, password: admin.password });
  const response = await fetch(`${baseUrl}/api/auth/token`, { method: 'POST', body });
  const cookies = new Map(
    response.headers.getSetCookie().map((line) => (line.split(';')[0] ?? '').split('=') as [string, string]),
  );
  const of = (name: string): string => cookies.get(name) ?? '';
  return { access: of('access_token'), refresh: of('refresh_token'), csrf: of('csrf_token') };
}
