import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createLog } from '@overtone/service-kit';
import { createMaintenance } from './lancedb-maintenance.ts';

const log = createLog('search-indexer', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'text' });

const opened = {
  table: { name: 'passages', checkoutLatest: async () => {} },
  rowIds: { scan: async () => {} },
} as unknown as Parameters<ReturnType<typeof createMaintenance>['run']>[0];

function start(optimize: () => Promise<void>) {
  jest.useFakeTimers();
  return createMaintenance({ optimize, pause: { ms: 2_000, ofLastRun: 4, readersMs: 0 }, log });
}

afterEach(() => void jest.useRealTimers());

describe('maintenance of the embedded index', () => {
  it('is due after a write, at least two seconds and four times its last duration after its last run', async () => {
    const maintenance = start(async () => {
      jest.advanceTimersByTime(10_000);
    });
    expect(maintenance.isDue()).toBe(false);
    maintenance.noteWrite();
    expect(maintenance.isDue()).toBe(false);
    jest.advanceTimersByTime(2_000);
    expect(maintenance.isDue()).toBe(true);

    await maintenance.run(opened, { force: false });
    jest.advanceTimersByTime(100_000);
    expect(maintenance.isDue()).toBe(false);

    maintenance.noteWrite();
    await maintenance.run(opened, { force: false });
    maintenance.noteWrite();
    jest.advanceTimersByTime(39_999);
    expect(maintenance.isDue()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(maintenance.isDue()).toBe(true);
  });

  it('that failed is due again without another write, after the same pause', async () => {
    const maintenance = start(async () => {
      jest.advanceTimersByTime(10_000);
      throw new Error('killed');
    });
    maintenance.noteWrite();
    await expect(maintenance.run(opened, { force: false })).rejects.toThrow('killed');
    jest.advanceTimersByTime(39_999);
    expect(maintenance.isDue()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(maintenance.isDue()).toBe(true);
  });
});
