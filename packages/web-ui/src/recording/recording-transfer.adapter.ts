import { ApiError, problemFrom } from '@overtone/client';
import { csrfToken } from '../api/cookies.ts';

/** `length` is null until the recording has ended. */
export type Progress = { readonly offset: number; readonly length: number | null };

/** The requests of a resumable upload whose length is not known (https://tus.io/protocols/resumable-upload). */
export type RecordingTransfer = {
  /** @returns the id of the upload, which becomes the id of the file. */
  readonly create: (metadata: Readonly<Record<string, string>>) => Promise<string>;
  /** Sends bytes at the offset. With a length the recording ends. @returns the new offset */
  readonly send: (upload: string, offset: number, body: Blob, length?: number) => Promise<number>;
  /** What the server has; also a sign that the sender is alive. */
  readonly progress: (upload: string) => Promise<Progress>;
  readonly cancel: (upload: string) => Promise<void>;
};

const endpoint = '/api/files/tus';
const timeoutMs = 30_000;

/** Renews the session after a 401 and repeats the request once. */
export function createRecordingTransfer(renew: () => Promise<boolean>): RecordingTransfer {
  const requestOnce = (method: string, path: string, headers: Record<string, string>, body?: Blob): Promise<Response> =>
    fetch(path, {
      method,
      credentials: 'same-origin',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { 'Tus-Resumable': '1.0.0', 'X-CSRF-Token': csrfToken(), ...headers },
      ...(body ? { body } : {}),
    }).catch(() => {
      throw new ApiError(0, {});
    });
  const request = async (...input: Parameters<typeof requestOnce>): Promise<Response> => {
    let response = await requestOnce(...input);
    if (response.status === 401 && (await renew().catch(() => false))) response = await requestOnce(...input);
    if (response.ok) return response;
    throw problemFrom(response.status, await response.text().catch(() => ''), response.headers.get('retry-after'));
  };
  const offsetIn = (response: Response): number => Number(response.headers.get('upload-offset') ?? 0);
  return {
    create: async (metadata) => {
      const pairs = Object.entries(metadata).map(([name, value]) => `${name} ${base64(value)}`);
      const response = await request('POST', endpoint, {
        'Upload-Defer-Length': '1',
        'Upload-Metadata': pairs.join(','),
      });
      return response.headers.get('location')?.split('/').at(-1) ?? '';
    },
    send: async (upload, offset, body, length) =>
      offsetIn(
        await request(
          'PATCH',
          `${endpoint}/${upload}`,
          {
            'Content-Type': 'application/offset+octet-stream',
            'Upload-Offset': String(offset),
            ...(length === undefined ? {} : { 'Upload-Length': String(length) }),
          },
          body,
        ),
      ),
    progress: async (upload) => {
      const response = await request('HEAD', `${endpoint}/${upload}`, {});
      const length = response.headers.get('upload-length');
      return { offset: offsetIn(response), length: length === null ? null : Number(length) };
    },
    cancel: async (upload) => void (await request('DELETE', `${endpoint}/${upload}`, {})),
  };
}

function base64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
