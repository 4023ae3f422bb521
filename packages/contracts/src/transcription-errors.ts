/** Error codes of jobs and engines, with their kinds. */
export const transcriptionErrors = {
  // media and engines
  media_unreadable: 'invalid',
  media_no_audio: 'invalid',
  media_too_long: 'invalid',
  media_truncated: 'invalid',
  engine_missing: 'unavailable',
  engine_crashed: 'unavailable',
  engine_timeout: 'unavailable',
  engine_refused: 'invalid',
  translation_unsupported: 'invalid',
  provider_unknown: 'invalid',
  no_provider_ready: 'conflict',
  settings_changed: 'conflict',
  model_invalid: 'unavailable',
  diarization_failed: 'unavailable',
  job_cancelled: 'conflict',
  job_lost: 'unavailable',
  // models
  licence_required: 'invalid',
  pull_running: 'conflict',
  // dead jobs
  task_not_dead: 'conflict',
  task_superseded: 'conflict',
  run_under_way: 'conflict',
  file_deleted: 'conflict',
} as const;
