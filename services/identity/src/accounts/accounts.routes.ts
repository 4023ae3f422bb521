import { identityRoutes, identityRpc } from '@overtone/contracts';
import { answer, handle, type Route, type RpcHandler } from '@overtone/service-kit';
import { clientOf } from '../client.ts';
import { toUserObject } from './accounts.ts';
import type { Accounts } from './accounts.service.ts';

export const accountsRoutes = ({ accounts }: { accounts: Accounts }): Route[] => [
  handle(identityRoutes.me, async (r) => toUserObject(await accounts.me(r.caller.userId))),
  handle(identityRoutes.updateMe, async (r) => {
    const { full_name: fullName, current_password: currentPassword, password } = r.body;
    return toUserObject(await accounts.change(r.caller, { fullName, currentPassword, password }, clientOf(r)));
  }),
];

export const accountsRpc = ({ accounts }: { accounts: Accounts }): RpcHandler[] => [
  answer(identityRpc.names, async ({ userIds }) => ({ users: await accounts.names(userIds) })),
];
