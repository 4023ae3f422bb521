import type { ObjectStore } from '@overtone/object-store';
import type { Db } from '../database.ts';
import { uploadErrors } from './uploads.ts';

export type UploadLimits = { maxOpen: number; maxReservedBytes: number };
export type ReservationsDeps = { db: Db; objects: Pick<ObjectStore, 'space'>; limits: UploadLimits };
/** Reserved for an upload of unknown length. */
const deferredBytes = 64 * 1024 * 1024;

type Sums = { open: number; reserved: bigint; missing: bigint; largest: bigint };

/** Reserves space for unfinished resumable uploads, limited per user and by the free storage. */
export function createReservations({ db, objects, limits }: ReservationsDeps) {
  return {
    /** Serialized by a lock, so that concurrent uploads cannot exceed a limit together. */
    reserve: (id: string, userId: string, size: number | null): Promise<void> =>
      db.$transaction(async (tx) => {
        const bytes = size ?? deferredBytes;
        await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended('open_upload', 0))`;
        const [sums] = await tx.$queryRaw<Sums[]>`
        select count(*) filter (where user_id = ${userId}::uuid)::int as open,
               coalesce(sum(bytes) filter (where user_id = ${userId}::uuid), 0)::bigint as reserved,
               coalesce(sum(greatest(bytes - received, 0)), 0)::bigint as missing,
               coalesce(max(bytes), 0)::bigint as largest
        from open_upload`;
        const { open, reserved, missing, largest } = sums ?? { open: 0, reserved: 0n, missing: 0n, largest: 0n };
        if (open >= limits.maxOpen) throw uploadErrors.tooManyOpen(limits.maxOpen);
        // One upload of any allowed size is always possible.
        if (open > 0 && Number(reserved) + bytes > limits.maxReservedBytes)
          throw uploadErrors.tooMuchReserved(limits.maxReservedBytes);
        // Finishing an upload copies its parts into one more object before they are deleted.
        const needed = Number(missing) + bytes + Math.max(Number(largest), bytes);
        const space = await objects.space();
        if (space && needed > space.freeBytes) throw uploadErrors.noSpace();
        await tx.openUpload.create({ data: { id, userId, bytes: BigInt(bytes), lengthDeferred: size === null } });
      }),
    setReceived: async (id: string, received: number): Promise<void> => {
      // A recording may become longer than what was reserved for it.
      await db.$executeRaw`
        update open_upload set received = ${received}, active_at = now(),
               bytes = case when length_deferred then greatest(bytes, ${received}) else bytes end
        where uuid = ${id}::uuid`;
    },
    /** The sender has reported its length: the upload is an ordinary one from now on. */
    setLength: async (id: string, bytes: number): Promise<void> => {
      await db.openUpload.updateMany({ where: { id }, data: { bytes: BigInt(bytes), lengthDeferred: false } });
    },
    /** The sender of a recording is alive, e.g. while the recording is paused. */
    touch: async (id: string): Promise<void> => {
      await db.openUpload.updateMany({ where: { id, lengthDeferred: true }, data: { activeAt: new Date() } });
    },
    /** Unfinished recordings of a user, the latest first. */
    recordingsOf: (userId: string) =>
      db.openUpload.findMany({ where: { userId, lengthDeferred: true }, orderBy: { createdAt: 'desc' } }),
    /** Ids of recordings whose sender has been silent since then. */
    interrupted: async (before: Date): Promise<string[]> => {
      const where = { lengthDeferred: true, activeAt: { lt: before } };
      return (await db.openUpload.findMany({ where, select: { id: true } })).map(({ id }) => id);
    },
    release: async (id: string): Promise<void> => {
      await db.openUpload.deleteMany({ where: { id } });
    },
    /** Removes reservations of killed processes. */
    releaseOlderThan: async (before: Date): Promise<void> => {
      await db.openUpload.deleteMany({ where: { createdAt: { lt: before } } });
    },
  };
}

export type Reservations = ReturnType<typeof createReservations>;
