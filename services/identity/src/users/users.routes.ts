import { userRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import { toSessionObject } from '../sessions/sessions.ts';
import type { CertificateLinks } from './certificate.service.ts';
import type { Privileges } from './privileges.service.ts';
import { toAdminUserObject, requestContextOf } from './rules.ts';
import type { Users } from './users.service.ts';

type Deps = { users: Users; privileges: Privileges; certificates: CertificateLinks };

export function usersRoutes({ users, privileges, certificates }: Deps): Route[] {
  return [
    handle(userRoutes.users, async (r) => {
      const { users: found, total } = await users.page(r.query);
      const { page, page_size } = r.query;
      return { items: found.map((u) => toAdminUserObject(u)), total, page, page_size };
    }),
    handle(userRoutes.createUser, async (r) => toAdminUserObject(await users.create(r.body, requestContextOf(r)))),
    handle(userRoutes.findUsers, async (r) =>
      (await users.findOthers(r.query.q, r.caller.userId)).map((u) => ({
        uuid: u.id,
        full_name: u.fullName,
        email: u.email,
      })),
    ),
    handle(userRoutes.user, async (r) => toAdminUserObject(await users.find(r.params.uuid))),
    handle(userRoutes.updateUser, async (r) =>
      toAdminUserObject(await users.update(r.params.uuid, r.body, requestContextOf(r))),
    ),
    handle(userRoutes.deleteUser, async (r) => {
      await privileges.remove(r.params.uuid, requestContextOf(r));
      return undefined;
    }),
    handle(userRoutes.changeRole, async (r) => {
      const { new_role } = r.query;
      const { old } = await privileges.changeRole(r.params.uuid, new_role, requestContextOf(r));
      return { success: true as const, old_role: old, new_role };
    }),
    handle(userRoutes.resetPassword, async (r) => {
      const { new_password: password, force_change: forceChange } = r.body;
      const ended = await privileges.resetPassword(r.params.uuid, { password, forceChange }, requestContextOf(r));
      return { success: true as const, sessions_terminated: ended };
    }),
    handle(userRoutes.unlockUser, async (r) => ({
      success: true as const,
      was_locked: await privileges.unlock(r.params.uuid, requestContextOf(r)),
    })),
    handle(userRoutes.linkCertificate, async (r) => {
      await certificates.link(r.params.uuid, r.body, requestContextOf(r));
      return toAdminUserObject(await users.find(r.params.uuid));
    }),
    handle(userRoutes.unlinkCertificate, async (r) => {
      await certificates.unlink(r.params.uuid, requestContextOf(r));
      return undefined;
    }),
    handle(userRoutes.userSessions, async (r) => {
      const alive = await privileges.sessionsOf(r.params.uuid, requestContextOf(r));
      return { sessions: alive.map((s) => toSessionObject(s, r.caller.sessionId)), total: alive.length };
    }),
    handle(userRoutes.endUserSessions, async (r) => ({
      success: true as const,
      sessions_terminated: await privileges.endSessions(r.params.uuid, requestContextOf(r)),
    })),
    handle(userRoutes.endUserSession, async (r) => {
      await privileges.endSession(r.params.uuid, r.params.session_uuid, requestContextOf(r));
      return undefined;
    }),
  ];
}
