import { sweepRpc } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import type { Lease } from '../lease/lease.ts';
import type { Change, DeprovisioningCandidate, Plan } from '../plan/plan.ts';
import { batches, toDisableChange, toReconcileChange } from './apply.ts';
import type { CandidateResult, ChangeResult, PassRequest, Results } from './report.ts';

const batchSize = 500;

/** `onProgress` is called before each batch. */
type Deps = { bus: Pick<Bus, 'request'>; onProgress: (done: number, total: number) => void };
/** The pass of the plan; it holds the lease. */
type PassContext = { request: Pick<PassRequest, 'passId'>; signal: AbortSignal; confirm: Lease['confirm'] };

/** Accounts that identity did not change because they had changed since the plan, and revoked sessions by account. */
type ApplyResult = { rejected: Set<string>; revokedSessions: Map<string, number> };

/** Sends the changes of a plan to identity and returns the result for each account. */
export function createApply({ bus, onProgress }: Deps) {
  /** Builds and sends the changes in batches, because all changes of a large first pass would not fit in memory. */
  const send = async (
    pass: PassContext,
    planned: readonly (DeprovisioningCandidate | Change)[],
  ): Promise<ApplyResult> => {
    const result: ApplyResult = { rejected: new Set(), revokedSessions: new Map() };
    let done = 0;
    for (const batch of batches(planned, batchSize)) {
      onProgress(done, planned.length);
      pass.signal.throwIfAborted();
      // After a lost lease another pass may have made newer changes.
      await pass.confirm();
      const changes = batch.map((item) => ('reason' in item ? toDisableChange(item) : toReconcileChange(item)));
      const { results } = await bus.request(sweepRpc.apply, { passId: pass.request.passId, changes });
      const applied = new Map(
        results.map((reply) => [reply.userId, reply.outcome === 'applied' ? reply.sessionsRevoked : null]),
      );
      for (const { account, ...item } of batch) {
        const sessions = applied.get(account.userId) ?? null;
        if (sessions === null) result.rejected.add(account.userId);
        else if ('reason' in item) result.revokedSessions.set(account.userId, sessions);
      }
      done += batch.length;
    }
    return result;
  };

  return async (pass: PassContext, rechecked: CandidateResult[], plan: Plan): Promise<Results> => {
    const toDisable = new Set(
      rechecked.filter(({ outcome }) => outcome === 'disabled').map(({ candidate }) => candidate.account.userId),
    );
    const { rejected, revokedSessions } = await send(pass, [
      ...plan.candidates.filter(({ account }) => toDisable.has(account.userId)),
      ...plan.changes,
    ]);
    const candidates = rechecked.map((result): CandidateResult => {
      if (result.outcome !== 'disabled') return result;
      const sessionsRevoked = revokedSessions.get(result.candidate.account.userId);
      return sessionsRevoked === undefined
        ? { ...result, outcome: 'changed_meanwhile' }
        : { ...result, sessionsRevoked };
    });
    const changes = plan.changes.map((change): ChangeResult =>
      rejected.has(change.account.userId)
        ? { change, applied: false, error: 'changed_meanwhile' }
        : { change, applied: true },
    );
    return { candidates, changes };
  };
}
