import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { isAppError } from '@overtone/service-kit';
import { codeOf, invalidKey, notFound, rangeNotSatisfiable, storeFull, storeUnavailable } from './errors.ts';
import { incoming, outgoingWithin } from './bodies.ts';
import {
  checkKey,
  checkPrefix,
  defaultContentType,
  resolveRange,
  staleAfterMs,
  type ListedObject,
  type ObjectBody,
  type ObjectStore,
  type PutOptions,
} from './object-store.ts';
import { createClient, type S3Options } from './s3-client.ts';
import { isSilence } from './silence.ts';

const partSize = 8 * 1024 * 1024;
const deleteBatch = 1000;
const answerMs = 10_000;

type BucketClient = { client: S3Client; Bucket: string; answerWithinMs: number };

/** Objects in one bucket of any S3 server, addressed by path, with the checksums every server understands. */
export function createS3Store(options: S3Options): ObjectStore {
  const { answerWithinMs = answerMs, bucket: Bucket } = options;
  const client = createClient({ ...options, answerWithinMs });
  const bucket = { client, Bucket, answerWithinMs };
  // The SDK sets the number of attempts for all requests of a client; a readiness check makes one.
  const pinging = createClient({ ...options, answerWithinMs, maxAttempts: 1 });
  return {
    ...createReads(bucket),
    put: async (key, body, { contentType: ContentType = defaultContentType, ...options } = {}) =>
      upload(client, { Bucket, Key: checkKey(key), ContentType }, body, options),
    ...createRemovals(bucket),
    ping: (signal) =>
      // HEAD has no body: a missing bucket looks like a missing object.
      pinging.send(new HeadBucketCommand({ Bucket }), until(signal)).then(
        () => undefined,
        (error: unknown) => {
          throw storeUnavailable(error);
        },
      ),
    space: async () => null,
    close: () => {
      client.destroy();
      pinging.destroy();
    },
  };
}

function createReads(bucket: BucketClient): Pick<ObjectStore, 'get' | 'head' | 'list'> {
  const { client, Bucket, answerWithinMs } = bucket;
  return {
    get: (key, { range, signal } = {}) =>
      guarded(key, async () => {
        const Range = range ? { Range: `bytes=${range.start}-${range.end ?? ''}` } : {};
        if (range) resolveRange(range, Number.MAX_SAFE_INTEGER);
        const found = await client.send(new GetObjectCommand({ Bucket, Key: checkKey(key), ...Range }), until(signal));
        const { start, end } = resolveRange(range, totalOf(found.ContentRange, found.ContentLength ?? 0));
        return {
          stream: outgoingWithin(answerWithinMs, found.Body instanceof Readable ? found.Body : Readable.from([])),
          bytes: end - start + 1,
          contentType: found.ContentType ?? defaultContentType,
          etag: plainEtag(found.ETag),
        };
      }),
    head: (key) =>
      guarded(key, async () => {
        const found = await client.send(new HeadObjectCommand({ Bucket, Key: checkKey(key) }));
        return {
          key,
          bytes: found.ContentLength ?? 0,
          contentType: found.ContentType ?? defaultContentType,
          etag: plainEtag(found.ETag),
          modifiedAt: found.LastModified ?? new Date(0),
        };
      }),
    list: (prefix) => listObjects(bucket, checkPrefix(prefix)),
  };
}

function createRemovals(bucket: BucketClient): Pick<ObjectStore, 'delete' | 'deletePrefix' | 'removeLeftovers'> {
  const { client, Bucket } = bucket;
  const removeBatch = async (keys: string[]): Promise<number> => {
    if (keys.length === 0) return 0;
    const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
    const answer = await client.send(new DeleteObjectsCommand({ Bucket, Delete }));
    const failed = answer.Errors?.[0];
    if (failed) throw storeUnavailable(new Error(`${failed.Code ?? 'unknown'}: ${failed.Message ?? ''}`));
    return keys.length;
  };
  return {
    delete: (key) =>
      guarded(key, async () => {
        await client.send(new DeleteObjectCommand({ Bucket, Key: checkKey(key) }));
      }),
    deletePrefix: (prefix) =>
      guarded(prefix, async () => {
        let removed = 0;
        let batch: string[] = [];
        for await (const { key } of listObjects(bucket, checkPrefix(prefix))) {
          batch.push(key);
          if (batch.length < deleteBatch) continue;
          removed += await removeBatch(batch);
          batch = [];
        }
        return removed + (await removeBatch(batch));
      }),
    removeLeftovers: () => guarded(Bucket, () => abortStaleUploads(client, Bucket)),
  };
}

