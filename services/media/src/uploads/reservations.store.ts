import type { ObjectStore } from '@overtone/object-store';
import { txOptions, type Db } from '../database.ts';
import { uploadErrors } from './uploads.ts';

export type UploadLimits = { maxOpen: number; maxReservedBytes: number };
export type ReservationsDeps = { db: Db; objects: Pick<ObjectStore, 'space'>; limits: UploadLimits };
type Sums = { open: number; reserved: bigint; missing: bigint; largest: bigint };

/** Room for resumable uploads that are not finished, bounded by user and by what the storage has left. */
export const createReservations = ({ db, objects, limits }: ReservationsDeps) => ({
  limits,
  /** One after the other: of many uploads that begin at once none sees fewer than there are. */
  reserve: (id: string, userId: string, bytes: number): Promise<void> =>
    db.$transaction(async (tx) => {
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
      // The parts of an upload are put together into one more object before they are removed.
      const needed = Number(missing) + bytes + Math.max(Number(largest), bytes);
      const space = await objects.space();
      if (space && needed > space.freeBytes) throw uploadErrors.noSpace();
      await tx.openUpload.create({ data: { id, userId, bytes: BigInt(bytes) } });
    }, txOptions),
  received: async (id: string, received: number): Promise<void> => {
    await db.openUpload.updateMany({ where: { id }, data: { received: BigInt(received) } });
  },
  release: async (id: string): Promise<void> => {
    await db.openUpload.deleteMany({ where: { id } });
  },
  /** Reservations that a killed process left. */
  releaseOld: async (before: Date): Promise<void> => {
    await db.openUpload.deleteMany({ where: { createdAt: { lt: before } } });
  },
});
export type Reservations = ReturnType<typeof createReservations>;
