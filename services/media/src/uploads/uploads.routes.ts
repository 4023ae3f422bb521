import { mediaRoutes } from '@overtone/contracts';
import type { IncomingMessage } from 'node:http';
import { handle, reply, type Route } from '@overtone/service-kit';
import { readMultipart } from './multipart.ts';
import { maybeMedia } from './sniff.ts';
import { parseOptions, uploadErrors } from './uploads.ts';
import type { Uploads } from './uploads.service.ts';

/** The framing of a multipart body is small; what is longer than this cannot hold a file that is allowed. */
const framing = 64 * 1024;
const accept = ['audio/*', 'video/*'];

export const uploadsRoutes = ({ uploads }: { uploads: Uploads }): Route[] => [
  handle(mediaRoutes.uploadLimits, async ({ caller }) => ({ max_bytes: caller ? uploads.maxBytes : 0, accept })),
  handle(mediaRoutes.upload, async ({ caller, req, res, signal }) => {
    const { maxBytes } = uploads;
    res.once('finish', () => stopReading(req));
    if (Number(req.get('content-length') ?? 0) > maxBytes + framing) throw uploadErrors.tooLarge(maxBytes);
    const allowDuplicate = req.query['allow_duplicate'];
    const file = await readMultipart(req, async ({ filename, declaredType, body }, ended) => {
      if (!maybeMedia(declaredType)) throw uploadErrors.notMedia();
      // The file's part has ended, not the body: only a whole body counts, and fields may follow the file.
      const options = async () => parseOptions({ allow_duplicate: asText(allowDuplicate), ...(await ended()) });
      return uploads.receive({ userId: caller.userId, filename, declaredType, body, options, signal });
    });
    return reply(file, { headers: { 'X-File-ID': file.uuid } });
  }),
];

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** An upload that was refused half-way: its sender gets a moment to read why, then the line is cut. */
const stopReading = (req: IncomingMessage): void => {
  if (req.complete || req.destroyed) return;
  req.resume();
  setTimeout(() => req.destroy(), 2_000).unref();
};
