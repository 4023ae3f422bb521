import { jest, describe, expect, it } from '@jest/globals';
import { createLog } from '@overtone/service-kit';
import { createMaintenance } from './lancedb-maintenance.ts';
import type { OpenTable } from './lancedb-tables.ts';

const log = createLog('search-indexer', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'text' });
const pause = { ms: 2_000, ofLastRun: 4 };

/** A table whose maintenance takes this long by the simulated clock. */
function tableThatTakes(ms: number): OpenTable {
  const table = {
    optimize: async () => void jest.advanceTimersByTime(ms),
    schema: async () => ({ fields: [] }),
  };
  return { lance: {}, table, rowIds: { scan: async () => {} } } as unknown as OpenTable;
}

describe('maintenance of the embedded index', () => {
  it('is due after a write, at least two seconds and four times its last duration after its last run', async () => {
    jest.useFakeTimers();
    const maintenance = createMaintenance({ log, indexFrom: 20_000, pause });
    expect(maintenance.isDue()).toBe(false);
    maintenance.noteWrite();
    expect(maintenance.isDue()).toBe(false);
    jest.advanceTimersByTime(2_000);
    expect(maintenance.isDue()).toBe(true);

    await maintenance.run(tableThatTakes(10_000), { force: false });
    jest.advanceTimersByTime(100_000);
    expect(maintenance.isDue()).toBe(false);

    maintenance.noteWrite();
    await maintenance.run(tableThatTakes(10_000), { force: false });
    maintenance.noteWrite();
    jest.advanceTimersByTime(39_999);
    expect(maintenance.isDue()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(maintenance.isDue()).toBe(true);
    jest.useRealTimers();
  });
});
