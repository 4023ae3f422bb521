import { voiceEvents, voiceVersions, type SpeakerIndexAnswer, type VoiceVersion } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, type Log } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { SpeakerIndex } from '../ports/speaker-index.ts';
import { speakerAlias, type VoiceStates } from './voices.store.ts';

export type MigrationDeps = { db: Db; outbox: Outbox; index: SpeakerIndex; states: VoiceStates; log: Log };
type Counted = {
  version: string;
  files: number;
  done: number;
  due: number;
  failed: number;
  speakers: number;
  recent: number;
};
/** Records an administrator's action in the transaction of the change. */
export type RecordAction = (
  tx: Tx,
  action: 'speaker_index_migrated' | 'speaker_index_stopped' | 'speaker_index_switched' | 'speaker_index_dropped',
  version: VoiceVersion,
) => Promise<void>;

const rateSeconds = 120;

/**
 * Fills another version of the speaker index from the recordings while the current one is read, compares both with the
 * database, and switches the alias. All state is in the database: any process continues it.
 */
export function createMigration({ db, outbox, index, states, log }: MigrationDeps) {
  const count = (): Promise<Counted[]> => db.$queryRaw<Counted[]>`
    select version, count(*)::int as files, count(*) filter (where state = 'done')::int as done,
      count(*) filter (where state = 'due')::int as due, count(*) filter (where state = 'failed')::int as failed,
      coalesce(sum(speakers) filter (where state = 'done'), 0)::int as speakers,
      count(*) filter (where state = 'done' and changed_at > now() - make_interval(secs => ${rateSeconds}))::int as recent
    from voice_file group by version`;

  const status = async (): Promise<SpeakerIndexAnswer> => {
    const [current, rows, counts] = await Promise.all([states.readAlias(), db.speakerIndexVersion.findMany(), count()]);
    const of = (version: string) => counts.find((entry) => entry.version === version);
    const target = rows.find(({ state }) => state !== 'kept');
    return {
      enabled: current.enabled,
      alias: speakerAlias,
      versions: voiceVersions.map(({ name, model, dimension, needs }) => {
        const row = rows.find(({ version }) => version === name);
        const state = !row
          ? 'absent'
          : name === current.version
            ? 'current'
            : row.state === 'kept'
              ? 'complete'
              : 'building';
        return { name, model, dimension, needs, state, speakers: of(name)?.speakers ?? 0, files: of(name)?.done ?? 0 };
      }),
      migration: target ? describeMigration(target, of(target.version)) : null,
      waiting_files: of(current.version)?.due ?? 0,
      failed_files: of(current.version)?.failed ?? 0,
      failures: await states.failures([current.version, ...(target ? [target.version] : [])]),
      switched_at: current.switchedAt.toISOString(),
    };
  };

  const switchTo = (version: VoiceVersion, from: 'building' | 'kept', record?: RecordAction): Promise<void> =>
    db.$transaction(async (tx) => {
      await lock(tx);
      const { count: changed } = await tx.speakerIndexVersion.updateMany({
        where: { version, state: from },
        data: { state: 'kept' },
      });
      if (changed === 0) throw conflict('migration_conflict', 'This version of the speaker index is not complete');
      await tx.speakerIndexAlias.update({ where: { name: speakerAlias }, data: { version, switchedAt: new Date() } });
      await outbox.add(tx, voiceEvents.switched, { version });
      await record?.(tx, 'speaker_index_switched', version);
    });

  return {
    status,

    begin: async (version: VoiceVersion, record: RecordAction): Promise<void> => {
      const isNew = await db.$transaction(async (tx) => {
        await lock(tx);
        const { version: current, enabled } = await states.readAlias(tx);
        if (!enabled) throw voicesDisabled();
        const rows = await tx.speakerIndexVersion.findMany();
        const row = rows.find((candidate) => candidate.version === version);
        if (row?.state === 'kept') throw conflict('migration_conflict', 'This version is complete already');
        if (rows.some((other) => other.state !== 'kept' && other.version !== version))
          throw conflict('migration_conflict', 'Another migration of the speaker index is in progress');
        if (row?.state === 'building') return false;
        await record(tx, 'speaker_index_migrated', version);
        if (row) {
          await tx.speakerIndexVersion.update({ where: { version }, data: { state: 'building' } });
          await states.retryFailed(tx, version);
          await states.queueAgain(tx, version);
          return false;
        }
        // Stopped until its table is empty, so that no recording of the migration is queued.
        await tx.speakerIndexVersion.create({ data: { version, state: 'stopped' } });
        await tx.$executeRaw`
          insert into voice_file (file_id, version, owner_id, background)
          select file_id, ${version}, owner_id, true from voice_file where version = ${current}`;
        return true;
      });
      if (!isNew) return;
      // A table that an earlier, dropped migration left behind.
      await index.create(version);
      await db.speakerIndexVersion.update({ where: { version }, data: { state: 'building' } });
    },

    retryFailed: (record: (tx: Tx, failed: number) => Promise<void>): Promise<void> =>
      db.$transaction(async (tx) => {
        if (!(await states.readAlias(tx)).enabled) throw voicesDisabled();
        await record(tx, await states.retryFailed(tx));
      }),

    stop: (record: RecordAction): Promise<void> =>
      db.$transaction(async (tx) => {
        await lock(tx);
        const row = await tx.speakerIndexVersion.findFirst({ where: { state: 'building' } });
        if (!row) throw conflict('migration_conflict', 'No migration of the speaker index is running');
        await tx.speakerIndexVersion.update({ where: { version: row.version }, data: { state: 'stopped' } });
        await record(tx, 'speaker_index_stopped', row.version as VoiceVersion);
      }),

    switchTo: (version: VoiceVersion, record: RecordAction): Promise<void> => switchTo(version, 'kept', record),

    drop: async (version: VoiceVersion, record: RecordAction): Promise<void> => {
      await db.$transaction(async (tx) => {
        await lock(tx);
        if ((await states.readAlias(tx)).version === version)
          throw conflict('migration_conflict', 'This version is in use. Switch to another version first.');
        const { count: dropped } = await tx.speakerIndexVersion.deleteMany({ where: { version } });
        if (dropped === 0) throw conflict('migration_conflict', 'This version of the speaker index does not exist');
        await record(tx, 'speaker_index_dropped', version);
      });
      await index.drop(version);
    },

    /** Switches to a version that is complete. One with failed files is stopped, for an administrator to decide. */
    finish: async (): Promise<void> => {
      const building = await db.speakerIndexVersion.findFirst({ where: { state: 'building' } });
      if (!building) return;
      const version = building.version as VoiceVersion;
      if ((await db.voiceFile.count({ where: { version, state: 'due' } })) > 0) return;
      const { version: current } = await states.readAlias();
      if ((await countFailedInTarget(db, version, current)) > 0) {
        await db.speakerIndexVersion.update({ where: { version }, data: { state: 'stopped' } });
        log.warn({ version }, 'speaker index migration stopped: files failed');
        return;
      }
      if ((await repair({ db, index, version })) > 0) return;
      await switchTo(version, 'building');
      log.info({ version }, 'speaker index switched');
    },

    /** Compares the complete versions with the database; what is missing is embedded again, what is left over is deleted. */
    repairAll: async (): Promise<void> => {
      const existing = await states.versions();
      for (const { name } of voiceVersions) if (!existing.includes(name)) await index.drop(name);
      for (const { version } of await db.speakerIndexVersion.findMany({ where: { state: 'kept' } })) {
        const repaired = await repair({ db, index, version: version as VoiceVersion });
        if (repaired > 0)
          log.warn({ version, files: repaired }, 'speaker index differs from the database: files queued');
      }
    },
  };
}

