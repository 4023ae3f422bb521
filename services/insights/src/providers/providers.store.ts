import { seal, unseal, type KeyRing } from '@overtone/service-kit';
import { z } from 'zod';
import { Prisma } from '../generated/client.ts';
import type { Db, Tx } from '../database.ts';
import type { Owner, ProviderRow, ProviderWithKey } from './provider-row.ts';

const sealed = z.object({ key_id: z.string(), text: z.string() });

/** The language models, with their keys sealed. */
export function createProviderStore(keyRing: () => KeyRing) {
  return {
    list: (db: Db | Tx, ownerId: Owner): Promise<ProviderRow[]> =>
      db.llmProvider.findMany({ where: { ownerId }, orderBy: [{ createdAt: 'asc' }, { uuid: 'asc' }] }) as Promise<
        ProviderRow[]
      >,
    find: (db: Db | Tx, ownerId: Owner, uuid: string): Promise<ProviderRow | null> =>
      db.llmProvider.findFirst({ where: { ownerId, uuid } }) as Promise<ProviderRow | null>,
    /** The active one of the person, else that of everyone. */
    findActive: async (db: Db, userId: string | null): Promise<ProviderRow | null> => {
      const owners = userId === null ? [{ ownerId: null }] : [{ ownerId: userId }, { ownerId: null }];
      const rows = await db.llmProvider.findMany({ where: { isActive: true, OR: owners } });
      return ((rows.find(({ ownerId }) => ownerId !== null) ?? rows[0]) as ProviderRow | undefined) ?? null;
    },
    /** Serializes the changes of one owner. */
    lock: async (tx: Tx, ownerId: Owner): Promise<void> =>
      void (await tx.$executeRaw`select pg_advisory_xact_lock(hashtext(${`llm_provider ${ownerId}`}))`),
    insert: async (tx: Tx, uuid: string, values: Values & { ownerId: Owner; isActive: boolean }): Promise<void> => {
      const { ownerId, isActive } = values;
      await tx.llmProvider.create({ data: { uuid, ownerId, isActive, ...columnsOf(keyRing(), uuid, values) } });
    },
    /** Pauses end: the server may be another one. */
    update: async (tx: Tx, uuid: string, values: Values): Promise<void> => {
      const data = { ...columnsOf(keyRing(), uuid, values), updatedAt: new Date() };
      await tx.llmProvider.update({ where: { uuid }, data: { ...data, ...noPause, ...untested } });
    },
    remove: async (tx: Tx, uuid: string): Promise<void> => void (await tx.llmProvider.delete({ where: { uuid } })),
    removeOf: async (tx: Tx, ownerId: string): Promise<number> =>
      (await tx.llmProvider.deleteMany({ where: { ownerId } })).count,
    activate: async (tx: Tx, ownerId: Owner, uuid: string | null): Promise<void> => {
      await tx.llmProvider.updateMany({ where: { ownerId, isActive: true }, data: { isActive: false } });
      if (uuid !== null) await tx.llmProvider.update({ where: { uuid }, data: { isActive: true } });
    },
    saveTest: async (db: Db, uuid: string, test: { ok: boolean; message: string; tokens: number | null }) =>
      void (await db.llmProvider.updateMany({
        where: { uuid },
        data: {
          testedAt: new Date(),
          testOk: test.ok,
          testMessage: test.message.slice(0, 1_000),
          ...(test.tokens === null ? {} : { askedTokens: test.tokens }),
          ...(test.ok ? noPause : {}),
        },
      })),
    /** null: none, or no key of the ring can unseal it. */
    keyOf: (row: Pick<ProviderRow, 'uuid' | 'apiKey'>): string | null => openKey(keyRing(), row),
    hasUnreadableKey: (row: Pick<ProviderRow, 'uuid' | 'apiKey'>): boolean =>
      row.apiKey !== null && openKey(keyRing(), row) === null,
  };
}

export type ProviderStore = ReturnType<typeof createProviderStore>;

/**
 * Whether a job may be enqueued now: of a person with a model of their own, which may be slow, `places` jobs of a kind are
 * in the queue at once. One person's server then does not hold every place of the queue `nlp`.
 * @param person the column with the person whose model is used.
 * @param rank the number of the job among those of this person, from 1.
 */
export function hasTurn({
  person,
  rank,
  places,
}: {
  person: Prisma.Sql;
  rank: Prisma.Sql;
  places: number;
}): Prisma.Sql {
  return Prisma.sql`(${rank} <= ${places} or not exists (
    select 1 from llm_provider p where p.is_active and p.owner_id = ${person}))`;
}

/** Seals all keys with the first key of the ring. Keys that cannot be unsealed stay unchanged. */
export async function resealProviders(tx: Tx, ring: KeyRing): Promise<{ resealed: number; unreadable: string[] }> {
  const result = { resealed: 0, unreadable: [] as string[] };
  // Waits for changes in progress, and they for this.
  const rows = await tx.$queryRaw<{ uuid: string; name: string; apiKey: Prisma.JsonValue }[]>`
    select uuid, name, api_key as "apiKey" from llm_provider where api_key is not null for update`;
  for (const row of rows) {
    if (sealed.safeParse(row.apiKey).data?.key_id === ring[0].id) continue;
    const key = openKey(ring, row);
    if (key === null) result.unreadable.push(`key of the language model ${row.name}`);
    else {
      await tx.llmProvider.update({ where: { uuid: row.uuid }, data: { apiKey: sealKey(ring, row.uuid, key) } });
      result.resealed += 1;
    }
  }
  return result;
}

type Values = { provider: ProviderWithKey; askedTokens: number | null };
const noPause = { failures: 0, pausedUntil: null, pauseCode: null };
const untested = { testedAt: null, testOk: null, testMessage: null };

function columnsOf(ring: KeyRing, uuid: string, { provider, askedTokens }: Values) {
  const { name, kind, model } = provider;
  return {
    name,
    kind,
    model,
    baseUrl: provider.base_url,
    contextTokens: provider.context_tokens,
    askedTokens,
    maxParallel: provider.max_parallel,
    timeoutSeconds: provider.timeout_seconds,
    apiKey: provider.api_key === null ? Prisma.DbNull : sealKey(ring, uuid, provider.api_key),
  };
}

function sealKey(ring: KeyRing, uuid: string, key: string) {
  const { keyId, text } = seal(ring, sealedName(uuid), key);
  return { key_id: keyId, text };
}

function openKey(ring: KeyRing, { uuid, apiKey }: Pick<ProviderRow, 'uuid' | 'apiKey'>): string | null {
  const parsed = sealed.safeParse(apiKey);
  return parsed.success ? unseal(ring, sealedName(uuid), { keyId: parsed.data.key_id, text: parsed.data.text }) : null;
}

function sealedName(uuid: string): string {
  return `llm_provider.${uuid}`;
}
