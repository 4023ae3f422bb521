import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  toCall,
  type AnswerCall,
  type LanguageModelProtocol,
  type ModelAnswer,
  type ModelCall,
} from './language-model-calls.ts';
import { protocols, type ModelListing } from './language-model-protocols.ts';
import { react, sendError, sendJson, toReaction } from './language-model-reactions.ts';

export {
  countScriptedTokens,
  type AnswerCall,
  type LanguageModelProtocol,
  type ModelAnswer,
  type ModelCall,
  type Reaction,
} from './language-model-calls.ts';

type Options = {
  /** What the model answers when nothing is scripted; by default `ok`. */
  answer?: AnswerCall;
  models?: readonly string[];
  /** The window of every model. Exceeding it is refused, as OpenAI, vLLM and Anthropic do; Ollama drops text. */
  contextTokens?: number;
  /** Other keys are refused with 401; without it every key is accepted. */
  key?: string;
  /** For tests of the outbound guard. */
  host?: string;
};

const paths: Record<string, LanguageModelProtocol> = {
  '/v1/chat/completions': 'openai',
  '/api/chat': 'ollama',
  '/v1/messages': 'anthropic',
};
/**
 * A server that speaks the protocols of OpenAI (`/v1/chat/completions`), Ollama (`/api/chat`) and Anthropic (`/v1/messages`), with
 * streaming and structured output. It records every request and answers by script.
 */
export async function startLanguageModelServer(options: Options = {}) {
  const { models = ['scripted-model'], contextTokens = 32_768, key } = options;
  const state = { answer: options.answer ?? (() => 'ok'), script: [] as ModelAnswer[], open: 0, highest: 0 };
  const calls: ModelCall[] = [];
  const listings = models.map((id): ModelListing => ({ id, contextTokens }));

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readText(request);
    const path = (request.url ?? '').split('?')[0] ?? '';
    const protocol = paths[path];
    const given = keyOf(request);
    const isAnthropic = request.headers['anthropic-version'] !== undefined;
    const codec = protocols[protocol ?? (isAnthropic ? 'anthropic' : 'openai')];
    if (key !== undefined && given !== key) return sendError(response, codec, { status: 401, message: 'invalid key' });
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    if (!protocol) return sendListing(response, path, listings, body);
    state.open += 1;
    state.highest = Math.max(state.highest, state.open);
    const call = toCall({
      protocol,
      parsed: codec.parse(body),
      body,
      key: given,
      concurrency: state.open,
      window: contextTokens,
    });
    calls.push(call);
    response.once('close', () => {
      state.open -= 1;
      call.aborted = !response.writableFinished;
    });
    if (!models.includes(call.model))
      return sendError(response, codec, { status: 404, message: `model '${call.model}' not found` });
    if (protocol !== 'ollama' && call.tokens + (call.maxOutputTokens ?? 0) > contextTokens)
      return sendError(response, codec, {
        status: 400,
        message: `This model's maximum context length is ${contextTokens} tokens: prompt is too long, ${call.tokens} tokens were given.`,
      });
    const answer = state.script.shift() ?? (await state.answer(call));
    await react({ response, codec, call, reaction: toReaction(answer) });
  };
  const server = createServer((request, response) => {
    receive(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await once(server.listen(0, options.host ?? '127.0.0.1'), 'listening');
  const { address, port } = server.address() as AddressInfo;
  const url = `http://${address}:${port}`;
  return {
    /** The addresses as an administrator enters them. */
    url,
    urls: { openai: `${url}/v1`, ollama: url, anthropic: `${url}/v1` } as Record<LanguageModelProtocol, string>,
    calls,
    /** Reactions for the next requests, in this order, before `answer`. */
    script: (...reactions: ModelAnswer[]): void => void state.script.push(...reactions),
    answer: (answer: AnswerCall): void => void (state.answer = answer),
    /** The highest number of concurrent requests since the start or the last reset. */
    highestConcurrency: (): number => state.highest,
    reset: (): void => {
      calls.length = 0;
      state.script.length = 0;
      state.highest = state.open;
    },
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type LanguageModelServer = Awaited<ReturnType<typeof startLanguageModelServer>>;

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function keyOf({ headers }: IncomingMessage): string | null {
  const key = headers['x-api-key'];
  return (typeof key === 'string' ? key : headers.authorization?.replace(/^Bearer /, '')) ?? null;
}

/** The lists of models: OpenAI with the fields of vLLM and OpenRouter, Anthropic, and Ollama. */
function sendListing(
  response: ServerResponse,
  path: string,
  listings: readonly ModelListing[],
  body: Record<string, unknown>,
): void {
  const asked = listings.find(({ id }) => id === body['model'] || id === body['name']);
  if (path === '/v1/models')
    return sendJson(response, 200, {
      object: 'list',
      data: listings.map(({ id, contextTokens }) => ({
        id,
        object: 'model',
        type: 'model',
        display_name: id,
        created_at: '2026-01-01T00:00:00Z',
        max_model_len: contextTokens,
        context_length: contextTokens,
      })),
      has_more: false,
    });
  if (path === '/api/tags')
    return sendJson(response, 200, { models: listings.map(({ id }) => ({ name: id, model: id, size: 1 })) });
  if (path === '/api/show' && asked)
    return sendJson(response, 200, {
      details: { family: 'scripted' },
      model_info: { 'general.architecture': 'scripted', 'scripted.context_length': asked.contextTokens },
    });
  sendJson(response, 404, { error: 'not found' });
}
