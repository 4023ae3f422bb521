import { voiceVersions, type VoiceVersion } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';

export const speakerAlias = 'speakers';
/** A file whose embeddings fail this often is reported as failed. */
const maxAttempts = 5;
/** Reasons of failures in the list for administrators. */
const maxReasons = 5;
/** The pause after a failure in seconds: 10, 60, 360 and 2,160. */
const firstPause = 10;
const pauseFactor = 6;

/** A job without a result after this time is lost: the longest recordings take a worker about an hour. */
const claimSeconds = 7_200;
/** A claim sets `claimed` and `changed_at`, and removes the error of the attempt before; its end sets one or removes `claimed`. */
const isClaimed = Prisma.sql`(state = 'due' and claimed is not null and error is null
  and changed_at > now() - make_interval(secs => ${claimSeconds}))`;

export type ClaimedVoices = { token: number; versions: VoiceVersion[] };
type Completed = { fileId: string; token: number; versions: readonly VoiceVersion[]; speakers: number };
type Failure = { error: string; permanent: boolean };
/** `since`: when the file became due, or its last attempt ended. */
type DueFile = { fileId: string; background: boolean; since: string };

/** The state of the embeddings of every file in every version of the speaker index. */
export function createVoiceStates({ db }: { db: Db }) {
  const readAlias = async (tx: Db | Tx = db) => {
    const row = await tx.speakerIndexAlias.findUniqueOrThrow({ where: { name: speakerAlias } });
    return { version: row.version as VoiceVersion, enabled: row.enabled, switchedAt: row.switchedAt };
  };
  return {
    readAlias,

    setEnabled: async (enabled: boolean): Promise<void> =>
      void (await db.speakerIndexAlias.update({ where: { name: speakerAlias }, data: { enabled } })),

    /** A file has to be embedded (again) in every version; a job that runs for it is superseded. */
    markDue: async (fileId: string, ownerId: string): Promise<void> => {
      await db.$executeRaw`
        insert into voice_file (file_id, version, owner_id)
        select ${fileId}::uuid, version, ${ownerId}::uuid from speaker_index_version
        on conflict (file_id, version) do update
          set state = 'due', background = false, attempts = 0, error = null, claimed = null,
            token = voice_file.token + 1, changed_at = now()`;
    },

    /** Adds files that no version knows yet, behind new recordings. @returns their number. */
    addMissing: (files: readonly { fileId: string; ownerId: string }[]): Promise<number> => db.$executeRaw`
      insert into voice_file (file_id, version, owner_id, background)
      select f.id, v.version, f.owner, true from speaker_index_version v,
        unnest(${files.map(({ fileId }) => fileId)}::uuid[], ${files.map(({ ownerId }) => ownerId)}::uuid[]) as f(id, owner)
      on conflict (file_id, version) do nothing`,

    /** Which of the files have no embeddings in a version: those that wait, or are not known yet, and those that failed. */
    listUnfinished: async (version: VoiceVersion, fileIds: readonly string[]) => {
      const rows = await db.voiceFile.findMany({ where: { version, fileId: { in: [...fileIds] } } });
      const stateOf = new Map(rows.map(({ fileId, state }) => [fileId, state]));
      return {
        waitingFileIds: fileIds.filter((id) => (stateOf.get(id) ?? 'due') === 'due'),
        failedFileIds: fileIds.filter((id) => stateOf.get(id) === 'failed'),
      };
    },

    /**
     * Files to embed that no worker has claimed: new recordings first, none of a stopped migration, and those that failed
     * after a pause.
     */
    listDue: (limit: number): Promise<DueFile[]> => db.$queryRaw<DueFile[]>`
      select f.file_id::text as "fileId", bool_and(f.background) as background, max(f.changed_at)::text as since
      from voice_file f join speaker_index_version v using (version)
      where f.state = 'due' and not (v.state = 'stopped' and f.background)
        and (f.error is null or f.attempts = 0
          or f.changed_at + make_interval(secs => ${firstPause} * power(${pauseFactor}, f.attempts - 1)) <= now())
        and not exists (select 1 from voice_file where file_id = f.file_id and ${isClaimed})
      group by f.file_id order by bool_and(f.background), min(f.changed_at) limit ${limit}`,

    /**
     * Takes the due versions of a file under a new token. A version that contains these parts already is done; one that
     * was tried too often has failed. Null: nothing is due, or another worker has claimed the file. Only a message that is
     * delivered again takes over its claim: the worker that had it has ended.
     */
    claim: (
      fileId: string,
      { fingerprint, isFirstDelivery }: { fingerprint: string; isFirstDelivery: boolean },
    ): Promise<ClaimedVoices | null> =>
      db.$transaction(async (tx) => {
        const known = await tx.$queryRaw<{ token: number; isClaimed: boolean }[]>`
          select token, ${isClaimed} as "isClaimed" from voice_file
          where file_id = ${fileId}::uuid order by version for update`;
        if (isFirstDelivery && known.some((row) => row.isClaimed)) return null;
        const token = Math.max(0, ...known.map((row) => row.token)) + 1;
        await tx.$executeRaw`
          update voice_file set state = 'done', claimed = null, changed_at = now()
          where file_id = ${fileId}::uuid and state = 'due' and fingerprint = ${fingerprint}`;
        await tx.$executeRaw`
          update voice_file set state = 'failed', changed_at = now(), error = coalesce(error, 'No worker completed it')
          where file_id = ${fileId}::uuid and state = 'due' and attempts >= ${maxAttempts}`;
        const rows = await tx.$queryRaw<{ version: VoiceVersion }[]>`
          update voice_file f set attempts = attempts + 1, claimed = ${fingerprint}, error = null, token = ${token},
            changed_at = now()
          from speaker_index_version v
          where f.file_id = ${fileId}::uuid and f.state = 'due' and v.version = f.version
            and not (v.state = 'stopped' and f.background)
          returning f.version`;
        return rows.length > 0 ? { token, versions: rows.map(({ version }) => version) } : null;
      }),

    /**
     * Replaces the only version, as long as it has no embeddings and none is being computed, by the newest that a worker
     * can compute. `hasStarted`: no version can be replaced any more.
     */
    startOnNewest: async (
      tx: Tx,
      computable: readonly VoiceVersion[],
    ): Promise<{ hasStarted: boolean; version?: VoiceVersion }> => {
      await tx.$queryRaw`select 1 from speaker_index_alias where name = ${speakerAlias} for update`;
      const { version: current } = await readAlias(tx);
      const newest = voiceVersions.findLast(({ name }) => computable.includes(name))?.name ?? current;
      if ((await tx.speakerIndexVersion.count()) > 1) return { hasStarted: true };
      if (orderOf(newest) <= orderOf(current)) return { hasStarted: false };
      // Files that are added during this transaction would be deleted with the version: their transactions fail, and are repeated.
      await tx.$executeRaw`lock table voice_file in share row exclusive mode`;
      const touched = { OR: [{ state: { not: 'due' } }, { claimed: { not: null } }, { attempts: { gt: 0 } }] };
      if ((await tx.voiceFile.count({ where: touched })) > 0) return { hasStarted: true };
      await tx.speakerIndexVersion.create({ data: { version: newest, state: 'kept' } });
      await tx.voiceFile.updateMany({ data: { version: newest } });
      await tx.speakerIndexAlias.update({
        where: { name: speakerAlias },
        data: { version: newest, switchedAt: new Date() },
      });
      await tx.speakerIndexVersion.delete({ where: { version: current } });
      return { hasStarted: false, version: newest };
    },

    /** The versions that a claim still holds. */
    heldBy: async (fileId: string, token: number): Promise<{ version: VoiceVersion; ownerId: string }[]> =>
      (await db.voiceFile.findMany({ where: { fileId, token, state: 'due' } })).map(({ version, ownerId }) => ({
        version: version as VoiceVersion,
        ownerId,
      })),

    complete: async (tx: Tx, { fileId, token, versions, speakers }: Completed): Promise<VoiceVersion[]> => {
      const rows = await tx.$queryRaw<{ version: VoiceVersion }[]>`
        update voice_file set state = 'done', fingerprint = claimed, claimed = null, speakers = ${speakers},
          error = null, changed_at = now()
        where file_id = ${fileId}::uuid and token = ${token} and state = 'due' and version = any(${[...versions]})
        returning version`;
      return rows.map(({ version }) => version);
    },

    /** The rows in the index are of an older claim: the file is embedded again. @returns the versions that have the file. */
    markReplaced: async (fileId: string, versions: readonly VoiceVersion[]): Promise<VoiceVersion[]> => {
      const rows = await db.$queryRaw<{ version: VoiceVersion }[]>`
        update voice_file set fingerprint = null,
          changed_at = case when state = 'done' then now() else changed_at end,
          state = case when state = 'done' then 'due' else state end
        where file_id = ${fileId}::uuid and version = any(${[...versions]}) returning version`;
      return rows.map(({ version }) => version);
    },

    /** The file stays due, to be embedded again after a pause; permanently, or after its last attempt, it has failed. */
    fail: async (fileId: string, token: number, { error, permanent }: Failure): Promise<void> => {
      const last = permanent ? 0 : maxAttempts;
      await db.$executeRaw`
        update voice_file set error = ${error}, changed_at = now(),
          state = case when attempts >= ${last} then 'failed' else 'due' end,
          fingerprint = case when attempts >= ${last} then null else fingerprint end
        where file_id = ${fileId}::uuid and token = ${token} and state = 'due'`;
    },

    /** Failed files are embedded again, behind new recordings. @returns their number in the versions. */
    retryFailed: async (tx: Tx, version?: VoiceVersion): Promise<number> =>
      (
        await tx.voiceFile.updateMany({
          where: { state: 'failed', ...(version === undefined ? {} : { version }) },
          data: { state: 'due', attempts: 0, error: null, claimed: null, background: true, changedAt: new Date() },
        })
      ).count,

    /** Jobs of a stopped migration had no effect: its files get new ones, which the broker does not take for repeated. */
    queueAgain: async (tx: Tx, version: VoiceVersion): Promise<void> =>
      void (await tx.voiceFile.updateMany({ where: { version, state: 'due' }, data: { changedAt: new Date() } })),

    /** Why files of these versions failed, most frequent reasons first. */
    failures: (versions: readonly string[]): Promise<{ reason: string; files: number }[]> => db.$queryRaw`
      select coalesce(error, '') as reason, count(distinct file_id)::int as files from voice_file
      where version = any(${[...versions]}) and state = 'failed' group by 1 order by 2 desc, 1 limit ${maxReasons}`,

    remove: async (fileId: string): Promise<number> => (await db.voiceFile.deleteMany({ where: { fileId } })).count,

    versions: async (): Promise<VoiceVersion[]> =>
      (await db.speakerIndexVersion.findMany()).map(({ version }) => version as VoiceVersion),

    filesOfOwner: async (ownerId: string): Promise<string[]> =>
      (await db.voiceFile.findMany({ where: { ownerId }, select: { fileId: true }, distinct: ['fileId'] })).map(
        ({ fileId }) => fileId,
      ),
  };
}

export type VoiceStates = ReturnType<typeof createVoiceStates>;

function orderOf(version: VoiceVersion): number {
  return voiceVersions.findIndex(({ name }) => name === version);
}
