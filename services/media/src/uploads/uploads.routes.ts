import { mediaRoutes } from '@overtone/contracts';
import { handle, reply, type Route } from '@overtone/service-kit';
import { clientOf } from '../audit/audit.ts';
import { readMultipart } from './multipart.ts';
import { maybeMedia } from './sniff.ts';
import type { Languages } from '../ports/languages.ts';
import type { UploadLimits } from './reservations.store.ts';
import { checkLanguage, parseOptions, uploadErrors } from './uploads.ts';
import type { Uploads } from './uploads.service.ts';

/** Upper bound of a multipart body's framing; a longer body exceeds the file limit. */
const maxFramingBytes = 64 * 1024;
const accept = ['audio/*', 'video/*'];

export type UploadsRoutesDeps = { uploads: Uploads; limits: UploadLimits; languages: Languages };

export function uploadsRoutes({ uploads, limits, languages }: UploadsRoutesDeps): Route[] {
  return [
    handle(mediaRoutes.uploadLimits, async () => ({
      max_bytes: uploads.maxBytes,
      accept,
      max_open_uploads: limits.maxOpen,
      max_reserved_bytes: limits.maxReservedBytes,
      languages: await languages.known(),
    })),
    handle(mediaRoutes.upload, async (r) => {
      const { caller, req, signal } = r;
      const { maxBytes } = uploads;
      if (Number(req.get('content-length') ?? 0) > maxBytes + maxFramingBytes) throw uploadErrors.tooLarge(maxBytes);
      const allowDuplicate = req.query['allow_duplicate'];
      const file = await readMultipart(req, async ({ filename, declaredType, body }, ended) => {
        if (!maybeMedia(declaredType)) throw uploadErrors.notMedia();
        // At the end of the file's part the body may continue: fields may follow, and only a complete body is accepted.
        const options = async () => {
          const parsed = parseOptions({ allow_duplicate: asText(allowDuplicate), ...(await ended()) });
          if (parsed.language) checkLanguage(parsed.language, await languages.known());
          return parsed;
        };
        return uploads.receive({
          userId: caller.userId,
          filename,
          declaredType,
          body,
          options,
          signal,
          client: clientOf(r),
        });
      });
      return reply(file, { headers: { 'X-File-ID': file.uuid } });
    }),
  ];
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
