import { sweepRpc, type ReplyOf } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import type { Account } from '../plan/plan.ts';

type Columns = ReplyOf<typeof sweepRpc.accounts>;
const atOnce = 2_000;

/** The row of every number that the columns have. */
const at = <T>(column: readonly T[], i: number): T => column[i] as T;
const accountsOf = (columns: Columns): Account[] =>
  columns.userId.map((userId, i) => ({
    userId,
    email: at(columns.email, i),
    login: at(columns.login, i),
    directoryId: at(columns.directoryId, i),
    authType: at(columns.authType, i),
    role: at(columns.role, i),
    active: at(columns.active, i),
    disabledBy: at(columns.disabledBy, i),
    fromDirectory: at(columns.fromDirectory, i),
    byHand: at(columns.byHand, i),
  }));

/** All directory accounts of identity, page after page; the next page is made while one is looked at. */
export const accountPages = async function* (bus: Pick<Bus, 'ask'>): AsyncGenerator<Account[]> {
  const ask = (after: string | null): Promise<Columns> => bus.ask(sweepRpc.accounts, { after, limit: atOnce });
  for (let coming = ask(null); ;) {
    const columns = await coming;
    const last = columns.userId.at(-1);
    if (last === undefined) return;
    coming = ask(last);
    coming.catch(() => undefined); // told when its turn comes
    yield accountsOf(columns);
  }
};
