import { identityRoutes, userRoutes, type UserObject } from '@overtone/contracts';
import { clientOf, handle, type Route } from '@overtone/service-kit';
import type { User } from '../generated/client.ts';
import { toPasswordPolicy } from '../passwords/passwords.ts';
import type { Settings } from '../live-settings.ts';
import { toUserObject } from './accounts.ts';
import type { Accounts } from './accounts.service.ts';
import type { Registration } from './registration.service.ts';

type Deps = { accounts: Accounts; registration: Registration; settings: Settings };

export function accountsRoutes({ accounts, registration, settings }: Deps): Route[] {
  const shown = (user: User): UserObject => ({
    ...toUserObject(user),
    must_change_password: accounts.mustChangePassword(user),
  });
  return [
    handle(identityRoutes.me, async (request) => shown(await accounts.me(request.caller.userId))),
    handle(identityRoutes.updateMe, async (request) => {
      const { full_name: fullName, current_password: currentPassword, password } = request.body;
      return shown(await accounts.change(request.caller, { fullName, currentPassword, password }, clientOf(request)));
    }),
    handle(userRoutes.register, async (request) => {
      const { email, password, full_name: fullName } = request.body;
      await registration.register({ email, password, fullName }, clientOf(request));
      return {
        message: 'If this address is new, your account has been created. It may need approval.',
      };
    }),
    handle(userRoutes.passwordPolicy, async () => toPasswordPolicy(settings.current())),
  ];
}
