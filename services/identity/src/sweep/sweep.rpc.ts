import { sweepRpc } from '@overtone/contracts';
import { rpc, type RpcHandler } from '@overtone/service-kit';
import type { createSweepRules } from './sweep-rules.ts';
import type { Sweep } from './sweep.service.ts';

type Deps = { sweep: Sweep; rules: ReturnType<typeof createSweepRules> };

export function sweepRpcs({ sweep, rules }: Deps): RpcHandler[] {
  return [
    rpc(sweepRpc.rules, rules),
    rpc(sweepRpc.accounts, sweep.accounts),
    rpc(sweepRpc.apply, sweep.apply),
    rpc(sweepRpc.done, sweep.done),
    rpc(sweepRpc.undo, sweep.undo),
  ];
}
