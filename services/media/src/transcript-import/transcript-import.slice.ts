import type { Readable } from 'node:stream';
import { mediaRoutes } from '@overtone/contracts';
import { handle, reply, type RouteRequest, type Slice } from '@overtone/service-kit';
import { usableFile } from '../access/access.store.ts';
import { actorOf } from '../audit/audit.ts';
import { readMultipart } from '../ports/multipart.ts';
import { checkedFilename } from '../uploads/uploads.ts';
import { importErrors } from './import-errors.ts';
import { createTranscriptImport, type TranscriptImportDeps } from './transcript-import.service.ts';
import type { ImportSource } from './transcript-import.ts';

/** The JSON export of ten hours of speech has about 15 MB. */
const maxBytes = 32 * 1024 * 1024;
const maxFramingBytes = 64 * 1024;

/** Imports of transcripts that were made elsewhere. */
export function createTranscriptImportSlice(deps: TranscriptImportDeps): Slice {
  const { preview, importAsFile, importOntoFile } = createTranscriptImport(deps);
  return {
    routes: [
      handle(mediaRoutes.previewImport, async ({ req, query, caller }) =>
        preview(caller, await readSource(req), query),
      ),
      handle(mediaRoutes.importTranscript, async (request) => {
        const file = await importAsFile(actorOf(request), await readSource(request.req), request.query);
        return reply(file, { headers: { 'X-File-ID': file.uuid } });
      }),
      handle(mediaRoutes.importOntoFile, async (request) => {
        const { params, query, req } = request;
        const actor = actorOf(request);
        await usableFile(deps.db, actor, params.uuid, 'edit');
        return importOntoFile(actor, params.uuid, await readSource(req), query);
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
