import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Usage } from '@ai-sdk/provider';
import { assertNever } from '@overtone/service-kit';
import type { OutboundGuard } from '@overtone/service-kit/outbound';
import { createOllama } from 'ollama-ai-provider-v2';
import { fetch as undiciFetch, type Agent } from 'undici';
import { addressOf, type ModelClient, type ModelMessage, type ModelReply, type ModelServer } from './model-client.ts';
import { modelFailures, toModelFailure } from './model-failures.ts';
import { listModels, readContextTokens } from './model-listing.ts';

/** A token of a common language has about four characters; an answer of many times that is no answer. */
const charactersPerToken = 16;
const spareCharacters = 4_096;
/** Of one response, uncompressed: many times the longest answer with the frames of its protocol, or list of models. */
const maxResponseBytes = 16 * 1_048_576;
/** Of a streamed answer: the libraries search the whole line again with every part that arrives. */
const maxLineBytes = 1_048_576;
const lineFeed = 10;

/**
 * The only connection of this service to language models. Every request goes through the guard of user-given addresses, to a checked
 * address, and follows no redirect, which could lead to another server with the key.
 */
export function createModelClient(guard: OutboundGuard): ModelClient {
  // The idle timeout of each request limits its time.
  const dispatcher = guard.createDispatcher({ headersTimeout: 0, bodyTimeout: 0 } satisfies Agent.Options);
  const guardedFetch = (maxLine: number) =>
    (async (address: string | URL, init: RequestInit = {}) => {
      const url = guard.checkUrl(String(address));
      const response = await undiciFetch(url, { ...(init as object), redirect: 'error', dispatcher });
      return withinLimits(response, maxLine);
    }) as typeof fetch;
  const [fetchLines, fetchWhole] = [guardedFetch(maxLineBytes), guardedFetch(maxResponseBytes)];
  return {
    send: (server, message) => send(createModel(server, fetchLines), server, message),
    listModels: (server, signal) => listModels(server, { fetch: fetchWhole, signal }),
    readContextTokens: (server, signal) => readContextTokens(server, { fetch: fetchWhole, signal }),
    close: () => dispatcher.destroy(),
  };
}

/** The libraries read lines, messages of failures and lists completely, however long they are. */
function withinLimits(response: Response, maxLine: number): Response {
  if (!response.body) return response;
  let [bytes, line] = [0, 0];
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform: (part, controller) => {
      const lastBreak = part.lastIndexOf(lineFeed);
      bytes += part.byteLength;
      line = lastBreak < 0 ? line + part.byteLength : part.byteLength - lastBreak - 1;
      if (bytes > maxResponseBytes || line > maxLine)
        controller.error(modelFailures.answerInvalid('The server', 'the answer is too long'));
      else controller.enqueue(part);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers: [...headers] });
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
    ...(schema === null ? {} : { responseFormat: { type: 'json', schema, name: 'answer' } as const }),
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
  // A model may think before it answers: of no more than an answer may have.
  let length = 0;
  let usage: LanguageModelV4Usage | undefined;
  for await (const part of stream) {
    if (part.type === 'error') throw toModelFailure(part.error, server.name);
    if (part.type === 'finish') usage = part.usage;
    if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') continue;
    // A part without text is no sign of work.
    if (part.delta !== '') touch();
    length += part.delta.length;
    if (length > limit) throw modelFailures.answerInvalid(server.name, 'the answer is too long');
    if (part.type !== 'text-delta') continue;
    text += part.delta;
    message.onText?.(text);
  }
  if (!usage) throw modelFailures.answerInvalid(server.name, 'the answer has no end');
  return {
    text,
    inputTokens: usage.inputTokens.total || null,
    outputTokens: usage.outputTokens.total || null,
  };
}

/** A signal that aborts when nothing has happened for a time; `touch` begins the time again. */
function createIdleTimeout(milliseconds: number): {
  signal: AbortSignal;
  touch: () => void;
  stop: () => void;
} {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), milliseconds);
  return {
    signal: controller.signal,
    touch: (): void => void timer.refresh(),
    stop: (): void => clearTimeout(timer),
  };
}
