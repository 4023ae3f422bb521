import { directorySyncRpc, type DirectoryChange } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import type { Lease } from '../lease/lease.ts';
import {
  decide,
  type Change,
  type ChangedAccount,
  type DeprovisioningCandidate,
  type Person,
  type Plan,
  type PlannedCandidate,
  type Rules,
} from '../plan/plan.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { CandidateResult, ChangeResult, RunRequest, Results } from './report.ts';

const batchSize = 500;

type RecheckOptions = {
  dryRun: boolean;
  snapshot: Snapshot;
  rules: Rules;
  onProgress: (done: number, total: number) => void;
};

/**
 * Reads every account that is to be disabled now from the directory again, and keeps those that the recheck does not
 * confirm. If one request fails, no account is disabled.
 */
export async function recheckCandidates({ candidates }: Plan, options: RecheckOptions): Promise<CandidateResult[]> {
  const { dryRun, snapshot, rules, onProgress } = options;
  const outcomes = { disable: dryRun ? 'would_disable' : 'disabled', deferred: 'deferred', held: 'held' } as const;
  const toDisable = candidates.filter(isToDisable);
  const confirmed = new Set<PlannedCandidate>();
  let checked = 0;
  onProgress(0, toDisable.length);
  const accounts = toDisable.map(({ account }) => account);
  for await (const person of accounts.length > 0 ? snapshot.recheck(accounts) : []) {
    const candidate = toDisable[checked];
    if (candidate && isConfirmed(candidate, person, rules)) confirmed.add(candidate);
    onProgress((checked += 1), toDisable.length);
  }
  return candidates.map((candidate) => {
    const isUnconfirmed = isToDisable(candidate) && !confirmed.has(candidate);
    return { candidate, outcome: isUnconfirmed ? 'replication_pending' : outcomes[candidate.outcome] };
  });
}

function isToDisable({ outcome }: PlannedCandidate): boolean {
  return outcome === 'disable';
}

/** Whether the recheck gives the same decision with the same reason. */
function isConfirmed(candidate: PlannedCandidate, person: Person | null, rules: Rules): boolean {
  const people = {
    byId: (id: string) => (person && person.id === id ? person : undefined),
    byLogin: () => person ?? undefined,
  };
  const decision = decide(candidate.account, people, rules);
  return decision.kind === 'candidate' && decision.candidate.reason === candidate.reason;
}

/** The sync run of the plan; it holds the lease. `onProgress` is called before each batch. */
type ApplyOptions = {
  request: Pick<RunRequest, 'passId'>;
  signal: AbortSignal;
  confirm: Lease['confirm'];
  bus: Pick<Bus, 'request'>;
  onProgress: (done: number, total: number) => void;
};

/** Accounts that identity did not change because they had changed since the plan, and revoked sessions by account. */
type ApplyResult = { rejected: Set<string>; revokedSessions: Map<string, number> };

/** Sends the changes of a plan to identity and returns the result for each account. */
export async function applyPlan(plan: Plan, rechecked: CandidateResult[], options: ApplyOptions): Promise<Results> {
  const toDisable = new Set(
    rechecked.filter(({ outcome }) => outcome === 'disabled').map(({ candidate }) => candidate.account.userId),
  );
  const candidates = plan.candidates.filter(({ account }) => toDisable.has(account.userId));
  const { rejected, revokedSessions } = await sendChanges([...candidates, ...plan.changes], options);
  return {
    candidates: rechecked.map((result): CandidateResult => {
      if (result.outcome !== 'disabled') return result;
      const sessionsRevoked = revokedSessions.get(result.candidate.account.userId);
      return sessionsRevoked === undefined
        ? { ...result, outcome: 'changed_meanwhile' }
        : { ...result, sessionsRevoked };
    }),
    changes: plan.changes.map((change): ChangeResult =>
      rejected.has(change.account.userId)
        ? { change, applied: false, error: 'changed_meanwhile' }
        : { change, applied: true },
    ),
  };
}

/** Builds and sends the changes in batches, because all changes of a large first sync run would not fit in memory. */
async function sendChanges(
  planned: readonly (DeprovisioningCandidate | Change)[],
  { request, signal, confirm, bus, onProgress }: ApplyOptions,
): Promise<ApplyResult> {
  const result: ApplyResult = { rejected: new Set(), revokedSessions: new Map() };
  let done = 0;
  for (const batch of batches(planned, batchSize)) {
    onProgress(done, planned.length);
    signal.throwIfAborted();
    // After a lost lease another sync run may have made newer changes.
    await confirm();
    const changes = batch.map((item) => ('reason' in item ? toDisableChange(item) : toReconcileChange(item)));
    const { results } = await bus.request(directorySyncRpc.apply, { passId: request.passId, changes });
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
}

function toDisableChange({ account, reason, evidence }: DeprovisioningCandidate): DirectoryChange {
  return {
    ...emptyChange(),
    userId: account.userId,
    expected: expectedState(account),
    disable: { reason, evidence: { ...evidence } },
  };
}

function toReconcileChange({ account, role, add, remove, adopt }: Change): DirectoryChange {
  return {
    ...emptyChange(),
    userId: account.userId,
    expected: expectedState(account),
    role,
    add: [...add],
    remove: [...remove],
    adopt,
  };
}

function emptyChange() {
  return { disable: null, role: null, add: [], remove: [], adopt: null };
}

function expectedState({ role, directoryId }: ChangedAccount): DirectoryChange['expected'] {
  return { role, directoryId };
}

/** Lists of at most `size`. */
export function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}
