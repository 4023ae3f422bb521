import { mediaEvents, mediaRoutes, type FileObject } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, handle, type Slice } from '@overtone/service-kit';
import { inQuarantine, isQuarantined } from '../access/access.ts';
import { lockedFile } from '../access/access.store.ts';
import { actorOf, auditAction, type Actor } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import { idsOf, isSettled, toFileObject } from '../files/files.ts';
import { updateFile } from '../files/files.store.ts';

type Deps = { db: Db; outbox: Outbox };

/** Quarantine: an administrator withdraws a file from everybody but administrators, and releases it again. */
export function createQuarantineSlice({ db, outbox }: Deps): Slice {
  const quarantine = (actor: Actor, id: string, reason: string): Promise<FileObject> =>
    db.$transaction(async (tx) => {
      const file = await lockedFile(tx, actor, id, 'own');
      if (isQuarantined(file)) throw inQuarantine();
      if (!isSettled(file.status)) throw conflict('file_busy', 'The file is being processed. Stop that first.');
      const row = await updateFile(tx, id, {
        status: 'quarantined',
        quarantinedAt: new Date(),
        quarantineReason: reason,
        quarantinedStatus: file.status,
      });
      await outbox.add(tx, mediaEvents.quarantined, idsOf(file));
      await outbox.add(tx, mediaEvents.updated, { ...idsOf(file), status: 'quarantined' });
      await auditAction(tx, outbox, 'file_quarantined', { file, actor, details: { reason } });
      return toFileObject(row, 'owner');
    });

  const release = (actor: Actor, id: string): Promise<FileObject> =>
    db.$transaction(async (tx) => {
      const file = await lockedFile(tx, actor, id, 'own');
      if (!isQuarantined(file)) throw conflict('file_not_quarantined', 'This file is not in quarantine.');
      // Rows of earlier releases have no status before.
      const before = file.transcriptVersion > 0 ? 'completed' : 'cancelled';
      const row = await updateFile(tx, id, {
        status: file.quarantinedStatus ?? before,
        quarantinedAt: null,
        quarantineReason: null,
        quarantinedStatus: null,
      });
      const answer = toFileObject(row, 'owner');
      await outbox.add(tx, mediaEvents.restored, { ...idsOf(file), transcriptVersion: file.transcriptVersion });
      await outbox.add(tx, mediaEvents.updated, { ...idsOf(file), status: answer.status });
      await auditAction(tx, outbox, 'file_released', { file, actor, details: { reason: file.quarantineReason ?? '' } });
      return answer;
    });

  return {
    routes: [
      handle(mediaRoutes.quarantineFile, (request) =>
        quarantine(actorOf(request), request.params.uuid, request.body.reason),
      ),
      handle(mediaRoutes.releaseFile, (request) => release(actorOf(request), request.params.uuid)),
    ],
  };
}
