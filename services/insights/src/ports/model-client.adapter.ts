import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { JSONSchema7, LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Usage } from '@ai-sdk/provider';
import { assertNever } from '@overtone/service-kit';
import type { OutboundGuard } from '@overtone/service-kit/outbound';
import { createOllama } from 'ollama-ai-provider-v2';
import { fetch as undiciFetch, type Agent } from 'undici';
import { createIdleTimeout } from './idle-timeout.ts';
import { addressOf, type ModelClient, type ModelMessage, type ModelReply, type ModelServer } from './model-client.ts';
import { modelFailures, toModelFailure } from './model-failures.ts';
import { listModels, readContextTokens } from './model-listing.ts';

/** A token of a common language has about four characters; an answer of many times that is no answer. */
const charactersPerToken = 16;
const spareCharacters = 4_096;

/**
 * The only connection of this service to language models. Every request goes through the guard of user-given addresses, to a checked
 * address, and follows no redirect, which could lead to another server with the key.
 */
export function createModelClient(guard: OutboundGuard): ModelClient {
  // The idle timeout of each request limits its time.
  const dispatcher = guard.createDispatcher({ headersTimeout: 0, bodyTimeout: 0 } satisfies Agent.Options);
  const guardedFetch = ((address: string | URL, init: RequestInit = {}) =>
    undiciFetch(guard.checkUrl(String(address)), {
      ...(init as object),
      redirect: 'error',
      dispatcher,
    })) as unknown as typeof fetch;
  return {
    send: (server, message) => send(createModel(server, guardedFetch), server, message),
    listModels: (server, signal) => listModels(server, { fetch: guardedFetch, signal }),
    readContextTokens: (server, signal) => readContextTokens(server, { fetch: guardedFetch, signal }),
    close: () => dispatcher.destroy(),
  };
}

function createModel(server: ModelServer, fetch: typeof globalThis.fetch): LanguageModelV4 {
  const { kind, model, apiKey } = server;
  const [baseURL, key] = [addressOf(server), apiKey ?? ''];
  switch (kind) {
    case 'openai':
      return createOpenAI({ baseURL, apiKey: key, fetch }).chat(model);
    case 'openai-compatible':
      return createOpenAICompatible({
        name: 'server',
        baseURL,
        ...(apiKey === null ? {} : { apiKey }),
        fetch,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })(model);
    case 'ollama':
      return createOllama({
        baseURL: `${baseURL}/api`,
        headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
        fetch,
      })(model);
    case 'anthropic':
      return createAnthropic({ baseURL, apiKey: key, fetch })(model);
    default:
      return assertNever(kind);
  }
}

/** Always streamed, so that a server that stalls is noticed however long the answer is. */
async function send(model: LanguageModelV4, server: ModelServer, message: ModelMessage): Promise<ModelReply> {
  const { name, timeoutSeconds } = server;
  const idle = createIdleTimeout(timeoutSeconds * 1_000);
  const stop = new AbortController();
  const abortSignal = AbortSignal.any([message.signal, idle.signal, stop.signal]);
  try {
    const { stream } = await model.doStream(callOptions(server, message, abortSignal));
    return await collect(stream, { server, message, touch: idle.touch });
  } catch (error) {
    if (message.signal.aborted) throw message.signal.reason;
    if (idle.signal.aborted) throw modelFailures.timeout(name, timeoutSeconds);
    throw toModelFailure(error, name);
  } finally {
    idle.stop();
    // Ends the request of an answer that was not read to its end.
    stop.abort();
  }
}

function callOptions(
  { contextTokens }: ModelServer,
  { system, prompt, schema, maxOutputTokens }: ModelMessage,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  return {
    prompt: [
      { role: 'system', content: system },
      { role: 'user', content: [{ type: 'text', text: prompt }] },
    ],
    maxOutputTokens,
    ...(schema === null
      ? {}
      : { responseFormat: { type: 'json', schema: schema as JSONSchema7, name: 'answer' } as const }),
    abortSignal,
    providerOptions: {
      // Strict schemas allow no optional field; the answer is checked here in any case.
      openai: { strictJsonSchema: false },
      server: { strictJsonSchema: false },
      // Without tools: they would be the only ones of this service.
      anthropic: { structuredOutputMode: 'outputFormat' },
      ollama: { options: { num_ctx: contextTokens, num_predict: maxOutputTokens } },
    },
  };
}

type Stream = Awaited<ReturnType<LanguageModelV4['doStream']>>['stream'];
type Collecting = { server: ModelServer; message: ModelMessage; touch: () => void };

async function collect(stream: Stream, { server, message, touch }: Collecting): Promise<ModelReply> {
  const limit = message.maxOutputTokens * charactersPerToken + spareCharacters;
  let text = '';
  let usage: LanguageModelV4Usage | undefined;
  for await (const part of stream) {
    touch();
    if (part.type === 'error') throw toModelFailure(part.error, server.name);
    if (part.type === 'finish') usage = part.usage;
    if (part.type !== 'text-delta') continue;
    text += part.delta;
    if (text.length > limit) throw modelFailures.answerInvalid(server.name, 'the answer is too long');
    message.onText?.(text);
  }
  if (!usage) throw modelFailures.answerInvalid(server.name, 'the answer has no end');
  return {
    text,
    inputTokens: usage.inputTokens.total || null,
    outputTokens: usage.outputTokens.total || null,
  };
}
