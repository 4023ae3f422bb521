export type LanguageModelProtocol = 'openai' | 'ollama' | 'anthropic';

/** A request that the server received, and what it made of it. */
export type ModelCall = {
  protocol: LanguageModelProtocol;
  model: string;
  system: string;
  /** All messages that are not instructions. */
  prompt: string;
  /** What the model sees of the prompt: Ollama drops the beginning when the context is too small, without an error. */
  seen: string;
  /** The JSON schema of the answer; null: text. */
  schema: unknown;
  stream: boolean;
  maxOutputTokens: number | null;
  /** Ollama: `options.num_ctx`; null: not sent. */
  contextTokens: number | null;
  /** Tokens of instructions and prompt. */
  tokens: number;
  /** Requests in progress when this one arrived, with it. */
  concurrency: number;
  /** The key of the request, without its prefix. */
  key: string | null;
  /** Unix time in milliseconds. */
  at: number;
  /** The client has closed the connection before the end of the answer. */
  aborted: boolean;
  body: Record<string, unknown>;
};

/** What happens to one request. An object that is none of these is sent as JSON. */
export type Reaction =
  | { reaction: 'answer'; text: string; delayMs?: number; /** Between two pieces of a stream. */ pieceMs?: number }
  | { reaction: 'refuse'; status: number; message?: string; retryAfterSeconds?: number }
  /** Ends after this number of characters, at the limit of output tokens. */
  | { reaction: 'truncate'; text: string; characters: number }
  /** Sends this number of characters, then nothing, and keeps the connection open. */
  | { reaction: 'stall'; text: string; characters: number }
  | { reaction: 'disconnect' }
  | { reaction: 'broken-json' }
  /** An answer of this size. */
  | { reaction: 'huge'; bytes: number };
export type ModelAnswer = string | object | Reaction;
export type AnswerCall = (call: ModelCall) => ModelAnswer | Promise<ModelAnswer>;

/** Ollama uses this window when a request has no `num_ctx`, whatever the model could do. */
const ollamaDefaultTokens = 4_096;

/** The tokens of the scripted models: pieces of up to four letters or digits, and each other character. */
export function countScriptedTokens(text: string): number {
  return splitTokens(text).length;
}

function splitTokens(text: string): string[] {
  return text.match(/ ?[\p{L}\p{N}]{1,4}| ?[^\s\p{L}\p{N}]|\s/gu) ?? [];
}

/** What a codec reads of the body of a request. */
export type ParsedCall = Pick<
  ModelCall,
  'model' | 'system' | 'prompt' | 'schema' | 'stream' | 'maxOutputTokens' | 'contextTokens'
>;
type CallParts = {
  protocol: LanguageModelProtocol;
  parsed: ParsedCall;
  body: Record<string, unknown>;
  key: string | null;
  concurrency: number;
  window: number;
};

export function toCall({ protocol, parsed, body, key, concurrency, window }: CallParts): ModelCall {
  const size = countScriptedTokens(parsed.system) + countScriptedTokens(parsed.prompt);
  const limit = Math.min(window, parsed.contextTokens ?? ollamaDefaultTokens);
  const room = Math.max(0, limit - countScriptedTokens(parsed.system));
  const isCut = protocol === 'ollama' && size > limit;
  return {
    ...parsed,
    protocol,
    seen: isCut ? (room === 0 ? '' : splitTokens(parsed.prompt).slice(-room).join('')) : parsed.prompt,
    tokens: size,
    concurrency,
    key,
    at: Date.now(),
    aborted: false,
    body,
  };
}
