import {
  mediaEvents,
  suggestionEvents,
  suggestionJobs,
  suggestionRoutes,
  type InputOf,
  type SuggestionPart,
} from '@overtone/contracts';
import { recordOperation, type Outbox } from '@overtone/database';
import { putJob, type JobDelivery } from '@overtone/jobs';
import { consumer, handle, restingPeriodic, type Bus, type Log, type Route, type Slice } from '@overtone/service-kit';
import { randomUUID } from 'node:crypto';
import type { Db } from '../database.ts';
import type { Forgets } from '../erasure/erasure.ts';
import { createLabelsPort, type LabelsPort } from '../ports/labels.adapter.ts';
import type { Settings } from '../settings/settings.ts';
import { createDecisions } from './decisions.service.ts';
import { createExtraction, type ExtractionDeps } from './extraction.service.ts';
import { createLabelRuns } from './label-runs.service.ts';
import { recordWords } from './library-words.store.ts';
import { createOrders } from './orders.service.ts';
import { personOf } from './person.ts';
import { createPreferences, type Preferences } from './preferences.store.ts';
import { forgetFile, takeDue, withholdSuggestions } from './suggestions.store.ts';

type Deps = Pick<ExtractionDeps, 'db' | 'outbox' | 'log' | 'models' | 'media' | 'instructionsFor'> & {
  bus: Bus;
  settings: Settings;
  keyRing: Parameters<typeof createPreferences>[0]['keyRing'];
};

const enqueueEveryMs = 1_000;
const runEveryMs = 2_000;
const jobOf = { labels: suggestionJobs.suggestLabels, speakers: suggestionJobs.suggestSpeakers } as const;

/** Suggested tags, collections and speaker names. */
export function createSuggestionsSlice(deps: Deps) {
  const { db, outbox, bus, log, keyRing, models, media, instructionsFor, settings } = deps;
  const labels = createLabelsPort({ bus });
  const preferences = createPreferences({ db, keyRing });
  const extraction = createExtraction({ db, outbox, log, labels, media, models, instructionsFor, preferences });
  const orders = createOrders({ db, outbox, labels, settings });
  const runs = createLabelRuns({ db, labels });
  const handler =
    (part: SuggestionPart) =>
    async ({ fileId }: InputOf<(typeof jobOf)[typeof part]>, delivery: JobDelivery) => {
      await extraction.run(part, fileId, delivery, jobOf[part].policy.attempts);
      return {};
    };
  const slice: Slice = {
    routes: [
      ...fileRoutes({ db, outbox, labels, orders }),
      ...runRoutes(runs),
      ...preferenceRoutes(preferences),
      ...settingsRoutes({ db, outbox, preferences }),
    ],
    consumers: [
      /** A transcript is complete: orders suggestions. */
      consumer(mediaEvents.transcriptionEnded, 'suggest-for-transcript', async (ended, { id }) => {
        if (ended.outcome === 'completed' && !ended.noSpeech) await orders.afterTranscription(ended, id);
      }),
      /** More is masked: quotes and undecided suggestions are deleted. */
      consumer(mediaEvents.masksTightened, 'withhold-suggestions', (scope) =>
        db.$transaction(async (tx) => {
          for (const file of await withholdSuggestions(tx, scope)) {
            await recordWords(tx, file.fileId, []);
            await outbox.add(tx, suggestionEvents.changed, file);
          }
        }),
      ),
    ],
    periodics: [
      restingPeriodic('enqueue suggestions', enqueueEveryMs, () => enqueueDue({ db, bus, log })),
      restingPeriodic('continue label runs', runEveryMs, runs.advance, runs.nextStep),
    ],
  };
  const handlers = { suggestLabels: handler('labels'), suggestSpeakers: handler('speakers') };
  return { slice, handlers, forgets };
}

/** What the erasure of files and persons deletes here. */
const forgets: Forgets = {
  file: async (tx, fileId) => {
    await forgetFile(tx, fileId);
    await recordWords(tx, fileId, []);
  },
  person: async (tx, userId) => {
    const files = await tx.suggestionExtraction.findMany({
      where: { ownerId: userId },
      select: { fileId: true },
      distinct: ['fileId'],
    });
    for (const { fileId } of files) await forgets.file?.(tx, fileId);
    await tx.suggestion.updateMany({ where: { decidedBy: userId }, data: { decidedBy: null } });
    await tx.autoLabelPreference.deleteMany({ where: { userId } });
    await tx.labelRun.deleteMany({ where: { userId } });
    return { suggested_files: files.length };
  },
};

