import { periodic, type Slice, clientOf, handle, reply, type Route } from '@overtone/service-kit';
import { identityRoutes, issuerRoutes } from '@overtone/contracts';
import type { Db } from '../database.ts';
import { createFlowCookies, flowCookiesOf } from './flow.ts';
import { flowStore } from './flow.store.ts';
import { createIssuerMoves, type IssuerMoveDeps, type IssuerMoves } from './issuer-move.service.ts';
import { createOidc, type OidcDeps, type Oidc } from './oidc.service.ts';
import { createProvider } from './provider.adapter.ts';
import { secureCookies, tokenReply } from '../sessions/sessions.ts';
import { requestContextOf } from '../users/users.ts';

type Deps = Omit<OidcDeps & IssuerMoveDeps, 'provider' | 'flows' | 'proofSecret'> & {
  db: Db;
  env: { JWT_SECRET_KEY: string; ALLOW_INSECURE_COOKIES: boolean };
};

/** Sign-in at an OpenID Connect provider. */
export function createOidcSlice(deps: Deps): Slice {
  const { db, env } = deps;
  const shared = { ...deps, provider: createProvider(), flows: createFlowCookies(env.JWT_SECRET_KEY) };
  const allowInsecureCookies = env.ALLOW_INSECURE_COOKIES;
  const oidc = createOidc(shared);
  const moves = createIssuerMoves({ ...shared, proofSecret: env.JWT_SECRET_KEY });
  return {
    routes: [...oidcRoutes({ oidc, allowInsecureCookies }), ...issuerMoveRoutes({ moves, allowInsecureCookies })],
    periodics: [periodic('delete used sign-in states', 600_000, async () => void (await flowStore.deleteOld(db)))],
  };
}

type MoveParts = { moves: IssuerMoves; allowInsecureCookies: boolean };

function issuerMoveRoutes({ moves, allowInsecureCookies }: MoveParts): Route[] {
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

type SignInParts = { oidc: Oidc; allowInsecureCookies: boolean };

function oidcRoutes({ oidc, allowInsecureCookies }: SignInParts): Route[] {
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
