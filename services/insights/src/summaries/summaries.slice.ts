import { createHash } from 'node:crypto';
import { insightsJobs, insightsRpc, mediaEvents, summaryRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { namedId, putJob, type JobHandlers } from '@overtone/jobs';
import { consumer, handle, restingPeriodic, rpc, type Bus, type Log, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Forgets } from '../erasure/erasure.ts';
import type { LanguageModels } from '../ports/language-model.ts';
import type { Media } from '../ports/media.adapter.ts';
import type { SentenceVectors } from '../ports/sentence-vectors.adapter.ts';
import type { InstructionsFor } from '../prompts/prompts.ts';
import type { Settings } from '../settings/settings.ts';
import type { Telemetry } from '../telemetry.ts';
import { createReviews } from './summary-reviews.service.ts';
import { createSummaryRuns } from './summary-runs.service.ts';
import { createSummaries } from './summaries.service.ts';
import {
  announce,
  erasePerson,
  removeOpen,
  removeVersions,
  requestReview,
  withholdVersions,
} from './summaries.store.ts';
import { forgetEnqueued, nextDue, takeDue } from './summary-attempts.store.ts';

type Deps = {
  db: Db;
  outbox: Outbox;
  bus: Bus;
  log: Log;
  media: Media;
  models: LanguageModels;
  instructionsFor: InstructionsFor;
  sentenceVectors: SentenceVectors;
  settings: Settings;
  telemetry: Telemetry;
};
type SummariesSlice = Slice & { forgets: Forgets; summarize: JobHandlers<typeof insightsJobs>['summarize'] };

const enqueueEveryMs = 500;
const reviewEveryMs = 1_000;

/** Summaries of recordings: ordered by people and after every transcription, made in jobs, kept in versions. */
export function createSummariesSlice(deps: Deps): SummariesSlice {
  const { db, outbox, bus, log, settings, telemetry } = deps;
  const summaries = createSummaries(deps);
  const reviews = createReviews(deps);
  const { run } = createSummaryRuns({ ...deps, onEnd: telemetry.recordSummary });
  const enqueueDue = async (): Promise<void> => {
    if (!bus.connected()) return;
    for (const { id, enqueuedAt } of await takeDue(db))
      await putJob(bus, insightsJobs.summarize, taskIdOf(id, enqueuedAt), { summaryId: id }).catch(
        async (err: unknown) => {
          log.warn({ err: err as Error, summary: id }, 'summary not enqueued');
          await forgetEnqueued(db, id);
        },
      );
  };
  return {
    summarize: run,
    forgets: {
      file: async (tx, fileId) => void (await removeVersions(tx, fileId)),
      person: erasePerson,
    },
    routes: [
      handle(summaryRoutes.summarize, ({ caller, params, body }) => summaries.order(caller, params.uuid, body)),
      handle(summaryRoutes.retrySummary, ({ caller, params }) => summaries.retry(caller, params.uuid)),
      handle(summaryRoutes.summary, ({ caller, params, query }) => summaries.read(caller, params.uuid, query.version)),
      handle(summaryRoutes.summaryStatus, ({ caller, params }) => summaries.status(caller, params.uuid)),
      handle(summaryRoutes.summaryVersions, ({ caller, params }) => summaries.versions(caller, params.uuid)),
      handle(summaryRoutes.deleteSummary, ({ caller, params, query }) =>
        summaries.remove(caller, params.uuid, query.version),
      ),
    ],
    rpcs: [rpc(insightsRpc.summary, async ({ fileId, masks }) => ({ summary: await summaries.shown(fileId, masks) }))],
    consumers: [
      /** A transcript is complete: orders its summary, if that is done automatically. */
      consumer(mediaEvents.transcriptionEnded, 'summarize-transcribed', async (ended, { id }) => {
        const { outcome, noSpeech, fileId, ownerId } = ended;
        if (outcome !== 'completed' || noSpeech) return;
        if ((await settings.read(db)).automatic) await summaries.orderAutomatic(id, { fileId, ownerId });
        else await requestReview(db, fileId);
      }),
      /** An edit, or a change of masks: the summaries are compared with the transcript. */
      consumer(mediaEvents.transcriptEdited, 'review-edited', ({ fileId }) => requestReview(db, fileId)),
      /** More is masked: summaries are hidden until they were compared. */
      consumer(mediaEvents.masksTightened, 'withhold-summaries', (scope) =>
        db.$transaction(async (tx) => {
          for (const file of await withholdVersions(tx, scope)) await announce(tx, outbox, file);
        }),
      ),
      /** A file in the bin is not sent to a language model any more. */
      consumer(mediaEvents.binned, 'stop-binned', async ({ fileId }) => {
        await db.$transaction((tx) => removeOpen(tx, fileId));
      }),
      consumer(mediaEvents.quarantined, 'stop-quarantined', async ({ fileId }) => {
        await db.$transaction((tx) => removeOpen(tx, fileId));
      }),
    ],
    periodics: [
      restingPeriodic('enqueue summaries', enqueueEveryMs, enqueueDue, () => nextDue(db)),
      restingPeriodic('compare summaries with their transcripts', reviewEveryMs, (signal) => reviews.run(signal)),
    ],
  };
}

/** Each time it is enqueued is another job; the broker drops repetitions of the same one. */
function taskIdOf(id: string, enqueuedAt: string): string {
  return namedId(createHash('sha256').update(`${id} ${enqueuedAt}`).digest('hex'));
}
