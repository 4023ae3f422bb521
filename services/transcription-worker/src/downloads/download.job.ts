import { importLease, importRpc, type InputOf, type downloadJobs, type ReplyOf } from '@overtone/contracts';
import type { JobDelivery } from '@overtone/jobs';
import type { ObjectStore } from '@overtone/object-store';
import { createInspection } from '@overtone/object-store/inspection';
import { isAppError, type Bus, type Log } from '@overtone/service-kit';
import type { OutboundGuard } from '@overtone/service-kit/outbound';
import type { Dispatcher } from 'undici';
import { downloadFailures } from './failures.ts';
import { downloadLimits, openDownload, type Download, type DownloadLimits } from './http-download.ts';
import type { PageDownloader } from './page-download.adapter.ts';

type DownloadJobDeps = {
  bus: Pick<Bus, 'request'>;
  objects: Pick<ObjectStore, 'put' | 'delete'>;
  guard: OutboundGuard;
  dispatcher: Dispatcher;
  pages: PageDownloader;
  log: Log;
  limits?: Partial<DownloadLimits>;
};
type Claimed = Extract<ReplyOf<typeof importRpc.claimImport>, { outcome: 'claimed' }>;
type Progress = { receivedBytes: number; totalBytes: number | null };

/**
 * Downloads one recording into the object store. Media owns the state of the import: the job claims it, reports its progress,
 * and ends it. A failure is reported and not thrown, so that the broker does not repeat what media repeats.
 */
export function downloadJob(deps: DownloadJobDeps) {
  const { bus, log } = deps;
  return async ({ fileId }: InputOf<typeof downloadJobs.download>, { signal: stop }: JobDelivery) => {
    const claimed = await bus.request(importRpc.claimImport, { fileId });
    if (claimed.outcome === 'none') return {};
    const claim = { fileId, token: claimed.token };
    const lease = keepClaim(bus, claim);
    const signal = AbortSignal.any([stop, lease.signal]);
    try {
      const stored = await store(claimed, { ...deps, signal, progress: lease.progress });
      await bus.request(importRpc.completeImport, { ...claim, ...stored });
    } catch (error) {
      if (lease.signal.aborted) {
        log.info({ file_id: fileId }, 'import stopped');
        return {};
      }
      const { code, message, permanent } = isAppError(error) ? error : downloadFailures.incomplete({ cause: error });
      log.info({ err: error as Error, file_id: fileId, code }, 'import attempt failed');
      await bus.request(importRpc.failImport, {
        ...claim,
        code,
        message,
        retryable: !permanent,
        released: stop.aborted,
      });
    } finally {
      lease.release();
    }
    return {};
  };
}

type Storing = DownloadJobDeps & { signal: AbortSignal; progress: (progress: Progress) => void };

async function store({ url, objectKey, maxBytes }: Claimed, deps: Storing) {
  const { objects, guard, dispatcher, pages, signal, progress } = deps;
  const limits = { ...downloadLimits, ...deps.limits, maxBytes };
  const direct = await openDownload(url, { guard, dispatcher, limits }, signal);
  const put = async ({ filename, declaredType, totalBytes, body }: Download) => {
    const { see, result } = createInspection({ declared: declaredType, maxBytes });
    let receivedBytes = 0;
    progress({ receivedBytes, totalBytes });
    const count = (chunk: Uint8Array): void => {
      see(chunk);
      receivedBytes += chunk.length;
      progress({ receivedBytes, totalBytes });
    };
    await objects.put(objectKey, body, { see: count, signal });
    try {
      return { filename, ...result() };
    } catch (error) {
      // A short object is only inspected after its last byte.
      await objects.delete(objectKey);
      throw error;
    }
  };
  return direct ? put(direct) : pages.download(url, { maxBytes, signal, progress, store: put });
}

/** Reports the progress regularly, which keeps the claim. `signal` is aborted when media ends it or does not answer for too long. */
function keepClaim(bus: Pick<Bus, 'request'>, claim: { fileId: string; token: number }) {
  const lost = new AbortController();
  let progress: Progress = { receivedBytes: 0, totalBytes: null };
  let renewedAt = Date.now();
  const renew = async (): Promise<void> => {
    try {
      const { outcome } = await bus.request(importRpc.importProgress, { ...claim, ...progress });
      if (outcome === 'stop') return lost.abort(new Error('the import was stopped'));
      renewedAt = Date.now();
    } catch {
      if (Date.now() - renewedAt > importLease.lifeMs)
        lost.abort(new Error('the claim of the import could not be renewed'));
    }
  };
  const timer = setInterval(() => void renew(), importLease.everyMs);
  return {
    signal: lost.signal,
    progress: (latest: Progress): void => void (progress = latest),
    release: () => clearInterval(timer),
  };
}
