import type { CodeColor, CodedPassage, CodingObject } from '@overtone/contracts';
import { speakerName } from '@overtone/contracts/speakers';
import type { Caller } from '@overtone/service-kit';
import { permits, type Permission } from '../access/access.ts';
import { permissionsOf, readableBy, usableFile, scopeOfShared } from '../access/access.store.ts';
import { quoteOf, toMs } from '../comments/comments.ts';
import type { Db } from '../database.ts';
import type { Code, CodeList, Coding, MediaFile, Prisma } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { maskFor, readPolicy } from '../redaction/redaction.store.ts';
import { readSegmentsAt } from '../transcripts/transcripts.store.ts';
import { codeListPermissions, codeOf, usableCodeList } from './codes.store.ts';
import { noSuchCode } from './codes.ts';

export type PassageViewDeps = { db: Db; people: Pick<People, 'names'> };
type Row = Coding & { code: Code & { list: CodeList }; file: MediaFile };
type Shown = { quote: string | null; speaker: string | null };
type Facts = {
  caller: Caller;
  names: ReadonlyMap<string, string>;
  filePermissions: ReadonlyMap<string, Permission>;
  listPermissions: ReadonlyMap<string, Permission>;
};
const orderBy: Prisma.CodingOrderByWithRelationInput[] = [
  { file: { title: 'asc' } },
  { fileId: 'asc' },
  { startMs: 'asc' },
  { id: 'asc' },
];
const include = { code: { include: { list: true } }, file: true } as const;

/** Passages with codes, with their text as the reader may see it. */
export function createPassageViews({ db, people }: PassageViewDeps) {
  /** The texts by the ids of the codings. Passages of files that the caller may not read are missing. */
  const readTexts = async (
    caller: Caller,
    rows: readonly Row[],
    filePermissions: ReadonlyMap<string, Permission>,
    maxLength?: number,
  ): Promise<Map<string, Shown>> => {
    const policy = await readPolicy(db);
    const texts = new Map<string, Shown>();
    for (const [fileId, some] of Map.groupBy(rows, (row) => row.fileId)) {
      const [file, permission] = [some[0]?.file, filePermissions.get(fileId)];
      if (!file || !permission) continue;
      const mask = await maskFor(db, caller, { ...file, permission }, policy);
      const passages = await readSegmentsAt(db, fileId, some, mask);
      for (const row of some) {
        const first = passages.find((one) => toMs(one.end_time) > row.startMs && toMs(one.start_time) < row.endMs);
        const speaker = first?.speaker ? speakerName(first.speaker) : null;
        texts.set(row.id, { quote: quoteOf(passages, row, maxLength), speaker });
      }
    }
    return texts;
  };

  const show = async (caller: Caller, rows: readonly Row[], maxLength?: number): Promise<CodedPassage[]> => {
    const files = [...new Map(rows.map(({ file }) => [file.id, file])).values()];
    const lists = [...new Map(rows.map(({ code }) => [code.list.id, code.list])).values()];
    const filePermissions = await permissionsOf(db, caller, files);
    const [texts, listPermissions, names] = await Promise.all([
      readTexts(caller, rows, filePermissions, maxLength),
      codeListPermissions(db, caller, lists),
      people.names([...new Set(rows.flatMap(({ authorId }) => authorId ?? []))]),
    ]);
    const facts = { caller, names, filePermissions, listPermissions };
    return rows.flatMap((row) => {
      const shown = texts.get(row.id);
      return shown ? [toPassage(row, shown, facts)] : [];
    });
  };

  /** The filter for the passages of a list in files that the caller may read. */
  const passagesOf = async (
    caller: Caller,
    listId: string,
    codeId: string | undefined,
  ): Promise<Prisma.CodingWhereInput> => {
    if (codeId !== undefined) await codeOf(db, listId, codeId);
    const some = codeId === undefined ? {} : { OR: [{ id: codeId }, { parentId: codeId }] };
    return { code: { listId, ...some }, file: await readableBy(db, caller) };
  };

  return {
    /** The codings of one file, of lists that the caller may see. */
    ofFile: async (caller: Caller, fileId: string, id?: string): Promise<CodingObject[]> => {
      await usableFile(db, caller, fileId, 'read');
      const list = await scopeOfShared(db, caller, 'all');
      const rows = await db.coding.findMany({
        where: { fileId, code: { list }, ...(id !== undefined && { id }) },
        include,
        orderBy: [{ startMs: 'asc' }, { createdAt: 'asc' }, { id: 'asc' }],
      });
      return (await show(caller, rows)).map(
        ({ file_uuid: _file, title: _title, speaker: _speaker, ...coding }) => coding,
      );
    },

    one: async (caller: Caller, fileId: string, id: string): Promise<CodingObject> => {
      const row = await db.coding.findUnique({ where: { id }, include });
      const [coding] = row?.fileId === fileId ? await show(caller, [row]) : [];
      if (!coding) throw noSuchCode();
      const { file_uuid: _file, title: _title, speaker: _speaker, ...rest } = coding;
      return rest;
    },

    page: async (
      caller: Caller,
      listId: string,
      { code_uuid: codeId, page, page_size }: { code_uuid?: string | undefined; page: number; page_size: number },
    ) => {
      await usableCodeList(db, caller, listId, 'read');
      const where = await passagesOf(caller, listId, codeId);
      const [rows, total] = await Promise.all([
        db.coding.findMany({ where, include, orderBy, skip: (page - 1) * page_size, take: page_size }),
        db.coding.count({ where }),
      ]);
      return { items: await show(caller, rows), total, page, page_size };
    },

    /** All passages, some at a time, with their whole text. */
    pages: async function* (
      caller: Caller,
      listId: string,
      codeId: string | undefined,
    ): AsyncGenerator<{ passages: CodedPassage[]; files: MediaFile[] }> {
      const where = await passagesOf(caller, listId, codeId);
      // Passages that are added or removed during the export do not shift the others.
      const ids = (await db.coding.findMany({ where, orderBy, select: { id: true } })).map(({ id }) => id);
      for (let from = 0; from < ids.length; from += exportPageSize) {
        const some = { id: { in: ids.slice(from, from + exportPageSize) } };
        const rows = await db.coding.findMany({ where: { AND: [where, some] }, include, orderBy });
        yield { passages: await show(caller, rows, maxExportedText), files: rows.map(({ file }) => file) };
      }
    },
  };
}

const exportPageSize = 200;
/** An hour of speech has fewer letters. */
const maxExportedText = 200_000;

export type PassageViews = ReturnType<typeof createPassageViews>;

function toPassage(row: Row, { quote, speaker }: Shown, { caller, names, ...permissions }: Facts): CodedPassage {
  const { code, file, authorId } = row;
  const canDelete =
    authorId === caller.userId ||
    permits(permissions.filePermissions.get(file.id), 'own') ||
    permits(permissions.listPermissions.get(code.listId), 'own');
  return {
    uuid: row.id,
    code_uuid: code.id,
    list_uuid: code.listId,
    name: code.name,
    color: code.color as CodeColor,
    file_uuid: file.id,
    title: file.title,
    start_time: row.startMs / 1000,
    end_time: row.endMs / 1000,
    quote,
    speaker,
    author: authorId === null ? null : { uuid: authorId, name: names.get(authorId) ?? null },
    created_at: row.createdAt.toISOString(),
    can_delete: canDelete,
  };
}
