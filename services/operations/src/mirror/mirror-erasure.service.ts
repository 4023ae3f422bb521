import { erasureEvents, type ErasureReport, type MirrorSettings } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Db } from '../database.ts';
import type { Secrets, Stored } from '../settings/settings.ts';
import type { Mirror } from './open-mirror.ts';

type Deps = {
  db: Db;
  outbox: Outbox;
  readSettings: () => Promise<Stored<MirrorSettings>>;
  open: (settings: MirrorSettings, secrets: Secrets) => Mirror | undefined;
};

/** Deletes erased files from the mirror that is set now. A mirror that cannot be reached delays the erasure. */
export function createMirrorErasure({ db, outbox, readSettings, open }: Deps) {
  return async ({ erasureId, round, fileIds, complete }: ErasureReport): Promise<void> => {
    const { settings, secrets } = await readSettings();
    const mirror = open(settings, secrets);
    let objects = 0;
    const prefixes = fileIds.flatMap((id) => [`files/${id}/`, `derived/${id}/`]);
    try {
      if (mirror && prefixes.length > 0) await assertPresent(db, mirror, prefixes);
      if (mirror) for (const prefix of prefixes) objects += await mirror.store.deletePrefix(prefix);
    } finally {
      mirror?.close();
    }
    await db.$transaction(async (tx) => {
      await tx.$executeRaw`
        delete from mirror_object m using unnest(${prefixes}::text[]) as p (prefix) where starts_with(m.key, p.prefix)`;
      await outbox.add(tx, erasureEvents.operations, {
        erasureId,
        round,
        counts: { mirrored_files: fileIds.length, mirrored_objects: objects },
        objectHashes: [],
        fileIds: [],
        held: 0,
        complete,
      });
    });
  };
}

/** An empty folder where the mirror was mounted is not the mirror: its copies would stay. */
async function assertPresent(db: Db, mirror: Mirror, prefixes: readonly string[]): Promise<void> {
  await mirror.enter();
  const rows = await db.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from mirror_object m where destination = ${mirror.identity}
      and not exists (select 1 from unnest(${prefixes}::text[]) as p (prefix) where starts_with(m.key, p.prefix))`;
  if ((rows[0]?.count ?? 0) === 0) return;
  for (const folder of ['files/', 'derived/']) for await (const { key } of mirror.store.list(folder)) if (key) return;
  throw new Error('the media mirror is empty, although objects were mirrored to it');
}
