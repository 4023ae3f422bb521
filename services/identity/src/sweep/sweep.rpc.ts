import { sweepRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import type { Sweep } from './sweep.service.ts';

export const sweepRpcs = ({ sweep }: { sweep: Sweep }): RpcHandler[] => [
  answer(sweepRpc.accounts, sweep.accounts),
  answer(sweepRpc.apply, sweep.apply),
  answer(sweepRpc.undo, sweep.undo),
];