async function enqueueDue({ db, bus, log }: { db: Db; bus: Bus; log: Log }): Promise<void> {
  if (!bus.connected()) return;
  for (const { fileId, part } of await takeDue(db))
    await putJob(bus, jobOf[part], randomUUID(), { fileId }).catch(async (err: unknown) => {
      log.warn({ err: err as Error, file_id: fileId }, 'suggestions not enqueued');
      await db.suggestionExtraction.updateMany({ where: { fileId, part }, data: { touchedAt: new Date(0) } });
    });
}

function fileRoutes({
  db,
  outbox,
  labels,
  orders,
}: {
  db: Db;
  outbox: Outbox;
  labels: LabelsPort;
  orders: ReturnType<typeof createOrders>;
}): Route[] {
  const decisions = createDecisions({ db, outbox, labels });
  return [
    handle(suggestionRoutes.suggestions, ({ caller, params }) => decisions.read(caller, params.uuid)),
    handle(suggestionRoutes.discardSuggestions, async (request) => {
      await decisions.discard(personOf(request), request.params.uuid);
      return undefined;
    }),
    handle(suggestionRoutes.acceptSuggestions, (request) =>
      decisions.accept(personOf(request), request.params.uuid, request.body.suggestion_uuids),
    ),
    handle(suggestionRoutes.rejectSuggestions, (request) =>
      decisions.reject(personOf(request), request.params.uuid, request.body.suggestion_uuids),
    ),
    handle(suggestionRoutes.undoSuggestions, (request) =>
      decisions.undo(personOf(request), request.params.uuid, request.body.suggestion_uuids),
    ),
    handle(suggestionRoutes.applyTopics, (request) => {
      const { accepted_tags: tags, accepted_collections: collections } = request.body;
      return decisions.acceptByName(personOf(request), request.params.uuid, { tags, collections });
    }),
    handle(suggestionRoutes.identifySpeakers, (request) =>
      orders.one(personOf(request), request.params.uuid, {
        part: 'speakers',
        force: request.body?.force_regenerate ?? false,
        applies: false,
      }),
    ),
    handle(suggestionRoutes.extractTopics, (request) =>
      orders.one(personOf(request), request.params.uuid, {
        part: 'labels',
        force: request.body?.force_regenerate ?? false,
        applies: false,
      }),
    ),
    handle(suggestionRoutes.autoLabel, (request) =>
      orders.one(personOf(request), request.params.uuid, { part: 'labels', force: true, applies: true }),
    ),
    handle(suggestionRoutes.extractTopicsOfFiles, (request) => orders.many(personOf(request), request.body.file_uuids)),
  ];
}

function runRoutes(runs: ReturnType<typeof createLabelRuns>): Route[] {
  return [
    handle(suggestionRoutes.startLabelRun, ({ caller, body }) => runs.start(caller, body.file_uuids)),
    handle(suggestionRoutes.labelRun, async ({ caller }) => ({ run: await runs.latest(caller.userId) })),
    handle(suggestionRoutes.stopLabelRun, async ({ caller }) => ({ run: await runs.stop(caller.userId) })),
  ];
}

function preferenceRoutes(preferences: Preferences): Route[] {
  return [
    handle(suggestionRoutes.autoLabelPreference, ({ caller }) => preferences.read(caller.userId)),
    handle(suggestionRoutes.updateAutoLabelPreference, ({ caller, body }) => preferences.change(caller.userId, body)),
    handle(suggestionRoutes.resetAutoLabelPreference, ({ caller }) => preferences.reset(caller.userId)),
  ];
}

function settingsRoutes({ db, outbox, preferences }: { db: Db; outbox: Outbox; preferences: Preferences }): Route[] {
  const show = async () => ({ settings: await preferences.settingItems() });
  return [
    handle(suggestionRoutes.labelSettings, show),
    handle(suggestionRoutes.updateLabelSettings, async (request) => {
      await db.$transaction(async (tx) => {
        const { details } = await preferences.changeSettings(tx, request.body, request.caller.userId);
        await recordOperation({ tx, outbox, request }, 'label_settings_changed', details);
      });
      return show();
    }),
  ];
}
