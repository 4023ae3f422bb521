import { createHash } from 'node:crypto';
import { sniff, sniffLength } from './sniff.ts';
import { uploadErrors } from './uploads.ts';

export type Inspected = { bytes: number; sha256: string; contentType: string };

/**
 * Lets a recording through to the store and learns what it is on the way, without keeping more than its head: size,
 * SHA-256 and media type. Throws as soon as it is known to be no recording, or too large.
 */
export const inspect = (
  source: AsyncIterable<Buffer>,
  { declared = '', maxBytes }: { declared?: string; maxBytes: number },
) => {
  const hash = createHash('sha256');
  let bytes = 0;
  let contentType: string | undefined;

  const know = (head: Buffer): void => {
    contentType = sniff(head, declared);
    if (!contentType) throw uploadErrors.notMedia();
  };

  async function* pass(): AsyncGenerator<Buffer> {
    let head: Buffer[] | undefined = [];
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw uploadErrors.tooLarge(maxBytes);
      hash.update(chunk);
      if (!head) {
        yield chunk;
        continue;
      }
      head.push(chunk);
      if (bytes < sniffLength) continue;
      const start = Buffer.concat(head);
      know(start);
      head = undefined;
      yield start;
    }
    if (bytes === 0) throw uploadErrors.empty();
    if (head) {
      const whole = Buffer.concat(head);
      know(whole);
      yield whole;
    }
  }

  return {
    stream: pass(),
    /** Once the stream has ended. */
    result: (): Inspected => ({ bytes, sha256: hash.digest('hex'), contentType: contentType ?? '' }),
  };
};
