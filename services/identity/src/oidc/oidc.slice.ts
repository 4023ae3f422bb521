import { periodic, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { createFlowCookies } from './flow.ts';
import { flowStore } from './flow.store.ts';
import { issuerMoveRoutes } from './issuer-move.routes.ts';
import { createIssuerMoves, type IssuerMoveDeps } from './issuer-move.service.ts';
import { oidcRoutes } from './oidc.routes.ts';
import { createOidc, type OidcDeps } from './oidc.service.ts';
import { createProvider } from './provider.adapter.ts';

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
