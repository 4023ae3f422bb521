import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import { insightsJobs } from '@overtone/contracts';
import { createEventDatabase } from '@overtone/database';
import { concurrencyOf, createRecycling, worker } from '@overtone/jobs';
import { createService, createServiceBase, type Service } from '@overtone/service-kit';
import { createOutboundGuard, parseRanges } from '@overtone/service-kit/outbound';
import { createAskSlice } from './ask/ask.slice.ts';
import type { InsightsEnv } from './env.ts';
import { createErasureSlice } from './erasure/erasure.slice.ts';
import { PrismaClient } from './generated/client.ts';
import { createMediaFiles } from './ports/media-files.adapter.ts';
import { createMedia } from './ports/media.adapter.ts';
import { createModelClient } from './ports/model-client.adapter.ts';
import { createPeople } from './ports/people.adapter.ts';
import { createSearch } from './ports/search.adapter.ts';
import { createSentenceVectors } from './ports/sentence-vectors.adapter.ts';
import { createPromptsSlice } from './prompts/prompts.slice.ts';
import { createProvidersSlice } from './providers/providers.slice.ts';
import { createSettings } from './settings/settings.ts';
import { createSuggestionsSlice } from './suggestions/suggestions.slice.ts';
import { createSummariesSlice } from './summaries/summaries.slice.ts';
import { findCurrentSummary } from './summaries/summaries.store.ts';
import { createTelemetry } from './telemetry.ts';

/** Insights: language models, summaries, suggestions and answers. */
export function createInsights(env: InsightsEnv): Service {
  const base = createServiceBase('insights', env);
  const { log, metrics, bus } = base;
  const { db, outbox, slice, relay } = createEventDatabase(base, (options) => new PrismaClient(options));
  const { keyRing } = env;
  const guard = createOutboundGuard({ allowedRanges: parseRanges(env.OT_OUTBOUND_ALLOWED_RANGES) });
  const client = createModelClient(guard);
  const settings = createSettings({ keyRing });
  const telemetry = createTelemetry(metrics);
  const recycling = createRecycling();
  const people = createPeople(base);
  const workerId = `insights-${hostname()}-${randomUUID().slice(0, 8)}`;

  const providers = createProvidersSlice({
    db,
    outbox,
    people,
    log,
    metrics,
    telemetry,
    guard,
    client,
    settings,
    keyRing,
  });
  const { models } = providers;
  const media = createMedia({ bus });
  const prompts = createPromptsSlice({ db, outbox, people, keyRing });
  const { instructionsFor } = prompts;
  const suggestions = createSuggestionsSlice({
    db,
    outbox,
    bus,
    log,
    keyRing,
    settings,
    models,
    media,
    instructionsFor,
  });
  const summaries = createSummariesSlice({
    db,
    outbox,
    bus,
    log,
    media,
    models,
    instructionsFor,
    sentenceVectors: createSentenceVectors(base),
    settings,
    telemetry,
  });
  const ask = createAskSlice({
    db,
    log,
    telemetry,
    people,
    media: createMediaFiles({ bus, media }),
    search: createSearch({ bus }),
    models,
    instructionsFor,
    findSummary: findCurrentSummary,
  });
  return createService({
    ...base,
    recycling,
    slices: [
      slice,
      relay,
      createErasureSlice({
        db,
        outbox,
        forgets: [providers.forgets, prompts.forgets, summaries.forgets, suggestions.forgets, ask.forgets],
      }),
      providers,
      suggestions.slice,
      prompts,
      summaries,
      ask,
      {
        jobs: [
          worker(
            insightsJobs,
            { summarize: summaries.summarize, ...suggestions.handlers },
            { workerId, concurrency: concurrencyOf(insightsJobs), recycling },
          ),
        ],
      },
    ],
  });
}
