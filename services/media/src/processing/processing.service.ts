import {
  mediaEvents,
  transcriptArtefact,
  wordsArtefact,
  type DataOf,
  type FileObject,
  type transcriptionEvents,
  type Word,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import { assertNever, type Delivery } from '@overtone/service-kit';
import { json } from 'node:stream/consumers';
import { txOptions, type Db, type Tx } from '../database.ts';
import { fresh, isSettled, objectPrefixes, type FileRow } from '../files/files.ts';
import type { Prisma } from '../generated/client.ts';
import { keepEdits, type EditedSegment } from './keep-edits.ts';
import {
  begun,
  isOvertaken,
  isStaleStage,
  isTakenUp,
  languageWarning,
  outcomeOf,
  resetTo,
  tellsOf,
  toProblem,
  waits,
} from './processing.ts';
import { provisionalSegments } from './provisional.ts';
import { replaceTranscript } from './transcript-rows.ts';

type Events = typeof transcriptionEvents;
type Completed = DataOf<Events['stageCompleted']>;
type Result<S extends Completed['stage']> = Extract<Completed, { stage: S }>;
type OfRun = { runId: string; fileId: string };
type When = Pick<Delivery, 'time'>;
type Change = Prisma.MediaFileUncheckedUpdateInput;
export type ProcessingDeps = { db: Db; outbox: Outbox; objects: Pick<ObjectStore, 'get' | 'deletePrefix'> };

const cutOffWarning = 'The recording is cut off at its end; what there is of it was transcribed.';
const withWarning = (file: FileRow, ...more: (string | null)[]): string[] => [
  ...new Set([...file.warnings, ...more.filter((w) => w !== null)]),
];

const without = (warnings: string[], dropped: string[]): string[] => warnings.filter((w) => !dropped.includes(w));

/** What the runs of the dispatcher do to files. Every method may be called twice and late: history changes nothing. */
export const createProcessing = ({ db, outbox, objects }: ProcessingDeps) => {
  const read = async (key: string): Promise<unknown> => json((await objects.get(key)).stream);

  const save = async (tx: Tx, file: FileRow, change: Change): Promise<void> => {
    const row = await tx.mediaFile.update({ where: { id: file.id }, data: { ...change, updatedAt: new Date() } });
    const status = row.status as FileObject['status'];
    await outbox.add(tx, mediaEvents.updated, { fileId: file.id, ownerId: file.userId, status });
  };

  /**
   * The file as the event's run has left it, taken over from an older run first; undefined when the event is history, and
   * while the file is in the bin: its row stays as it was deleted.
   */
  const adopt = async (tx: Tx, { fileId, runId }: OfRun, { time }: When): Promise<FileRow | undefined> => {
    await tx.$queryRaw`select 1 from media_file where uuid = ${fileId}::uuid for update`;
    const file = await tx.mediaFile.findUnique({ where: { id: fileId } });
    if (!file || file.deletedAt) return undefined;
    const about = tellsOf(file, { runId, time });
    if (about === 'history') return undefined;
    if (about === 'current') return file;
    const begin = { ...fresh, warnings: [], runTurnedAt: null, stageChangedAt: null };
    const data = { ...begin, runId, runOpenedAt: time, runSequence: 0, status: 'queued' };
    return tx.mediaFile.update({ where: { id: fileId }, data });
  };

  /** Runs `work` on the file of the event; what is left of a deleted file's run is removed. */
  const withFile = async (event: OfRun, when: When, work: (tx: Tx, file: FileRow) => Promise<void>): Promise<void> => {
    const found = await db.$transaction(async (tx) => {
      const file = await adopt(tx, event, when);
      if (file) await work(tx, file);
      return file !== undefined || (await tx.mediaFile.count({ where: { id: event.fileId } })) > 0;
    }, txOptions);
    if (!found) for (const prefix of objectPrefixes(event.fileId)) await objects.deletePrefix(prefix);
  };

  const stored = async (tx: Tx, file: FileRow, runId: string, provisional: boolean, change: Change): Promise<void> => {
    const transcriptVersion = file.transcriptVersion + 1;
    const transcript = { transcriptVersion, transcriptRunId: runId, transcriptProvisional: provisional };
    await save(tx, file, { ...change, ...transcript });
    const ids = { fileId: file.id, ownerId: file.userId, runId };
    await outbox.add(tx, mediaEvents.transcriptStored, { ...ids, transcriptVersion, provisional });
  };

  const prepared = (data: Result<'prepare'>, when: When) =>
    withFile(data, when, async (tx, file) => {
      const { duration, media, waveform, thumbnail, truncated } = data.output;
      const picture = media.video_codec !== null;
      await save(tx, file, {
        ...waits(file, 'prepare'),
        duration,
        mediaInfo: media,
        waveformKey: waveform,
        thumbnailKey: thumbnail,
        contentType: file.contentType.replace(/^(audio|video)\//, picture ? 'video/' : 'audio/'),
        warnings: withWarning(file, truncated ? cutOffWarning : null),
        noSpeech: false,
        runSequence: Math.max(file.runSequence, data.sequence),
      });
    });

  const transcribed = async (data: Result<'transcribe'>, when: When) => {
    const words = wordsArtefact.parse(await read(data.output.artefact));
    await withFile(data, when, async (tx, file) => {
      // A transcript with speakers is there, of this run or an earlier one: it is not given up for one without.
      const better = file.transcriptVersion > 0 && !file.transcriptProvisional;
      const { options } = file;
      const note = languageWarning((options as { language?: string | null }).language ?? null, data.output.language);
      const change = { ...waits(file, 'transcribe'), warnings: withWarning(file, note) };
      if (better || file.transcriptRunId === data.runId) return save(tx, file, change);
      await replaceTranscript(tx, file.id, { speakers: [], segments: provisionalSegments(words) });
      const { engine, language } = data.output;
      await stored(tx, file, data.runId, true, { ...change, engine, language: language ?? file.language });
    });
  };

  const assembled = async (data: Result<'assemble'>, when: When) => {
    const artefact = transcriptArtefact.parse(await read(data.output.artefact));
    await withFile(data, when, async (tx, file) => {
      const known = file.transcriptRunId === data.runId && !file.transcriptProvisional;
      if (known && data.sequence <= file.runSequence) return reportAgain(tx, file, data.runId);
      const segments = keepEdits(artefact.segments, await editsSince(tx, file));
      await replaceTranscript(tx, file.id, { speakers: artefact.speakers, segments });
      await stored(tx, file, data.runId, false, {
        ...waits(file, 'assemble'),
        noSpeech: segments.length === 0,
        engine: artefact.engine,
        language: artefact.language ?? file.language,
        diarizationProvider: artefact.diarization.provider,
        warnings: withWarning(file, artefact.diarization.degraded),
        runSequence: Math.max(file.runSequence, data.sequence),
      });
    });
  };

  /** A stored result is reported again, for a dispatcher that has not received the report. */
  const reportAgain = (tx: Tx, file: FileRow, runId: string): Promise<void> =>
    outbox.add(tx, mediaEvents.transcriptStored, {
      fileId: file.id,
      ownerId: file.userId,
      runId,
      transcriptVersion: file.transcriptVersion,
      provisional: false,
    });

  /** A stage whose result stands in no table of ours has ended. */
  const passed = (data: Completed, when: When): Promise<void> =>
    withFile(data, when, async (tx, file) => {
      const change = waits(file, data.stage);
      if (Object.keys(change).length > 0) await save(tx, file, change);
    });

  /** The run has ended, unless it has been taken up again since. A repeated event does not notify twice. */
  const end = (data: OfRun, when: When, change: (file: FileRow) => Change & { status: FileObject['status'] }) =>
    withFile(data, when, async (tx, file) => {
      if (isOvertaken(file, when.time)) return;
      const ending = change(file);
      await save(tx, file, { ...ended, runTurnedAt: when.time, ...ending });
      const outcome = outcomeOf(ending.status);
      if (outcome === null || isSettled(file.status)) return;
      const ids = { fileId: file.id, ownerId: file.userId };
      await outbox.add(tx, mediaEvents.transcriptionEnded, { ...ids, outcome, noSpeech: file.noSpeech });
    });

  return {
    opened: (data: DataOf<Events['runOpened']>, when: When) => withFile(data, when, (tx, file) => save(tx, file, {})),

    stageStarted: (data: DataOf<Events['stageStarted']>, when: When) =>
      withFile(data, when, async (tx, file) => {
        if (isStaleStage(file, when.time)) return;
        const again = isTakenUp(file, when.time);
        const status = begun(again ? { status: 'queued', stage: null } : file, data.stage);
        const turn = again ? { ...fresh, runTurnedAt: when.time } : {};
        const begin = { stage: data.stage, stageDone: false, stageChangedAt: when.time, waitingFor: null };
        if (status) await save(tx, file, { ...turn, ...begin, status });
      }),

    /** The status returns to a retryable state. Partial segments are removed, except those that users have edited. */
    stageReset: (data: DataOf<Events['stageReset']>, when: When) =>
      withFile(data, when, async (tx, file) => {
        const reset = resetTo(file, data.stage, when.time);
        if (reset === null) return;
        const change = { ...reset, stageChangedAt: when.time, waitingFor: null };
        const partial = file.transcriptProvisional && file.transcriptRunId === data.runId;
        const removed = partial ? await removeUnedited(tx, file) : 0;
        await (removed > 0 ? stored(tx, file, data.runId, true, change) : save(tx, file, change));
      }),

    resumed: (data: DataOf<Events['runResumed']>, when: When) =>
      withFile(data, when, async (tx, file) => {
        const warnings = without(file.warnings, data.dropped);
        if (!isOvertaken(file, when.time))
          await save(tx, file, { ...fresh, status: 'queued', runTurnedAt: when.time, warnings });
        else if (!isSettled(file.status)) await save(tx, file, { warnings });
      }),

    stageCompleted: async (data: Completed, when: When): Promise<void> => {
      switch (data.stage) {
        case 'prepare':
          return prepared(data, when);
        case 'transcribe':
          return transcribed(data, when);
        case 'assemble':
          return assembled(data, when);
        case 'diarize':
          return passed(data, when);
        case 'index':
          return;
        default:
          return assertNever(data);
      }
    },

    waiting: (data: DataOf<Events['runWaiting']>, when: When) =>
      withFile(data, when, async (tx, file) => {
        if (!isSettled(file.status)) await save(tx, file, { waitingFor: data.reason });
      }),

    completed: (data: DataOf<Events['runCompleted']>, when: When) =>
      end(data, when, (file) => ({
        status: 'completed',
        completedAt: when.time,
        warnings: without(withWarning(file, ...data.warnings), data.dropped ?? []),
      })),

    failed: (data: DataOf<Events['runFailed']>, when: When) =>
      end(data, when, () => ({ status: 'error', error: toProblem(data) })),

    cancelled: (data: DataOf<Events['runCancelled']>, when: When) => end(data, when, () => ({ status: 'cancelled' })),
  };
};
export type Processing = ReturnType<typeof createProcessing>;

const { completedAt: _, ...ended } = fresh;

const removeUnedited = async (tx: Tx, file: FileRow): Promise<number> =>
  (await tx.segment.deleteMany({ where: { fileId: file.id, edited: false } })).count;

const editsSince = async (tx: Tx, file: FileRow): Promise<EditedSegment[]> => {
  const since = file.runOpenedAt ?? new Date(0);
  const rows = await tx.segment.findMany({
    where: { fileId: file.id, edited: true, editedAt: { gte: since } },
    orderBy: { position: 'asc' },
  });
  return rows.map(({ id, startTime: start, endTime: end, text, words, confidence, version, editedAt, editedBy }) => ({
    id,
    start,
    end,
    text,
    confidence,
    version,
    editedAt,
    editedBy,
    words: words as Word[],
  }));
};
