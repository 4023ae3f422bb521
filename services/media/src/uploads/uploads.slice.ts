import { mediaRoutes, type FileObject, type RouteDef } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import { handle, handled, periodic, reply, type Log, type RouteRequest, type Slice } from '@overtone/service-kit';
import { clientOf } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import type { MediaEnv } from '../env.ts';
import { checkSpeech, type Languages } from '../ports/languages.adapter.ts';
import type { Telemetry } from '../telemetry.ts';
import { maybeMedia } from '@overtone/object-store/inspection';
import { readMultipart } from './multipart.ts';
import { createOrphans } from './orphans.service.ts';
import { createReservations } from './reservations.store.ts';
import { createParts } from './resumable-parts.store.ts';
import { createTus } from './resumable.adapter.ts';
import { createResumable } from './resumable.service.ts';
import { parseOptions, uploadErrors } from './uploads.ts';
import { createUploads, type Uploads } from './uploads.service.ts';

export type UploadsSliceDeps = {
  db: Db;
  outbox: Outbox;
  objects: ObjectStore;
  telemetry: Telemetry;
  languages: Languages;
  log: Log;
  env: MediaEnv;
};

const hour = 3_600_000;
/** Upper bound of a multipart body's framing; a longer body exceeds the file limit. */
const maxFramingBytes = 64 * 1024;
const accept = ['audio/*', 'video/*'];

/** Uploads of recordings: whole as multipart bodies, or resumable by the protocol tus. */
export function createUploadsSlice({
  db,
  outbox,
  objects,
  telemetry,
  languages,
  log,
  env,
}: UploadsSliceDeps): Slice & { removeUploadsOf: (userId: string) => Promise<number> } {
  const limits = { maxOpen: env.UPLOAD_MAX_OPEN, maxReservedBytes: env.UPLOAD_MAX_RESERVED_BYTES };
  const uploads = createUploads({ db, outbox, objects, telemetry, log, maxBytes: env.MAX_UPLOAD_BYTES });
  const resumable = createResumable({
    db,
    parts: createParts({ objects }),
    reservations: createReservations({ db, objects, limits }),
    uploads,
    languages,
    expiresMs: env.UPLOAD_EXPIRES_HOURS * hour,
    log,
  });
  const tus = createTus({ resumable });
  const orphans = createOrphans({ db, objects, olderThanMs: 24 * hour });
  const { tusOptions, tusCreate, tusHead, tusPatch, tusDelete } = mediaRoutes;
  return {
    removeUploadsOf: resumable.removeOf,
    routes: [
      handle(mediaRoutes.uploadLimits, async () => {
        const { languages: known, translates, providers } = await languages.abilities();
        return {
          max_bytes: uploads.maxBytes,
          accept,
          max_open_uploads: limits.maxOpen,
          max_reserved_bytes: limits.maxReservedBytes,
          languages: known,
          translates,
          providers: providers.map(({ id, name }) => ({ id, name })),
          bin_days: env.OT_BIN_DAYS,
        };
      }),
      handle(mediaRoutes.upload, async (request) => {
        const file = await receiveMultipart(request, { uploads, languages });
        return reply(file, { headers: { 'X-File-ID': file.uuid } });
      }),
      ...[tusOptions, tusCreate, tusHead, tusPatch, tusDelete].map((step: RouteDef) =>
        handle(step, async (request) => {
          const { req, res, requestId, maybeCaller } = request;
          await tus({ req, res, requestId, userId: maybeCaller?.userId ?? null, client: clientOf(request) });
          return handled;
        }),
      ),
    ],
    periodics: [
      periodic('remove recordings without a file', 6 * hour, async (signal) => void (await orphans.removeAll(signal))),
      periodic('remove expired uploads', hour / 4, async (signal) => void (await resumable.removeExpired(signal))),
    ],
  };
}

async function receiveMultipart(
  request: RouteRequest<(typeof mediaRoutes)['upload']>,
  { uploads, languages }: { uploads: Uploads; languages: Languages },
): Promise<FileObject> {
  const { caller, req, signal } = request;
  const { maxBytes } = uploads;
  if (Number(req.get('content-length') ?? 0) > maxBytes + maxFramingBytes) throw uploadErrors.tooLarge(maxBytes);
  const allowDuplicate = req.query['allow_duplicate'];
  return readMultipart(req, async ({ filename, declaredType, body }, ended) => {
    if (!maybeMedia(declaredType)) throw uploadErrors.notMedia();
    // At the end of the file's part the body may continue: fields may follow, and only a complete body is accepted.
    const options = async () => {
      const parsed = parseOptions({ allow_duplicate: asText(allowDuplicate), ...(await ended()) });
      checkSpeech(parsed, await languages.abilities());
      return parsed;
    };
    const { userId } = caller;
    return uploads.receive({ userId, filename, declaredType, body, options, signal, client: clientOf(request) });
  });
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
