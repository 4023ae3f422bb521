import { createEventDatabase } from '@overtone/database';
import { createObjectStore } from '@overtone/object-store';
import { catchUp, createService, createServiceBase, periodic, type Part, type Service } from '@overtone/service-kit';
import type { MediaEnv } from './env.ts';
import { binRoutes } from './bin/bin.routes.ts';
import { createBin } from './bin/bin.service.ts';
import { bulkRoutes } from './bulk/bulk.routes.ts';
import { exportsRoutes } from './exports/exports.routes.ts';
import { filesRoutes } from './files/files.routes.ts';
import { createFiles } from './files/files.service.ts';
import { removeObjects } from './files/remove-objects.consumer.ts';
import { describeFilesRpc } from './files/describe-files.rpc.ts';
import { PrismaClient } from './generated/client.ts';
import { indexingRpc } from './indexing/indexing.rpc.ts';
import { createDispatcherLanguages } from './ports/dispatcher-languages.adapter.ts';
import { createIdentityPeople } from './ports/identity-people.adapter.ts';
import { createProcessingSlice } from './processing/processing.slice.ts';
import { followMemberships } from './sharing/follow-memberships.consumer.ts';
import { forgetGroup } from './sharing/forget-group.consumer.ts';
import { forgetPerson } from './sharing/forget-person.consumer.ts';
import { sharingRoutes } from './sharing/sharing.routes.ts';
import { sharingRpc } from './sharing/sharing.rpc.ts';
import { createSharing } from './sharing/sharing.service.ts';
import { speakersRoutes } from './speakers/speakers.routes.ts';
import { createSpeakers } from './speakers/speakers.service.ts';
import { streamingRoutes } from './streaming/streaming.routes.ts';
import { tagsRoutes } from './tags/tags.routes.ts';
import { createTags } from './tags/tags.service.ts';
import { createTelemetry } from './telemetry.ts';
import { transcriptsRoutes } from './transcripts/transcripts.routes.ts';
import { createTranscripts } from './transcripts/transcripts.service.ts';
import { undoRoutes } from './undo/undo.routes.ts';
import { createUndo } from './undo/undo.service.ts';
import { createOrphans } from './uploads/orphans.service.ts';
import { createReservations } from './uploads/reservations.store.ts';
import { createParts } from './uploads/resumable-parts.store.ts';
import { createTus } from './uploads/resumable.adapter.ts';
import { resumableRoutes } from './uploads/resumable.routes.ts';
import { createResumable } from './uploads/resumable.service.ts';
import { uploadsRoutes } from './uploads/uploads.routes.ts';
import { createUploads } from './uploads/uploads.service.ts';

const hour = 3_600_000;

/** Media: uploads, downloads, file metadata and transcripts. */
export function createMedia(env: MediaEnv): Service {
  const base = createServiceBase('media', env);
  const { log, metrics, bus } = base;
  const { db, outbox, slice: database } = createEventDatabase(base, (adapter) => new PrismaClient({ adapter }));
  const objects = createObjectStore(env);
  const telemetry = createTelemetry(metrics, objects);

  const uploads = createUploads({ db, outbox, objects, telemetry, log, maxBytes: env.MAX_UPLOAD_BYTES });
  const parts = createParts({ objects });
  const limits = { maxOpen: env.UPLOAD_MAX_OPEN, maxReservedBytes: env.UPLOAD_MAX_RESERVED_BYTES };
  const reservations = createReservations({ db, objects, limits });
  const languages = createDispatcherLanguages({ bus, log });
  const expiresMs = env.UPLOAD_EXPIRES_HOURS * hour;
  const resumable = createResumable({ db, parts, reservations, uploads, languages, expiresMs, log });
  const tus = createTus({ resumable });
  const people = createIdentityPeople({ bus, log });
  const files = createFiles({ db, outbox, people, languages });
  const bin = createBin({ db, outbox, people, binDays: env.OT_BIN_DAYS });
  const tags = createTags({ db, outbox });
  const undo = createUndo({ db, outbox });
  const sharing = createSharing({ db, outbox, people });
  const orphans = createOrphans({ db, objects, olderThanMs: 24 * hour });
  const removeLeftovers = async () => void (await objects.removeLeftovers());
  const store: Part = {
    name: 'object store',
    start: () => removeLeftovers().catch((err: unknown) => log.warn({ err: err as Error }, 'leftover cleanup failed')),
    stop: async () => objects.close(),
  };

  return createService({
    ...base,
    slices: [
      database,
      createProcessingSlice({ db, outbox, objects }),
      {
        parts: [store],
        routes: [
          ...uploadsRoutes({ uploads, limits, languages }),
          ...resumableRoutes({ tus }),
          ...binRoutes({ bin }),
          ...bulkRoutes({ ...bin, ...files, ...sharing, ...tags }),
          ...filesRoutes({ files }),
          ...sharingRoutes({ sharing }),
          ...streamingRoutes({ db, objects }),
          ...exportsRoutes({ db, outbox }),
          ...transcriptsRoutes({ transcripts: createTranscripts({ db, outbox, people }) }),
          ...undoRoutes({ undo }),
          ...speakersRoutes({ speakers: createSpeakers({ db, outbox }) }),
          ...tagsRoutes({ tags }),
        ],
        rpcs: [...indexingRpc({ db }), ...sharingRpc({ db }), ...describeFilesRpc({ db })],
        consumers: [
          removeObjects({ objects }),
          followMemberships({ sharing }),
          forgetGroup({ sharing }),
          forgetPerson({ sharing }),
        ],
        periodics: [
          catchUp('load group memberships', hour, sharing.loadMemberships),
          periodic('delete expired files of the bin', hour, async (signal) => void (await bin.purgeExpired(signal))),
          periodic('delete old transcript changes', hour, undo.deleteOld),
          periodic('remove leftovers of killed writers', hour, removeLeftovers),
          periodic(
            'remove recordings without a file',
            6 * hour,
            async (signal) => void (await orphans.removeAll(signal)),
          ),
          periodic('remove expired uploads', hour / 4, async (signal) => void (await resumable.removeExpired(signal))),
        ],
        checks: { object_storage: { critical: false, probe: (signal) => objects.ping(signal) } },
      },
    ],
  });
}
