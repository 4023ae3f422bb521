import { APICallError } from '@ai-sdk/provider';
import { z } from 'zod';
import { addressOf, type ListedModel, type ModelServer } from './model-client.ts';
import { modelFailures, toModelFailure } from './model-failures.ts';

type Access = { fetch: typeof globalThis.fetch; signal: AbortSignal };
type Server = Omit<ModelServer, 'model'>;

const listWithinMs = 15_000;
const maxListed = 1_000;
const tokens = z.int().positive().nullish().catch(null);
/** `max_model_len`: vLLM; `context_length`: OpenRouter; `max_input_tokens`: Anthropic. */
const openAiList = z.object({
  data: z.array(z.object({ id: z.string(), max_model_len: tokens, context_length: tokens, max_input_tokens: tokens })),
});
const ollamaList = z.object({ models: z.array(z.object({ name: z.string() })) });
const ollamaModel = z.object({ model_info: z.record(z.string(), z.unknown()) });

/** The models of a server, as its own list names them. */
export async function listModels(server: Server, access: Access): Promise<ListedModel[]> {
  if (server.kind === 'ollama') {
    const { models } = await ask(server, access, { path: '/api/tags', schema: ollamaList });
    return models.slice(0, maxListed).map(({ name }) => ({ id: name, contextTokens: null }));
  }
  const query = server.kind === 'anthropic' ? '?limit=1000' : '';
  const { data } = await ask(server, access, { path: `/models${query}`, schema: openAiList });
  return data.slice(0, maxListed).map((model) => ({
    id: model.id,
    contextTokens: model.max_model_len ?? model.context_length ?? model.max_input_tokens ?? null,
  }));
}

/** The context window of the server's model; null: the server does not report it. */
export async function readContextTokens(server: ModelServer, access: Access): Promise<number | null> {
  if (server.kind !== 'ollama')
    return (await listModels(server, access)).find(({ id }) => id === server.model)?.contextTokens ?? null;
  const { model_info: info } = await ask(server, access, {
    path: '/api/show',
    body: { model: server.model },
    schema: ollamaModel,
  });
  const length = Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1];
  return typeof length === 'number' ? length : null;
}

type Question<T> = { path: string; body?: object; schema: z.ZodType<T> };

async function ask<T>(server: Server, access: Access, { path, body, schema }: Question<T>): Promise<T> {
  const address = `${addressOf(server)}${path}`;
  const signal = AbortSignal.any([access.signal, AbortSignal.timeout(listWithinMs)]);
  try {
    const response = await access.fetch(address, {
      method: body ? 'POST' : 'GET',
      headers: { ...headersOf(server), ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal,
    });
    const text = await response.text();
    if (!response.ok)
      throw new APICallError({
        message: `status ${response.status}`,
        url: address,
        requestBodyValues: undefined,
        statusCode: response.status,
        responseHeaders: Object.fromEntries(response.headers),
        responseBody: text,
      });
    const parsed = schema.safeParse(readJson(text));
    if (parsed.success) return parsed.data;
    throw modelFailures.answerInvalid(server.name, kindOf(response, text));
  } catch (error) {
    if (access.signal.aborted) throw access.signal.reason;
    if (signal.aborted) throw modelFailures.timeout(server.name, listWithinMs / 1_000);
    throw toModelFailure(error, server.name);
  }
}

/** Not its text: whoever may enter an address could read any page that the service reaches. */
function kindOf(response: Response, text: string): string {
  const type = response.headers.get('content-type') ?? 'an answer without a content type';
  return `${type}, ${text.length} characters, instead of a list of models.`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function headersOf({ kind, apiKey }: Server): Record<string, string> {
  if (kind === 'anthropic') return { 'anthropic-version': '2023-06-01', 'x-api-key': apiKey ?? '' };
  return apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
}
