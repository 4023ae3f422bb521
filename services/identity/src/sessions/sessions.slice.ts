import { identityRpc } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { periodic, rpc, type Log, type Slice } from '@overtone/service-kit';
import type { Db, Pool } from '../database.ts';
import type { Settings } from '../live-settings.ts';
import { createAccessTokens } from './access-tokens.ts';
import { createEndDates } from './end-dates.service.ts';
import { createSessionKeys } from './session-keys.ts';
import { sessionsRoutes } from './sessions.routes.ts';
import { createSessions } from './sessions.service.ts';
import { sessionsStore } from './sessions.store.ts';
import { lifetimesOf, type Sessions } from './sessions.ts';
import { createSignOut } from './sign-out.service.ts';

type Deps = {
  db: Db;
  pool: Pool;
  outbox: Outbox;
  log: Log;
  settings: Settings;
  env: { JWT_SECRET_KEY: string; ALLOW_INSECURE_COOKIES: boolean };
};

/** Sessions: tokens, refresh, sign-out, limits and end dates. */
export function createSessionsSlice({ db, pool, outbox, log, settings, env }: Deps): Slice & { sessions: Sessions } {
  const { JWT_SECRET_KEY: secret, ALLOW_INSECURE_COOKIES: allowInsecureCookies } = env;
  const keys = createSessionKeys(secret);
  const lifetimeSeconds = () => lifetimesOf(settings.current()).accessSeconds;
  const accessTokens = createAccessTokens({ secret, lifetimeSeconds });
  const sessions = createSessions({ db, pool, outbox, accessTokens, keys, settings, log });
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
      periodic('close connections of expired accounts', 500, endDates.closeExpired),
    ],
  };
}
