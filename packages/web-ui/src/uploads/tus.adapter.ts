import { DetailedError, Upload as TusUpload } from 'tus-js-client';
import { csrfToken } from '../api/cookies.ts';
import { ApiError, problemFrom } from '../api/problem.ts';
import { readProblem, type Upload } from './upload.ts';

export type Transfer = {
  readonly pause: () => void;
  /** Stops and lets the server forget what it has. */
  readonly cancel: () => void;
};
export type TransferListener = {
  readonly located: (url: string) => void;
  readonly progress: (sent: number) => void;
  readonly connectionLost: () => void;
  readonly done: (fileId: string | null) => void;
  readonly failed: (error: ApiError) => void;
};

const chunkBytes = 32 * 1024 * 1024;

/** Sends a file by the tus 1.0 protocol (https://tus.io/protocols/resumable-upload), from where the server stands. */
export const startTransfer = (
  file: File,
  upload: Upload,
  renew: () => Promise<boolean>,
  tell: TransferListener,
): Transfer => {
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
    onUploadUrlAvailable: () => tus.url !== null && tell.located(tus.url),
    onProgress: (sent) => tell.progress(sent),
    onShouldRetry: (error) => {
      const status = statusOf(error);
      if (status === 401) mustRenew = true;
      // 409 means "offset differs" in tus, but a duplicate in ours: only the former is worth another try.
      const again =
        status === 0 || status === 401 || status === 423 || status === 429 || status >= 500 || isOffsetConflict(error);
      if (again && status !== 401) tell.connectionLost();
      // The browser reports a file that it cannot read like a lost connection.
      if (status === 0) void stopWhenUnreadable();
      return again;
    },
    onSuccess: () => tell.done(fileIdOf(tus.url)),
    onError: (error) => tell.failed(apiErrorOf(error)),
  });
  const swallow = (): undefined => undefined;
  const stopWhenUnreadable = async (): Promise<void> => {
    const problem = await readProblem(file);
    if (problem === null || stopped) return;
    stopped = true;
    await tus.abort().catch(swallow);
    tell.failed(problem);
  };
  tus.start();
  return {
    pause: () => {
      stopped = true;
      void tus.abort().catch(swallow);
    },
    cancel: () => {
      stopped = true;
      void tus.abort(true).catch(swallow);
    },
  };
};

/** Lets the server forget an upload of an earlier page. */
export const forgetTransfer = async (url: string): Promise<void> => {
  await TusUpload.terminate(url, {
    retryDelays: null,
    onBeforeRequest: (request) => request.setHeader('X-CSRF-Token', csrfToken()),
  }).catch(() => undefined);
};

const metadataOf = (file: File, { options }: Upload): Record<string, string> => ({
  filename: file.name,
  filetype: file.type,
  ...(options.title === '' ? {} : { title: options.title }),
  ...(options.language === '' ? {} : { language: options.language }),
  ...(options.minSpeakers === null ? {} : { min_speakers: String(options.minSpeakers) }),
  ...(options.maxSpeakers === null ? {} : { max_speakers: String(options.maxSpeakers) }),
  ...(options.allowDuplicate ? { allow_duplicate: 'true' } : {}),
});

/** The id of an upload becomes the id of the file it makes. */
const fileIdOf = (url: string | null): string | null => /\/([0-9a-f-]{36})\/?$/.exec(url ?? '')?.[1] ?? null;

const statusOf = (error: unknown): number =>
  error instanceof DetailedError ? (error.originalResponse?.getStatus() ?? 0) : 0;
const isOffsetConflict = (error: unknown): boolean =>
  error instanceof DetailedError &&
  statusOf(error) === 409 &&
  !/duplicate/i.test(error.originalResponse?.getBody() ?? '');
const apiErrorOf = (error: unknown): ApiError => {
  if (!(error instanceof DetailedError) || !error.originalResponse) return new ApiError(0, {});
  const response = error.originalResponse;
  return problemFrom(response.getStatus(), response.getBody(), response.getHeader('Retry-After') ?? null);
};
