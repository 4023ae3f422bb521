// Imports only the kit's errors, because task processes need nothing else of it.
import { invalid, unavailable, type AppError } from '@overtone/service-kit/errors';

/** Failures of a task. `detail` (such as stderr) is only logged and never shown to the owner. */
interface More {
  cause?: unknown;
  detail?: string;
}

// Caused by the recording: permanent, because a retry would fail the same way.
export const notMedia = (more: More = {}): AppError =>
  invalid('media_unreadable', 'This file is not audio or video that can be read.', more);
export const emptyMedia = (more: More = {}): AppError =>
  invalid('media_no_audio', 'There is nothing to hear in this file: it is empty.', more);
export const noAudio = (more: More = {}): AppError => invalid('media_no_audio', 'This file has no sound in it.', more);
export const cutOffMedia = (more: More = {}): AppError =>
  invalid('media_truncated', 'This recording was cut off before its index was written, so it cannot be read.', more);
export const tooLong = (maxSeconds: number): AppError =>
  invalid('media_too_long', `This recording is longer than ${Math.floor(maxSeconds / 3600)} hours.`);

// Caused by the environment: a retry may succeed.
export const outOfTime = (what: string, more: More = {}): AppError =>
  unavailable('engine_timeout', `${what} took too long.`, more);
export const engineCrashed = (engine: string, more: More = {}): AppError =>
  unavailable('engine_crashed', `The speech engine ${engine} ended unexpectedly.`, more);
export const processCrashed = (more: More = {}): AppError =>
  unavailable('internal_error', 'A process that worked on this recording ended unexpectedly.', more);
export const engineMissing = (more: More = {}): AppError =>
  unavailable('engine_missing', 'No speech engine is ready on this worker.', more);
export const engineUnreachable = (engine: string, more: More & { retryAfterSeconds?: number } = {}): AppError =>
  unavailable('service_unavailable', `The speech service ${engine} does not answer.`, more);
export const engineRefused = (engine: string, more: More = {}): AppError =>
  invalid('engine_refused', `The speech service ${engine} refused this recording.`, more);
export const diarizationFailed = (message: string, more: More = {}): AppError =>
  unavailable('diarization_failed', message, more);
export const storageFull = (message: string): AppError => unavailable('storage_full', message);
