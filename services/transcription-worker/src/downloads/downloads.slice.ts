import type { ObjectStore } from '@overtone/object-store';
import type { Bus, Log, Slice } from '@overtone/service-kit';
import type { OutboundGuard } from '@overtone/service-kit/outbound';
import type { WorkerEnv } from '../env.ts';
import { downloadJob } from './download.job.ts';
import { createPageDownloader } from './page-download.adapter.ts';

type Deps = {
  env: WorkerEnv;
  childEnv: Record<string, string>;
  objects: ObjectStore;
  guard: OutboundGuard;
  bus: Bus;
  log: Log;
};

/** Downloads recordings that users import from an address. */
export function createDownloadsSlice({ env, childEnv, objects, guard, bus, log }: Deps) {
  const dispatcher = guard.createDispatcher();
  const pages = createPageDownloader({
    command: env.YT_DLP_COMMAND,
    path: childEnv['PATH'] ?? '',
    workDir: env.WORK_DIR,
    guard,
  });
  return {
    download: downloadJob({ bus, objects, guard, dispatcher, pages, log }),
    parts: [
      { name: 'outbound connections', start: async () => {}, stop: () => dispatcher.destroy() },
    ] satisfies Slice['parts'],
  };
}
