import { mediaRoutes, type FileObject, type RouteDef } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import {
  clientOf,
  handle,
  handled,
  periodic,
  reply,
  type Log,
  type RouteRequest,
  type Slice,
} from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { MediaEnv } from '../env.ts';
import { toFileObject } from '../files/files.ts';
import type { OpenUpload } from '../generated/client.ts';
import { checkSpeech, type Languages } from '../ports/languages.adapter.ts';
import type { Telemetry } from '../telemetry.ts';
import { maybeMedia } from '@overtone/object-store/inspection';
import { readMultipart } from '../ports/multipart.ts';
import { createOrphans } from './orphans.service.ts';
import { createReservations } from './reservations.store.ts';
import { createParts } from './resumable-parts.store.ts';
import { createTus } from './resumable.adapter.ts';
import { createResumable, type Resumable } from './resumable.service.ts';
import { parseOptions, uploadErrors } from './uploads.ts';
import { createUploads } from './uploads.service.ts';
import { findFile, type Uploads } from './uploads.store.ts';

export type UploadsSliceDeps = {
  db: Db;
  outbox: Outbox;
  objects: ObjectStore;
  telemetry: Telemetry;
  languages: Languages;
  log: Log;
  env: MediaEnv;
};

const minute = 60_000;
const hour = 3_600_000;
/** A sender gives a sign at least every ten seconds, also while the recording is paused. */
const silenceMs = 15_000;
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
}: UploadsSliceDeps): Slice & { uploads: Uploads; removeUploadsOf: (userId: string) => Promise<number> } {
  const limits = { maxOpen: env.UPLOAD_MAX_OPEN, maxReservedBytes: env.UPLOAD_MAX_RESERVED_BYTES };
  const uploads = createUploads({ db, outbox, objects, telemetry, log, maxBytes: env.MAX_UPLOAD_BYTES });
  const reservations = createReservations({ db, objects, limits });
  const resumable = createResumable({
    db,
    parts: createParts({ objects }),
    reservations,
    uploads,
    languages,
    expiresMs: env.UPLOAD_EXPIRES_HOURS * hour,
    log,
  });
  const idleMs = env.RECORDING_IDLE_MINUTES * minute;
  const tus = createTus({ resumable });
  const orphans = createOrphans({ db, objects, olderThanMs: 24 * hour });
  const { tusOptions, tusCreate, tusHead, tusPatch, tusDelete } = mediaRoutes;
  return {
    uploads,
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
      handle(mediaRoutes.listOpenRecordings, async ({ caller }) => {
        const open = await reservations.recordingsOf(caller.userId);
        const items = await Promise.all(open.map((row) => openRecordingOf(row, { resumable, idleMs })));
        return { items: items.filter((item) => item !== null) };
      }),
      handle(mediaRoutes.finishRecording, async ({ caller, params }) => {
        await resumable.authorise(params.upload_id, caller.userId);
        await resumable.finishRecording(params.upload_id);
        const file = await findFile(db, params.upload_id);
        if (!file) {
          // An upload of known length is finished by its last byte only.
          const isOpen = await resumable.progress(params.upload_id).then(
            () => true,
            () => false,
          );
          throw isOpen ? uploadErrors.cutOff() : uploadErrors.empty();
        }
        return toFileObject(file, 'owner');
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
      periodic('finish interrupted recordings', Math.min(minute, idleMs), async (signal) => {
        await resumable.finishInterrupted(new Date(Date.now() - idleMs), signal);
      }),
      periodic('remove expired uploads', hour / 4, async (signal) => void (await resumable.removeExpired(signal))),
    ],
  };
}

/** A recording that its owner can continue or keep; null when it was finished since. */
async function openRecordingOf(
  { id, createdAt, activeAt }: OpenUpload,
  { resumable, idleMs }: { resumable: Resumable; idleMs: number },
) {
  const upload = await resumable.progress(id).catch(() => null);
  if (upload === null || upload.size !== null) return null;
  return {
    upload_id: id,
    title: upload.metadata['title'] ?? upload.metadata['filename'] ?? '',
    received_bytes: upload.offset,
    started_at: createdAt.toISOString(),
    active_at: activeAt.toISOString(),
    is_active: Date.now() - activeAt.getTime() < silenceMs,
    finishes_at: new Date(activeAt.getTime() + idleMs).toISOString(),
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
