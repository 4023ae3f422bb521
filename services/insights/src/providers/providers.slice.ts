import { identityEvents, modelProviderRoutes as contracts, type ModelProviderObject } from '@overtone/contracts';
import { recordOperation, type Outbox } from '@overtone/database';
import {
  catchUp,
  consumer,
  forbidden,
  handle,
  type KeyRing,
  type Log,
  type Metrics,
  type Route,
  type Slice,
} from '@overtone/service-kit';
import type { OutboundGuard } from '@overtone/service-kit/outbound';
import type { Db } from '../database.ts';
import type { Forgets } from '../erasure/erasure.ts';
import type { LanguageModels } from '../ports/language-model.ts';
import type { ModelClient } from '../ports/model-client.ts';
import type { People } from '../ports/people.adapter.ts';
import type { Settings } from '../settings/settings.ts';
import type { Telemetry } from '../telemetry.ts';
import { createLanguageModels } from './language-models.service.ts';
import type { Owner } from './provider-row.ts';
import { hostOf, toProviderObject, windowOf } from './providers.ts';
import { createProviders, type Providers } from './providers.service.ts';
import { createProviderStore, type ProviderStore } from './providers.store.ts';
import { requestStore, type UsageRow } from './requests.store.ts';

type Deps = {
  db: Db;
  outbox: Outbox;
  people: People;
  log: Log;
  metrics: Metrics;
  telemetry: Telemetry;
  guard: OutboundGuard;
  client: ModelClient;
  settings: Settings;
  keyRing: () => KeyRing;
};
type Routing = Pick<Deps, 'db' | 'outbox' | 'people' | 'settings'> & { store: ProviderStore; providers: Providers };

const hour = 3_600_000;

/** The language models of everyone and of single people, and the port through which all slices use them. */
export function createProvidersSlice(deps: Deps): Slice & { models: LanguageModels; forgets: Forgets } {
  const { db, outbox, people, log, metrics, telemetry, guard, client, settings, keyRing } = deps;
  const store = createProviderStore(keyRing);
  const providers = createProviders({ db, outbox, store, client, guard });
  const routing = { db, outbox, people, settings, store, providers };
  metrics.watch(
    [
      {
        name: 'language_model_paused',
        help: '1 while the language model of everyone is paused, because several requests in a row have failed',
      },
    ],
    async () => [{ name: 'language_model_paused', value: await requestStore.countPaused(db) }],
  );
  return {
    models: createLanguageModels({ db, store, client, guard, settings, telemetry, log }),
    forgets: {
      file: (tx, fileId) => requestStore.detachFile(tx, fileId),
      person: async (tx, userId) => ({
        language_models: await store.removeOf(tx, userId),
        language_model_usage: await requestStore.removeUsageOf(tx, userId),
      }),
    },
    parts: [{ name: 'language models', start: async () => {}, stop: () => client.close() }],
    routes: [...systemRoutes(routing), ...ownRoutes(routing), statusRoute(routing)],
    consumers: [
      /** An account was deleted: recordings that stay must not be sent to a server of its person. */
      consumer(identityEvents.userDeleted, 'forget-language-models', async ({ userId }) => {
        await db.$transaction((tx) => store.removeOf(tx, userId));
      }),
    ],
    periodics: [
      catchUp('forget old usage of language models', hour, async () => void (await requestStore.removeOldUsage(db))),
    ],
  };
}

