import { identityRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import type { Sessions } from './sessions.ts';

export const sessionsRpc = ({ sessions }: { sessions: Sessions }): RpcHandler[] => [
  answer(identityRpc.resolveSession, async ({ accessToken }) => ({ session: await sessions.resolve(accessToken) })),
];
