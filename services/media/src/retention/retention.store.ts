import { retentionGroup, type RetentionConditions, type SettingChanges, type SettingValues } from '@overtone/contracts';
import { withChanges } from '@overtone/database';
import type { Db, Tx } from '../database.ts';
import { Prisma, type RetentionRule } from '../generated/client.ts';
import { notHeld } from '../legal-hold/legal-hold.store.ts';
import { normalizedTag } from '../tags/tags.ts';
import type { Candidate, Removal, Rule } from './retention.ts';

/** How long a process may be silent before another one continues its run. */
const leaseSeconds = 60;

export function toRule({ id, name, removes, conditions }: RetentionRule): Rule {
  const parsed = conditions as RetentionConditions;
  const tags = parsed.any_tag?.map(normalizedTag);
  return { id, name, removes: removes as Removal, conditions: tags ? { ...parsed, any_tag: tags } : parsed };
}

/** A preselection by index; `reasonsOf` decides. With `held` the files that a hold protects instead. */
function selection({ removes, conditions }: Rule, now: Date, held: boolean): Prisma.Sql {
  const { older_than_days: age, unused_for_days: unused, larger_than_bytes: size, any_tag: tags } = conditions;
  const { any_collection: collections } = conditions;
  const all = [
    Prisma.sql`f.deleted_at is null and f.status in ('completed', 'error', 'cancelled')`,
    held ? Prisma.sql`not (${notHeld})` : notHeld,
    ...(removes === 'recording'
      ? [
          Prisma.sql`f.recording_removed_at is null and f.status = 'completed' and f.transcript_version > 0
            and not f.transcript_provisional`,
        ]
      : []),
    ...(age === undefined
      ? []
      : [Prisma.sql`f.upload_time < ${now}::timestamptz - make_interval(days => ${age}::int)`]),
    ...(unused === undefined
      ? []
      : [
          Prisma.sql`f.last_used_on < (${now}::timestamptz - make_interval(days => ${unused + 1}::int)) at time zone 'UTC'`,
        ]),
    ...(size === undefined ? [] : [Prisma.sql`f.file_size > ${size}::bigint and f.recording_removed_at is null`]),
    ...(tags === undefined
      ? []
      : [
          Prisma.sql`exists (select 1 from file_tag ft join tag t on t.uuid = ft.tag_id
            where ft.media_file_id = f.uuid and t.normalized_name = any(${tags}::text[]))`,
        ]),
    ...(collections === undefined
      ? []
      : [
          Prisma.sql`exists (select 1 from collection_member m join collection c on c.uuid = m.collection_id
            where m.media_file_id = f.uuid and m.collection_id = any(${collections}::uuid[])
              and (m.added_by is null or m.added_by in (f.user_id, c.user_id)))`,
        ]),
  ];
  return Prisma.join(all, ' and ');
}

/**
 * Whether a file is in a collection for a rule: its owner, the collection's owner or no person has added it. Otherwise an editor
 * of a collection could have the files of other people deleted.
 */
function countsForRules(addedBy: string | null, fileOwner: string, collectionOwner: string): boolean {
  return addedBy === null || addedBy === fileOwner || addedBy === collectionOwner;
}

type Selected = { id: string; bytes: number };

type RetentionSettings = SettingValues<typeof retentionGroup>;

