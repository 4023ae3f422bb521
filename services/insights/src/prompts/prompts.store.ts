import { promptLimits, type PromptContentType } from '@overtone/contracts';
import { conflict } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { InsightPrompt, Prisma } from '../generated/client.ts';

export type PromptFilter = {
  q: string | undefined;
  contentType: PromptContentType | undefined;
  includeOwn: boolean;
  includeShared: boolean;
};
export type Range = { skip: number; take: number };

/** Own prompts, then those of others, each by name. */
export async function listPrompts(db: Db, userId: string, filter: PromptFilter & Range) {
  const { q, contentType, includeOwn, includeShared, skip, take } = filter;
  const common: Prisma.InsightPromptWhereInput = {
    ...(contentType === undefined ? {} : { contentType }),
    ...(q ? { name: { contains: q, mode: 'insensitive' } } : {}),
  };
  const own = includeOwn ? { ...common, userId } : { ...common, userId, id: { in: [] } };
  const others = { ...common, isShared: true, userId: { not: userId }, ...(includeShared ? {} : { id: { in: [] } }) };
  const orderBy = [{ name: 'asc' as const }, { id: 'asc' as const }];
  const [ownTotal, othersTotal] = await Promise.all([
    db.insightPrompt.count({ where: own }),
    db.insightPrompt.count({ where: others }),
  ]);
  const ownRows = await db.insightPrompt.findMany({ where: own, orderBy, skip, take });
  const rest = {
    skip: Math.max(0, skip - ownTotal),
    take: take - ownRows.length,
  };
  const otherRows = rest.take > 0 ? await db.insightPrompt.findMany({ where: others, orderBy, ...rest }) : [];
  return { rows: [...ownRows, ...otherRows], total: ownTotal + othersTotal };
}

/** The prompts that everybody has shared, own ones too, by name. */
export async function listLibrary(
  db: Db,
  { q, contentType, skip, take }: Omit<PromptFilter & Range, `include${string}`>,
) {
  const where: Prisma.InsightPromptWhereInput = {
    isShared: true,
    ...(contentType === undefined ? {} : { contentType }),
    ...(q ? { name: { contains: q, mode: 'insensitive' } } : {}),
  };
  const [total, rows] = await Promise.all([
    db.insightPrompt.count({ where }),
    db.insightPrompt.findMany({ where, orderBy: [{ name: 'asc' }, { id: 'asc' }], skip, take }),
  ]);
  return { rows, total };
}

export function findPrompt(db: Db | Tx, id: string): Promise<InsightPrompt | null> {
  return db.insightPrompt.findUnique({ where: { id } });
}

type PromptFields = Pick<InsightPrompt, 'name' | 'description' | 'text' | 'contentType' | 'tags'>;

/** @throws AppError too_many_prompts */
export async function insertPrompt(tx: Tx, userId: string, fields: PromptFields): Promise<InsightPrompt> {
  // Serializes the prompts of one person, so that the limit holds.
  await tx.$queryRaw`select 1 from pg_advisory_xact_lock(hashtextextended('insight_prompt:' || ${userId}, 0))`;
  if ((await tx.insightPrompt.count({ where: { userId } })) >= promptLimits.own)
    throw conflict('too_many_prompts', `A person can have ${promptLimits.own} prompts. Delete one that is not used.`);
  return tx.insightPrompt.create({ data: { userId, ...fields } });
}

/** The chosen prompts of a person, by content type. */
export async function readActive(db: Db | Tx, userId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db.insightActivePrompt.findMany({ where: { userId } });
  return new Map(rows.map(({ contentType, promptId }) => [contentType, promptId]));
}

/** @param promptId null: the built-in prompt. */
export async function setActive(
  tx: Tx,
  { userId, contentType, promptId }: { userId: string; contentType: string; promptId: string | null },
): Promise<void> {
  if (promptId === null) await tx.insightActivePrompt.deleteMany({ where: { userId, contentType } });
  else
    await tx.insightActivePrompt.upsert({
      where: { userId_contentType: { userId, contentType } },
      create: { userId, contentType, promptId },
      update: { promptId },
    });
}

/** Deletes the prompts of an erased person. Who used a shared one gets the built-in one. */
export async function erasePrompts(tx: Tx, userId: string): Promise<{ prompts: number }> {
  await tx.insightActivePrompt.deleteMany({ where: { userId } });
  const { count: prompts } = await tx.insightPrompt.deleteMany({ where: { userId } });
  return { prompts };
}
