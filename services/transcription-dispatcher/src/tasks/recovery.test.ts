import { expect, it } from '@jest/globals';
import type { Lease } from '../workers/workers.ts';
import type { RunningTask } from './open-tasks.read-model.ts';
import { createRecovery, type RecoveryDeps } from './recovery.service.ts';

function running(id: string): RunningTask {
  const claimedAt = new Date(Date.now() - 3_600_000);
  return { id, token: 1, stage: 'transcribe', worker: 'a', claimedAt, costS: 1, infraRequeues: 0 };
}

it('leaves a task to its worker whose lease was renewed while others were requeued', async () => {
  const leases = new Map<string, Lease>();
  const requeued: string[] = [];
  const deps: Partial<RecoveryDeps> = {
    maxInfraRequeues: 5,
    log: { warn: () => undefined } as unknown as RecoveryDeps['log'],
    openTasks: { running: async () => [running('lost'), running('renewed')] } as unknown as RecoveryDeps['openTasks'],
    leases: {
      areComplete: () => true,
      entries: () => leases,
      of: (taskId) => leases.get(taskId),
      drop: async () => undefined,
    },
    tasks: {
      requeue: async ({ id }) => {
        requeued.push(id);
        leases.set('renewed', { token: 1, expiresAt: Date.now() + 60_000 } as Lease);
        return true;
      },
    },
  };
  expect(await createRecovery(deps as RecoveryDeps).requeueLostTasks()).toEqual({ found: 2, reset: 1 });
  expect(requeued).toEqual(['lost']);
});
