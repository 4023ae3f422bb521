import { mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { handle, periodic, restingPeriodic, type Log, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { People } from '../ports/people.adapter.ts';
import { createAccuracy } from './accuracy.service.ts';
import { createCorrections, type Corrections } from './operations.service.ts';
import { createSegments } from './segments.service.ts';
import { actorOf } from '../audit/audit.ts';
import { createSpeakers } from './speakers.service.ts';
import { createUndo } from './undo.service.ts';
import { createVersions } from './versions.service.ts';

const hour = 3_600_000;

type Deps = { db: Db; outbox: Outbox; people: People; log: Log };

/** Transcripts: their segments, speakers and versions, and undoing changes of them. */
export function createTranscriptsSlice({ db, outbox, people, log }: Deps): Slice & { corrections: Corrections } {
  const corrections = createCorrections({ db, outbox, people });
  const segments = createSegments({ db, corrections });
  const { undo, deleteOld } = createUndo({ db, outbox });
  const speakers = createSpeakers({ db, outbox });
  const versions = createVersions({ db, outbox, people });
  const accuracy = createAccuracy({ db, log });
  return {
    corrections,
    routes: [
      handle(mediaRoutes.applyOperations, ({ caller, params, body }) => corrections.apply(caller, params.uuid, body)),
      handle(mediaRoutes.listOperations, ({ caller, params, query }) => corrections.list(caller, params.uuid, query)),
      handle(mediaRoutes.undoOperation, ({ caller, params, body }) => corrections.undo(caller, params.uuid, body.uuid)),
      handle(mediaRoutes.redoOperation, ({ caller, params, body }) => corrections.redo(caller, params.uuid, body.uuid)),
      handle(mediaRoutes.listVersions, ({ caller, params }) => versions.list(caller, params.uuid)),
      handle(mediaRoutes.nameVersion, ({ caller, params, body }) => versions.name(caller, params.uuid, body.name)),
      handle(mediaRoutes.deleteVersion, ({ caller, params }) =>
        versions.remove(caller, params.uuid, params.version_uuid),
      ),
      handle(mediaRoutes.compareVersion, ({ caller, params, query }) =>
        versions.compare(caller, params.uuid, query.version_uuid),
      ),
      handle(mediaRoutes.restoreVersion, ({ caller, params, body }) =>
        versions.restore(caller, params.uuid, { uuid: body.uuid, versionId: body.version_uuid }),
      ),
      handle(mediaRoutes.transcriptAccuracy, ({ caller, params }) => accuracy.show(caller, params.uuid)),
      handle(mediaRoutes.accuracyFigures, accuracy.figures),
      handle(mediaRoutes.editSegment, ({ caller, params, body }) =>
        segments.edit(caller, params.uuid, params.segment_uuid, body),
      ),
      handle(mediaRoutes.deleteSegment, ({ caller, params, query }) =>
        segments.remove(caller, params.uuid, params.segment_uuid, query.version),
      ),
      handle(mediaRoutes.setSegmentSpeaker, ({ caller, params, body }) =>
        segments.setSpeaker(caller, params.uuid, body.speaker_uuid),
      ),
      handle(mediaRoutes.undoChange, ({ caller, params }) => undo(caller, params.uuid, params.undo_uuid)),
      handle(mediaRoutes.listSpeakers, ({ caller, query }) => speakers.list(caller, query.file_uuid)),
      handle(mediaRoutes.createSpeaker, ({ caller, query, body }) =>
        speakers.create(caller, query.media_file_uuid, body.display_name),
      ),
      handle(mediaRoutes.updateSpeaker, (request) =>
        speakers.rename(actorOf(request), request.params.uuid, request.body.display_name),
      ),
      handle(mediaRoutes.mergeSpeaker, ({ caller, params }) => speakers.merge(caller, params.uuid, params.target_uuid)),
      handle(mediaRoutes.deleteSpeaker, ({ caller, params }) => speakers.remove(caller, params.uuid)),
    ],
    periodics: [
      periodic('delete old transcript changes', hour, deleteOld),
      restingPeriodic('count word errors of corrected transcripts', 5_000, accuracy.countDue, accuracy.nextDue),
    ],
  };
}
