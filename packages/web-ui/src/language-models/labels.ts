import { msg, t } from '@lingui/core/macro';
import type { ModelProviderKind } from '@overtone/contracts';
import { translateOnRead } from '../lib/language.ts';
import type { LanguageModel, ModelFields } from './model-queries.ts';

export const kindLabels: Record<ModelProviderKind, string> = translateOnRead({
  openai: msg`OpenAI`,
  'openai-compatible': msg`OpenAI-compatible server`,
  ollama: msg`Ollama`,
  anthropic: msg`Anthropic`,
});
export const modelKinds = ['ollama', 'openai-compatible', 'openai', 'anthropic'] as const;

/** The public address of a kind that needs none. */
const publicHosts: Partial<Record<ModelProviderKind, string>> = {
  openai: 'api.openai.com',
  anthropic: 'api.anthropic.com',
};

/** The server that receives passages of transcripts. */
export function hostOf({ kind, base_url: address }: Pick<LanguageModel, 'kind' | 'base_url'>): string {
  return URL.parse(address)?.host ?? publicHosts[kind] ?? address;
}

export function needsAddress(kind: ModelProviderKind): boolean {
  return kind === 'ollama' || kind === 'openai-compatible';
}

const advice: Readonly<Record<string, string>> = translateOnRead({
  provider_refused_key: msg`Enter the key again.`,
  provider_key_unreadable: msg`Enter the key again, or give back the earlier encryption key (ENCRYPTION_KEY).`,
  provider_model_unknown: msg`Choose a model that the server has, and check the address.`,
  provider_unreachable: msg`Start the server, or correct its address.`,
  provider_timeout: msg`Check the address, and that the server runs. If it is only slow, use a smaller model or raise the time limit.`,
  provider_answer_invalid: msg`Check the address and the kind: this server does not answer like a language model of this kind.`,
  provider_refused_request: msg`Check the kind, the address and the model.`,
  provider_rate_limited: msg`Requests wait until the server accepts them again.`,
  provider_context_exceeded: msg`The context window is smaller than entered. Leave it blank to use what the server reports.`,
});

/** What to do about a failure, by its code. */
export function adviceOf(code: string | null): string {
  return advice[code ?? ''] ?? t`Test the connection for the answer of the server.`;
}

export function newModel(): ModelFields {
  return {
    name: '',
    kind: 'ollama',
    base_url: '',
    model: '',
    context_tokens: null,
    max_parallel: 4,
    timeout_seconds: 300,
  };
}

/** The stored fields of a language model, without its key and state. */
export function fieldsOf(model: LanguageModel): ModelFields {
  const { name, kind, base_url, model: modelName, context_tokens, max_parallel, timeout_seconds } = model;
  return { name, kind, base_url, model: modelName, context_tokens, max_parallel, timeout_seconds };
}