export const retentionStore = {
  /** One row contains all settings and until when the schedule was served. */
  settings: async (db: Db | Tx): Promise<RetentionSettings & { servedUntil: Date }> => {
    const { enabled, schedule, maxPercent, servedUntil } = await db.retentionSettings.findFirstOrThrow();
    return { enabled, schedule, max_percent: maxPercent, servedUntil };
  },

  changeSettings: async (tx: Tx, changes: SettingChanges<typeof retentionGroup>): Promise<void> => {
    await retentionStore.lockSettings(tx);
    const { servedUntil: _, ...before } = await retentionStore.settings(tx);
    const { enabled, schedule, max_percent: maxPercent } = withChanges(retentionGroup, before, changes);
    const isRescheduled = enabled !== before.enabled || schedule !== before.schedule;
    // A new schedule does not serve times that passed before it.
    const served = isRescheduled ? { servedUntil: new Date() } : {};
    await tx.retentionSettings.updateMany({ data: { enabled, schedule, maxPercent, ...served } });
  },

  lockSettings: async (tx: Tx): Promise<void> => void (await tx.$queryRaw`select 1 from retention_settings for update`),

  /** The files that a rule applies to now, without those that a hold protects. */
  select: (db: Db | Tx, rule: Rule, now: Date): Promise<Selected[]> =>
    db.$queryRaw<Selected[]>`
      select f.uuid::text as id,
        (case when f.recording_removed_at is null then f.file_size
          + coalesce((select sum(c.bytes) from masked_audio c where c.media_file_id = f.uuid), 0) else 0 end)::float8 as bytes
      from media_file f where ${selection(rule, now, false)} order by f.upload_time, f.uuid`,

  countHeld: async (db: Db, rule: Rule, now: Date): Promise<number> => {
    const rows = await db.$queryRaw<{ count: number }[]>`
      select count(*)::int as count from media_file f where ${selection(rule, now, true)}`;
    return rows[0]?.count ?? 0;
  },

  libraryFiles: (db: Db | Tx): Promise<number> => db.mediaFile.count({ where: { deletedAt: null } }),

  /** Files that were removed in the last 24 hours without an approval. */
  removedToday: (db: Db | Tx, now: Date): Promise<number> =>
    db.retentionItem.count({
      where: {
        outcome: 'removed',
        decidedAt: { gt: new Date(now.getTime() - 24 * 3_600_000) },
        rule: { status: { in: ['admitted', 'superseded'] }, approvedAt: null },
      },
    }),

  /** Files as rules read them, with the file rows locked until the transaction ends. */
  lockFiles: async (tx: Tx, ids: readonly string[]) => {
    await tx.$queryRaw`select 1 from media_file where uuid = any(${ids}::uuid[]) order by uuid for update`;
    return retentionStore.files(tx, ids);
  },

  files: async (db: Db | Tx, ids: readonly string[]) => {
    const rows = await db.mediaFile.findMany({
      where: { id: { in: [...ids] } },
      include: {
        tags: { include: { tag: { select: { normalizedName: true } } } },
        collections: { include: { collection: { select: { userId: true } } } },
      },
    });
    return rows.map(
      (row) =>
        ({
          ...row,
          tagNames: row.tags.map(({ tag }) => tag.normalizedName),
          collectionIds: row.collections
            .filter(({ addedBy, collection }) => countsForRules(addedBy, row.userId, collection.userId))
            .map(({ collectionId }) => collectionId),
        }) satisfies Candidate,
    );
  },

  /** Takes over the run that waits or whose process stopped. @returns its id and the fencing token. */
  claim: async (db: Db): Promise<{ id: string; token: number; planned: boolean } | undefined> => {
    const rows = await db.$queryRaw<{ id: string; token: number; planned: boolean }[]>`
      update retention_run set token = token + 1, status = 'running', started_at = coalesce(started_at, now()),
        lease_until = now() + make_interval(secs => ${leaseSeconds}::int)
      where uuid = (select uuid from retention_run
        where status in ('queued', 'running') and (lease_until is null or lease_until < now())
        order by queued_at limit 1 for update skip locked)
      returning uuid::text as id, token, planned_at is not null as planned`;
    return rows[0];
  },

  /** Locks the run for this process and renews its lease. @returns false when another process has taken it over. */
  fence: async (tx: Db | Tx, { id, token }: { id: string; token: number }): Promise<boolean> => {
    const count = await tx.$executeRaw`
      update retention_run set lease_until = now() + make_interval(secs => ${leaseSeconds}::int)
      where uuid = ${id}::uuid and token = ${token}::int and status = 'running'`;
    return count > 0;
  },

  end: async (
    db: Db | Tx,
    { id, token }: { id: string; token: number },
    status: 'success' | 'failed',
    errorCode: string | null = null,
  ): Promise<void> =>
    void (await db.$executeRaw`
      update retention_run set status = ${status}, finished_at = now(), lease_until = null, error_code = ${errorCode}
      where uuid = ${id}::uuid and token = ${token}::int and status = 'running'`),
};
