import { erasureEvents, transcriptionEvents, type DataOf, type userErasureOrdered } from '@overtone/contracts';
import { deleteSentActionsOf, type Outbox } from '@overtone/database';
import type { Db } from '../database.ts';
import type { createCancellation } from './runs.service.ts';

type Deps = { db: Db; outbox: Outbox; cancel: ReturnType<typeof createCancellation>['cancel'] };

/** Owner of runs whose person was erased. Such a run stays, so that a late event of its file does not open another one. */
const erasedOwner = '00000000-0000-0000-0000-000000000000';

/** Erases a person's tasks, stages and timings, and takes the person out of their runs. */
export function createErasure({ db, outbox, cancel }: Deps) {
  return async (
    { erasureId, round, userId }: DataOf<typeof userErasureOrdered>,
    delivery: { id: string; time: Date },
  ): Promise<void> => {
    const running = await db.run.findMany({
      where: { ownerId: userId, status: 'running' },
      select: { fileId: true, ownerId: true },
    });
    for (const file of running) await cancel(file, delivery);
    await db.$transaction(async (tx) => {
      const { count: tasks } = await tx.task.deleteMany({ where: { ownerId: userId } });
      await tx.pipelineTiming.deleteMany({ where: { userId } });
      await tx.stageRow.deleteMany({ where: { run: { ownerId: userId } } });
      const { count: runs } = await tx.run.updateMany({
        where: { ownerId: userId },
        data: { ownerId: erasedOwner, objectKey: '', options: {}, warnings: [], traceparent: null },
      });
      await deleteSentActionsOf(tx, 'transcription-dispatcher', userId);
      // The tags of a file hold its title and artist.
      await tx.$executeRaw`
        delete from transcription_dispatcher_outbox where sent_at is not null and data ->> 'ownerId' = ${userId}
          and subject = ${transcriptionEvents.stageCompleted.subject}`;
      await outbox.add(tx, erasureEvents['transcription-dispatcher'], {
        erasureId,
        round,
        counts: { tasks, runs },
        objectHashes: [],
        fileIds: [],
        held: 0,
        complete: true,
      });
    });
  };
}