function voicesDisabled() {
  return conflict('voices_disabled', 'Voices may not be stored on this instance');
}

function describeMigration(
  { version, state, startedAt }: { version: string; state: string; startedAt: Date },
  counted: Counted | undefined,
): SpeakerIndexAnswer['migration'] {
  const elapsed = Math.max(1, Math.min(rateSeconds, (Date.now() - startedAt.getTime()) / 1000));
  const perSecond = state === 'building' ? (counted?.recent ?? 0) / elapsed : 0;
  return {
    target: version as VoiceVersion,
    state: state === 'building' ? 'running' : 'stopped',
    total_files: counted?.files ?? 0,
    done_files: counted?.done ?? 0,
    failed_files: counted?.failed ?? 0,
    files_per_minute: perSecond > 0 ? Math.round(perSecond * 600) / 10 : null,
    seconds_left: perSecond > 0 ? Math.ceil((counted?.due ?? 0) / perSecond) : null,
    started_at: startedAt.toISOString(),
  };
}

async function lock(tx: Tx): Promise<void> {
  await tx.$queryRaw`select 1 from speaker_index_alias where name = ${speakerAlias} for update`;
}

/** Files that the current version contains and whose embedding failed in the other one. */
async function countFailedInTarget(db: Db, version: VoiceVersion, current: VoiceVersion): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from voice_file n join voice_file o using (file_id)
    where n.version = ${version} and n.state = 'failed' and o.version = ${current} and o.state = 'done'`;
  return row?.count ?? 0;
}

/** Embeds files again whose number of speakers differs from the index. @returns their number. */
async function repair({ db, index, version }: { db: Db; index: SpeakerIndex; version: VoiceVersion }): Promise<number> {
  const indexed = await index.countByFile(version);
  const rows = await db.voiceFile.findMany({ where: { version } });
  const known = new Set(rows.map(({ fileId }) => fileId));
  for (const fileId of indexed.keys()) if (!known.has(fileId)) await index.replaceFile(version, fileId, []);
  const wrong = rows.filter(
    ({ state, fileId, speakers }) => state === 'done' && (indexed.get(fileId) ?? 0) !== speakers,
  );
  const { count } = await db.voiceFile.updateMany({
    where: { version, fileId: { in: wrong.map(({ fileId }) => fileId) }, state: 'done' },
    data: {
      state: 'due',
      fingerprint: null,
      claimed: null,
      background: true,
      attempts: 0,
      error: null,
      changedAt: new Date(),
    },
  });
  return count;
}
