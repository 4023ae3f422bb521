import { sweepRpc, type ReplyOf } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import type { Account } from '../plan/plan.ts';

type Columns = ReplyOf<typeof sweepRpc.accounts>;
const pageSize = 2_000;

/** The columns have equal length, so the value exists. */
function at<T>(column: readonly T[], i: number): T {
  return column[i] as T;
}

function accountsOf(columns: Columns): Account[] {
  return columns.userId.map((userId, i) => ({
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
}

/** All directory accounts of identity, page by page. The next page is requested while the current one is processed. */
export async function* accountPages(bus: Pick<Bus, 'request'>): AsyncGenerator<Account[]> {
  const requestPage = (after: string | null): Promise<Columns> =>
    bus.request(sweepRpc.accounts, { after, limit: pageSize });
  for (let nextPage = requestPage(null); ;) {
    const columns = await nextPage;
    const last = columns.userId.at(-1);
    if (last === undefined) return;
    nextPage = requestPage(last);
    nextPage.catch(() => undefined); // the error is thrown by the next await
    yield accountsOf(columns);
  }
}
