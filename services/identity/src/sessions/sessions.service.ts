import type { Outbox } from '@overtone/database';
import type { Log, Part } from '@overtone/service-kit';
import { toAuditRow } from '../audit/audit.ts';
import type { Db, Pool } from '../database.ts';
import type { Settings } from '../live-settings.ts';
import { createIssue } from './issue.ts';
import { openSession } from './open-session.store.ts';
import { createRefresh } from './refresh.service.ts';
import { createSessionEnds } from './session-ends.service.ts';
import { createSessionLimit } from './session-limit.service.ts';
import { asRole, boundsOf, lifetimesOf, refusalOf, type Bounds, type Lifetimes, type Sessions } from './sessions.ts';
import { sessionsStore } from './sessions.store.ts';
import type { AccessTokens, SessionKeys } from './tokens.ts';

type Deps = {
  db: Db;
  pool: Pool;
  outbox: Outbox;
  accessTokens: AccessTokens;
  keys: SessionKeys;
  settings: Settings;
  log: Log;
};

/** Opens, refreshes, resolves and ends sessions. */
export function createSessions(deps: Deps): Sessions & { part: Part } {
  const { db, pool, outbox, accessTokens, keys, settings, log } = deps;
  const lifetimes = (): Lifetimes => lifetimesOf(settings.current());
  const bounds = (): Bounds => boundsOf(new Date(), lifetimes());
  const issue = createIssue({ accessTokens, keys, lifetimes });
  const ends = createSessionEnds({ outbox });
  const enforceLimit = createSessionLimit({ db, log, settings, ends, bounds });

  return {
    part: {
      name: 'sessions',
      // A new signing secret ends the sessions of the previous one, including their sockets.
      start: async () =>
        db.$transaction(async (tx) => {
          const ended = await sessionsStore.revokeOfOtherSecrets(tx, keys.secretId);
          await ends.closeOpen(tx, ended, 'signing_secret_changed');
        }),
      stop: async () => {},
    },

    open: async (tx, user, client) => {
      await enforceLimit(tx, user.id, client);
      return issue.insert(tx, user, issue.newFamily(), client);
    },
    openSessionIfUnchanged: async ({ user, client, audit, forgives }) => {
      // With a session limit the account must be locked while its sessions are counted.
      if (settings.current().max_concurrent_sessions > 0) return undefined;
      const { row, issued } = issue.tokensOf(user, issue.newFamily(), client);
      const entry = { stamp: user.stamp, token: row, audit: toAuditRow(audit), forgives };
      return (await openSession(pool, entry)) ? issued : undefined;
    },
    rotate: createRefresh({ db, keys, issue, ends, bounds }),
    ...ends,
    ...createSessionQueries({ db, accessTokens, keys, settings, bounds }),
  };
}

type Queries = Pick<Sessions, 'alive' | 'countOf' | 'holdersOf' | 'resolve' | 'ownerOf' | 'isCsrfOf'>;
type QueryDeps = Pick<Deps, 'db' | 'accessTokens' | 'keys' | 'settings'> & { bounds: () => Bounds };

function createSessionQueries({ db, accessTokens, keys, settings, bounds }: QueryDeps): Queries {
  return {
    alive: (userId) => sessionsStore.alive(db, userId, bounds()),
    countOf: (authType) => sessionsStore.countOf(db, authType, bounds()),
    holdersOf: (authType, after, limit) => sessionsStore.holdersOf(db, authType, bounds(), { after, limit }),
    resolve: async (accessToken) => {
      const claims = accessTokens.verify(accessToken);
      if (!claims) return null;
      const user = await sessionsStore.live(db, claims.sub, claims.sid, bounds());
      if (!user) return null;
      return {
        userId: claims.sub,
        sessionId: claims.sid,
        // The role of the account, not of the token: a demotion is effective immediately.
        role: asRole(user.role),
        refusal: refusalOf(user, new Date(), settings.current()),
        expiresAt: claims.exp * 1000,
        csrfToken: keys.csrfOf(claims.sid),
      };
    },
    ownerOf: (refreshToken) => sessionsStore.byHash(db, keys.hashOf(refreshToken)),
    isCsrfOf: keys.isCsrfOf,
  };
}
