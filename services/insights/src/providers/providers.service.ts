import { randomUUID } from 'node:crypto';
import {
  maxModelProviders,
  type ModelProviderInput,
  type ModelProviderList,
  type ModelProviderTest,
} from '@overtone/contracts';
import { recordOperation, type AdminRequest, type Outbox } from '@overtone/database';
import { conflict, isAppError, notFound, type AppError } from '@overtone/service-kit';
import type { OutboundGuard } from '@overtone/service-kit/outbound';
import type { Db, Tx } from '../database.ts';
import type { ModelClient, ModelServer } from '../ports/model-client.ts';
import { modelFailures } from '../ports/model-failures.ts';
import { retryWaiting } from '../summaries/summaries.store.ts';
import type { Owner, ProviderRow, ProviderWithKey } from './provider-row.ts';
import { hostOf, toServer, validateProvider, withStoredKey } from './providers.ts';
import type { ProviderStore } from './providers.store.ts';

type Deps = { db: Db; outbox: Outbox; store: ProviderStore; client: ModelClient; guard: OutboundGuard };
type Unsaved = ModelProviderInput & { uuid?: string | undefined };
type Action =
  'model_provider_created' | 'model_provider_changed' | 'model_provider_deleted' | 'model_provider_activated';

const askWithinMs = 5_000;
/** Models that think need room before the first word. */
const testTokens = 512;

/** Adds, changes, removes, chooses and tests language models of everyone (owner null) or of one person. */
export function createProviders({ db, outbox, store, client, guard }: Deps) {
  const findOwn = async (source: Db | Tx, owner: Owner, uuid: string): Promise<ProviderRow> => {
    const row = await store.find(source, owner, uuid);
    if (!row) throw notFound('There is no such language model.');
    return row;
  };
  const withKey = (row: ProviderRow): ProviderWithKey => ({
    name: row.name,
    kind: row.kind,
    base_url: row.baseUrl,
    model: row.model,
    context_tokens: row.contextTokens,
    max_parallel: row.maxParallel,
    timeout_seconds: row.timeoutSeconds,
    api_key: store.keyOf(row),
  });
  const prepare = async (input: ModelProviderInput, row: ProviderRow | null) => {
    await validateProvider(input, guard);
    return withStoredKey(input, row && withKey(row));
  };
  const record = (tx: Tx, request: AdminRequest, action: Action, provider: AuditedProvider, owner: Owner) =>
    recordOperation({ tx, outbox, request }, action, {
      provider: provider.name,
      kind: provider.kind,
      host: hostOf(provider),
      model: provider.model,
      scope: owner === null ? 'system' : 'own',
    });
  const requireFreeName = (rows: readonly ProviderRow[], name: string, uuid?: string): void => {
    if (rows.some((row) => row.uuid !== uuid && row.name.toLowerCase() === name.toLowerCase()))
      throw conflict('provider_name_taken', 'Another language model has this name.', {
        errors: [{ path: 'name', message: 'Another language model has this name.' }],
      });
  };
  const serverOf = async (owner: Owner, { uuid, ...input }: Unsaved): Promise<ModelServer> => {
    const row = uuid === undefined ? null : await findOwn(db, owner, uuid);
    if (row && input.api_key === undefined && store.hasUnreadableKey(row)) throw modelFailures.keyUnreadable(row.name);
    return toServer(await prepare(input, row), row?.askedTokens ?? null);
  };

  return {
    create: async (request: AdminRequest, owner: Owner, input: ModelProviderInput): Promise<ProviderRow> => {
      const provider = await prepare(input, null);
      const askedTokens = await askTokens(client, toServer(provider, null));
      const uuid = randomUUID();
      return await db.$transaction(async (tx) => {
        await store.lock(tx, owner);
        const rows = await store.list(tx, owner);
        if (rows.length >= maxModelProviders)
          throw conflict('provider_limit', `There can be at most ${maxModelProviders} language models.`);
        requireFreeName(rows, provider.name);
        const isActive = !rows.some((row) => row.isActive);
        await store.insert(tx, uuid, { provider, askedTokens, ownerId: owner, isActive });
        if (isActive) await retryWaiting(tx, owner);
        await record(tx, request, 'model_provider_created', auditedOf(provider), owner);
        return await findOwn(tx, owner, uuid);
      });
    },
    change: async (
      request: AdminRequest,
      owner: Owner,
      { uuid, ...input }: ModelProviderInput & { uuid: string },
    ): Promise<ProviderRow> => {
      const provider = await prepare(input, await findOwn(db, owner, uuid));
      const askedTokens = await askTokens(client, toServer(provider, null));
      return await db.$transaction(async (tx) => {
        await store.lock(tx, owner);
        const before = await findOwn(tx, owner, uuid);
        requireFreeName(await store.list(tx, owner), provider.name, uuid);
        // Another change may have replaced the key or the server since.
        await store.update(tx, uuid, { provider: withStoredKey(input, withKey(before)), askedTokens });
        if (before.isActive) await retryWaiting(tx, owner);
        await record(tx, request, 'model_provider_changed', auditedOf(provider), owner);
        return await findOwn(tx, owner, uuid);
      });
    },
    remove: (request: AdminRequest, owner: Owner, uuid: string): Promise<void> =>
      db.$transaction(async (tx) => {
        await store.lock(tx, owner);
        const row = await findOwn(tx, owner, uuid);
        await store.remove(tx, uuid);
        if (row.isActive) await retryWaiting(tx, owner);
        await record(tx, request, 'model_provider_deleted', row, owner);
      }),
    activate: (request: AdminRequest, owner: Owner, uuid: string | null): Promise<void> =>
      db.$transaction(async (tx) => {
        await store.lock(tx, owner);
        const before = (await store.list(tx, owner)).find(({ isActive }) => isActive);
        const row = uuid === null ? null : await findOwn(tx, owner, uuid);
        if (before?.uuid === row?.uuid) return;
        await store.activate(tx, owner, uuid);
        await retryWaiting(tx, owner);
        await recordOperation({ tx, outbox, request }, 'model_provider_activated', {
          provider: row?.name ?? 'none',
          ...(row ? { host: hostOf(row), model: row.model } : {}),
          scope: owner === null ? 'system' : 'own',
        });
      }),
    /** Sends a short request, and stores the result when the provider is a saved one. */
    test: async (owner: Owner, unsaved: Unsaved): Promise<ModelProviderTest> => {
      const result = await testServer(client, await serverOf(owner, unsaved));
      if (unsaved.uuid !== undefined)
        await store.saveTest(db, unsaved.uuid, {
          ok: result.ok,
          message: result.message,
          tokens: result.context_tokens,
        });
      return result;
    },
    listModels: async (owner: Owner, unsaved: Unsaved): Promise<ModelProviderList> =>
      await listModels(client, await serverOf(owner, unsaved)),
  };
}

