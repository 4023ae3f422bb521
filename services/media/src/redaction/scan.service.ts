import { randomUUID } from 'node:crypto';
import { mediaEvents, redactionJobs, type InputOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { putJob } from '@overtone/jobs';
import type { Bus, Log } from '@overtone/service-kit';
import { lockFileRow } from '../access/access.store.ts';
import type { Db } from '../database.ts';
import type { MediaFile } from '../generated/client.ts';
import type { NamesModel } from '../ports/names-model.adapter.ts';
import { markMasked } from '../transcripts/transcripts.store.ts';
import {
  isScanned,
  keyOf,
  knownNames,
  maskForIndex,
  readDetector,
  readDetectorVersion,
  readScannedTexts,
  saveNamesModel,
  scanWindows,
  storeSpans,
  type Detector,
} from './redaction.store.ts';

type Deps = { db: Db; outbox: Outbox; bus: Bus; log: Log; names: NamesModel };

/** A scan that did not end is requested again after this time. */
const reenqueueAfterMs = 600_000;
const batch = 100;

/** Scans transcripts, and requests the scans. */
export function createScans({ db, outbox, bus, log, names }: Deps) {
  const requested = new Map<string, { version: number; at: number }>();

  const scanStale = async (file: MediaFile, detector: Detector): Promise<number> => {
    const rows = await readScannedTexts(db, file.id);
    const stale = rows.filter(({ text, redactionKey }) => redactionKey !== keyOf(text, detector.version)).length;
    if (stale === 0) return 0;
    const options = { language: file.language, knownNames: await knownNames(db, file.id) };
    for await (const window of scanWindows(detector, rows, options))
      await storeSpans(db, window.rows, window.spans, () => detector.version);
    return stale;
  };

  /** Stores the coverage. Readers and search are notified when the scan changed what they see. */
  const finish = (
    { id: fileId, transcriptVersion: scannedVersion }: MediaFile,
    { version: detectorVersion }: Detector,
    changed: boolean,
  ): Promise<void> =>
    db.$transaction(async (tx) => {
      await lockFileRow(tx, fileId);
      const file = await tx.mediaFile.findUnique({ where: { id: fileId } });
      if (!file || file.deletedAt) return;
      const [counted] = await tx.$queryRaw<{ total: number; scanned: number }[]>`
        select count(*)::int as total, (count(*) filter (where ${isScanned}))::int as scanned
        from transcript_segment t where t.media_file_id = ${fileId}::uuid`;
      const { total = 0, scanned = 0 } = counted ?? {};
      const masked = changed && (await maskForIndex(tx, file)).kinds.size > 0;
      if (masked) await outbox.add(tx, mediaEvents.masksTightened, { ownerId: file.userId, fileId });
      const version = masked ? await markMasked(tx, outbox, file) : scannedVersion;
      const isCurrent = scanned === total && (masked || file.transcriptVersion === scannedVersion);
      await tx.mediaFile.update({
        where: { id: fileId },
        data: {
          redactionCoverage: total === 0 ? 1 : scanned / total,
          redactionDetector: detectorVersion,
          redactionScannedAt: new Date(),
          redactionError: scanned === total ? null : file.redactionError,
          ...(isCurrent ? { redactionVersion: version } : {}),
        },
      });
    });

  const forgetOldRules = async (): Promise<void> => {
    await db.$executeRaw`
      update media_file set redaction_version = null
      where redaction_version is not null and redaction_detector is distinct from ${await readDetectorVersion(db)}`;
  };

  return {
    scan: async ({ fileId }: InputOf<typeof redactionJobs.scan>): Promise<Record<string, never>> => {
      const file = await db.mediaFile.findUnique({ where: { id: fileId } });
      if (!file || file.deletedAt || file.transcriptVersion === 0) return {};
      try {
        const detector = await readDetector(db, names);
        const stale = await scanStale(file, detector);
        await finish(file, detector, stale > 0 || file.redactionError !== null);
      } catch (error) {
        // From now on the text is withheld from masked readers, whatever the policy says about unscanned text.
        await db.mediaFile.updateMany({ where: { id: fileId }, data: { redactionError: 'scan_failed' } });
        throw error;
      }
      requested.delete(fileId);
      return {};
    },

    /** Requests a scan of the transcripts whose current version was not scanned, by the current rules. */
    requestScans: async (): Promise<void> => {
      if (!bus.connected()) return;
      const due = await db.$queryRaw<{ id: string; version: number }[]>`
        select uuid::text as id, transcript_version as version from media_file
        where transcript_version > 0 and redaction_version is distinct from transcript_version and deleted_at is null
        order by redaction_error is not null, upload_time desc limit ${batch}`;
      const now = Date.now();
      for (const { id, version } of due) {
        const earlier = requested.get(id);
        if (earlier?.version === version && now - earlier.at < reenqueueAfterMs) continue;
        requested.set(id, { version, at: now });
        await putJob(bus, redactionJobs.scan, randomUUID(), { fileId: id }).catch((err: unknown) => {
          requested.delete(id);
          log.warn({ err: err as Error, file_id: id }, 'redaction scan not requested');
        });
      }
    },

    /** After an update of the rules: all transcripts are scanned again. */
    forgetOldRules,

    /**
     * Follows which names model the workers have. While no worker responds the last known one stays in use: its scans fail,
     * and text is withheld.
     */
    followNamesModel: async (): Promise<void> => {
      if (!bus.connected()) return;
      const model = await names.installed().catch(() => undefined);
      if (model === undefined || !(await saveNamesModel(db, model))) return;
      log.info({ model }, 'names model changed: transcripts are scanned again');
      requested.clear();
      await forgetOldRules();
    },

    /** Notifies readers and search of files whose masks have changed, some at a time. */
    publishMasks: async (signal: AbortSignal): Promise<void> => {
      for (;;) {
        const changed = await db.$queryRaw<{ id: string; version: number }[]>`
          select f.uuid::text as id, p.version from media_file f, redaction_policy p
          where f.transcript_version > 0 and f.redaction_mask_version < p.version and f.deleted_at is null limit ${batch}`;
        for (const { id, version } of changed) await publishMask(id, version);
        if (changed.length < batch || signal.aborted) return;
      }
    },
  };

  function publishMask(id: string, version: number): Promise<void> {
    return db.$transaction(async (tx) => {
      await lockFileRow(tx, id);
      const file = await tx.mediaFile.findUnique({ where: { id } });
      if (!file) return;
      const published = await markMasked(tx, outbox, file);
      const isScannedNow = file.redactionVersion === file.transcriptVersion;
      await tx.mediaFile.update({
        where: { id },
        data: { redactionMaskVersion: version, ...(isScannedNow ? { redactionVersion: published } : {}) },
      });
    });
  }
}
