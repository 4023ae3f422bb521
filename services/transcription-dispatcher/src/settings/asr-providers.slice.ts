import {
  asrRoutes,
  asrRpc,
  asrSettings,
  asrWorkerRpc,
  transcriptionEvents,
  type AnswerOf,
  type AsrProvider,
  type AsrProviderWithKey,
} from '@overtone/contracts';
import type { Outbox, SettingsDb, SettingsStore } from '@overtone/database';
import { handle, rpc, type Bus, type Slice } from '@overtone/service-kit';
import type { OutboundGuard } from '@overtone/service-kit/outbound';
import type { Db } from '../database.ts';
import { operatorOf, recordOperation } from '../operator.ts';
import type { Workers } from '../workers/workers.ts';
import {
  requireReadyProvider,
  requireRevision,
  revisionOf,
  validateProviders,
  withStoredKey,
} from './asr-providers.ts';

type Deps = {
  db: Db;
  outbox: Outbox;
  bus: Bus;
  store: SettingsStore;
  workers: Pick<Workers, 'engines'>;
  guard: OutboundGuard;
};

/** The engines that recognise speech: edited by administrators, read with their keys by the workers only. */
export function createAsrProvidersSlice({
  db,
  outbox,
  bus,
  store,
  workers,
  guard,
}: Deps): Slice & { listProviders: () => Promise<AsrProvider[]> } {
  const listProviders = async (source: SettingsDb = db): Promise<AsrProvider[]> =>
    (await store.read(source, asrSettings([]))).values.providers ?? [];
  const readWithKeys = async (source: SettingsDb = db): Promise<AsrProviderWithKey[]> => {
    const providers = await listProviders(source);
    const { values } = await store.read(source, asrSettings(providers.map(({ id }) => id)));
    const keys = values as Readonly<Record<string, unknown>>;
    return providers.map((provider) => ({ ...provider, api_key: keyOf(keys[`key-${provider.id}`]) }));
  };
  const show = async (): Promise<AnswerOf<typeof asrRoutes.asrProviders>> => {
    const providers = await readWithKeys();
    return {
      providers: providers.map((provider) => ({
        ...provider,
        api_key: null,
        api_key_is_set: provider.api_key !== null,
      })),
      revision: revisionOf(providers.map(withoutKey)),
      workers: workers.engines(),
    };
  };
  return {
    listProviders: () => listProviders(),
    routes: [
      handle(asrRoutes.asrProviders, show),
      handle(asrRoutes.updateAsrProviders, async (request) => {
        const { body, caller } = request;
        await validateProviders(body.providers, guard);
        if (body.accept_not_ready !== true) {
          const stored = await readWithKeys();
          await requireReadyProvider(
            body.providers.map((provider) => withStoredKey(provider, stored)),
            bus,
          );
        }
        await db.$transaction(async (tx) => {
          await store.lock(tx);
          const stored = await readWithKeys(tx);
          requireRevision(body.revision, stored.map(withoutKey));
          const next = body.providers.map((provider) => withStoredKey(provider, stored));
          const group = asrSettings([...stored, ...next].map(({ id }) => id));
          const keys = [...stored, ...next].map(({ id }) => [
            `key-${id}`,
            next.find((provider) => provider.id === id)?.api_key ?? null,
          ]);
          const changes = { ...(Object.fromEntries(keys) as object), providers: next.map(withoutKey) };
          await store.change(tx, group, { changes, by: caller.userId, validate: () => undefined });
          const details = {
            providers: next
              .map(({ name }) => name)
              .join(', ')
              .slice(0, 500),
          };
          await recordOperation(tx, outbox, operatorOf(request), 'asr_providers_changed', details);
          await outbox.add(tx, transcriptionEvents.settingsChanged, { group: 'asr', keys: ['providers'] });
        });
        return await show();
      }),
      handle(asrRoutes.testAsrProvider, async ({ body }) => {
        await validateProviders([body.provider], guard);
        const provider = withStoredKey(body.provider, await readWithKeys());
        return await bus.request(asrWorkerRpc.testProvider, { provider });
      }),
    ],
    rpcs: [rpc(asrRpc.providers, async () => ({ providers: await readWithKeys() }))],
  };
}

function withoutKey({ api_key: _, ...provider }: AsrProviderWithKey): AsrProvider {
  return provider;
}

function keyOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
