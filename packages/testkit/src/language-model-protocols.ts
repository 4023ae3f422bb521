import type { LanguageModelProtocol, ParsedCall } from './language-model-calls.ts';

type Json = Record<string, unknown>;
/** A completed generation, in the terms of all protocols. */
export type Generation = {
  model: string;
  text: string;
  /** `length`: the answer ended at the limit of output tokens. */
  finish: 'stop' | 'length';
  inputTokens: number;
  outputTokens: number;
};
export type ModelListing = { id: string; contextTokens: number };

/** What the server reads of a request, and how it writes answers and errors. */
export type ProtocolCodec = {
  parse: (body: Json) => ParsedCall;
  contentType: string;
  whole: (generation: Generation) => Json;
  /** @returns the text of the stream before, for each piece of the answer, and after it. */
  streamed: (generation: Generation) => { begin: string; piece: (text: string) => string; end: string };
  error: (status: number, message: string) => Json;
};

export const protocols: Record<LanguageModelProtocol, ProtocolCodec> = {
  openai: {
    parse: (body) => ({
      ...readMessages(body['messages']),
      model: String(body['model']),
      schema: at(body, 'response_format', 'json_schema', 'schema'),
      stream: body['stream'] === true,
      maxOutputTokens: numberOf(body['max_completion_tokens'] ?? body['max_tokens']),
      contextTokens: null,
    }),
    contentType: 'text/event-stream',
    whole: (generation) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: generation.model,
      choices: [
        { index: 0, message: { role: 'assistant', content: generation.text }, finish_reason: generation.finish },
      ],
      usage: openAiUsage(generation),
    }),
    streamed: (generation) => {
      const chunk = (delta: Json, finish: string | null = null): string =>
        sse({
          id: 'chatcmpl-1',
          object: 'chat.completion.chunk',
          created: 1,
          model: generation.model,
          choices: [{ index: 0, delta, finish_reason: finish }],
        });
      return {
        begin: chunk({ role: 'assistant', content: '' }),
        piece: (content) => chunk({ content }),
        end: [
          chunk({}, generation.finish),
          sse({
            id: 'chatcmpl-1',
            object: 'chat.completion.chunk',
            created: 1,
            model: generation.model,
            choices: [],
            usage: openAiUsage(generation),
          }),
          'data: [DONE]\n\n',
        ].join(''),
      };
    },
    error: (status, message) => ({ error: { message, type: errorTypeOf(status), param: null, code: codeOf(status) } }),
  },

  ollama: {
    parse: (body) => ({
      ...readMessages(body['messages']),
      model: String(body['model']),
      schema: body['format'] ?? null,
      stream: body['stream'] !== false,
      maxOutputTokens: numberOf(at(body, 'options', 'num_predict')),
      contextTokens: numberOf(at(body, 'options', 'num_ctx')),
    }),
    contentType: 'application/x-ndjson',
    whole: (generation) => ollamaLine(generation, generation.text, true),
    streamed: (generation) => ({
      begin: '',
      piece: (text) => `${JSON.stringify(ollamaLine(generation, text, false))}\n`,
      end: `${JSON.stringify(ollamaLine(generation, '', true))}\n`,
    }),
    error: (_status, message) => ({ error: message }),
  },

  anthropic: {
    parse: (body) => ({
      ...readMessages(body['messages']),
      system: textOf(body['system']),
      model: String(body['model']),
      schema: at(body, 'output_config', 'format', 'schema') ?? at(body, 'output_format', 'schema'),
      stream: body['stream'] === true,
      maxOutputTokens: numberOf(body['max_tokens']),
      contextTokens: null,
    }),
    contentType: 'text/event-stream',
    whole: (generation) => ({
      ...anthropicMessage(generation),
      content: [{ type: 'text', text: generation.text }],
      stop_reason: anthropicFinish(generation),
      usage: { input_tokens: generation.inputTokens, output_tokens: generation.outputTokens },
    }),
    streamed: (generation) => ({
      begin:
        named('message_start', { message: anthropicMessage(generation) }) +
        named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      piece: (text) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      end:
        named('content_block_stop', { index: 0 }) +
        named('message_delta', {
          delta: { stop_reason: anthropicFinish(generation), stop_sequence: null },
          usage: { output_tokens: generation.outputTokens },
        }) +
        named('message_stop', {}),
    }),
    error: (status, message) => ({ type: 'error', error: { type: errorTypeOf(status), message } }),
  },
};

function openAiUsage({ inputTokens, outputTokens }: Generation): Json {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
}

function ollamaLine(generation: Generation, content: string, done: boolean): Json {
  const line = {
    model: generation.model,
    created_at: '2026-01-01T00:00:00Z',
    message: { role: 'assistant', content },
    done,
  };
  if (!done) return line;
  return {
    ...line,
    done_reason: generation.finish,
    total_duration: 1,
    load_duration: 1,
    prompt_eval_count: generation.inputTokens,
    prompt_eval_duration: 1,
    eval_count: generation.outputTokens,
    eval_duration: 1,
  };
}

function anthropicMessage({ model, inputTokens }: Generation): Json {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: 0 },
  };
}

function anthropicFinish({ finish }: Generation): string {
  return finish === 'length' ? 'max_tokens' : 'end_turn';
}

function sse(data: Json): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function named(type: string, data: Json): string {
  return `event: ${type}\n${sse({ type, ...data })}`;
}

function errorTypeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 404) return 'not_found_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'api_error';
}

function codeOf(status: number): string | null {
  if (status === 401) return 'invalid_api_key';
  return status === 404 ? 'model_not_found' : null;
}

function readMessages(value: unknown): { system: string; prompt: string } {
  const messages = (Array.isArray(value) ? value : []) as { role: string; content: unknown }[];
  const ofRole = (isWanted: (role: string) => boolean): string =>
    messages
      .filter(({ role }) => isWanted(role))
      .map(({ content }) => textOf(content))
      .join('\n');
  const isInstruction = (role: string): boolean => role === 'system' || role === 'developer';
  return { system: ofRole(isInstruction), prompt: ofRole((role) => !isInstruction(role)) };
}

/** The text of a content that is a string or a list of blocks. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: { text?: string }) => block.text ?? '').join('');
}

function at(body: Json, ...path: string[]): unknown {
  let value: unknown = body;
  for (const key of path) value = (value as Json | undefined)?.[key];
  return value ?? null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
