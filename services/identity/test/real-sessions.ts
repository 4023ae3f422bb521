import type { Outbox } from '@overtone/database';
import { createLog } from '@overtone/service-kit';
import type { Db, Pool } from '../src/database.ts';
import { createSessions } from '../src/sessions/sessions.service.ts';
import { lifetimesOf } from '../src/sessions/sessions.ts';
import { createAccessTokens, createSessionKeys } from '../src/sessions/tokens.ts';
import type { Settings } from '../src/live-settings.ts';

const secret = 'a secret of this test that is long enough';

/** The sessions service on the database of the test. */
export function sessionsOver(dependencies: { db: Db; pool: Pool; outbox: Outbox; settings: Settings }) {
  return createSessions({
    ...dependencies,
    accessTokens: createAccessTokens({
      secret,
      lifetimeSeconds: () => lifetimesOf(dependencies.settings.current()).accessSeconds,
    }),
    keys: createSessionKeys(secret),
    log: createLog('identity', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' }),
  });
}

/** The role in an access token. */
export function roleIn(accessToken: string): string {
  return (JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()) as { role: string }).role;
}
