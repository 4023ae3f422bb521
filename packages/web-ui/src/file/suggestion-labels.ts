import { msg, t } from '@lingui/core/macro';
import { translateOnRead } from '../lib/language.ts';
import type { Extraction, SuggestionItem } from './suggestion-queries.ts';

export const statusLabels: Readonly<Record<SuggestionItem['status'], string>> = translateOnRead({
  pending: msg`Suggested`,
  accepted: msg`Accepted`,
  applied: msg`Applied automatically`,
  rejected: msg`Rejected`,
  undone: msg`Taken back`,
});
const failures: Readonly<Record<string, string>> = translateOnRead({
  provider_unreachable: msg`The language model can’t be reached. Ask an administrator to check its address.`,
  provider_timeout: msg`The language model took too long to answer. Try again later.`,
  provider_rate_limited: msg`The language model has too many requests. Try again later.`,
  provider_refused_key: msg`The language model refused its key. Ask an administrator to enter it again.`,
  provider_key_unreadable: msg`The key of the language model can’t be decrypted. Ask an administrator to enter it again.`,
  provider_refused_request: msg`The language model refused the request. Ask an administrator to check its settings.`,
  provider_model_unknown: msg`The provider doesn’t know the chosen model. Ask an administrator to choose another one.`,
  provider_answer_invalid: msg`The language model gave an answer that couldn’t be used. Try again, or choose another model.`,
  provider_context_exceeded: msg`This recording is too long for the language model.`,
  provider_paused: msg`The language model failed several times and is paused. Try again in a few minutes.`,
});

/** Why suggestions could not be made, and what to do. */
export function extractionFailure(code: string | null): string {
  return failures[code ?? ''] ?? t`The suggestions couldn’t be made. Try again later.`;
}

/** How the shown suggestions came about. */
export function extractionOrigin({ made_without_model: isWithoutModel, provider, model }: Extraction): string | null {
  if (isWithoutModel) return t`Automatic: taken from the words of the transcript.`;
  return model === null ? null : t`Made by ${model} (${provider ?? ''}).`;
}