async function* listObjects({ client, Bucket }: BucketClient, prefix: string): AsyncIterable<ListedObject> {
  let token: string | undefined;
  do {
    const request = { Bucket, Prefix: prefix, ...(token ? { ContinuationToken: token } : {}) };
    const page = await guarded(prefix, () => client.send(new ListObjectsV2Command(request)));
    for (const { Key, Size, ETag, LastModified } of page.Contents ?? []) {
      if (Key) yield { key: Key, bytes: Size ?? 0, etag: plainEtag(ETag), modifiedAt: LastModified ?? new Date(0) };
    }
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token);
}

type Target = { Bucket: string; Key: string; ContentType: string };

/** Multipart with two parts in flight: memory stays the same however long the stream is. */
async function upload(
  client: S3Client,
  target: Target,
  body: ObjectBody,
  { signal, see }: PutOptions,
): Promise<{ bytes: number; etag: string }> {
  signal?.throwIfAborted();
  const source = incoming(body, see);
  const silence = Promise.withResolvers<never>();
  const watched = tellingOfSilence(client, silence.reject);
  const job = new Upload({ client: watched, params: { ...target, Body: source.stream }, partSize, queueSize: 2 });
  const abort = (): void => void job.abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    // The SDK would clean up first, and an unresponsive server does not answer that request either.
    const done = await Promise.race([job.done(), silence.promise]);
    return { bytes: source.bytes(), etag: plainEtag(done.ETag) };
  } catch (error) {
    source.stream.destroy();
    signal?.throwIfAborted();
    // Servers without AbortMultipartUpload would replace the sender's error with their own.
    const sender = source.failure();
    throw sender ? sender.error : fromS3(target.Key, error);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** The same client, which also reports failed requests. */
function tellingOfSilence(client: S3Client, tell: (error: unknown) => void): S3Client {
  const send = client.send.bind(client) as (command: unknown) => Promise<unknown>;
  const telling = (command: unknown): Promise<unknown> =>
    send(command).catch((error: unknown) => {
      if (isSilence(error)) tell(error);
      throw error;
    });
  return Object.create(client, { send: { value: telling } }) as S3Client;
}

async function abortStaleUploads(client: S3Client, Bucket: string): Promise<number> {
  let removed = 0;
  try {
    const open = await client.send(new ListMultipartUploadsCommand({ Bucket }));
    for (const { Key, UploadId, Initiated } of open.Uploads ?? []) {
      if (!Key || !UploadId || Date.now() - (Initiated?.getTime() ?? Date.now()) < staleAfterMs) continue;
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
      removed += 1;
    }
  } catch (error) {
    // Optional in many servers; such a store cleans up by its own lifecycle rules.
    if (![400, 405, 501].includes(statusOf(error))) throw error;
  }
  return removed;
}

function until(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal ? { abortSignal: signal } : {};
}

function totalOf(contentRange: string | undefined, length: number): number {
  const total = Number(contentRange?.split('/')[1]);
  return Number.isSafeInteger(total) ? total : length;
}

function plainEtag(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '');
}

function statusOf(error: unknown): number {
  return (error as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode ?? 0;
}

async function guarded<T>(key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fromS3(key, error);
  }
}

function fromS3(key: string, error: unknown): unknown {
  const { name } = error as { name?: string };
  if (isAppError(error) || name === 'AbortError') return error;
  if (name === 'NoSuchBucket') return storeUnavailable(error);
  if (name === 'NoSuchKey' || name === 'NotFound' || statusOf(error) === 404) return notFound(key, error);
  if (name === 'InvalidRange' || statusOf(error) === 416) return rangeNotSatisfiable(error);
  if (name === 'KeyTooLongError') return invalidKey(error);
  if (statusOf(error) === 507 || name === 'QuotaExceeded') return storeFull(error);
  // The SDK marks errors between itself and the server; any other error is a bug here and is passed on unchanged.
  const ofServerOrNetwork = '$metadata' in (error as object) || codeOf(error) !== '' || name === 'TimeoutError';
  return ofServerOrNetwork ? storeUnavailable(error) : error;
}
