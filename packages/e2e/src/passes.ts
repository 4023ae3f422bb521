import type { PassReport } from '@overtone/contracts';
import type { Client } from './client.ts';
import { until } from './runner.ts';

/** Where the sweep is ordered and told of. */
export const sweepPath = '/api/admin/directory-sync';

/** What a pass has done, once it has told. */
export const reportOf = (root: Client, id: string, limitMs: number): Promise<PassReport> =>
  until(
    `the report of pass ${id}`,
    async () => {
      const { status, body } = await root.call<PassReport>('GET', `${sweepPath}/passes/${id}`);
      return status === 200 && body;
    },
    limitMs,
  );
