import type { LookupFunction } from 'node:net';
import { createWatchedBucket } from '@overtone/object-store';
import { isAppError } from '@overtone/service-kit';
import { refusalOf, type OutboundGuard } from '@overtone/service-kit/outbound';
import type { WatchSourceSettings } from '@overtone/contracts';
import { EntryChanged, maxFiles, SourceUnavailable, type Place } from './place.ts';
import type { Entry } from './watch-sources.ts';

type BucketOptions = {
  settings: WatchSourceSettings;
  secretKey: string;
  guard: OutboundGuard;
};

/** The objects of a bucket below a prefix. */
export function createBucketPlace({ settings, secretKey, guard }: BucketOptions): Place {
  const { s3_prefix: prefix } = settings;
  const moveTo = settings.after === 'move' ? settings.move_to : '';
  const bucket = createWatchedBucket({
    endpoint: guard.checkUrl(settings.s3_endpoint_url).href,
    bucket: settings.s3_bucket,
    region: settings.s3_region || 'us-east-1',
    accessKeyId: settings.s3_access_key_id,
    secretAccessKey: secretKey,
    lookup: guardedLookup(guard),
  });
  const requireUnchanged = async (entry: Entry): Promise<void> => {
    if ((await bucket.etagOf(prefix + entry.path)) !== etagIn(entry)) throw new EntryChanged('another object');
  };
  return {
    list: async (signal) => {
      const entries: Entry[] = [];
      try {
        for await (const { key, bytes, etag, modifiedAt } of bucket.list(prefix, signal)) {
          const isMoved = moveTo !== '' && key.startsWith(moveTo);
          // Programs mark folders by empty objects.
          if (isMoved || key.endsWith('/') || !key.startsWith(prefix)) continue;
          entries.push(entryOf(key.slice(prefix.length), { bytes, etag, modifiedAt }));
          if (entries.length > maxFiles)
            throw new SourceUnavailable('too_many_files', `There are more than ${maxFiles} files.`);
        }
      } catch (error) {
        throw unavailable(settings.s3_bucket, error);
      }
      return { entries, identity: null, isOnSystemDisk: false };
    },
    open: async (entry, signal) => {
      const opened = await bucket.open(prefix + entry.path, signal).catch((error: unknown) => {
        if (nameOf(error) === 'NoSuchKey') throw new EntryChanged('missing');
        throw error;
      });
      const close = async (): Promise<void> => void opened.stream.destroy();
      if (opened.etag !== etagIn(entry)) {
        await close();
        throw new EntryChanged('another object');
      }
      // An object never changes while it is read; a cut connection is detected by its length.
      return { body: opened.stream, isUnchanged: async () => true, close };
    },
    finish: async (entry, after) => {
      await requireUnchanged(entry);
      if (after === 'move') await bucket.copy(prefix + entry.path, `${moveTo}${entry.path}`);
      await bucket.remove(prefix + entry.path);
    },
    hasEvents: () => false,
    close: () => bucket.close(),
  };
}

function entryOf(path: string, { bytes, etag, modifiedAt }: { bytes: number; etag: string; modifiedAt: Date }): Entry {
  return { path, bytes, modifiedAt, version: `${bytes}:${modifiedAt.getTime()}:${etag}`, refusal: '' };
}

function etagIn({ version }: Entry): string {
  return version.split(':').slice(2).join(':');
}

/** Connections go to addresses that the guard allows, checked at the moment of the connection. */
function guardedLookup(guard: OutboundGuard): LookupFunction {
  return (hostname, options, callback) => {
    guard.checkedAddress(hostname).then(
      ({ address, family }) => {
        if (options.all) callback(null, [{ address, family }]);
        else callback(null, address, family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 4),
    );
  };
}

function nameOf(error: unknown): string {
  return (error as { name?: string } | undefined)?.name ?? '';
}

function unavailable(bucket: string, error: unknown): unknown {
  if (error instanceof SourceUnavailable || nameOf(error) === 'AbortError') return error;
  const refusal = refusalOf(error);
  if (refusal && refusal.code !== 'storage_unavailable')
    return new SourceUnavailable('source_unreachable', refusal.message, error);
  if (nameOf(error) === 'NoSuchBucket')
    return new SourceUnavailable('bucket_missing', `There is no bucket ${bucket}.`, error);
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  if (status === 401 || status === 403)
    return new SourceUnavailable(
      'permission_denied',
      'The server refuses the key, or the key may not list the bucket.',
      error,
    );
  const detail = isAppError(error) ? '' : `: ${(error as Error).message}`;
  return new SourceUnavailable('source_unreachable', `The server cannot be reached${detail}`, error);
}
