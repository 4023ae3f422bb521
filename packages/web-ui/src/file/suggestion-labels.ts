import { t } from '@lingui/core/macro';
import type { Extraction } from './suggestion-queries.ts';

/** Why suggestions could not be made, and what to do. */
export function extractionFailure(code: string | null): string {
  switch (code) {
    case 'provider_unreachable':
      return t`The language model can’t be reached. Ask an administrator to check its address.`;
    case 'provider_timeout':
      return t`The language model took too long to answer. Try again later.`;
    case 'provider_rate_limited':
      return t`The language model has too many requests. Try again later.`;
    case 'provider_refused_request':
      return t`The language model refused the request. Ask an administrator to check its settings.`;
    case 'provider_refused_key':
      return t`The language model refused its key. Ask an administrator to enter it again.`;
    case 'provider_model_unknown':
      return t`The provider doesn’t know the chosen model. Ask an administrator to choose another one.`;
    case 'provider_answer_invalid':
      return t`The language model gave an answer that couldn’t be used. Try again, or choose another model.`;
    case 'provider_context_exceeded':
      return t`The window of the language model is too small. Ask an administrator to check its size.`;
    case 'provider_paused':
      return t`The language model failed several times and is paused. Try again in a few minutes.`;
    default:
      return t`The suggestions couldn’t be made. Try again later.`;
  }
}

/** How the shown suggestions came about. */
export function extractionOrigin({ made_without_model: isWithoutModel, provider, model }: Extraction): string | null {
  if (isWithoutModel) return t`Made without a language model, from the words of the transcript.`;
  return model === null ? null : t`Made by ${model} (${provider ?? ''}).`;
}
