import { identityRoutes } from '@overtone/contracts';
import { clientOf, handle, reply, type Route } from '@overtone/service-kit';
import { secureCookies, tokenReply } from '../sessions/sessions.ts';
import { flowCookiesOf } from './flow.ts';
import type { Oidc } from './oidc.service.ts';

type Deps = { oidc: Oidc; allowInsecureCookies: boolean };

export function oidcRoutes({ oidc, allowInsecureCookies }: Deps): Route[] {
  return [
    handle(identityRoutes.oidcLogin, async (request) => {
      const secure = secureCookies(request.origin, allowInsecureCookies);
      const started = await oidc.begin(
        { cookies: flowCookiesOf(request.req.get('cookie')), secure },
        clientOf(request),
      );
      return reply(
        { authorization_url: started.url },
        { headers: { 'Set-Cookie': started.cookies, 'Cache-Control': 'no-store' } },
      );
    }),
    handle(identityRoutes.oidcCallback, async (request) => {
      const secure = secureCookies(request.origin, allowInsecureCookies);
      const browser = { cookies: flowCookiesOf(request.req.get('cookie')), secure };
      const cookies = oidc.cookieToClear(request.query, browser);
      // Also when the sign-in fails: the state cannot be used again.
      if (cookies.length > 0) request.res.setHeader('Set-Cookie', cookies);
      const issued = await oidc.finish(request.query, browser, clientOf(request));
      return tokenReply(issued, { secure, cookies });
    }),
  ];
}
