import { msg, t } from '@lingui/core/macro';
import { assertNever } from '../lib/assert-never.ts';
import { translateOnRead } from '../lib/language.ts';
import type { AskMessage, ConversationItem } from './ask-queries.ts';

const failures: Record<string, string> = translateOnRead({
  provider_unreachable: msg`The language model can’t be reached. An administrator can test it under Language models.`,
  provider_timeout: msg`The language model didn’t respond in time. Ask again, or without the language model.`,
  provider_rate_limited: msg`The language model refuses more requests for now. Ask again in a minute.`,
  provider_refused_key: msg`The language model refused the key. An administrator must enter a valid one.`,
  provider_key_unreadable: msg`The key of the language model can’t be decrypted. An administrator must enter it again.`,
  provider_model_unknown: msg`The server doesn’t have this language model. An administrator must choose another one.`,
  provider_answer_invalid: msg`The language model returned no usable answer. Ask again, or without the language model.`,
  provider_context_exceeded: msg`The question doesn’t fit into the window of the language model. An administrator can choose a larger one.`,
  provider_refused_request: msg`The language model refused the request. Ask again, or without the language model.`,
  provider_paused: msg`The language model is paused after several failures. Ask again in a few minutes.`,
  search_unavailable: msg`The search index doesn’t respond. Ask again in a moment.`,
  answer_interrupted: msg`The answer was interrupted. Ask again.`,
  scope_unavailable: msg`You may not read what this conversation is about, or it was deleted.`,
});

/** What went wrong, and what to do. */
export function failureText(code: string | null): string {
  return failures[code ?? ''] ?? t`The question couldn’t be answered. Ask again in a moment.`;
}

/** Whether another attempt without the language model can help. */
export function isModelFailure(code: string | null): boolean {
  return code?.startsWith('provider_') ?? false;
}

/** How an answer was made; null while there is none. */
export function originText({ made_by: maker, model, status }: AskMessage): string | null {
  if (status !== 'answered') return null;
  switch (maker) {
    case 'model':
      return t`Written by ${model ?? ''}. Check the sources.`;
    case 'extractive':
      return t`Quotes found in your recordings.`;
    case 'count':
      return t`Counted in the search index.`;
    case 'summary':
      return t`From the summary of the recording.`;
    case null:
      return null;
    default:
      return assertNever(maker);
  }
}

/** What a conversation is about. */
export function scopeText({ scope, scope_title: title }: Pick<ConversationItem, 'scope' | 'scope_title'>): string {
  switch (scope) {
    case 'library':
      return t`All recordings`;
    case 'file':
      return title ?? t`A recording that you may not read`;
    case 'collection':
      return title ?? t`A collection that you may not read`;
    default:
      return assertNever(scope);
  }
}
