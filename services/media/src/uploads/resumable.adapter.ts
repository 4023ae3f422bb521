import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Problem } from '@overtone/contracts';
import { invalid, isAppError, notFound, toProblem, AppError, type RouteRequest } from '@overtone/service-kit';
import { DataStore, Server, Upload } from '@tus/server';
import type { Actor } from '../audit/audit.ts';
import type { Resumable } from './resumable.service.ts';
import { uploadErrors } from './uploads.ts';

type Exchange = Pick<RouteRequest<never>, 'req' | 'res' | 'requestId'> & {
  userId: string | null;
  client: Actor['client'];
};
type Sender = Pick<Exchange, 'userId' | 'client'>;
type TusError = { status_code: number; body: string };
export type TusDeps = { resumable: Resumable };

const path = '/api/files/tus';

/** The resumable upload protocol tus 1.0 (https://tus.io/protocols/resumable-upload). */
export function createTus({ resumable }: TusDeps) {
  const senders = new WeakMap<object, Sender>();
  const ids = new Map<string, string>();
  const server = new Server({
    path,
    relativeLocation: true,
    maxSize: resumable.maxBytes,
    allowedOrigins: [],
    disableTerminationForFinishedUploads: true,
    datastore: createDataStore(resumable, (id) => ids.get(id)),
    namingFunction: (request) => {
      const id = randomUUID();
      ids.set(id, senders.get(request)?.userId ?? '');
      return id;
    },
    onUploadCreate: async (_request, upload) => {
      await resumable.check(upload.size ?? null, upload.metadata ?? {});
      return {};
    },
    onUploadFinish: async (request, upload) => {
      await resumable.finishWhole(upload.id, senders.get(request)?.client);
      return { headers: { 'X-File-ID': upload.id } };
    },
    onResponseError: (_request, error) => toTusError(error),
  });

  return async ({ req, res, requestId, userId, client }: Exchange): Promise<void> => {
    const id = String(req.params['upload_id'] ?? '');
    if (id) {
      await resumable.authorise(id, userId ?? '');
      // The last step may have been interrupted: a query for the offset completes it.
      if (req.method === 'HEAD') {
        await resumable.finishWhole(id, client);
        await resumable.touch(id);
      }
    }
    const request = toWebRequest(req);
    senders.set(request, { userId, client });
    const response = await server.handleWeb(request);
    ids.delete(response.headers.get('location')?.split('/').at(-1) ?? '');
    if (res.destroyed) return;
    for (const [name, value] of response.headers) res.setHeader(name, value);
    if (response.status < 400) {
      const text = await response.text();
      if (text === '') res.removeHeader('content-type');
      return void res.status(response.status).end(text);
    }
    const problem = { ...problemOf(await response.text(), response.status), request_id: requestId };
    res.removeHeader('content-length');
    res.status(problem.status).type('application/problem+json').send(JSON.stringify(problem));
  };
}

function createDataStore(resumable: Resumable, senderOf: (id: string) => string | undefined): DataStore {
  return Object.assign(new DataStore(), {
    extensions: ['creation', 'creation-defer-length', 'creation-with-upload', 'termination', 'expiration'],
    getExpiration: () => resumable.expiresMs,
    create: async (upload: Upload): Promise<Upload> => {
      const createdAt = new Date().toISOString();
      const metadata = upload.metadata ?? {};
      const userId = senderOf(upload.id) ?? '';
      const size = upload.size ?? null;
      await resumable.begin(upload.id, { userId, size, metadata, createdAt, recorded: size === null });
      upload.creation_date = createdAt;
      return upload;
    },
    write: (stream: Readable, id: string, offset: number) => resumable.append(id, offset, stream),
    getUpload: async (id: string): Promise<Upload> => {
      const { offset, size, metadata, createdAt } = await resumable.progress(id);
      return new Upload({ id, ...(size === null ? {} : { size }), offset, metadata, creation_date: createdAt });
    },
    declareUploadLength: resumable.setLength,
    remove: resumable.cancel,
    deleteExpired: () => resumable.removeExpired(new AbortController().signal),
  });
}

function toWebRequest(req: RouteRequest<never>['req']): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) if (value !== undefined) headers.set(name, String(value));
  const hasBody = req.method === 'PATCH' || req.method === 'POST';
  const body = hasBody ? { body: Readable.toWeb(req) as ReadableStream, duplex: 'half' as const } : {};
  return new Request(`http://upload${req.originalUrl}`, { method: req.method, headers, ...body });
}

function fromTusError(status: number, message: string): AppError {
  if (status === 404 || status === 410) return notFound('There is no such upload.');
  if (status === 409) return new AppError('conflict', 'upload_offset_conflict', 'The upload has another offset.');
  if (status === 413) return new AppError('too_large', 'upload_too_large', message);
  // 501: an extension of the protocol that is not supported here.
  return status >= 500 && status !== 501
    ? new AppError('unavailable', 'service_unavailable', message)
    : invalid('upload_invalid', message);
}

function isTusError(error: unknown): error is TusError {
  return typeof error === 'object' && error !== null && 'status_code' in error && 'body' in error;
}

function toTusError(error: unknown): TusError | undefined {
  if (isTusError(error)) return undefined;
  const problem = toProblem(isAppError(error) ? error : uploadErrors.unexpected(error), '');
  // tus clients interpret 409 as a wrong offset and send everything again.
  const status = problem.code === 'duplicate_file' ? 422 : problem.status;
  return { status_code: status, body: JSON.stringify({ ...problem, status }) };
}

/** Keeps own problems; maps errors of the tus library to statuses of the route, where 412 keeps its meaning. */
function problemOf(body: string, status: number): Problem {
  if (body.startsWith('{')) return JSON.parse(body) as Problem;
  const problem = toProblem(fromTusError(status, body.trim()), '');
  return status === 412 ? { ...problem, status, title: 'Precondition failed' } : problem;
}
