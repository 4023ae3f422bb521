/** Error codes of insights: language models, summaries, suggestions and answers. */
export const insightsErrors = {
  no_transcript: 'conflict',
  suggestion_unknown: 'invalid',
  label_run_active: 'conflict',
  // language models of everyone and of one person
  provider_name_taken: 'conflict',
  provider_limit: 'conflict',
  own_providers_not_allowed: 'forbidden',
  // a request to a language model
  provider_unreachable: 'unavailable',
  provider_timeout: 'unavailable',
  provider_rate_limited: 'unavailable',
  provider_refused_key: 'unavailable',
  provider_key_unreadable: 'unavailable',
  provider_model_unknown: 'unavailable',
  provider_answer_invalid: 'unavailable',
  provider_context_exceeded: 'unavailable',
  provider_paused: 'unavailable',
  // questions
  answer_in_progress: 'conflict',
  answer_complete: 'conflict',
  answer_interrupted: 'unavailable',
  conversation_full: 'conflict',
  scope_unavailable: 'conflict',
  // prompts
  prompt_read_only: 'forbidden',
  too_many_prompts: 'conflict',
  provider_refused_request: 'unavailable',
  // summaries
  transcript_missing: 'conflict',
  summary_exists: 'conflict',
  summary_in_progress: 'conflict',
  summary_not_failed: 'conflict',
  summary_withheld: 'conflict',
  summary_prompt_too_long: 'invalid',
} as const;
