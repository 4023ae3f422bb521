import {
  defaultsOf,
  secretsOf,
  toSettingItems,
  type SettingChanges,
  type SettingDef,
  type SettingFields,
  type SettingItem,
  type Settings,
  type SettingValues,
  type Sourced,
} from '@overtone/contracts';
import { invalid, seal, unseal, type KeyRing } from '@overtone/service-kit';
import { z } from 'zod';

/** The part of a Prisma client or transaction that settings need. */
export type SettingsDb = {
  $queryRawUnsafe: <T>(sql: string, ...values: unknown[]) => Promise<T>;
  $executeRawUnsafe: (sql: string, ...values: unknown[]) => Promise<number>;
};
/** A table with the columns `key`, `value`, `updated_at` and `updated_by`. Every service has its own. */
export type SettingsTable = 'operations_settings' | 'dispatcher_settings' | 'media_settings' | 'insights_settings';

type Row = { key: string; value: unknown; updated_at: Date; updated_by: string | null };
/** Stored values only; secrets in plain text, null for one that no key can unseal. */
export type StoredSettings<G> = {
  values: Partial<SettingValues<G>>;
  /** When each stored value was set to what it is, and by whom. */
  changes: Record<string, { at: Date; by: string | null }>;
};

/** What a change has done to a group. */
export type SettingChange<G> = {
  before: SettingValues<G>;
  after: SettingValues<G>;
  /** For the audit trail. */
  details: Record<string, string>;
};

const sealed = z.object({ key_id: z.string(), text: z.string() });

/** Reads and writes groups of settings in one table. A value that no longer fits its schema counts as not stored. */
export function createSettingsStore({ table, keyRing }: { table: SettingsTable; keyRing: () => KeyRing }) {
  const store = {
    read: async <G extends Settings<object>>(db: SettingsDb, group: G): Promise<StoredSettings<G>> => {
      const rows = await db.$queryRawUnsafe<Row[]>(
        `select key, value, updated_at, updated_by from ${table} where starts_with(key, $1)`,
        `${group.name}.`,
      );
      const read = rows.flatMap(({ key, value, updated_at: at, updated_by: by }) => {
        const name = key.slice(group.name.length + 1);
        const plain = valueOf(group, name, { key, value, keyRing });
        return plain === undefined ? [] : [[name, plain, { at, by }] as const];
      });
      return {
        values: Object.fromEntries(read.map(([name, value]) => [name, value])) as Partial<SettingValues<G>>,
        changes: Object.fromEntries(read.map(([name, , change]) => [name, change])),
      };
    },
    /** The values that apply: stored, else the defaults. */
    values: async <G extends Settings<object>>(db: SettingsDb, group: G): Promise<SettingValues<G>> =>
      withChanges(group, (await store.read(db, group)).values, {}),
    /** The group as its route answers it. */
    items: async (db: SettingsDb, group: Settings<object>): Promise<SettingItem[]> =>
      toSettingItems(group, await store.read(db, group)),
    /** Serializes changes over all replicas, because each is validated against the resulting settings. */
    lock: async (tx: SettingsDb): Promise<void> =>
      void (await tx.$queryRawUnsafe(`select 1 from pg_advisory_xact_lock(hashtext($1))`, table)),
    /**
     * @param validate throws for settings that do not fit together, before anything is written.
     * @throws AppError invalid_request, when there is nothing to change.
     */
    change: async <G extends Settings<object>>(
      tx: SettingsDb,
      group: G,
      {
        changes,
        by,
        validate,
      }: { changes: SettingChanges<G>; by: string; validate?: (next: SettingValues<G>) => void },
    ): Promise<SettingChange<G>> => {
      const details = changeDetails(group, changes);
      await store.lock(tx);
      const { values } = await store.read(tx, group);
      const after = withChanges(group, values, changes);
      validate?.(after);
      const secrets = secretsOf(group);
      for (const [name, value] of givenIn(changes)) {
        const key = `${group.name}.${name}`;
        if (value === null) await tx.$executeRawUnsafe(`delete from ${table} where key = $1`, key);
        else await put(tx, table, { key, by, value: secrets.includes(name) ? sealText(keyRing(), key, value) : value });
      }
      return { before: withChanges(group, values, {}), after, details };
    },
  };
  return store;
}

