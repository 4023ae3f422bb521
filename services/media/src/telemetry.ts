import type { ObjectStore } from '@overtone/object-store';
import type { Metrics } from '@overtone/service-kit';
import { Counter } from 'prom-client';

/** The specification's names of how a file may come ("Health and metrics"). */
const sources = ['upload', 'url', 'watch'] as const;

/** What an operator watches of the recordings. Names are the specification's, as far as it has any. */
export const createTelemetry = (metrics: Metrics, objects: Pick<ObjectStore, 'space'>) => {
  const filesUploaded = new Counter({
    name: 'files_uploaded_total',
    help: 'Files taken in, by how they came',
    labelNames: ['source'] as const,
    registers: [metrics.registry],
  });
  for (const source of sources) filesUploaded.inc({ source }, 0);
  metrics.watch(
    [
      { name: 'object_store_free_bytes', help: 'Room left for recordings, where the store is a folder' },
      { name: 'object_store_reserve_bytes', help: 'Room below which uploads are refused' },
      { name: 'object_store_size_bytes', help: 'Size of the disk that the folder is on' },
    ],
    async () => {
      const space = await objects.space();
      if (!space) return [];
      return [
        { name: 'object_store_free_bytes', value: space.freeBytes },
        { name: 'object_store_reserve_bytes', value: space.reserveBytes },
        { name: 'object_store_size_bytes', value: space.totalBytes },
      ];
    },
  );
  return { filesUploaded };
};
export type Telemetry = ReturnType<typeof createTelemetry>;
