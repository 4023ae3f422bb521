import type { SignInSource } from '@overtone/contracts';
import { conflict, type Caller, type Client } from '@overtone/service-kit';
import { toAuditRow, writeAudit } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Settings } from '../live-settings.ts';

type RequestContext = { caller: Caller; client: Client };
type Count = { accounts: number; sessions: number };
type Holder = { userId: string; email: string };
type Deps = {
  db: Db;
  settings: Settings;
  sessions: Pick<Sessions, 'countOf' | 'holdersOf' | 'endAllOf' | 'endAll'>;
};
const accountsPerTransaction = 500;
const reason = 'source_switched_off';

/** Counts and ends the sessions of a source that was switched off: they remain until they are ended here. */
export function createSourceSessions({ db, settings, sessions }: Deps) {
  const isEnabled = (source: SignInSource): boolean => settings.current()[`${source}_enabled`];

  return {
    count: async (source: SignInSource): Promise<Count & { enabled: boolean }> => ({
      enabled: isEnabled(source),
      ...(await sessions.countOf(source)),
    }),

    /** @throws AppError conflict while the source is switched on, because its users would sign in again. */
    end: async (source: SignInSource, context: RequestContext): Promise<Count> => {
      if (isEnabled(source)) throw conflict('source_switched_on', 'Switch this sign-in method off first');
      const total: Count = { accounts: 0, sessions: 0 };
      let after: string | undefined;
      do {
        const holders: Holder[] = await sessions.holdersOf(source, after ?? null, accountsPerTransaction);
        const ended = await endSessionsOf({ db, sessions }, source, holders, context);
        total.accounts += ended.accounts;
        total.sessions += ended.sessions;
        after = holders.at(-1)?.userId;
      } while (after !== undefined);
      const { caller, client } = context;
      await writeAudit(db, {
        event: 'admin.sessions.end',
        outcome: 'success',
        actor: caller.userId,
        userId: caller.userId,
        client,
        details: { reason, source, accounts: total.accounts, sessions_revoked: total.sessions },
      });
      return total;
    },
  };
}

/** Ends the sessions of these accounts but for the caller's own session, with one audit record for each account. */
async function endSessionsOf(
  { db, sessions }: Pick<Deps, 'db' | 'sessions'>,
  source: SignInSource,
  holders: Holder[],
  { caller: { userId: callerId, sessionId }, client }: RequestContext,
): Promise<Count> {
  if (holders.length === 0) return { accounts: 0, sessions: 0 };
  return db.$transaction(async (tx) => {
    const others = holders.filter((holder) => holder.userId !== callerId).map((holder) => holder.userId);
    const ended = new Map(await sessions.endAllOf(tx, others, reason));
    if (others.length < holders.length) ended.set(callerId, await sessions.endAll(tx, callerId, reason, sessionId));
    const records = holders.flatMap(({ userId, email: username }) => {
      const count = ended.get(userId) ?? 0;
      const details = { reason, source, sessions_revoked: count };
      const by = { actor: callerId, client, outcome: 'success' } as const;
      return count === 0 ? [] : [toAuditRow({ event: 'auth.session.terminated', userId, username, details, ...by })];
    });
    await tx.auditLog.createMany({ data: records });
    return { accounts: records.length, sessions: [...ended.values()].reduce((sum, item) => sum + item, 0) };
  });
}

export type SourceSessions = ReturnType<typeof createSourceSessions>;
