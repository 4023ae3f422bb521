import { sweepRpc } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import type { Lease } from '../lease/lease.ts';
import type { Change, Leaver, Plan } from '../plan/plan.ts';
import { batches, disabling, reconciling } from './apply.ts';
import type { ChangeResult, LeaverResult, Order, Results } from './report.ts';

const changesAtOnce = 500;

/** `onProgress` is called before each batch. */
type Deps = { bus: Pick<Bus, 'ask'>; onProgress: (done: number, total: number) => void };
/** The pass of the plan; it holds the lease. */
type Applying = { order: Pick<Order, 'passId'>; signal: AbortSignal; confirm: Lease['confirm'] };

/** Accounts that identity did not change because they had changed since the plan, and ended sessions by account. */
type Sent = { refused: Set<string>; sessions: Map<string, number> };

/** Sends the changes of a plan to identity and returns the result for each account. */
export const createApply = ({ bus, onProgress }: Deps) => {
  /** Builds and sends the changes in batches, because all changes of a large first pass would not fit in memory. */
  const send = async (pass: Applying, wanted: readonly (Leaver | Change)[]): Promise<Sent> => {
    const sent: Sent = { refused: new Set(), sessions: new Map() };
    let done = 0;
    for (const batch of batches(wanted, changesAtOnce)) {
      onProgress(done, wanted.length);
      pass.signal.throwIfAborted();
      // After a lost lease another pass may have made newer changes.
      await pass.confirm();
      const changes = batch.map((w) => ('reason' in w ? disabling(w) : reconciling(w)));
      const { results } = await bus.ask(sweepRpc.apply, { passId: pass.order.passId, changes });
      const applied = new Map(results.map((r) => [r.userId, r.outcome === 'applied' ? r.sessionsRevoked : null]));
      for (const { account, ...what } of batch) {
        const sessions = applied.get(account.userId) ?? null;
        if (sessions === null) sent.refused.add(account.userId);
        else if ('reason' in what) sent.sessions.set(account.userId, sessions);
      }
      done += batch.length;
    }
    return sent;
  };

  return async (pass: Applying, leavers: LeaverResult[], plan: Plan): Promise<Results> => {
    const going = new Set(leavers.filter((l) => l.outcome === 'disabled').map((l) => l.leaver.account.userId));
    const { refused, sessions } = await send(pass, [
      ...plan.leavers.filter((l) => going.has(l.account.userId)),
      ...plan.changes,
    ]);
    const disabled = leavers.map((l): LeaverResult => {
      if (l.outcome !== 'disabled') return l;
      const sessionsRevoked = sessions.get(l.leaver.account.userId);
      return sessionsRevoked === undefined ? { ...l, outcome: 'changed_meanwhile' } : { ...l, sessionsRevoked };
    });
    const changes = plan.changes.map((change): ChangeResult =>
      refused.has(change.account.userId)
        ? { change, applied: false, error: 'changed_meanwhile' }
        : { change, applied: true },
    );
    return { leavers: disabled, changes };
  };
};
