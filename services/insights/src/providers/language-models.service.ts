import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAppError, notFound, type AppError, type Log } from '@overtone/service-kit';
import { isRefusedAddress, type OutboundGuard } from '@overtone/service-kit/outbound';
import type { z } from 'zod';
import type { Db } from '../database.ts';
import type { LanguageModel, LanguageModels, ModelInfo, ModelRequest, Usage } from '../ports/language-model.ts';
import { addressOf, type ModelClient, type ModelReply, type ModelServer } from '../ports/model-client.ts';
import { modelFailures } from '../ports/model-failures.ts';
import { countTokens, countWords } from '../ports/model-tokens.ts';
import type { Settings } from '../settings/settings.ts';
import type { Telemetry } from '../telemetry.ts';
import { breakTemplateTokens } from '../untrusted/untrusted.ts';
import type { ProviderRow } from './provider-row.ts';
import { windowOf } from './providers.ts';
import type { ProviderStore } from './providers.store.ts';
import { requestStore } from './requests.store.ts';
import { parseAnswer, toAnswerSchema } from './structured.ts';

type Deps = {
  db: Db;
  store: ProviderStore;
  client: ModelClient;
  guard: OutboundGuard;
  settings: Settings;
  telemetry: Telemetry;
  log: Log;
  /** The first pause before a request is repeated. */
  backoffMs?: number;
};
type OnText = ((soFar: string) => void) | undefined;
type Prepared = { row: ProviderRow; server: ModelServer; request: ModelRequest; schema: object | null; onText: OnText };

/** Between two looks whether a request may be sent; doubled after each, up to the longest. */
const pollMs = 100;
const longestPollMs = 800;
const renewMs = 15_000;
/** A provider that asks for a longer pause is reported: the job comes back later. */
const longestPauseSeconds = 300;
const maxAttempts = 5;
/** Failures of the connection or the server: a repetition may help at once. */
const maxFailedAttempts = 3;

/** The language models that people use: limits, retries, pauses, accounting and metrics around each request. */
export function createLanguageModels(deps: Deps): LanguageModels {
  const { db, store, settings, guard } = deps;
  return {
    for: async (userId) => {
      const { own_providers: ownAllowed } = await settings.read(db);
      const row = await store.findActive(db, ownAllowed ? userId : null);
      return row ? createLanguageModel(deps, row, await infoOf(row, guard)) : null;
    },
  };
}

function createLanguageModel(deps: Deps, row: ProviderRow, info: ModelInfo): LanguageModel {
  const server: ModelServer = {
    name: row.name,
    kind: row.kind,
    baseUrl: row.baseUrl,
    model: row.model,
    apiKey: deps.store.keyOf(row),
    contextTokens: info.contextTokens,
    timeoutSeconds: row.timeoutSeconds,
  };
  return {
    info,
    countTokens: (text) => countTokens(breakTemplateTokens(text)),
    text: async ({ onText, ...request }) => {
      const reply = await perform(deps, { row, server, request, schema: null, onText });
      return { text: reply.text, usage: usageOf(reply, request) };
    },
    object: async <T>({ schema, onText, ...request }: ModelRequest & { schema: z.ZodType<T>; onText?: OnText }) => {
      const prepared = { row, server, request, schema: toAnswerSchema(schema), onText };
      const usage: Usage = { inputTokens: 0, outputTokens: 0 };
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        const reply = await perform(deps, prepared);
        const { inputTokens, outputTokens } = usageOf(reply, request);
        usage.inputTokens += inputTokens;
        usage.outputTokens += outputTokens;
        const answer = parseAnswer(schema, reply.text);
        if (answer) return { value: answer.value, usage };
        deps.log.warn({ provider: row.uuid, purpose: request.purpose, attempt }, 'language model answer refused');
        deps.telemetry.requests.inc({ ...deps.telemetry.labelsOf(row), result: 'provider_answer_invalid' });
      }
      throw modelFailures.answerInvalid(row.name);
    },
  };
}

async function perform(deps: Deps, given: Prepared): Promise<ModelReply> {
  const { system, prompt } = given.request;
  const request = { ...given.request, system: breakTemplateTokens(system), prompt: breakTemplateTokens(prompt) };
  const prepared = { ...given, request };
  // Without its key the server would refuse the request, without a known cause.
  if (deps.store.hasUnreadableKey(prepared.row)) throw modelFailures.keyUnreadable(prepared.row.name);
  requireFits(prepared);
  const { backoffMs = 1_000 } = deps;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(deps, prepared);
    } catch (error) {
      if (!isAppError(error)) throw error;
      const isFailure = error.code === 'provider_unreachable' && !error.permanent;
      const isLimited = error.code === 'provider_rate_limited' && (error.retryAfterSeconds ?? 0) <= longestPauseSeconds;
      if (!(isFailure && attempt < maxFailedAttempts) && !(isLimited && attempt < maxAttempts)) throw error;
      // The pause of a rate limit is stored with the provider and waited for by every request.
      if (isFailure) await sleep(backoffMs * 4 ** (attempt - 1), undefined, { signal: prepared.request.signal });
    }
  }
}

/** Nothing is sent that the model would cut without a word. */
function requireFits({ server, request, schema }: Prepared): void {
  const { system, prompt, maxOutputTokens } = request;
  const texts = [system, prompt, schema === null ? '' : JSON.stringify(schema)];
  const needed = texts.reduce((sum, text) => sum + countTokens(text), maxOutputTokens);
  if (needed > server.contextTokens)
    throw modelFailures.contextExceeded(server.name, `${needed} of ${server.contextTokens} tokens`);
}