/** The settings that result from stored values and a change: defaults where nothing is stored. */
export function withChanges<G extends Settings<object>>(
  group: G,
  stored: Partial<SettingValues<G>>,
  changes: SettingChanges<G>,
): SettingValues<G> {
  const next = { ...stored, ...Object.fromEntries(givenIn(changes)) };
  const kept = Object.entries(next).filter(([, value]) => value !== null);
  return { ...defaultsOf(group), ...Object.fromEntries(kept) };
}

/** A longer text is recorded by its length only: it may contain anything. */
const longestDetail = 1_024;

/**
 * What the audit trail records of a change: the names of the settings and their new values, without secrets and long texts.
 * @throws AppError invalid_request, when there is nothing to change.
 */
export function changeDetails<G extends Settings<object>>(
  group: G,
  changes: SettingChanges<G>,
): Record<string, string> {
  const given = givenIn(changes);
  if (given.length === 0) throw invalid('invalid_request', 'There is nothing to change');
  const fields = group.fields as SettingFields;
  const details = given.map(([name, value]) => [name, detailOf(fields[name]?.form, value as Sourced['value'])]);
  const names = given.map(([name]) => name).toSorted();
  return { changed: names.join(', '), ...Object.fromEntries(details) };
}

function detailOf(form: SettingDef['form'] | undefined, value: Sourced['value']): string {
  if (value === null) return form?.type === 'secret' ? 'removed' : 'default';
  if (form?.type === 'secret') return 'set';
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  return (form?.max_length ?? 0) > longestDetail ? `${text.length} characters` : text;
}

function givenIn(changes: object): [name: string, value: unknown][] {
  return Object.entries(changes).filter(([, value]) => value !== undefined);
}

export type SettingsStore = ReturnType<typeof createSettingsStore>;

/** Seals all secrets of a table with the first key. Secrets that no key can unseal stay unchanged. */
export async function resealSettings(
  tx: SettingsDb,
  { table, keyRing }: { table: SettingsTable; keyRing: () => KeyRing },
): Promise<{ resealed: number; unreadable: string[] }> {
  await createSettingsStore({ table, keyRing }).lock(tx);
  const ring = keyRing();
  const result = { resealed: 0, unreadable: [] as string[] };
  for (const { key, value } of await tx.$queryRawUnsafe<Row[]>(`select key, value from ${table}`)) {
    const parsed = sealed.safeParse(value);
    if (!parsed.success || parsed.data.key_id === ring[0].id) continue;
    const secret = unsealText(ring, key, value);
    if (secret === null) result.unreadable.push(key);
    else {
      const text = JSON.stringify(sealText(ring, key, secret));
      await tx.$executeRawUnsafe(`update ${table} set value = $2::jsonb where key = $1`, key, text);
      result.resealed += 1;
    }
  }
  return result;
}

type Given = { key: string; value: unknown; keyRing: () => KeyRing };

/** @returns undefined for a value that is unknown or does not fit. */
function valueOf(group: Settings<object>, name: string, { key, value, keyRing }: Given): unknown {
  const def = (group.fields as Record<string, { schema: z.ZodType; form: { type: string } }>)[name];
  if (!def) return undefined;
  if (def.form.type === 'secret') return unsealText(keyRing(), key, value);
  const parsed = def.schema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** A value that does not change keeps its time. */
async function put(
  tx: SettingsDb,
  table: SettingsTable,
  { key, value, by }: { key: string; value: unknown; by: string },
): Promise<void> {
  await tx.$executeRawUnsafe(
    `insert into ${table} (key, value, updated_by) values ($1, $2::jsonb, $3)
     on conflict (key) do update set value = excluded.value, updated_by = excluded.updated_by, updated_at = now()
     where ${table}.value is distinct from excluded.value`,
    key,
    JSON.stringify(value),
    by,
  );
}

function sealText(ring: KeyRing, key: string, secret: unknown): z.infer<typeof sealed> {
  const { keyId, text } = seal(ring, key, String(secret));
  return { key_id: keyId, text };
}

function unsealText(ring: KeyRing, key: string, value: unknown): string | null {
  const parsed = sealed.safeParse(value);
  return parsed.success ? unseal(ring, key, { keyId: parsed.data.key_id, text: parsed.data.text }) : null;
}
