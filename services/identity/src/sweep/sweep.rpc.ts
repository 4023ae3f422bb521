import { sweepRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import type { createSweepRules } from './sweep-rules.ts';
import type { Sweep } from './sweep.service.ts';

type Deps = { sweep: Sweep; rules: ReturnType<typeof createSweepRules> };

export function sweepRpcs({ sweep, rules }: Deps): RpcHandler[] {
  return [
    answer(sweepRpc.rules, rules),
    answer(sweepRpc.accounts, sweep.accounts),
    answer(sweepRpc.apply, sweep.apply),
    answer(sweepRpc.done, sweep.done),
    answer(sweepRpc.undo, sweep.undo),
  ];
}
