import { randomUUID } from 'node:crypto';
import {
  downloadJobs,
  importLive,
  mediaEvents,
  type BodyOf,
  type FileObject,
  type importRpc,
  type mediaRoutes,
  type ReplyOf,
  type RequestOf,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { putJob } from '@overtone/jobs';
import type { ObjectStore } from '@overtone/object-store';
import { isAppError, type Bus, type Log } from '@overtone/service-kit';
import { refuseKnownAddress, type OutboundGuard } from '@overtone/service-kit/outbound';
import type { Actor } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import { toFileObject, withRelations } from '../files/files.ts';
import { checkSpeech, type Languages } from '../ports/languages.adapter.ts';
import type { Telemetry } from '../telemetry.ts';
import { checkedFilename, parseOptions, runOptionsOf } from '../uploads/uploads.ts';
import { columnsOf, storeFile } from '../uploads/uploads.store.ts';
import { filenameOf, importKey, maxAttempts, pauseAfterAttempt, toImportProblem } from './imports.ts';
import * as store from './imports.store.ts';

export type ImportsDeps = {
  db: Db;
  outbox: Outbox;
  objects: Pick<ObjectStore, 'delete' | 'list'>;
  bus: Bus;
  guard: OutboundGuard;
  languages: Languages;
  telemetry: Telemetry;
  log: Log;
  limits: { maxBytes: number; maxPerHour: number };
};
type Rpc = typeof importRpc;

/** The broker loses a message only with its storage: a job that no worker took is published again after this time. */
const reenqueueAfterMs = 600_000;

/** Requests imports. */
export function createImports({ db, outbox, guard, languages, limits, bus }: ImportsDeps) {
  return {
    /** Creates the file and queues its download. The address is checked here, and again at every connection of the worker. */
    request: async (
      { userId, client }: Actor,
      { url: text, ...fields }: BodyOf<(typeof mediaRoutes)['importUrl']>,
    ): Promise<FileObject> => {
      const url = guard.checkUrl(text);
      await refuseKnownAddress(guard, url);
      const options = parseOptions(asFields(fields));
      checkSpeech(options, await languages.abilities());
      const id = randomUUID();
      const file = await db.$transaction(async (tx) => {
        await store.limitImports(tx, userId, limits.maxPerHour);
        const row = await tx.mediaFile.create({
          data: {
            ...columnsOf({ id, userId, filename: filenameOf(url), options }),
            objectKey: '',
            contentType: 'application/octet-stream',
            fileSize: 0n,
            status: 'downloading',
            sourceUrl: url.href,
            options: runOptionsOf(options),
          },
          include: withRelations,
        });
        await tx.mediaImport.create({ data: { fileId: id, userId, url: url.href, options, client } });
        await outbox.add(tx, mediaEvents.updated, { fileId: id, ownerId: userId, status: 'downloading' });
        return toFileObject(row, 'owner');
      });
      // The periodic check queues an import whose job was not accepted.
      await putJob(bus, downloadJobs.download, randomUUID(), { fileId: id }).catch(() => undefined);
      return file;
    },
  };
}

/** Queues jobs for imports: new ones, retries, and those whose worker or message was lost. */
export function createImportQueue({ db, outbox, bus }: Pick<ImportsDeps, 'db' | 'outbox' | 'bus'>) {
  const putAt = new Map<string, number>();
  const keyOf = ({ fileId, token, attempts }: store.ImportRow): string => `${fileId}:${token}:${attempts}`;
  return {
    check: async (): Promise<void> => {
      const { waiting, exhausted } = await store.listDueImports(db);
      for (const { fileId, userId } of exhausted) {
        const lost = { code: 'job_lost', message: 'The download was interrupted too often.', retryable: true };
        const end = { status: 'failed', error: toImportProblem(lost) } as const;
        await db.$transaction((tx) => store.endImport(tx, outbox, { id: fileId, userId }, end));
      }
      const due = new Set(waiting.map(keyOf));
      for (const key of putAt.keys()) if (!due.has(key)) putAt.delete(key);
      if (!bus.connected()) return;
      for (const row of waiting) {
        if (Date.now() - (putAt.get(keyOf(row)) ?? 0) < reenqueueAfterMs) continue;
        await putJob(bus, downloadJobs.download, randomUUID(), { fileId: row.fileId });
        putAt.set(keyOf(row), Date.now());
      }
    },
    removeForgotten: () => store.removeForgottenImports(db),
  };
}

/** Answers the workers that download: the only writer of the state of an import. */
export function createImportReports({ db, outbox, objects, bus, telemetry, log, limits }: ImportsDeps) {
  const discard = (key: string): Promise<void> =>
    objects.delete(key).catch((err: unknown) => log.warn({ err: err as Error, key }, 'import object not deleted'));

  const accept = (
    { fileId, token, filename, contentType, bytes, sha256 }: RequestOf<Rpc['completeImport']>,
    objectKey: string,
  ): Promise<'accepted' | 'accepted_before' | 'refused'> =>
    db.$transaction(async (tx) => {
      const claimed = await store.lockClaimed(tx, fileId, token);
      const file = await tx.mediaFile.findUnique({ where: { id: fileId } });
      // Only the reply was lost.
      if (file?.objectKey === objectKey) return 'accepted_before';
      if (!claimed || !file || file.deletedAt) return 'refused';
      const recording = {
        id: fileId,
        userId: claimed.userId,
        source: 'url',
        objectKey,
        contentType,
        bytes,
        sha256,
      } as const;
      const options = parseOptions(claimed.options as Record<string, string>);
      const client = claimed.client as Actor['client'];
      await storeFile(tx, outbox, { ...recording, filename: usableName(filename, file.filename), options, client });
      await tx.mediaImport.update({ where: { fileId }, data: { status: 'done', leaseUntil: null } });
      return 'accepted';
    });

  const fail = (
    { fileId, token, code, message, retryable, released }: RequestOf<Rpc['failImport']>,
    duplicateId?: string,
  ): Promise<ReplyOf<Rpc['failImport']>> =>
    db.$transaction(async (tx) => {
      const claimed = await store.lockClaimed(tx, fileId, token);
      if (!claimed) return { outcome: 'stale' as const };
      if (released || (retryable && claimed.attempts < maxAttempts)) {
        const pauseMs = released ? 0 : pauseAfterAttempt(claimed.attempts);
        await store.requeueImport(tx, fileId, { pauseMs, counted: !released });
        return { outcome: 'retry' as const };
      }
      const problem = { code, message, retryable, ...(duplicateId ? { duplicateId } : {}) };
      const error = toImportProblem(problem);
      await store.endImport(tx, outbox, { id: fileId, userId: claimed.userId }, { status: 'failed', error });
      return { outcome: 'failed' as const };
    });

  return {
    claim: async ({ fileId }: RequestOf<Rpc['claimImport']>): Promise<ReplyOf<Rpc['claimImport']>> => {
      const claimed = await store.claimImport(db, fileId);
      if (!claimed) return { outcome: 'none' };
      const { token, url } = claimed;
      return { outcome: 'claimed', token, url, objectKey: importKey(fileId, token), maxBytes: limits.maxBytes };
    },

    progress: async ({
      fileId,
      token,
      receivedBytes,
      totalBytes,
    }: RequestOf<Rpc['importProgress']>): Promise<ReplyOf<Rpc['importProgress']>> => {
      const claimed = await store.renewImport(db, fileId, token);
      if (!claimed) return { outcome: 'stop' };
      bus.publishLive(importLive.progress, { fileId, ownerId: claimed.userId, receivedBytes, totalBytes });
      return { outcome: 'continue' };
    },

    /** Stores the file as an upload does. An object that is not accepted is deleted. */
    complete: async (report: RequestOf<Rpc['completeImport']>): Promise<ReplyOf<Rpc['completeImport']>> => {
      const objectKey = importKey(report.fileId, report.token);
      const { fileId, token } = report;
      try {
        const outcome = await accept(report, objectKey);
        // After the commit: a report that fails is sent again.
        if (outcome === 'accepted') telemetry.filesUploaded.inc({ source: 'url' });
        if (outcome !== 'refused') {
          await discardEarlier(objects, fileId, objectKey).catch(() => undefined);
          return { outcome: 'accepted' };
        }
      } catch (error) {
        if (!isAppError(error) || !error.permanent) throw error;
        const { code, message, extra } = error;
        await fail({ fileId, token, code, message, retryable: false, released: false }, extra.duplicate_file_uuid);
      }
      await discard(objectKey);
      return { outcome: 'refused' };
    },

    fail,
  };
}

/** Objects of earlier attempts, whose worker was lost after it had stored them. */
async function discardEarlier(objects: ImportsDeps['objects'], fileId: string, current: string): Promise<void> {
  for await (const { key } of objects.list(`files/${fileId}/`)) if (key !== current) await objects.delete(key);
}

/** The name that the server gives, unless it is not usable. */
function usableName(given: string, fallback: string): string {
  try {
    return checkedFilename(given);
  } catch {
    return fallback;
  }
}

function asFields(fields: object): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}
