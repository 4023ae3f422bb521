import { erasureEvents, userErasureOrdered } from '@overtone/contracts';
import { deleteSentActionsOf, type Outbox } from '@overtone/database';
import { consumer, type Slice } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';

/** Erases what sync runs decided about a person, and the person from the reports of these runs. */
export function createErasureSlice({ db, outbox }: { db: Db; outbox: Outbox }): Slice {
  return {
    consumers: [
      /** A person is erased: a repeated order finds nothing and is answered, too. */
      consumer(userErasureOrdered, 'erase-person', async ({ erasureId, round, userId }) => {
        await db.$transaction(async (tx) => {
          const reports = await eraseFromReports(tx, userId);
          const { count: decisions } = await tx.directoryDecision.deleteMany({ where: { userId } });
          await tx.$executeRaw`update directory_pass set approved_by = null where approved_by = ${userId}::uuid`;
          await deleteSentActionsOf(tx, 'directory-sync', userId);
          await outbox.add(tx, erasureEvents['directory-sync'], {
            erasureId,
            round,
            counts: { directory_decisions: decisions, directory_reports: reports },
            objectHashes: [],
            fileIds: [],
            held: 0,
            complete: true,
          });
        });
      }),
    ],
  };
}

/** Every decision has a row with the names under which reports list the account. */
async function eraseFromReports(tx: Tx, userId: string): Promise<number> {
  const rows = await tx.directoryDecision.findMany({ where: { userId }, distinct: ['email', 'ldapUid'] });
  let reports = 0;
  for (const name of new Set(rows.flatMap(({ email, ldapUid }) => [email, ldapUid ?? email])))
    reports += await tx.$executeRaw`
      update directory_pass set report = replace(report::text, to_jsonb(${name}::text)::text, '"erased"')::jsonb
      where strpos(report::text, to_jsonb(${name}::text)::text) > 0`;
  return reports;
}
