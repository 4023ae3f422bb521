import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { invalid, isAppError, notFound, toProblem, AppError, type RouteRequest } from '@overtone/service-kit';
import { DataStore, Server, Upload } from '@tus/server';
import type { Parts } from './resumable-parts.store.ts';
import type { Resumable } from './resumable.service.ts';
import { uploadErrors } from './uploads.ts';

type Exchange = Pick<RouteRequest<never>, 'req' | 'res' | 'requestId'> & { userId: string | null };
type TusError = { status_code: number; body: string };
export type TusDeps = { parts: Parts; resumable: Resumable };

const path = '/api/files/tus';

/** The resumable upload protocol tus 1.0 (https://tus.io/protocols/resumable-upload) over our parts. */
export const createTus = ({ parts, resumable }: TusDeps) => {
  const senders = new WeakMap<object, string>();
  const ids = new Map<string, string>();
  const server = new Server({
    path,
    relativeLocation: true,
    maxSize: resumable.maxBytes,
    allowedOrigins: [],
    disableTerminationForFinishedUploads: true,
    datastore: createDataStore({ parts, resumable }, (id) => ids.get(id)),
    namingFunction: (request) => {
      const id = randomUUID();
      ids.set(id, senders.get(request) ?? '');
      return id;
    },
    onUploadCreate: async (_request, upload) => {
      resumable.check(upload.size ?? 0, upload.metadata ?? {});
      return {};
    },
    onUploadFinish: async (_request, upload) => {
      await resumable.finishWhole(upload.id);
      return { headers: { 'X-File-ID': upload.id } };
    },
    onResponseError: (_request, error) => toTusError(error),
  });

  return async ({ req, res, requestId, userId }: Exchange): Promise<void> => {
    const id = String(req.params['upload_id'] ?? '');
    if (id) {
      await resumable.authorise(id, userId ?? '');
      // The last step may have been interrupted: whoever asks where the upload stands has it done.
      if (req.method === 'HEAD') await resumable.finishWhole(id);
    }
    const request = toWebRequest(req);
    if (userId) senders.set(request, userId);
    const answer = await server.handleWeb(request);
    ids.delete(/[^/]+$/.exec(answer.headers.get('location') ?? '')?.[0] ?? '');
    if (res.destroyed) return;
    for (const [name, value] of answer.headers) res.setHeader(name, value);
    if (answer.status < 400) return void res.status(answer.status).end(await answer.text());
    const problem = { ...problemOf(await answer.text(), answer.status), request_id: requestId };
    res.removeHeader('content-length');
    res.status(answer.status).type('application/problem+json').send(JSON.stringify(problem));
  };
};
export type Tus = ReturnType<typeof createTus>;

const createDataStore = ({ parts, resumable }: TusDeps, senderOf: (id: string) => string | undefined): DataStore =>
  Object.assign(new DataStore(), {
    extensions: ['creation', 'creation-with-upload', 'termination', 'expiration'],
    getExpiration: () => resumable.expiresMs,
    create: async (upload: Upload): Promise<Upload> => {
      const createdAt = new Date().toISOString();
      const metadata = upload.metadata ?? {};
      await parts.create(upload.id, { userId: senderOf(upload.id) ?? '', size: upload.size ?? 0, metadata, createdAt });
      upload.creation_date = createdAt;
      return upload;
    },
    write: (stream: Readable, id: string, offset: number) => parts.append(id, offset, stream),
    getUpload: async (id: string): Promise<Upload> => {
      const { offset, size, metadata, createdAt } = await resumable.standing(id);
      return new Upload({ id, size, offset, metadata, creation_date: createdAt });
    },
    remove: async (id: string): Promise<void> => void (await parts.remove(id)),
    deleteExpired: () => resumable.tidy(new AbortController().signal),
  });

const toWebRequest = (req: RouteRequest<never>['req']): Request => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) if (value !== undefined) headers.set(name, String(value));
  const hasBody = req.method === 'PATCH' || req.method === 'POST';
  const body = hasBody ? { body: Readable.toWeb(req) as ReadableStream, duplex: 'half' as const } : {};
  return new Request(`http://upload${req.originalUrl}`, { method: req.method, headers, ...body });
};

const ofProtocol = (status: number, message: string): AppError => {
  if (status === 404 || status === 410) return notFound('There is no such upload.');
  if (status === 409) return new AppError('conflict', 'upload_offset_conflict', 'The upload stands elsewhere.');
  if (status === 413) return new AppError('too_large', 'upload_too_large', message);
  return status >= 500
    ? new AppError('unavailable', 'service_unavailable', message)
    : invalid('upload_invalid', message);
};

const isOfProtocol = (error: unknown): error is TusError =>
  typeof error === 'object' && error !== null && 'status_code' in error && 'body' in error;

const toTusError = (error: unknown): TusError | undefined => {
  if (isOfProtocol(error)) return undefined;
  const problem = toProblem(isAppError(error) ? error : uploadErrors.unexpected(error), '');
  // Clients of the protocol take 409 for another offset and send everything again.
  const status = problem.code === 'duplicate_file' ? 422 : problem.status;
  return { status_code: status, body: JSON.stringify({ ...problem, status }) };
};

const problemOf = (body: string, status: number): Record<string, unknown> =>
  body.startsWith('{')
    ? (JSON.parse(body) as Record<string, unknown>)
    : { ...toProblem(ofProtocol(status, body.trim()), ''), status };
