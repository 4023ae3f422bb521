import { createHash } from 'node:crypto';
import { sniff, sniffLength } from './sniff.ts';
import { uploadErrors } from './uploads.ts';

export type Inspection = { bytes: number; sha256: string; contentType: string };

/**
 * Determines size, SHA-256 and media type of a recording while it is written to the store; buffers only its first bytes.
 * Throws as soon as the data is not a recording or is too large.
 */
export function createInspection({ declared = '', maxBytes }: { declared?: string; maxBytes: number }) {
  const hash = createHash('sha256');
  let head: Uint8Array[] = [];
  let bytes = 0;
  let contentType: string | undefined;

  const detectType = (): string => {
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
      if (bytes >= sniffLength) detectType();
    },
    /** To be called after the last chunk. */
    result: (): Inspection => {
      if (bytes === 0) throw uploadErrors.empty();
      return { bytes, sha256: hash.digest('hex'), contentType: detectType() };
    },
  };
}