export type Providers = ReturnType<typeof createProviders>;

type AuditedProvider = Pick<ProviderRow, 'name' | 'kind' | 'baseUrl' | 'model'>;

function auditedOf({ name, kind, base_url: baseUrl, model }: ProviderWithKey): AuditedProvider {
  return { name, kind, baseUrl, model };
}

/** A server that does not answer can be saved: its window is asked again by the connection test. */
async function askTokens(client: ModelClient, server: ModelServer): Promise<number | null> {
  return await client.readContextTokens(server, AbortSignal.timeout(askWithinMs)).catch(() => null);
}

async function testServer(client: ModelClient, server: ModelServer): Promise<ModelProviderTest> {
  const start = performance.now();
  const stop = new AbortController();
  const answer = client.send(server, {
    system: 'This is a connection test. Answer with the word "ready".',
    prompt: 'Are you ready?',
    schema: null,
    maxOutputTokens: testTokens,
    signal: stop.signal,
  });
  try {
    await Promise.race([answer, rejectWhenSilent(client, server, stop.signal)]);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { ok: false, ...failureOf(error), response_time_ms: null, context_tokens: null };
  } finally {
    stop.abort();
  }
  return {
    ok: true,
    error_code: null,
    message: 'The model answers.',
    response_time_ms: Math.round(performance.now() - start),
    context_tokens: await askTokens(client, server),
  };
}

/** A model may need minutes for its first word, but a server that does not even list its models sends nothing at all. */
async function rejectWhenSilent(client: ModelClient, server: ModelServer, signal: AbortSignal): Promise<never> {
  try {
    await client.listModels(server, signal);
  } catch (error) {
    if (isAppError(error) && error.code === 'provider_timeout') throw error;
  }
  return await new Promise<never>(() => undefined);
}

async function listModels(client: ModelClient, server: ModelServer): Promise<ModelProviderList> {
  try {
    const models = await client.listModels(server, new AbortController().signal);
    const listed = models.map(({ id, contextTokens }) => ({ id, context_tokens: contextTokens }));
    return { models: listed, error_code: null, message: null };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { models: [], ...failureOf(error) };
  }
}

/** With the server's own words: the person who enters its address may read them. */
function failureOf({ code, message, detail }: AppError): { error_code: string; message: string } {
  return { error_code: code, message: detail === undefined ? message : `${message} The server: ${detail}` };
}
