import type { Db, Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import { wordTemplateErrors, type WordTemplateRow } from './word-templates.ts';

const columns = Prisma.sql`uuid as id, name, length(content) as size, placeholders, is_default as "isDefault",
  created_at as "createdAt", updated_at as "updatedAt"`;

export function listWordTemplates(db: Db | Tx): Promise<WordTemplateRow[]> {
  return db.$queryRaw<WordTemplateRow[]>`select ${columns} from word_template order by lower(name), uuid`;
}

export async function readWordTemplate(db: Db | Tx, id: string): Promise<WordTemplateRow> {
  const [row] = await db.$queryRaw<WordTemplateRow[]>`
    select ${columns} from word_template where uuid = ${id}::uuid`;
  if (!row) throw wordTemplateErrors.unknown();
  return row;
}

/** The document that an export takes; null: none. */
export async function chosenWordTemplate(db: Db, choice: string): Promise<Uint8Array | 'missing' | null> {
  if (choice === 'none') return null;
  const select = { content: true };
  if (choice === 'default')
    return (await db.wordTemplate.findFirst({ where: { isDefault: true }, select }))?.content ?? null;
  return (await db.wordTemplate.findUnique({ where: { id: choice }, select }))?.content ?? 'missing';
}
