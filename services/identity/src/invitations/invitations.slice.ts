import { userRoutes } from '@overtone/contracts';
import { clientOf, handle, periodic, type Slice } from '@overtone/service-kit';
import { requestContextOf } from '../users/users.ts';
import { toInvitationObject } from './invitations.ts';
import { createInvitations, type InvitationsDeps } from './invitations.service.ts';
import { invitationsStore } from './invitations.store.ts';

/** Invitation links: administrators create them, people set their password by them. */
export function createInvitationsSlice(deps: InvitationsDeps): Slice {
  const invitations = createInvitations(deps);
  return {
    routes: [
      handle(userRoutes.invite, async (request) =>
        toInvitationObject(await invitations.invite(request.params.uuid, requestContextOf(request))),
      ),
      handle(userRoutes.withdrawInvitation, async (request) => {
        await invitations.withdraw(request.params.uuid, requestContextOf(request));
        return undefined;
      }),
      handle(userRoutes.openInvitation, async (request) => {
        const { email, fullName, expiresAt } = await invitations.open(request.body.token, clientOf(request));
        return { email, full_name: fullName, expires_at: expiresAt.toISOString() };
      }),
      handle(userRoutes.acceptInvitation, (request) => {
        const { token, password } = request.body;
        return invitations.accept(token, password, clientOf(request));
      }),
    ],
    periodics: [periodic('delete expired invitations', 3_600_000, () => invitationsStore.deleteOld(deps.db))],
  };
}
