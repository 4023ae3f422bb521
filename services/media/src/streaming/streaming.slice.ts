import { mediaRoutes, waveformArtefact } from '@overtone/contracts';
import type { ObjectStore } from '@overtone/object-store';
import {
  AppError,
  forbidden,
  handle,
  handled,
  isAppError,
  notFound,
  type RouteRequest,
  type Slice,
} from '@overtone/service-kit';
import { pipeline } from 'node:stream/promises';
import { json } from 'node:stream/consumers';
import { inQuarantine, isQuarantined } from '../access/access.ts';
import { usableFile, type UsableFile } from '../access/access.store.ts';
import { actorOf, type Actor } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import { hasMedia, recordingRemoved } from '../files/files.ts';
import { recordUse } from '../files/files.store.ts';
import type { Playable } from '../redaction/redaction.ts';
import { maskFor } from '../redaction/redaction.store.ts';
import {
  dispositionOf,
  matchesEtag,
  parseRange,
  rangeApplies,
  resample,
  type Exchange,
  type SendObject,
} from './streaming.ts';

export type StreamingDeps = {
  db: Db;
  objects: Pick<ObjectStore, 'get' | 'head'>;
  copies: { playableFor: (actor: Actor, file: UsableFile) => Promise<Playable> };
};

const loudestPeak = 127;

/** Downloads of the recording, its thumbnail and its waveform. */
export function createStreamingSlice({ db, objects, copies }: StreamingDeps): Slice & { sendObject: SendObject } {
  const sendContent = async (
    request: Pick<RouteRequest<(typeof mediaRoutes)['contentHead']>, 'caller' | 'params' | 'clientIp' | 'requestId'> &
      Exchange,
    kind: 'inline' | 'attachment',
  ): Promise<typeof handled> => {
    const file = await usableFile(db, request.caller, request.params.uuid, 'read');
    // Administrators download it for an inspection; it is never played.
    if (isQuarantined(file) && kind === 'inline') throw inQuarantine();
    if (file.recordingRemovedAt) throw recordingRemoved();
    if (file.objectKey === '') throw notFound('The recording is not downloaded yet.');
    // An imported text can only be sent unchanged.
    if (!hasMedia(file) && (await maskFor(db, request.caller, file)).kinds.size > 0)
      throw forbidden('permission_required', 'Part of this transcript is masked. Export it instead.');
    const original: Playable = { key: file.objectKey, contentType: file.contentType, masked: false };
    const played = hasMedia(file) ? await copies.playableFor(actorOf(request), file) : original;
    // A download is the recording itself, except for its masked parts.
    const sound = kind === 'attachment' && !played.masked ? original : played;
    // Players read the beginning of a file before the user presses play; the file was opened then, which counts, too.
    if (request.req.method === 'GET') await recordUse(db, file);
    await sendObject(objects, request, sound.key, {
      'Content-Type': sound.contentType,
      // The text of an imported transcript is never opened by the browser.
      'Content-Disposition': dispositionOf(
        hasMedia(file) ? kind : 'attachment',
        sound.masked ? maskedName(file.filename, sound.contentType) : file.filename,
      ),
      'Cache-Control': 'private, no-cache',
      ...(sound.pending ? { 'X-Playback-Copy': 'pending' } : {}),
      // A recording must not run scripts or be framed, whatever its content type.
      'Content-Security-Policy': "default-src 'none'; media-src 'self'; frame-ancestors 'none'; sandbox",
    });
    return handled;
  };

  return {
    sendObject: (exchange, key, headers) => sendObject(objects, exchange, key, headers),
    routes: [
      // HEAD first: express would otherwise answer it with GET's handler.
      handle(mediaRoutes.contentHead, (request) => sendContent(request, 'inline')),
      handle(mediaRoutes.content, (request) => sendContent(request, request.query.download ? 'attachment' : 'inline')),
      handle(mediaRoutes.thumbnail, async (request) => {
        const { thumbnailKey, recordingRemovedAt } = await usableFile(db, request.caller, request.params.uuid, 'read');
        if (recordingRemovedAt) throw recordingRemoved();
        if (!thumbnailKey) throw artefactMissing('picture');
        const headers = { 'Content-Type': 'image/jpeg', 'Cache-Control': 'private, max-age=3600' };
        await sendObject(objects, request, thumbnailKey, headers);
        return handled;
      }),
      handle(mediaRoutes.waveform, async ({ caller, params, query, signal }) => {
        const { waveformKey, duration, recordingRemovedAt } = await usableFile(db, caller, params.uuid, 'read');
        if (recordingRemovedAt) throw recordingRemoved();
        if (!waveformKey) throw artefactMissing('waveform');
        const artefact = await objects.get(waveformKey, { signal }).catch((error: unknown) => {
          throw isAppError(error) && error.kind === 'not_found' ? notFound('The waveform is missing.') : error;
        });
        const { peaks, interval_ms } = waveformArtefact.parse(await json(artefact.stream));
        return {
          duration: duration ?? (peaks.length * interval_ms) / 1000,
          peaks: resample(peaks, query.samples, loudestPeak),
        };
      }),
    ],
  };
}

const extensions: Readonly<Record<string, string>> = {
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

/** The copy may have another format than the recording. */
function maskedName(filename: string, contentType: string): string {
  return `${filename.replace(/\.[^.]*$/u, '')} (masked).${extensions[contentType] ?? 'bin'}`;
}

/** Sends an object whole or in part (206), or answers 304 or 416. */
async function sendObject(
  objects: StreamingDeps['objects'],
  { req, res, signal }: Exchange,
  key: string,
  headers: Record<string, string>,
): Promise<void> {
  const { bytes: size, etag: tag } = await objects.head(key);
  const etag = `"${tag}"`;
  const common = { ...headers, ETag: etag, 'Accept-Ranges': 'bytes', 'X-Content-Type-Options': 'nosniff' };
  for (const [name, value] of Object.entries(common)) res.setHeader(name, value);
  if (matchesEtag(req.get('if-none-match'), etag)) return void res.status(304).end();
  const requested = parseRange(rangeApplies(req.get('if-range'), etag) ? req.get('range') : undefined, size);
  if (requested.kind === 'unsatisfiable') {
    res.removeHeader('Content-Disposition');
    res.setHeader('Content-Range', `bytes */${size}`);
    throw new AppError('invalid', 'range_not_satisfiable', 'The recording does not reach that far.');
  }
  const part = requested.kind === 'range' ? { range: requested.range } : {};
  const { start, end } = part.range ?? { start: 0, end: size - 1 };
  if (part.range) res.status(206).setHeader('Content-Range', `bytes ${start}-${end}/${size}`);
  res.setHeader('Content-Length', String(end - start + 1));
  if (req.method === 'HEAD') return void res.end();
  const object = await objects.get(key, { ...part, signal });
  // A client that closes the connection is not an error.
  await pipeline(object.stream, res).catch((error: unknown) => {
    if (!signal.aborted && !res.destroyed) throw error;
  });
}

function artefactMissing(what: string) {
  return new AppError('not_found', 'artefact_missing', `This file has no ${what} yet.`);
}
