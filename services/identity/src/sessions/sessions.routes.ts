import { identityRoutes, internalRoutes, receivedHeader } from '@overtone/contracts';
import { forbidden, handle, reply, unauthenticated, type Route } from '@overtone/service-kit';
import { clientOf } from '../client.ts';
import {
  clearedCookies,
  cookieValue,
  receivedAtOf,
  secureCookies,
  tokenReply,
  toSessionObject,
  type Sessions,
} from './sessions.ts';
import type { SignOut } from './sign-out.service.ts';

type Deps = { sessions: Sessions; signOut: SignOut; allowInsecureCookies: boolean };

const clearCookies = { headers: { 'Set-Cookie': clearedCookies() } };

export function sessionsRoutes({ sessions, signOut, allowInsecureCookies }: Deps): Route[] {
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
      if (session) await signOut.signOut(session, clientOf(r));
      return reply({ message: 'Signed out' }, clearCookies);
    }),

    handle(identityRoutes.logoutAll, async (r) => {
      const ended = await signOut.signOutEverywhere(r.caller.userId, clientOf(r));
      return reply({ message: 'Signed out everywhere', sessions_revoked: ended }, clearCookies);
    }),

    handle(identityRoutes.sessions, async ({ caller }) => {
      const rows = await sessions.alive(caller.userId);
      return { sessions: rows.map((row) => toSessionObject(row, caller.sessionId)), total: rows.length };
    }),

    handle(identityRoutes.endSession, async (r) => {
      await signOut.endOwnSession(r.caller.userId, r.params.uuid, clientOf(r));
      return reply(undefined, r.params.uuid === r.caller.sessionId ? clearCookies : {});
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
