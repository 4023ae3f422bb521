import { invalid, rateLimited, tooLarge, type AppError } from '@overtone/service-kit/errors';

/** Errors of a transcript file that cannot be imported. */
export const importErrors = {
  invalid: (line: number, reason: string): AppError =>
    invalid('transcript_invalid', `Line ${line}: ${reason}`, { extra: { line } }),
  invalidField: (path: string, reason: string): AppError =>
    invalid('transcript_invalid', `This JSON is not an exported transcript. ${path || 'The file'}: ${reason}`),
  empty: (): AppError => invalid('transcript_empty', 'The file has no text.'),
  formatUnknown: (): AppError =>
    invalid('transcript_format_unknown', 'This is not a transcript: it may be SRT, WebVTT, TTML, JSON or plain text.'),
  encodingUnknown: (reason: string, line?: number): AppError =>
    invalid('transcript_encoding_unknown', `This file cannot be read as text. ${reason}`, {
      extra: line === undefined ? {} : { line },
    }),
  tooManyWords: (maxWords: number): AppError =>
    tooLarge('transcript_too_many_words', `A transcript may have up to ${maxWords.toLocaleString('en')} words.`, {
      extra: { max_words: maxWords },
    }),
  tooMuchMemory: (): AppError =>
    tooLarge('transcript_too_large', 'This file takes too much memory or time to be read. Divide it.'),
  tooMany: (): AppError =>
    rateLimited('too_many_imports', 'Other imports of yours are waiting. Try again when they are done.', {
      retryAfterSeconds: 10,
    }),
  tooLarge: (maxBytes: number): AppError =>
    tooLarge('transcript_too_large', `A transcript file may have up to ${maxBytes} bytes.`, {
      extra: { max_bytes: maxBytes },
    }),
};