function systemRoutes({ db, outbox, people, settings, store, providers }: Routing): Route[] {
  return [
    handle(contracts.systemModelProviders, async () => ({
      providers: await listOf(store, db, null),
      settings: await settings.items(db),
    })),
    handle(contracts.updateInsightsSettings, async (request) => {
      await db.$transaction(async (tx) => {
        const { details } = await settings.change(tx, request.body, request.caller.userId);
        await recordOperation({ tx, outbox, request }, 'insights_settings_changed', details);
      });
      return { settings: await settings.items(db) };
    }),
    handle(contracts.createSystemModelProvider, async (request) =>
      toProviderObject(await providers.create(request, null, request.body)),
    ),
    handle(contracts.updateSystemModelProvider, async (request) =>
      toProviderObject(await providers.change(request, null, { ...request.body, uuid: request.params.uuid })),
    ),
    handle(contracts.deleteSystemModelProvider, async (request) => {
      await providers.remove(request, null, request.params.uuid);
      return undefined;
    }),
    handle(contracts.activateSystemModelProvider, async (request) => {
      await providers.activate(request, null, request.body.configuration_id);
      return { providers: await listOf(store, db, null) };
    }),
    handle(contracts.testSystemModelProvider, ({ body }) => providers.test(null, body)),
    handle(contracts.listSystemModels, ({ body }) => providers.listModels(null, body)),
    handle(contracts.modelUsage, async ({ query: { days, group_by: by } }) => {
      const rows = await requestStore.usage(db, by, days);
      const userIds = by === 'user' ? rows.flatMap(({ uuid }) => uuid ?? []) : [];
      const names = await people.names(userIds);
      return { items: rows.map((row) => toUsage(row, names)) };
    }),
  ];
}

function ownRoutes({ db, settings, store, providers }: Routing): Route[] {
  const isAllowed = async (): Promise<boolean> => (await settings.read(db)).own_providers;
  const requireAllowed = async (): Promise<void> => {
    if (!(await isAllowed()))
      throw forbidden('own_providers_not_allowed', 'The administrator does not allow language models of your own.');
  };
  return [
    handle(contracts.ownModelProviders, async ({ caller }) => ({
      providers: await listOf(store, db, caller.userId),
      allowed: await isAllowed(),
    })),
    handle(contracts.createOwnModelProvider, async (request) => {
      await requireAllowed();
      return toProviderObject(await providers.create(request, request.caller.userId, request.body));
    }),
    handle(contracts.updateOwnModelProvider, async (request) => {
      await requireAllowed();
      const { caller, body, params } = request;
      return toProviderObject(await providers.change(request, caller.userId, { ...body, uuid: params.uuid }));
    }),
    // Also while it is not allowed: people may always delete their keys.
    handle(contracts.deleteOwnModelProvider, async (request) => {
      await providers.remove(request, request.caller.userId, request.params.uuid);
      return undefined;
    }),
    handle(contracts.activateOwnModelProvider, async (request) => {
      await requireAllowed();
      await providers.activate(request, request.caller.userId, request.body.configuration_id);
      return { providers: await listOf(store, db, request.caller.userId) };
    }),
    handle(contracts.testOwnModelProvider, async ({ caller, body }) => {
      await requireAllowed();
      return await providers.test(caller.userId, body);
    }),
    handle(contracts.listOwnModels, async ({ caller, body }) => {
      await requireAllowed();
      return await providers.listModels(caller.userId, body);
    }),
  ];
}

function statusRoute({ db, settings, store }: Routing): Route {
  return handle(contracts.modelStatus, async ({ caller }) => {
    const { own_providers: ownAllowed } = await settings.read(db);
    const row = await store.findActive(db, ownAllowed ? caller.userId : null);
    const shown = row && toProviderObject(row);
    return {
      available: row !== null,
      source: row && (row.ownerId === null ? ('system' as const) : ('own' as const)),
      provider: row?.name ?? null,
      model: row?.model ?? null,
      host: row && hostOf(row),
      context_tokens: row && windowOf(row).tokens,
      paused_until: shown?.paused_until ?? null,
      pause_code: shown?.pause_code ?? null,
      own_providers_allowed: ownAllowed,
    };
  });
}

async function listOf(store: ProviderStore, db: Db, owner: Owner): Promise<ModelProviderObject[]> {
  return (await store.list(db, owner)).map(toProviderObject);
}

function toUsage(
  { uuid, provider, model, requests, inputTokens, outputTokens }: UsageRow,
  names: ReadonlyMap<string, string>,
) {
  const name = uuid === null ? null : (names.get(uuid) ?? null);
  return { uuid, name, provider, model, requests, input_tokens: inputTokens, output_tokens: outputTokens };
}
