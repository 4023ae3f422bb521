import { describe, expect, it } from '@jest/globals';
import { directoryJobs } from '@overtone/contracts';
import { startNats, waitFor } from '@overtone/testkit';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import { createBus, createLog, type Bus } from '@overtone/service-kit';
import { everySlot, namedId, putJob } from './slots.ts';

const log = createLog('directory-sync', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
const nats = await stopAfterFile(startNats());
const replicas = [0, 1].map(() => createBus({ service: 'directory-sync', url: nats.url, log }));
await Promise.all(replicas.map((bus) => bus.connect()));
cleanUpAfterFile(() => Promise.all(replicas.map((bus) => bus.close())));

describe('a periodic job', () => {
  it('is on the bus once for each slot, though every replica orders it', async () => {
    const [bus] = replicas as [Bus];
    const jsm = await bus.jetstreamManager();
    await jsm.streams.add({ name: 'JOBS', subjects: ['job.>'] });
    const ordered = replicas.map(() => new Set<string>());
    const running = replicas.map((replica, which) =>
      everySlot('look', 100, replica, async (slot) => {
        const at = slot.toISOString();
        await putJob(replica, directoryJobs.checkSchedule, namedId(`look-${at}`), { slot: at });
        ordered[which]?.add(at);
      }).start(log),
    );
    const [first = new Set<string>(), second = new Set<string>()] = ordered;
    await waitFor(() => [...first].filter((at) => second.has(at)).length >= 3);
    await Promise.all(running.map((task) => task.stop()));
    const { state } = await jsm.streams.info('JOBS');
    expect(state.messages).toBe(new Set([...first, ...second]).size);
  });
});
