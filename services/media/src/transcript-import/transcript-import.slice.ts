import type { Readable } from 'node:stream';
import { mediaRoutes } from '@overtone/contracts';
import { handle, reply, type RouteRequest, type Slice } from '@overtone/service-kit';
import { usableFile } from '../access/access.store.ts';
import { actorOf } from '../audit/audit.ts';
import { readMultipart } from '../ports/multipart.ts';
import { checkedFilename } from '../uploads/uploads.ts';
import { importErrors } from './import-errors.ts';
import { createQueues } from './queues.ts';
import { createTranscriptReader } from './read-transcript.adapter.ts';
import { createTranscriptImport, type TranscriptImportDeps } from './transcript-import.service.ts';
import type { ImportSource } from './transcript-import.ts';

/** The JSON export of ten hours of speech has about 15 MB. */
const maxBytes = 32 * 1024 * 1024;
const maxFramingBytes = 64 * 1024;
/** Imports and previews of one user that wait for another one of theirs. */
const maxWaiting = 20;

/** Imports of transcripts that were made elsewhere. */
export function createTranscriptImportSlice(deps: Omit<TranscriptImportDeps, 'reader'>): Slice {
  const reader = createTranscriptReader();
  const { preview, importAsFile, importOntoFile } = createTranscriptImport({ ...deps, reader });
  const ofUser = createQueues(maxWaiting, importErrors.tooMany);
  const ofAll = createQueues(Infinity, importErrors.tooMany);
  /** A user's imports wait for each other before their bodies are read: at most one of each user is in memory, and one is read. */
  const inTurn = <T>(
    { req, caller: { userId } }: Pick<RouteRequest<never>, 'req' | 'caller'>,
    work: (source: ImportSource) => Promise<T>,
  ): Promise<T> =>
    ofUser(userId, async () => {
      const source = await readSource(req);
      return ofAll('', () => work(source));
    });
  return {
    parts: [{ name: 'transcript reader', start: async () => {}, stop: async () => reader.close() }],
    routes: [
      handle(mediaRoutes.previewImport, (request) =>
        inTurn(request, (source) => preview(request.caller, source, request.query)),
      ),
      handle(mediaRoutes.importTranscript, async (request) => {
        const file = await inTurn(request, (source) => importAsFile(actorOf(request), source, request.query));
        return reply(file, { headers: { 'X-File-ID': file.uuid } });
      }),
      handle(mediaRoutes.importOntoFile, async (request) => {
        const { params, query } = request;
        const actor = actorOf(request);
        await usableFile(deps.db, actor, params.uuid, 'edit');
        return inTurn(request, (source) => importOntoFile(actor, params.uuid, source, query));
      }),
    ],
  };
}

async function readSource(req: RouteRequest<never>['req']): Promise<ImportSource> {
  if (Number(req.get('content-length') ?? 0) > maxBytes + maxFramingBytes) throw importErrors.tooLarge(maxBytes);
  return readMultipart(req, async ({ filename, body }, ended) => {
    const bytes = await readLimited(body);
    await ended();
    return { filename: checkedFilename(filename), bytes };
  });
}

async function readLimited(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw importErrors.tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
