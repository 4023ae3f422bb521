import type { SyncRunReport } from '@overtone/contracts';
import type { Client } from './client.ts';
import { until } from './until.ts';

/** The API of the directory sync. */
export const syncPath = '/api/admin/directory-sync';

/** Waits for the report of a sync run. */
export function reportOf(root: Client, id: string, limitMs: number): Promise<SyncRunReport> {
  return until(
    `the report of sync run ${id}`,
    async () => {
      const { status, body } = await root.call<SyncRunReport>('GET', `${syncPath}/passes/${id}`);
      return status === 200 && body;
    },
    limitMs,
  );
}
