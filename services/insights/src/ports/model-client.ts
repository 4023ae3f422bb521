import type { ModelProviderKind } from '@overtone/contracts';

/** Where a request goes. */
export type ModelServer = {
  /** The name that an administrator gave it. */
  name: string;
  kind: ModelProviderKind;
  /** Empty: the public address of the kind. */
  baseUrl: string;
  model: string;
  apiKey: string | null;
  /** Sent to Ollama with every request. */
  contextTokens: number;
  timeoutSeconds: number;
};
/** The address that requests are sent to, without a path of the protocol. */
export function addressOf({ kind, baseUrl }: Pick<ModelServer, 'kind' | 'baseUrl'>): string {
  if (kind === 'ollama') return baseUrl.replace(/(?<!\/)\/+$/, '').replace(/\/api$/, '');
  if (baseUrl !== '') return baseUrl.replace(/(?<!\/)\/+$/, '');
  return kind === 'anthropic' ? 'https://api.anthropic.com/v1' : 'https://api.openai.com/v1';
}

export type ModelMessage = {
  system: string;
  prompt: string;
  /** The JSON schema of the answer; null: text. */
  schema: object | null;
  maxOutputTokens: number;
  signal: AbortSignal;
  onText?: ((soFar: string) => void) | undefined;
};
export type ModelReply = {
  text: string;
  /** As the server reports them; null: it does not. */
  inputTokens: number | null;
  outputTokens: number | null;
};
export type ListedModel = { id: string; contextTokens: number | null };

/** Requests to the servers of language models. Failures are AppErrors with a code `provider_*`. */
export type ModelClient = {
  send: (server: ModelServer, message: ModelMessage) => Promise<ModelReply>;
  listModels: (server: Omit<ModelServer, 'model'>, signal: AbortSignal) => Promise<ListedModel[]>;
  /** The window of the server's model; null: the server does not report it. */
  readContextTokens: (server: ModelServer, signal: AbortSignal) => Promise<number | null>;
  close: () => Promise<void>;
};
