import { createEventDatabase } from '@overtone/database';
import { createService, createServiceBase, type Service } from '@overtone/service-kit';
import { createArgon2 } from '@overtone/service-kit/argon2';
import { createOutboundGuard, parseRanges } from '@overtone/service-kit/outbound';
import { createBinSlice } from './bin/bin.slice.ts';
import { createBulkSlice } from './bulk/bulk.slice.ts';
import { createClipsSlice } from './clips/clips.slice.ts';
import { createCodesSlice } from './codes/codes.slice.ts';
import { createCommentsSlice } from './comments/comments.slice.ts';
import { createCopies } from './copies/copies.service.ts';
import { createCopiesSlice } from './copies/copies.slice.ts';
import { createCollectionsSlice } from './collections/collections.slice.ts';
import type { MediaEnv } from './env.ts';
import { createErasureSlice } from './erasure/erasure.slice.ts';
import { createExportTemplatesSlice } from './export-templates/export-templates.slice.ts';
import { createExportsSlice } from './exports/exports.slice.ts';
import { createFilesSlice } from './files/files.slice.ts';
import { PrismaClient } from './generated/client.ts';
import { createImportsSlice } from './imports/imports.slice.ts';
import { createIndexingSlice } from './indexing/indexing.slice.ts';
import { createInsightsSlice } from './insights/insights.slice.ts';
import { createLegalHoldSlice } from './legal-hold/legal-hold.slice.ts';
import { createLabelsSlice } from './labels/labels.slice.ts';
import { createNamesModel } from './ports/names-model.adapter.ts';
import { createLanguages } from './ports/languages.adapter.ts';
import { createPeople } from './ports/people.adapter.ts';
import { createFindFiles } from './ports/search.adapter.ts';
import { createSummaries } from './ports/summaries.adapter.ts';
import { createPresenceSlice } from './presence/presence.slice.ts';
import { createProcessingSlice } from './processing/processing.slice.ts';
import { createPublicLinksSlice } from './public-links/public-links.slice.ts';
import { createQuarantineSlice } from './quarantine/quarantine.slice.ts';
import { createRedactionSlice } from './redaction/redaction.slice.ts';
import { createReplaceSlice } from './replace/replace.slice.ts';
import { createRetentionSlice } from './retention/retention.slice.ts';
import { createSharingSlice } from './sharing/sharing.slice.ts';
import { createStorageSlice } from './storage/storage.slice.ts';
import { createStreamingSlice } from './streaming/streaming.slice.ts';
import { createTagsSlice } from './tags/tags.slice.ts';
import { createTelemetry } from './telemetry.ts';
import { createTranscriptImportSlice } from './transcript-import/transcript-import.slice.ts';
import { createTranscriptsSlice } from './transcripts/transcripts.slice.ts';
import { createUploadsSlice } from './uploads/uploads.slice.ts';
import { createVocabularySlice } from './vocabulary/vocabulary.slice.ts';
import { createVoicesSlice } from './voices/voices.slice.ts';
import { createWatchSourcesSlice } from './watch-sources/watch-sources.slice.ts';
import { createWordTemplatesSlice } from './word-templates/word-templates.slice.ts';

/** Media: uploads, downloads, file metadata and transcripts. */
export function createMedia(env: MediaEnv): Service {
  const base = createServiceBase('media', env);
  const { log, metrics, bus } = base;
  const database = createEventDatabase(base, (options) => new PrismaClient(options));
  const { db, outbox } = database;
  const storage = createStorageSlice({ env, db, log });
  const { objects } = storage;
  const telemetry = createTelemetry(metrics, objects);
  const languages = createLanguages({ bus, log });
  const people = createPeople({ bus, log });
  const names = createNamesModel({ bus });
  const copies = createCopies({
    db,
    outbox,
    objects,
    bus,
    log,
    makesPlaybackCopies: env.OT_PLAYBACK_COPIES,
  });

  const bin = createBinSlice({ db, outbox, people, binDays: env.OT_BIN_DAYS });
  const guard = createOutboundGuard({ allowedRanges: parseRanges(env.OT_OUTBOUND_ALLOWED_RANGES) });
  const importLimits = { maxBytes: env.MAX_UPLOAD_BYTES, maxPerHour: env.IMPORTS_PER_HOUR };
  const files = createFilesSlice({ db, outbox, objects, people, languages, importsPerHour: importLimits.maxPerHour });
  const sharing = createSharingSlice({ db, outbox, people });
  const uploads = createUploadsSlice({ db, outbox, objects, telemetry, languages, log, env });
  const tags = createTagsSlice({ db, outbox });
  const streaming = createStreamingSlice({ db, objects, copies });
  const summaries = createSummaries({ bus });
  const comments = createCommentsSlice({ db, outbox, people, names });
  const transcripts = createTranscriptsSlice({ db, outbox, people, log });
  const codes = createCodesSlice({ db, outbox, people });

  return createService({
    ...base,
    slices: [
      database.slice,
      database.relay,
      storage,
      uploads,
      createImportsSlice({ db, outbox, objects, bus, guard, languages, telemetry, log, limits: importLimits }),
      bin,
      createBulkSlice({ ...bin, ...files, ...sharing, ...tags }),
      files,
      createQuarantineSlice({ db, outbox }),
      sharing,
      createPublicLinksSlice({
        db,
        outbox,
        people,
        summaries,
        copies,
        hasher: createArgon2(),
        keyRing: env.keyRing,
        sendObject: streaming.sendObject,
      }),
      streaming,
      createClipsSlice({ db, outbox, objects, copies, sendObject: streaming.sendObject }),
      createExportsSlice({
        db,
        outbox,
        people,
        summaries,
        findFiles: createFindFiles({ bus }),
        listComments: comments.listComments,
        readPassages: codes.readPassages,
      }),
      createExportTemplatesSlice({ db, outbox, people }),
      createWordTemplatesSlice({ db, outbox }),
      transcripts,
      comments,
      codes,
      createPresenceSlice({ db, bus, people }),
      createReplaceSlice({ db, corrections: transcripts.corrections }),
      createVocabularySlice({ db }),
      createTranscriptImportSlice({ db, outbox, objects, names }),
      tags,
      createCollectionsSlice({ db, outbox, people }),
      createProcessingSlice({ db, outbox, objects, onPrepared: copies.prepared }),
      createIndexingSlice({ db }),
      createLabelsSlice({ db, outbox, people }),
      createInsightsSlice({ db }),
      createErasureSlice({ db, outbox, objects, removeUploadsOf: uploads.removeUploadsOf }),
      createLegalHoldSlice({ db, outbox, people }),
      createRetentionSlice({ db, outbox, people, binDays: env.OT_BIN_DAYS, log }),
      createRedactionSlice({ db, outbox, bus, log, names }),
      createCopiesSlice(copies),
      createVoicesSlice({ db, outbox, bus, log }),
      createWatchSourcesSlice({
        db,
        outbox,
        objects,
        people,
        guard,
        metrics,
        log,
        uploads: uploads.uploads,
        keyRing: env.keyRing,
        roots: env.WATCH_ROOTS,
      }),
    ],
  });
}
