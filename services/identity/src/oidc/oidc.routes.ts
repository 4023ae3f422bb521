import { identityRoutes } from '@overtone/contracts';
import { handle, reply, type Route } from '@overtone/service-kit';
import { clientOf } from '../client.ts';
import { secureCookies, tokenReply } from '../sessions/sessions.ts';
import { flowCookiesOf } from './flow.ts';
import type { Oidc } from './oidc.service.ts';

type Deps = { oidc: Oidc; allowInsecureCookies: boolean };

export function oidcRoutes({ oidc, allowInsecureCookies }: Deps): Route[] {
  return [
    handle(identityRoutes.oidcLogin, async (r) => {
      const secure = secureCookies(r.origin, allowInsecureCookies);
      const started = await oidc.begin({ cookies: flowCookiesOf(r.req.get('cookie')), secure }, clientOf(r));
      return reply(
        { authorization_url: started.url },
        { headers: { 'Set-Cookie': started.cookies, 'Cache-Control': 'no-store' } },
      );
    }),
    handle(identityRoutes.oidcCallback, async (r) => {
      const secure = secureCookies(r.origin, allowInsecureCookies);
      const browser = { cookies: flowCookiesOf(r.req.get('cookie')), secure };
      const cookies = oidc.cookieToClear(r.query, browser);
      // Also when the sign-in fails: the state cannot be used again.
      if (cookies.length > 0) r.res.setHeader('Set-Cookie', cookies);
      const issued = await oidc.finish(r.query, browser, clientOf(r));
      return tokenReply(issued, { secure, cookies });
    }),
  ];
}
