import { identityRpc } from '@overtone/contracts';
import { periodic, restingPeriodic, rpc, type Slice } from '@overtone/service-kit';
import { createEndDates } from './end-dates.service.ts';
import { sessionsRoutes } from './sessions.routes.ts';
import { createSessions } from './sessions.service.ts';
import { sessionsStore } from './sessions.store.ts';
import { lifetimesOf, type Sessions } from './sessions.ts';
import { createSignOut } from './sign-out.service.ts';
import { createAccessTokens, createSessionKeys } from './tokens.ts';

type Deps = Omit<Parameters<typeof createSessions>[0], 'accessTokens' | 'keys'> & {
  env: { JWT_SECRET_KEY: string; ALLOW_INSECURE_COOKIES: boolean };
};

/** Sessions: tokens, refresh, sign-out, limits and end dates. */
export function createSessionsSlice({ env, ...deps }: Deps): Slice & { sessions: Sessions } {
  const { db, pool, settings } = deps;
  const { JWT_SECRET_KEY: secret, ALLOW_INSECURE_COOKIES: allowInsecureCookies } = env;
  const keys = createSessionKeys(secret);
  const lifetimeSeconds = () => lifetimesOf(settings.current()).accessSeconds;
  const accessTokens = createAccessTokens({ secret, lifetimeSeconds });
  const sessions = createSessions({ ...deps, accessTokens, keys });
  const endDates = createEndDates({ db, pool, sessions });
  return {
    sessions,
    parts: [sessions.part],
    routes: sessionsRoutes({ sessions, signOut: createSignOut({ db, sessions }), allowInsecureCookies }),
    rpcs: [
      rpc(identityRpc.resolveSession, async ({ accessToken }) => ({ session: await sessions.resolve(accessToken) })),
    ],
    periodics: [
      periodic('delete old refresh tokens', 3_600_000, async () => void (await sessionsStore.deleteOld(db))),
      restingPeriodic('close connections of expired accounts', 500, endDates.closeExpired, endDates.nextEnd),
    ],
  };
}
