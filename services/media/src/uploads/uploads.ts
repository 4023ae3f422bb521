import { uploadOptions, withoutMarks, type RunOptions } from '@overtone/contracts';
import { recordingErrors } from '@overtone/object-store/inspection';
import { conflict, invalid, rateLimited, unavailable, type AppError } from '@overtone/service-kit';
import type { z } from 'zod';

export type UploadOptions = z.infer<typeof uploadOptions>;

const maxNameLength = 255;

export const uploadErrors = {
  ...recordingErrors,
  cutOff: (cause?: unknown): AppError =>
    invalid('upload_incomplete', 'The upload was cut off. Nothing was stored.', { cause }),
  malformed: (message: string, cause?: unknown): AppError => invalid('upload_invalid', message, { cause }),
  unexpected: (cause: unknown): AppError =>
    unavailable('service_unavailable', 'The upload could not be stored. Please try again.', { cause }),
  tooManyOpen: (max: number): AppError =>
    rateLimited('too_many_uploads', `You have ${max} unfinished uploads. Finish or cancel some of them first.`, {
      retryAfterSeconds: 60,
      extra: { max_open_uploads: max },
    }),
  tooMuchReserved: (max: number): AppError =>
    conflict('upload_quota_exceeded', 'Your unfinished uploads are too large together. Finish or cancel some first.', {
      extra: { max_reserved_bytes: max },
    }),
  noSpace: (): AppError =>
    unavailable('storage_full', 'The storage has no room for this recording.', { retryAfterSeconds: 60 }),
  options: (errors: { path: string; message: string }[]): AppError =>
    invalid('invalid_body', 'The options of the upload are not valid.', { errors }),
  name: (message: string): AppError => invalid('filename_invalid', message),
  duplicate: (id: string): AppError =>
    conflict('duplicate_file', 'You have uploaded this recording before.', { extra: { duplicate_file_uuid: id } }),
};

/** The file name without its folder. @throws AppError for `..`, an empty or too long name, and control characters. */
export function checkedFilename(given: string | undefined): string {
  const parts = (given ?? '').normalize('NFC').split(/[/\\]/);
  if (parts.includes('..')) throw uploadErrors.name('The file name must not lead out of its folder.');
  const name = withoutMarks(parts.at(-1) ?? '').trim();
  if (name === '' || name === '.') throw uploadErrors.name('The file has no name.');
  if (name.length > maxNameLength || (given ?? '').length > 4096) {
    throw uploadErrors.name(`A file name may have up to ${maxNameLength} characters.`);
  }
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || !name.isWellFormed()) {
    throw uploadErrors.name('The file name holds control characters.');
  }
  if (hasInvalidUtf8(name)) throw uploadErrors.name('The file name is not UTF-8.');
  return name;
}

/** The initial title: the file name without its extension. */
export function titleOf(filename: string): string {
  return filename.replace(/(?<=.)\.[A-Za-z0-9]{1,8}$/, '').trim() || filename;
}

/** Options sent with the file; empty and unknown fields are ignored. */
export function parseOptions(fields: Record<string, string | null | undefined>): UploadOptions {
  const given = Object.entries(fields).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  const invalidField = given.find(([, value]) => hasInvalidUtf8(value as string));
  if (invalidField) throw uploadErrors.options([{ path: invalidField[0], message: 'is not UTF-8' }]);
  const parsed = uploadOptions.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    throw uploadErrors.options(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
  }
  const { min_speakers: min, max_speakers: max } = parsed.data;
  if (min !== undefined && max !== undefined && min > max)
    throw uploadErrors.options([{ path: 'max_speakers', message: 'must not be less than min_speakers' }]);
  return parsed.data;
}

export function runOptionsOf(options: UploadOptions): RunOptions {
  return {
    language: options.language ?? null,
    minSpeakers: options.min_speakers ?? null,
    maxSpeakers: options.max_speakers ?? null,
    diarize: true,
    task: options.task,
    provider: options.asr_provider,
    speakersBy: options.speakers_by,
  };
}

/** The parsers of forms and tus metadata replace invalid UTF-8 with U+FFFD; such text is rejected. */
function hasInvalidUtf8(text: string): boolean {
  return text.includes('\uFFFD');
}