async function sendOnce(deps: Deps, prepared: Prepared): Promise<ModelReply> {
  const { db, telemetry, client, log } = deps;
  const { row, server, request, schema, onText } = prepared;
  const requestId = randomUUID();
  await waitForTurn(deps, prepared, requestId);
  const renewal = setInterval(() => {
    requestStore
      .renew(db, requestId)
      .catch((err: unknown) => log.debug({ err: err as Error }, 'request renewal failed'));
  }, renewMs);
  const labels = telemetry.labelsOf(row);
  const stopTimer = telemetry.duration.startTimer(labels);
  telemetry.running.inc();
  try {
    const { system, prompt, maxOutputTokens, signal } = request;
    const reply = await client.send(server, { system, prompt, schema, maxOutputTokens, signal, onText });
    stopTimer();
    await recordReply(deps, prepared, reply);
    requireWhole(server, request, reply);
    return reply;
  } catch (error) {
    // An abort by the caller is no failure of the provider.
    if (isAppError(error) && !request.signal.aborted) await recordFailure(deps, row, error);
    throw error;
  } finally {
    clearInterval(renewal);
    telemetry.running.dec();
    await requestStore
      .end(db, requestId)
      .catch((err: unknown) => log.debug({ err: err as Error }, 'model request end not recorded'));
  }
}

async function waitForTurn({ db }: Deps, { row, request }: Prepared, requestId: string): Promise<void> {
  const { uuid: providerId, name, timeoutSeconds } = row;
  for (let looks = 0; ; looks += 1) {
    request.signal.throwIfAborted();
    const wanted = { requestId, providerId, fileId: request.fileId, timeoutSeconds };
    const decision = await requestStore.begin(db, wanted);
    if (!decision) throw notFound('The language model was removed.');
    if (decision.kind === 'granted') return;
    if (decision.kind === 'paused') throw modelFailures.paused(name, decision.seconds);
    if (decision.kind === 'rate-limited' && decision.seconds > longestPauseSeconds)
      throw modelFailures.rateLimited(name, { retryAfterSeconds: Math.ceil(decision.seconds) });
    const pauseMs = decision.kind === 'busy' ? Math.min(longestPollMs, pollMs * 2 ** looks) : decision.seconds * 1_000;
    await sleep(pauseMs + Math.random() * pollMs, undefined, { signal: request.signal });
  }
}

async function recordReply({ db, telemetry }: Deps, { row, request }: Prepared, reply: ModelReply): Promise<void> {
  const labels = telemetry.labelsOf(row);
  const { inputTokens, outputTokens } = usageOf(reply, request);
  telemetry.requests.inc({ ...labels, result: 'ok' });
  telemetry.tokens.inc({ ...labels, direction: 'input' }, inputTokens);
  telemetry.tokens.inc({ ...labels, direction: 'output' }, outputTokens);
  const { fileId, userId, purpose } = request;
  await requestStore.recordSuccess(db, row.uuid);
  await requestStore.addUsage(db, {
    fileId,
    userId,
    purpose,
    provider: row.name,
    model: row.model,
    inputTokens,
    outputTokens,
  });
}

async function recordFailure({ db, telemetry, log }: Deps, row: ProviderRow, error: AppError): Promise<void> {
  telemetry.requests.inc({ ...telemetry.labelsOf(row), result: error.code });
  log.warn({ provider: row.uuid, code: error.code, detail: error.detail }, 'language model request failed');
  if (error.code === 'provider_rate_limited')
    await requestStore.recordRateLimit(db, row.uuid, error.retryAfterSeconds ?? 5);
  else if (error.code === 'provider_unreachable' || error.code === 'provider_timeout')
    await requestStore.recordFailure(db, row.uuid, error.code);
  // The server answers, so that a pause after failures ends.
  else await requestStore.recordSuccess(db, row.uuid);
}

/** A server that counted fewer tokens than the request has words has dropped text without a word, as Ollama does. */
function requireWhole(server: ModelServer, { system, prompt }: ModelRequest, { inputTokens }: ModelReply): void {
  const words = countWords(system) + countWords(prompt);
  if (inputTokens !== null && inputTokens < words)
    throw modelFailures.contextExceeded(server.name, `it read ${inputTokens} tokens of ${words} words`);
}

function usageOf({ inputTokens, outputTokens, text }: ModelReply, { system, prompt }: ModelRequest): Usage {
  return {
    inputTokens: inputTokens ?? countTokens(system) + countTokens(prompt),
    outputTokens: outputTokens ?? countTokens(text),
  };
}

async function infoOf(row: ProviderRow, guard: OutboundGuard): Promise<ModelInfo> {
  return {
    providerId: row.uuid,
    provider: row.name,
    model: row.model,
    contextTokens: windowOf(row).tokens,
    isLocal: await isPrivate(addressOf(row), guard),
  };
}

/** Whether the server is in a private network; a name that cannot be resolved counts as outside. */
async function isPrivate(url: string, guard: OutboundGuard): Promise<boolean> {
  try {
    const { address } = await guard.checkedAddress(new URL(url).hostname);
    return isRefusedAddress(address, []);
  } catch {
    return false;
  }
}
