import type { ObjectStore } from '@overtone/object-store';
import type { Metrics } from '@overtone/service-kit';
import { Counter } from 'prom-client';

/** Sources of uploaded files (specification, "Health and metrics"). */
const sources = ['upload', 'url', 'watch'] as const;

/** Metrics of uploads and storage; names follow the specification where it defines them. */
export function createTelemetry(metrics: Metrics, objects: Pick<ObjectStore, 'space'>) {
  const filesUploaded = new Counter({
    name: 'files_uploaded_total',
    help: 'Uploaded files by source',
    labelNames: ['source'] as const,
    registers: [metrics.registry],
  });
  for (const source of sources) filesUploaded.inc({ source }, 0);
  metrics.watch(
    [
      { name: 'object_store_free_bytes', help: 'Free space for recordings, where the store is a folder' },
      { name: 'object_store_reserve_bytes', help: 'Free space below which uploads are refused' },
      { name: 'object_store_size_bytes', help: 'Size of the disk that holds the folder' },
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
}

export type SourceState = { id: string; isUp: boolean; scannedAt: Date | null };

/** The state of the watch sources, in every replica: read from the database. */
export function watchSourceGauges(metrics: Metrics, read: () => Promise<readonly SourceState[]>): void {
  metrics.watch(
    [
      { name: 'media_watch_source_up', help: '1 while the watch source can be read and is scanned', label: 'source' },
      {
        name: 'media_watch_source_scanned_timestamp_seconds',
        help: 'Time of the last scan of the watch source',
        label: 'source',
      },
    ],
    async () =>
      (await read()).flatMap(({ id, isUp, scannedAt }) => {
        // Labels hold no whole ids; the few sources differ in their first characters.
        const of = id.slice(0, 8);
        const scanned = { name: 'media_watch_source_scanned_timestamp_seconds', of };
        return [
          { name: 'media_watch_source_up', of, value: isUp ? 1 : 0 },
          ...(scannedAt ? [{ ...scanned, value: scannedAt.getTime() / 1000 }] : []),
        ];
      }),
  );
}

export type Telemetry = ReturnType<typeof createTelemetry>;
