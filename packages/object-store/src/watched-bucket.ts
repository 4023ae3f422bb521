import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3';
import { outgoingWithin } from './bodies.ts';
import { createClient, type S3Options } from './s3-client.ts';

/** An object of a bucket that others fill. Its key may be any text. */
export type WatchedObject = { key: string; bytes: number; etag: string; modifiedAt: Date };

const answerMs = 15_000;

/**
 * Reads a bucket that others fill. In contrast to the object store its keys are not restricted, and errors of the server are
 * passed on unchanged.
 */
export function createWatchedBucket(options: S3Options) {
  const { bucket: Bucket, answerWithinMs = answerMs } = options;
  const client = createClient({ ...options, answerWithinMs });
  return {
    list: async function* (prefix: string, signal: AbortSignal): AsyncIterable<WatchedObject> {
      let token: string | undefined;
      do {
        const command = new ListObjectsV2Command({
          Bucket,
          Prefix: prefix,
          ...(token ? { ContinuationToken: token } : {}),
        });
        const page = await client.send(command, { abortSignal: signal });
        for (const { Key, Size, ETag, LastModified } of page.Contents ?? [])
          if (Key) yield { key: Key, bytes: Size ?? 0, etag: plain(ETag), modifiedAt: LastModified ?? new Date(0) };
        token = page.IsTruncated ? page.NextContinuationToken : undefined;
      } while (token);
    },
    open: async (key: string, signal: AbortSignal): Promise<{ stream: Readable; etag: string }> => {
      const found = await client.send(new GetObjectCommand({ Bucket, Key: key }), { abortSignal: signal });
      const body = found.Body instanceof Readable ? found.Body : Readable.from([]);
      return { stream: outgoingWithin(answerWithinMs, body), etag: plain(found.ETag) };
    },
    /** @returns undefined for a missing object. */
    etagOf: async (key: string): Promise<string | undefined> => {
      try {
        return plain((await client.send(new HeadObjectCommand({ Bucket, Key: key }))).ETag);
      } catch (error) {
        if ((error as { name?: string }).name === 'NotFound') return undefined;
        throw error;
      }
    },
    copy: async (key: string, to: string): Promise<void> => {
      const CopySource = `${Bucket}/${key}`.split('/').map(encodeURIComponent).join('/');
      await client.send(new CopyObjectCommand({ Bucket, Key: to, CopySource }));
    },
    remove: async (key: string): Promise<void> => {
      await client.send(new DeleteObjectCommand({ Bucket, Key: key }));
    },
    close: (): void => client.destroy(),
  };
}

export type WatchedBucket = ReturnType<typeof createWatchedBucket>;

function plain(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '');
}
