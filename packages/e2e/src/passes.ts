import type { PassReport } from '@overtone/contracts';
import type { Client } from './client.ts';
import { until } from './until.ts';

/** The API of the directory sweep. */
export const sweepPath = '/api/admin/directory-sync';

/** Waits for the report of a pass. */
export function reportOf(root: Client, id: string, limitMs: number): Promise<PassReport> {
  return until(
    `the report of pass ${id}`,
    async () => {
      const { status, body } = await root.call<PassReport>('GET', `${sweepPath}/passes/${id}`);
      return status === 200 && body;
    },
    limitMs,
  );
}
