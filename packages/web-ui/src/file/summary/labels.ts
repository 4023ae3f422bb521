import { msg, t } from '@lingui/core/macro';
import { translateOnRead } from '../../lib/language.ts';
import type { SummaryStatus } from './summary-queries.ts';

/** Why a summary failed or is incomplete, by the code of the platform. */
const reasons: Readonly<Record<string, string>> = translateOnRead({
  provider_unreachable: msg`The language model can’t be reached.`,
  provider_timeout: msg`The language model took too long to answer.`,
  provider_rate_limited: msg`The language model accepts no more requests at the moment.`,
  provider_refused_key: msg`The language model refused the key.`,
  provider_key_unreadable: msg`The key of the language model can’t be decrypted.`,
  provider_refused_request: msg`The language model refused the request.`,
  provider_model_unknown: msg`The provider doesn’t have this model.`,
  provider_answer_invalid: msg`The language model gave an answer that can’t be used.`,
  provider_context_exceeded: msg`This recording is too long for the language model.`,
  provider_paused: msg`The language model failed several times, so requests to it are paused.`,
  summary_prompt_too_long: msg`The prompt leaves no room for the transcript in this language model.`,
  transcript_missing: msg`There is no transcript.`,
  transcript_withheld: msg`The transcript is still being checked for personal data.`,
  summary_withheld: msg`More is masked now than when the summary was made.`,
});

/** What a person can do. */
const advices: Readonly<Record<SummaryStatus['advice'], string>> = translateOnRead({
  nothing: '',
  create: '',
  wait: msg`It is tried again automatically.`,
  retry: msg`Try again. Finished parts are kept.`,
  create_again: msg`Create a new summary.`,
  choose_larger_model: msg`Choose a shorter prompt, or ask an administrator for a model with a larger context window.`,
  check_provider: msg`Ask an administrator to check the settings of the language model.`,
});

export function reasonText(code: string | null): string {
  return code === null ? t`The reason is unknown.` : (reasons[code] ?? t`Something went wrong in the language model.`);
}

export function adviceText(advice: SummaryStatus['advice']): string {
  return advices[advice];
}
