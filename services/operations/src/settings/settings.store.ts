import { backupSettings, mirrorSettings, type BackupSettings, type MirrorSettings } from '@overtone/contracts';
import { seal, unseal, type KeyRing } from '@overtone/service-kit';
import { z } from 'zod';
import type { Db, Tx } from '../database.ts';
import { backupDefaults, mirrorDefaults, secretNames, type Changes, type Stored } from './settings.ts';

type Row = { key: string; value: unknown; updatedAt: Date };
export type Group<S extends BackupSettings | MirrorSettings> = {
  name: 'backup' | 'mirror';
  fields: z.ZodObject;
  defaults: S;
};
export const backupGroup: Group<BackupSettings> = { name: 'backup', fields: backupSettings, defaults: backupDefaults };
export const mirrorGroup: Group<MirrorSettings> = { name: 'mirror', fields: mirrorSettings, defaults: mirrorDefaults };

const sealed = z.object({ key_id: z.string(), text: z.string() });

/** The stored settings of a group; a value that cannot be read counts as not stored. */
export async function readSettings<S extends BackupSettings | MirrorSettings>(
  db: Db | Tx,
  { name, fields, defaults }: Group<S>,
  ring: KeyRing,
): Promise<Stored<S>> {
  const rows = await db.operationsSetting.findMany({ where: { key: { startsWith: `${name}.` } } });
  const rowOf = (field: string): Row | undefined => rows.find(({ key }) => key === `${name}.${field}`);
  const settings = Object.entries(defaults).map(([field, initial]) => {
    const parsed = fields.shape[field]!['~standard'].validate(rowOf(field)?.value) as { value?: unknown };
    return [field, 'value' in parsed ? parsed.value : initial];
  });
  const secretOf = (field: string): string | null => {
    const parsed = sealed.safeParse(rowOf(field)?.value);
    return parsed.success ? unseal(ring, `${name}.${field}`, toSealed(parsed.data)) : null;
  };
  const changed = ['enabled', 'schedule'].flatMap((field) => rowOf(field)?.updatedAt.getTime() ?? []);
  return {
    settings: Object.fromEntries(settings) as S,
    secrets: { s3_secret_key: secretOf('s3_secret_key'), passphrase: secretOf('passphrase') },
    scheduledSince: changed.length === 0 ? null : new Date(Math.max(...changed)),
  };
}

/** Serializes changes over all replicas, because each is validated against the resulting settings. */
export async function lockSettings(tx: Tx): Promise<void> {
  await tx.$queryRaw`select 1 from pg_advisory_xact_lock(hashtext('operations_settings'))`;
}

export async function writeSettings<S extends BackupSettings | MirrorSettings>(
  tx: Tx,
  { name }: Group<S>,
  { changes, ring, by }: { changes: Changes<S>; ring: KeyRing; by: string },
): Promise<void> {
  for (const [field, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    const key = `${name}.${field}`;
    const isSecret = (secretNames as readonly string[]).includes(field);
    if (isSecret && value === null) await tx.operationsSetting.deleteMany({ where: { key } });
    else await put(tx, { key, value: isSecret ? toRow(seal(ring, key, String(value))) : value, by });
  }
}

/** Seals all secrets with the first key, in one transaction. Secrets that no key can unseal stay unchanged. */
export function reseal(db: Db, keyRing: () => KeyRing): Promise<{ resealed: number; unreadable: string[] }> {
  return db.$transaction(async (tx) => {
    await lockSettings(tx);
    const ring = keyRing();
    const result = { resealed: 0, unreadable: [] as string[] };
    for (const { key, value, updatedAt } of await tx.operationsSetting.findMany()) {
      const parsed = sealed.safeParse(value);
      if (!parsed.success || parsed.data.key_id === ring[0].id) continue;
      const secret = unseal(ring, key, toSealed(parsed.data));
      if (secret === null) result.unreadable.push(key);
      else {
        const data = { value: toRow(seal(ring, key, secret)), updatedAt };
        await tx.operationsSetting.update({ where: { key }, data });
        result.resealed += 1;
      }
    }
    return result;
  });
}

/** A value that does not change keeps its time: the time of `enabled` and `schedule` decides what is due. */
async function put(tx: Tx, { key, value, by }: { key: string; value: unknown; by: string }): Promise<void> {
  await tx.$executeRaw`
    insert into operations_settings (key, value, updated_by) values (${key}, ${JSON.stringify(value)}::jsonb, ${by})
    on conflict (key) do update set value = excluded.value, updated_by = excluded.updated_by, updated_at = now()
    where operations_settings.value is distinct from excluded.value`;
}

function toSealed({ key_id: keyId, text }: z.infer<typeof sealed>) {
  return { keyId, text };
}

function toRow({ keyId, text }: { keyId: string; text: string }) {
  return { key_id: keyId, text };
}
