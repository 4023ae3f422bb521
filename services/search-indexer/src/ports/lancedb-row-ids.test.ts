import type { Table } from '@lancedb/lancedb';
import { expect, it, jest } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { createRowIdCache } from './lancedb-row-ids.ts';

it('reports a scan of the row ids that failed', async () => {
  const err = new Error('disk');
  const query = () => {
    throw err;
  };
  const warn = jest.fn();
  createRowIdCache({ query } as unknown as Table, { warn });
  await waitFor(() => warn.mock.calls.length > 0);
  expect(warn).toHaveBeenCalledWith({ err }, 'row id scan failed');
});
