import { identityRpc } from '@overtone/contracts';
import { rpc, type RpcHandler } from '@overtone/service-kit';
import type { Sessions } from './sessions.ts';

export function sessionsRpc({ sessions }: { sessions: Sessions }): RpcHandler[] {
  return [
    rpc(identityRpc.resolveSession, async ({ accessToken }) => ({ session: await sessions.resolve(accessToken) })),
  ];
}
