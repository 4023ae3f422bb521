import { identityRoutes, internalRoutes, receivedHeader } from '@overtone/contracts';
import { forbidden, handle, notFound, reply, unauthenticated, type Route } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import { clientOf } from '../client.ts';
import { txOptions, type Db } from '../database.ts';
import {
  clearedCookies,
  cookieValue,
  receivedAtOf,
  secureCookies,
  tokenReply,
  toSessionObject,
  type Sessions,
} from './sessions.ts';

type Deps = { db: Db; sessions: Sessions; allowInsecureCookies: boolean };

export function sessionsRoutes({ db, sessions, allowInsecureCookies }: Deps): Route[] {
  return [
    handle(identityRoutes.refresh, async (r) => {
      const secure = secureCookies(r.origin, allowInsecureCookies);
      const cookies = r.req.get('cookie');
      const refreshToken = r.body?.refresh_token ?? cookieValue(cookies, 'refresh_token');
      if (!refreshToken) throw unauthenticated('refresh_refused', 'There is no refresh token. Please sign in.');
      if (r.body?.refresh_token === undefined) checkCsrf(sessions, await sessions.ownerOf(refreshToken), cookies);
      const receivedAt = receivedAtOf(r.req.get(receivedHeader), Date.now());
      const issued = await sessions.rotate(refreshToken, receivedAt, clientOf(r));
      return tokenReply(issued, { secure });
    }),

    // Signing out always succeeds: without a session it only clears the cookies.
    handle(identityRoutes.logout, async (r) => {
      const cookies = r.req.get('cookie');
      const refreshToken = r.body?.refresh_token ?? cookieValue(cookies, 'refresh_token');
      const owner = refreshToken && !r.maybeCaller ? await sessions.ownerOf(refreshToken) : null;
      if (r.body?.refresh_token === undefined) checkCsrf(sessions, owner, cookies);
      const session = r.maybeCaller ?? owner;
      if (session) {
        await db.$transaction(async (tx) => {
          const ended = await sessions.endOne(tx, session.userId, session.sessionId, 'logout');
          if (ended)
            await writeAudit(tx, {
              event: 'auth.logout',
              outcome: 'success',
              userId: session.userId,
              client: clientOf(r),
            });
        }, txOptions);
      }
      return reply({ message: 'Signed out' }, { headers: { 'Set-Cookie': clearedCookies() } });
    }),

    handle(identityRoutes.logoutAll, async (r) => {
      const { userId } = r.caller;
      const ended = await db.$transaction(async (tx) => {
        const count = await sessions.endAll(tx, userId, 'logout_all');
        await writeAudit(tx, {
          event: 'auth.logout.all',
          outcome: 'success',
          userId,
          client: clientOf(r),
          details: { sessions_revoked: count },
        });
        return count;
      }, txOptions);
      return reply(
        { message: 'Signed out everywhere', sessions_revoked: ended },
        { headers: { 'Set-Cookie': clearedCookies() } },
      );
    }),

    handle(identityRoutes.sessions, async (r) => {
      const rows = await sessions.alive(r.caller.userId);
      return {
        sessions: rows.map((row) => toSessionObject(row, r.caller.sessionId)),
        total: rows.length,
      };
    }),

    handle(identityRoutes.endSession, async (r) => {
      const { userId, sessionId } = r.caller;
      await db.$transaction(async (tx) => {
        const ended = await sessions.endOne(tx, userId, r.params.uuid, 'ended_by_user');
        if (!ended) throw notFound('There is no such session');
        await writeAudit(tx, {
          event: 'auth.session.terminated',
          outcome: 'success',
          userId,
          client: clientOf(r),
          details: { session: r.params.uuid },
        });
      }, txOptions);
      return reply(undefined, r.params.uuid === sessionId ? { headers: { 'Set-Cookie': clearedCookies() } } : {});
    }),

    handle(internalRoutes.resolveSession, async (r) => ({ session: await sessions.resolve(r.body.accessToken) })),
  ];
}

/**
 * Requests that are authenticated by a cookie alone must have the CSRF cookie of the same session. The edge has checked
 * that the header repeats it.
 * @throws AppError forbidden, code csrf_failed.
 */
function checkCsrf(sessions: Sessions, by: { sessionId: string } | null, cookies: string | undefined): void {
  if (by && !sessions.isCsrfOf(by.sessionId, cookieValue(cookies, 'csrf_token')))
    throw forbidden('csrf_failed', 'CSRF token missing or invalid');
}
