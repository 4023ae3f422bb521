import { mediaEvents, type BodyOf, type FileObject, type RunOptions, type mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, type Caller } from '@overtone/service-kit';
import { inQuarantine, isQuarantined } from '../access/access.ts';
import { lockedFile } from '../access/access.store.ts';
import type { Db } from '../database.ts';
import { awaitsDownload, endImport, restartImport } from '../imports/imports.store.ts';
import { checkLanguage, type Languages } from '../ports/languages.adapter.ts';
import { hasMedia, idsOf, isSettled, recordingRemoved, toFileObject } from './files.ts';
import { readFile, requeue, updateFile } from './files.store.ts';

type Routes = typeof mediaRoutes;
export type FilesDeps = { db: Db; outbox: Outbox; languages: Languages; importsPerHour: number };

/** User operations on files: update, reprocess, cancel. */
export function createFiles({ db, outbox, languages, importsPerHour }: FilesDeps) {
  return {
    update: (caller: Caller, id: string, body: BodyOf<Routes['updateFile']>): Promise<FileObject> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, id, 'edit');
        const renamed = body.title !== undefined && body.title !== file.title;
        const version = file.transcriptVersion + (renamed && file.transcriptVersion > 0 ? 1 : 0);
        const row = await updateFile(tx, id, {
          ...(body.title === undefined ? {} : { title: body.title }),
          ...(body.recorded_date === undefined
            ? {}
            : { recordedDate: body.recorded_date === null ? null : new Date(body.recorded_date) }),
          transcriptVersion: version,
          ...(renamed ? { lastEditedBy: caller.userId, lastEditedAt: new Date() } : {}),
        });
        const answer = toFileObject(row, file.permission);
        await outbox.add(tx, mediaEvents.updated, { ...idsOf(file), status: answer.status });
        if (version !== file.transcriptVersion) {
          const edited = { ...idsOf(file), transcriptVersion: version, editedBy: caller.userId };
          await outbox.add(tx, mediaEvents.transcriptEdited, edited);
        }
        return answer;
      }),

    reprocess: async (caller: Caller, id: string, body: BodyOf<Routes['reprocess']>): Promise<FileObject> => {
      if (body?.language) checkLanguage(body.language, await languages.known());
      return db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, id, 'own');
        if (!hasMedia(file)) throw conflict('no_recording', 'This transcript has no recording to transcribe.');
        if (isQuarantined(file)) throw inQuarantine();
        if (!isSettled(file.status)) throw busy();
        if (file.recordingRemovedAt) throw recordingRemoved();
        if (awaitsDownload(file)) {
          await restartImport(tx, outbox, file, importsPerHour);
          return toFileObject(await readFile(tx, id), 'owner');
        }
        const options = nextOptions(file.options as Partial<RunOptions>, body ?? {});
        await requeue(tx, outbox, { ...file, options });
        return toFileObject(await readFile(tx, id), 'owner');
      });
    },

    cancel: (caller: Caller, id: string): Promise<FileObject> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, id, 'own');
        if (isSettled(file.status)) throw conflict('file_busy', 'Nothing is being done with this file.');
        if (awaitsDownload(file)) {
          await endImport(tx, outbox, file, { status: 'cancelled' });
          return toFileObject(await readFile(tx, id), 'owner');
        }
        const row = await updateFile(tx, id, { status: 'cancelling', waitingFor: null });
        await outbox.add(tx, mediaEvents.cancelOrdered, idsOf(file));
        await outbox.add(tx, mediaEvents.updated, { ...idsOf(file), status: 'cancelling' });
        return toFileObject(row, 'owner');
      }),
  };
}

export type Files = ReturnType<typeof createFiles>;

function busy() {
  return conflict('file_busy', 'The file is being processed. Stop that first, or wait until it is done.');
}

type Change = {
  language?: string | null | undefined;
  min_speakers?: number | undefined;
  max_speakers?: number | undefined;
  tracks?: number[] | null | undefined;
  speakers_by?: RunOptions['speakersBy'];
};

function nextOptions(before: Partial<RunOptions>, change: Change): RunOptions {
  return {
    language: change.language === undefined ? (before.language ?? null) : change.language,
    minSpeakers: change.min_speakers ?? before.minSpeakers ?? null,
    maxSpeakers: change.max_speakers ?? before.maxSpeakers ?? null,
    diarize: before.diarize ?? true,
    task: before.task,
    provider: before.provider,
    tracks: change.tracks === undefined ? before.tracks : change.tracks,
    speakersBy: change.speakers_by ?? before.speakersBy,
  };
}
