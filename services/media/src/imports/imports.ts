import type { FileProblem } from '../files/files.ts';
import { rateLimited, type AppError } from '@overtone/service-kit';

/** Attempts of an import, with interruptions of its worker; a network that is down for ten minutes is survived. */
export const maxAttempts = 6;
const firstPauseMs = 5_000;
const longestPauseMs = 5 * 60_000;

/** Pause before the next attempt. @param attempts those that failed. */
export function pauseAfterAttempt(attempts: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 4 ** Math.max(0, attempts - 1));
}

export function importKey(fileId: string, token: number): string {
  return `files/${fileId}/import-${token}`;
}

/** The name that a file has until the server has named it: the end of the path, or the host. */
export function filenameOf(url: URL): string {
  const last = url.pathname.split('/').findLast((part) => part !== '') ?? '';
  const name = decodeName(last)
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}/\\]/gu, '')
    .trim();
  return (name === '' || name === '.' || name === '..' ? url.hostname : name).slice(0, 255);
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function tooManyImports(max: number, retryAfterSeconds: number): AppError {
  return rateLimited('too_many_imports', `You can import up to ${max} recordings per hour. Please try again later.`, {
    retryAfterSeconds,
  });
}

/** What the owner of the file can do about a failed import, by error code. */
const advice: Record<string, string> = {
  url_refused: 'Ask an administrator whether this address may be used, or download the recording and upload it.',
  url_invalid: 'Check the address.',
  host_unreachable: 'Check the address, then try again.',
  source_unreachable:
    'Try again later. If the address opens in your browser, download the recording there and upload it.',
  source_refused: 'Check that the address opens without signing in, or download the recording and upload it.',
  source_incomplete: 'Try again later, or download the recording and upload it.',
  page_tool_missing: 'Use the address of the media file itself, or ask an administrator to install yt-dlp.',
  page_without_media: 'Use the address of the media file itself.',
  upload_not_media: 'Use the address of an audio or video file.',
  upload_empty: 'Check the address.',
  upload_too_large: 'Download the recording, cut it into parts and upload those.',
  duplicate_file: 'Open the recording that you have already, or delete this one.',
  storage_full: 'Tell an administrator: the storage is full. Then try again.',
};

export function toImportProblem(failure: {
  code: string;
  message: string;
  retryable: boolean;
  duplicateId?: string;
}): FileProblem {
  const { code, message, retryable, duplicateId } = failure;
  return {
    code,
    message,
    what_to_do: advice[code] ?? 'Try again. If it fails again, tell an administrator.',
    retryable,
    ...(duplicateId === undefined ? {} : { duplicate_file_uuid: duplicateId }),
  };
}
