import { createHash } from 'node:crypto';
import { sniff, sniffLength } from './sniff.ts';
import { uploadErrors } from './uploads.ts';

export type Inspected = { bytes: number; sha256: string; contentType: string };

/**
 * Looks at a recording on its way into the store and learns what it is, keeping no more of it than its head: size,
 * SHA-256 and media type. Throws as soon as it is known to be no recording, or too large.
 */
export const createInspection = ({ declared = '', maxBytes }: { declared?: string; maxBytes: number }) => {
  const hash = createHash('sha256');
  let head: Uint8Array[] = [];
  let bytes = 0;
  let contentType: string | undefined;

  const know = (): string => {
    contentType ??= sniff(Buffer.concat(head), declared);
    if (contentType === undefined) throw uploadErrors.notMedia();
    head = [];
    return contentType;
  };

  return {
    see: (chunk: Uint8Array): void => {
      bytes += chunk.length;
      if (bytes > maxBytes) throw uploadErrors.tooLarge(maxBytes);
      hash.update(chunk);
      if (contentType !== undefined) return;
      head.push(chunk);
      if (bytes >= sniffLength) know();
    },
    /** When all has been seen. */
    result: (): Inspected => {
      if (bytes === 0) throw uploadErrors.empty();
      return { bytes, sha256: hash.digest('hex'), contentType: know() };
    },
  };
};
