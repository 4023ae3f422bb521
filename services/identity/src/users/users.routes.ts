import { userRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import { toInvitationObject } from '../invitations/invitations.ts';
import { toSessionObject } from '../sessions/sessions.ts';
import type { CertificateLinks } from './certificate.service.ts';
import type { Privileges } from './privileges.service.ts';
import { toAdminUserObject, requestContextOf } from './rules.ts';
import type { Users } from './users.service.ts';

/** The accounts: list, create, read, change. */
export function accountRoutes(users: Users): Route[] {
  return [
    handle(userRoutes.users, async ({ query }) => {
      const { users: found, total } = await users.page(query);
      const { page, page_size } = query;
      return { items: found.map((user) => toAdminUserObject(user)), total, page, page_size };
    }),
    handle(userRoutes.createUser, async (request) => {
      const { user, invitation } = await users.create(request.body, requestContextOf(request));
      return { ...toAdminUserObject(user), invitation: invitation && toInvitationObject(invitation) };
    }),
    handle(userRoutes.findUsers, async ({ query, caller }) =>
      (await users.findOthers(query.q, caller.userId)).map(({ id, fullName, email }) => ({
        uuid: id,
        full_name: fullName,
        email,
      })),
    ),
    handle(userRoutes.user, async ({ params }) => toAdminUserObject(await users.find(params.uuid))),
    handle(userRoutes.updateUser, async (request) =>
      toAdminUserObject(await users.update(request.params.uuid, request.body, requestContextOf(request))),
    ),
  ];
}

/** Roles, passwords, locks and sessions of accounts. */
export function privilegeRoutes(privileges: Privileges): Route[] {
  return [
    handle(userRoutes.deleteUser, async (request) => {
      await privileges.remove(request.params.uuid, requestContextOf(request));
      return undefined;
    }),
    handle(userRoutes.changeRole, async (request) => {
      const { new_role } = request.query;
      const { old } = await privileges.changeRole(request.params.uuid, new_role, requestContextOf(request));
      return { success: true as const, old_role: old, new_role };
    }),
    handle(userRoutes.resetPassword, async (request) => {
      const { new_password: password, force_change: forceChange } = request.body;
      const context = requestContextOf(request);
      const ended = await privileges.resetPassword(request.params.uuid, { password, forceChange }, context);
      return { success: true as const, sessions_terminated: ended };
    }),
    handle(userRoutes.unlockUser, async (request) => ({
      success: true as const,
      was_locked: await privileges.unlock(request.params.uuid, requestContextOf(request)),
    })),
    handle(userRoutes.userSessions, async (request) => {
      const alive = await privileges.sessionsOf(request.params.uuid, requestContextOf(request));
      const { sessionId } = request.caller;
      return { sessions: alive.map((session) => toSessionObject(session, sessionId)), total: alive.length };
    }),
    handle(userRoutes.endUserSessions, async (request) => ({
      success: true as const,
      sessions_terminated: await privileges.endSessions(request.params.uuid, requestContextOf(request)),
    })),
    handle(userRoutes.endUserSession, async (request) => {
      await privileges.endSession(request.params.uuid, request.params.session_uuid, requestContextOf(request));
      return undefined;
    }),
  ];
}

export function certificateRoutes(certificates: CertificateLinks, users: Users): Route[] {
  return [
    handle(userRoutes.linkCertificate, async (request) => {
      await certificates.link(request.params.uuid, request.body, requestContextOf(request));
      return toAdminUserObject(await users.find(request.params.uuid));
    }),
    handle(userRoutes.unlinkCertificate, async (request) => {
      await certificates.unlink(request.params.uuid, requestContextOf(request));
      return undefined;
    }),
  ];
}
