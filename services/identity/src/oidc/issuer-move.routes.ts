import { issuerRoutes } from '@overtone/contracts';
import { handle, reply, type Route } from '@overtone/service-kit';
import { secureCookies } from '../sessions/sessions.ts';
import { requestContextOf } from '../users/users.ts';
import { flowCookiesOf } from './flow.ts';
import type { IssuerMoves } from './issuer-move.service.ts';

type Deps = { moves: IssuerMoves; allowInsecureCookies: boolean };

export function issuerMoveRoutes({ moves, allowInsecureCookies }: Deps): Route[] {
  return [
    handle(issuerRoutes.oidcIssuers, () => moves.list()),
    handle(issuerRoutes.startIssuerTest, async (request) => {
      const secure = secureCookies(request.origin, allowInsecureCookies);
      const browser = { cookies: flowCookiesOf(request.req.get('cookie')), secure };
      const started = await moves.startTest(request.body.from, browser, requestContextOf(request));
      return reply(
        { authorization_url: started.url },
        { headers: { 'Set-Cookie': started.cookies, 'Cache-Control': 'no-store' } },
      );
    }),
    handle(issuerRoutes.finishIssuerTest, async (request) => {
      const secure = secureCookies(request.origin, allowInsecureCookies);
      const browser = { cookies: flowCookiesOf(request.req.get('cookie')), secure };
      const cookies = moves.cookieToClear(request.body, browser);
      // Also when the test fails: the state cannot be used again.
      if (cookies.length > 0) request.res.setHeader('Set-Cookie', cookies);
      return moves.finishTest(request.body, browser, requestContextOf(request));
    }),
    handle(issuerRoutes.moveIssuer, (request) => moves.move(request.body, requestContextOf(request))),
  ];
}
