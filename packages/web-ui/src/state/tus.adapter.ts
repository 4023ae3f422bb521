import { DetailedError, Upload as TusUpload } from 'tus-js-client';
import { ApiError, problemFrom } from '@overtone/client';
import { csrfToken } from '../api/cookies.ts';
import { readProblem, type Upload } from './upload.ts';

export type Transfer = {
  readonly pause: () => void;
  /** Stops and deletes the upload at the server. */
  readonly cancel: () => void;
};
export type TransferListener = {
  readonly onLocated: (url: string) => void;
  readonly onProgress: (sent: number) => void;
  readonly onConnectionLost: () => void;
  readonly onDone: (fileId: string | null) => void;
  readonly onFailed: (error: ApiError) => void;
};

const chunkBytes = 32 * 1024 * 1024;

/** Sends a file by the tus 1.0 protocol (https://tus.io/protocols/resumable-upload), from the offset of the server. */
export function startTransfer(
  file: File,
  upload: Upload,
  renew: () => Promise<boolean>,
  listener: TransferListener,
): Transfer {
  let mustRenew = false;
  let stopped = false;
  const tus = new TusUpload(file, {
    endpoint: '/api/files/tus',
    uploadUrl: upload.url,
    chunkSize: chunkBytes,
    retryDelays: [500, 1000, 2000, 4000, 8000, 15_000, 30_000, 30_000, 60_000, 60_000, 120_000],
    storeFingerprintForResuming: false,
    metadata: metadataOf(file, upload),
    onBeforeRequest: async (request) => {
      if (mustRenew) {
        mustRenew = false;
        await renew();
      }
      request.setHeader('X-CSRF-Token', csrfToken());
    },
    onUploadUrlAvailable: () => tus.url !== null && listener.onLocated(tus.url),
    onProgress: (sent) => listener.onProgress(sent),
    onShouldRetry: (error) => {
      const status = statusOf(error);
      if (status === 401) mustRenew = true;
      // In tus 409 is an offset conflict, which a retry solves. This API also uses it for duplicates, which no retry solves.
      const mustRetry =
        status === 0 || status === 401 || status === 423 || status === 429 || status >= 500 || isOffsetConflict(error);
      if (mustRetry && status !== 401) listener.onConnectionLost();
      // The browser reports an unreadable file like a lost connection.
      if (status === 0) void stopWhenUnreadable();
      return mustRetry;
    },
    onSuccess: () => listener.onDone(fileIdOf(tus.url)),
    onError: (error) => listener.onFailed(apiErrorOf(error)),
  });
  const ignore = (): undefined => undefined;
  const stopWhenUnreadable = async (): Promise<void> => {
    const problem = await readProblem(file);
    if (problem === null || stopped) return;
    stopped = true;
    await tus.abort().catch(ignore);
    listener.onFailed(problem);
  };
  tus.start();
  return {
    pause: () => {
      stopped = true;
      void tus.abort().catch(ignore);
    },
    cancel: () => {
      stopped = true;
      void tus.abort(true).catch(ignore);
    },
  };
}

/** Deletes an upload of an earlier page at the server. */
export async function deleteTransfer(url: string): Promise<void> {
  await TusUpload.terminate(url, {
    retryDelays: null,
    onBeforeRequest: (request) => request.setHeader('X-CSRF-Token', csrfToken()),
  }).catch(() => undefined);
}

/** The file of an upload that the server has received; the query makes the server complete it. Null when a part is missing. */
export async function findReceived(url: string, size: number): Promise<string | null> {
  const response = await fetch(url, { method: 'HEAD', headers: { 'Tus-Resumable': '1.0.0' } }).catch(() => null);
  return response?.ok && response.headers.get('Upload-Offset') === String(size) ? fileIdOf(url) : null;
}

function metadataOf(file: File, { options }: Upload): Record<string, string> {
  return {
    filename: file.name,
    filetype: file.type,
    ...(options.title === '' ? {} : { title: options.title }),
    ...(options.language === '' ? {} : { language: options.language }),
    ...(options.minSpeakers === null ? {} : { min_speakers: String(options.minSpeakers) }),
    ...(options.maxSpeakers === null ? {} : { max_speakers: String(options.maxSpeakers) }),
    ...(options.speakersBy === undefined ? {} : { speakers_by: options.speakersBy }),
    ...(options.task === undefined ? {} : { task: options.task }),
    ...(options.provider === undefined ? {} : { asr_provider: options.provider }),
    ...(options.allowDuplicate ? { allow_duplicate: 'true' } : {}),
  };
}

/** The id of an upload becomes the id of its file. */
function fileIdOf(url: string | null): string | null {
  return /\/([0-9a-f-]{36})\/?$/.exec(url ?? '')?.[1] ?? null;
}

function statusOf(error: unknown): number {
  return error instanceof DetailedError ? (error.originalResponse?.getStatus() ?? 0) : 0;
}

function isOffsetConflict(error: unknown): boolean {
  return (
    error instanceof DetailedError &&
    statusOf(error) === 409 &&
    !/duplicate/i.test(error.originalResponse?.getBody() ?? '')
  );
}

function apiErrorOf(error: unknown): ApiError {
  if (!(error instanceof DetailedError) || !error.originalResponse) return new ApiError(0, {});
  const response = error.originalResponse;
  return problemFrom(response.getStatus(), response.getBody(), response.getHeader('Retry-After') ?? null);
}
