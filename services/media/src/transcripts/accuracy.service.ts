import type { AnswerOf, mediaRoutes } from '@overtone/contracts';
import type { Caller, Log } from '@overtone/service-kit';
import { usableFile } from '../access/access.store.ts';
import type { Db } from '../database.ts';
import type { TranscriptAccuracy } from '../generated/client.ts';
import { maskFor } from '../redaction/redaction.store.ts';
import {
  closeAccuracy,
  maxAccuracyRows,
  nextAccuracyDue,
  postponeAccuracy,
  readAccuracyFigures,
  readCorrections,
  readDue,
  readPresentTexts,
  saveAccuracy,
  type DueAccuracy,
} from './accuracy.store.ts';
import { createHistory } from './history.ts';
import { countWordErrors, type WordErrors } from './word-errors.ts';

type Routes = typeof mediaRoutes;

/** Corrections that are in memory at once. */
const batchSize = 100;

/** How many words of automatic transcripts were wrong, as far as people have corrected them. */
export function createAccuracy({ db, log }: { db: Db; log: Log }) {
  return {
    /** Of each run of a file. A reader from whom text is masked gets none: an edit of a masked part would change them. */
    show: async (caller: Caller, fileId: string): Promise<AnswerOf<Routes['transcriptAccuracy']>> => {
      const file = await usableFile(db, caller, fileId, 'read');
      const { kinds } = await maskFor(db, caller, file);
      if (kinds.size > 0) return { items: [], pending: false, masked: true };
      const rows = await db.transcriptAccuracy.findMany({ where: { fileId }, orderBy: { transcribedAt: 'desc' } });
      return {
        items: rows.flatMap((row) => toObject(row, file.transcriptRunId) ?? []),
        pending: rows.some(({ dueAt, runId }) => dueAt !== null && runId === file.transcriptRunId),
        masked: false,
      };
    },

    /** For administrators: numbers of all recordings together, without their names. */
    figures: async (): Promise<AnswerOf<Routes['accuracyFigures']>> => {
      const rows = await readAccuracyFigures(db);
      return { rows: rows.slice(0, maxAccuracyRows), complete: rows.length <= maxAccuracyRows };
    },

    /** Counts the errors of transcripts that were edited and then left alone. May run on several replicas at once. */
    countDue: async (signal: AbortSignal): Promise<void> => {
      for (const due of await readDue(db)) {
        if (signal.aborted) return;
        await countOne(db, due).catch(async (err: unknown) => {
          log.warn({ err: err as Error, file: due.fileId }, 'word errors not counted');
          await postponeAccuracy(db, due);
        });
      }
    },

    nextDue: () => nextAccuracyDue(db),
  };
}

function toObject({ words, errors, measuredAt, ...row }: TranscriptAccuracy, currentRun: string | null) {
  if (words === null || errors === null || measuredAt === null) return null;
  const { provider, model, language, transcribedAt, runId } = row;
  return {
    engine: { provider, model },
    language,
    transcribed_at: transcribedAt.toISOString(),
    measured_at: measuredAt.toISOString(),
    words,
    errors,
    current: runId === currentRun,
  };
}

async function countOne(db: Db, due: DueAccuracy): Promise<void> {
  const file = await db.mediaFile.findUnique({ where: { id: due.fileId } });
  const isImported = (file?.engine as { provider?: string } | null)?.provider === 'import';
  if (!file || file.transcriptRunId !== due.runId || isImported) return closeAccuracy(db, due);
  await saveAccuracy(db, due, await countIn(db, due.fileId));
}

/** Compares the automatic transcript, which is the present one without its corrections, with the present one. */
async function countIn(db: Db, fileId: string): Promise<WordErrors | null> {
  const present = await readPresentTexts(db, fileId);
  const history = createHistory(present);
  for (let until = 2 ** 31 - 1; ;) {
    const corrections = await readCorrections(db, fileId, { until, limit: batchSize });
    for (const correction of corrections) history.takeBack(correction);
    until = corrections.at(-1)?.revision ?? 0;
    if (corrections.length < batchSize) break;
  }
  return countWordErrors(history.states(), present);
}
