import { identityRoutes, internalRoutes, receivedHeader } from '@overtone/contracts';
import { clientOf, forbidden, handle, reply, unauthenticated, type Route } from '@overtone/service-kit';
import { receivedAtOf, toSessionObject, type Sessions } from './sessions.ts';
import type { SignOut } from './sign-out.service.ts';
import { clearedCookies, cookieValue, secureCookies, tokenReply } from './token-cookies.ts';

type Deps = { sessions: Sessions; signOut: SignOut; allowInsecureCookies: boolean };

const clearCookies = { headers: { 'Set-Cookie': clearedCookies() } };

export function sessionsRoutes({ sessions, signOut, allowInsecureCookies }: Deps): Route[] {
  return [
    handle(identityRoutes.refresh, async (request) => {
      const secure = secureCookies(request.origin, allowInsecureCookies);
      const cookies = request.req.get('cookie');
      const refreshToken = request.body?.refresh_token ?? cookieValue(cookies, 'refresh_token');
      if (!refreshToken) throw unauthenticated('refresh_refused', 'There is no refresh token. Please sign in.');
      if (request.body?.refresh_token === undefined) checkCsrf(sessions, await sessions.ownerOf(refreshToken), cookies);
      const receivedAt = receivedAtOf(request.req.get(receivedHeader), Date.now());
      const issued = await sessions.rotate(refreshToken, receivedAt, clientOf(request));
      return tokenReply(issued, { secure });
    }),

    // Signing out always succeeds: without a session it only clears the cookies.
    handle(identityRoutes.logout, async (request) => {
      const cookies = request.req.get('cookie');
      const refreshToken = request.body?.refresh_token ?? cookieValue(cookies, 'refresh_token');
      const owner = refreshToken && !request.maybeCaller ? await sessions.ownerOf(refreshToken) : null;
      if (request.body?.refresh_token === undefined) checkCsrf(sessions, owner, cookies);
      const session = request.maybeCaller ?? owner;
      if (session) await signOut.signOut(session, clientOf(request));
      return reply({ message: 'Signed out' }, clearCookies);
    }),

    handle(identityRoutes.logoutAll, async (request) => {
      const ended = await signOut.signOutEverywhere(request.caller.userId, clientOf(request));
      return reply({ message: 'Signed out everywhere', sessions_revoked: ended }, clearCookies);
    }),

    handle(identityRoutes.sessions, async ({ caller }) => {
      const rows = await sessions.alive(caller.userId);
      return { sessions: rows.map((row) => toSessionObject(row, caller.sessionId)), total: rows.length };
    }),

    handle(identityRoutes.endSession, async (request) => {
      await signOut.endOwnSession(request.caller.userId, request.params.uuid, clientOf(request));
      return reply(undefined, request.params.uuid === request.caller.sessionId ? clearCookies : {});
    }),

    handle(internalRoutes.resolveSession, async (request) => ({
      session: await sessions.resolve(request.body.accessToken),
    })),
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
