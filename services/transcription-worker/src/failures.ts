// Imports only the kit's errors, because task processes need nothing else of it.
import { invalid, unavailable, type AppError } from '@overtone/service-kit/errors';

/** Failures of a task. `detail` (such as stderr) is only logged and never shown to the owner. */
type More = { cause?: unknown; detail?: string };

// Caused by the recording: permanent, because a retry would fail the same way.
export function notMedia(more: More = {}): AppError {
  return invalid('media_unreadable', 'This file is not audio or video that can be read.', more);
}

export function emptyMedia(more: More = {}): AppError {
  return invalid('media_no_audio', 'There is nothing to hear in this file: it is empty.', more);
}

export function noAudio(more: More = {}): AppError {
  return invalid('media_no_audio', 'This file has no sound in it.', more);
}

export function cutOffMedia(more: More = {}): AppError {
  return invalid(
    'media_truncated',
    'This file is incomplete and cannot be read. Export or copy it again, then upload it again.',
    more,
  );
}

export function tooLong(maxSeconds: number): AppError {
  return invalid('media_too_long', `This recording is longer than ${Math.floor(maxSeconds / 3600)} hours.`);
}

// Caused by the environment: a retry may succeed.
export function outOfTime(what: string, more: More = {}): AppError {
  return unavailable('engine_timeout', `${what} took too long.`, more);
}

export function engineCrashed(engine: string, more: More = {}): AppError {
  return unavailable('engine_crashed', `The speech engine ${engine} ended unexpectedly.`, more);
}

export function processCrashed(more: More = {}): AppError {
  return unavailable('internal_error', 'A process that worked on this recording ended unexpectedly.', more);
}

export function engineMissing(more: More = {}): AppError {
  return unavailable('engine_missing', 'No speech engine is ready on this worker.', more);
}

export function modelMissing(model: string): AppError {
  return unavailable('engine_missing', `The model ${model} is not installed on this worker.`);
}

export function translationUnsupported(more: More = {}): AppError {
  return invalid('translation_unsupported', 'No speech engine of this worker translates to English.', more);
}

export function languageUnsupported(language: string, model: string): AppError {
  return invalid('language_unsupported', `The speech model ${model} does not know the language ${language}.`);
}

export function engineUnreachable(engine: string, more: More & { retryAfterSeconds?: number } = {}): AppError {
  return unavailable('service_unavailable', `The speech service ${engine} does not answer.`, more);
}

export function engineRefused(engine: string, more: More = {}): AppError {
  return invalid('engine_refused', `The speech service ${engine} refused this recording.`, more);
}

export function diarizationFailed(message: string, more: More = {}): AppError {
  return unavailable('diarization_failed', message, more);
}

export function storageFull(message: string): AppError {
  return unavailable('storage_full', message);
}
