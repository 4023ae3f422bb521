import { roleAtLeast, type FileDetail, type QueryOf, type mediaRoutes } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import { isQuarantined } from '../access/access.ts';
import { permissionsToSee, scopeOf, usableFile, type UsableFile } from '../access/access.store.ts';
import { usableCollection } from '../collections/collections.store.ts';
import { escapeLike, type Db, type Tx } from '../database.ts';
import type { Prisma } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { maskFor, readPlaybackCopy } from '../redaction/redaction.store.ts';
import { normalizedTag, toTagObject } from '../tags/tags.ts';
import { listSpeakers, readSegments, withEditorNames, type SegmentPage } from '../transcripts/transcripts.store.ts';
import { soundOf, toFileObject, withRelations, withSourceFacts } from './files.ts';
import { readFile, recordUse } from './files.store.ts';

type Routes = typeof mediaRoutes;
type ListQuery = QueryOf<Routes['listFiles']>;

/** What the file list and the file page show. */
export function createFileViews({ db, people }: { db: Db; people: Pick<People, 'names'> }) {
  return {
    /** @throws AppError not_found when the caller may not see the collection. */
    list: async (caller: Caller, query: ListQuery) => {
      if (query.collection) await usableCollection(db, caller, query.collection, 'read');
      const scope = await scopeOf(db, caller, query.ownership);
      const { items, total } = await selectFiles(db, scope, query);
      const permissions = await permissionsToSee(db, caller, items);
      const owners = items.map(({ userId }) => userId).filter((userId) => userId !== caller.userId);
      const editors = items.flatMap(({ lastEditedBy }) => lastEditedBy ?? []);
      const names = await people.names([...owners, ...editors]);
      const nameOf = (userId: string) => (userId === caller.userId ? null : (names.get(userId) ?? null));
      const shown = items.map((file) =>
        toFileObject(file, permissions.get(file.id) ?? 'viewer', {
          owner: nameOf(file.userId),
          editor: names.get(file.lastEditedBy ?? '') ?? null,
        }),
      );
      return { items: shown, total, page: query.page, page_size: query.page_size };
    },

    /** One consistent read, because a new transcript may be stored concurrently. Names are added afterwards. */
    detail: async (caller: Caller, id: string, query: QueryOf<Routes['getFile']>): Promise<FileDetail> => {
      const detail = await db.$transaction(
        async (tx) => {
          const { segment_limit: limit, segment_offset: offset } = query;
          const seen = await usableFile(tx, caller, id, 'see');
          if (isQuarantined(seen) && !roleAtLeast(caller.role, 'admin')) return describeQuarantined(tx, seen, query);
          const page = await readTranscriptPage(tx, caller, id, { limit, offset, words: true });
          const file = await tx.mediaFile.findUniqueOrThrow({ where: { id }, include: withRelations });
          const tags = await tx.fileTag.findMany({
            where: { fileId: id },
            include: { tag: true },
            orderBy: { tag: { normalizedName: 'asc' } },
          });
          const speakers = await listSpeakers(tx, id, page.mask);
          return {
            ...withSourceFacts(toFileObject(file, page.permission), file, page.mask),
            ...soundOf(file),
            playback_copy: toPlaybackCopy(await readPlaybackCopy(tx, id)),
            tags: tags.map(({ tag, source }) => toTagObject(tag, source)),
            speakers,
            transcript_segments: page.segments,
            total_segments: page.total,
            segment_limit: limit,
            segment_offset: offset,
          };
        },
        { isolationLevel: 'RepeatableRead' as const },
      );
      await recordUse(db, { id });
      const owner = detail.user_id === caller.userId ? [] : [detail.user_id];
      const names = await people.names([...owner, ...(detail.last_edited_by ? [detail.last_edited_by] : [])]);
      const transcript_segments = await withEditorNames(people, detail.transcript_segments);
      return {
        ...detail,
        owner_name: names.get(owner[0] ?? '') ?? null,
        last_edited_by_name: names.get(detail.last_edited_by ?? '') ?? null,
        transcript_segments,
      };
    },

    listSegments: async (caller: Caller, id: string, query: QueryOf<Routes['listSegments']>) => {
      const { segment_limit: limit, segment_offset: offset, words } = query;
      const page = await readTranscriptPage(db, caller, id, { limit, offset, words });
      return {
        transcript_segments: await withEditorNames(people, page.segments),
        total_segments: page.total,
        transcript_version: page.transcriptVersion,
      };
    },
  };
}

/** A file in quarantine without what it contains. */
async function describeQuarantined(
  tx: Tx,
  { id, permission }: UsableFile,
  { segment_limit, segment_offset }: QueryOf<Routes['getFile']>,
): Promise<FileDetail> {
  const file = await readFile(tx, id);
  return {
    ...toFileObject(file, permission),
    sound_tracks: [],
    speakers_by: 'voice',
    sound_level: null,
    file_tags: { title: null, artist: null },
    playback_copy: null,
    tags: [],
    speakers: [],
    transcript_segments: [],
    total_segments: 0,
    segment_limit,
    segment_offset,
  };
}

function toPlaybackCopy(copy: Awaited<ReturnType<typeof readPlaybackCopy>>): FileDetail['playback_copy'] {
  return copy ? { status: copy.status, content_type: copy.contentType, bytes: copy.bytes } : null;
}

/** A page of the transcript of a file that the caller may read. Editors' names are added after the transaction. */
async function readTranscriptPage(db: Db | Tx, caller: Caller, id: string, page: Omit<SegmentPage, 'mask'>) {
  const file = await usableFile(db, caller, id, 'read');
  const mask = await maskFor(db, caller, file);
  const { permission, transcriptVersion } = file;
  return { permission, transcriptVersion, mask, ...(await readSegments(db, id, { ...page, mask })) };
}

const sortColumn = {
  upload_time: 'uploadTime',
  recorded_date: 'recordedDate',
  completed_at: 'completedAt',
  title: 'title',
  duration: 'duration',
  file_size: 'fileSize',
} as const;
const nullable = ['completed_at', 'recorded_date', 'duration'];

async function selectFiles(db: Db, scope: Prisma.MediaFileWhereInput, query: ListQuery) {
  const where = whereOf(scope, query);
  const direction = nullable.includes(query.sort_by)
    ? { sort: query.sort_order, nulls: 'last' as const }
    : query.sort_order;
  const [items, total] = await Promise.all([
    db.mediaFile.findMany({
      where,
      include: withRelations,
      orderBy: [{ [sortColumn[query.sort_by]]: direction }, { id: 'asc' }],
      skip: (query.page - 1) * query.page_size,
      take: query.page_size,
    }),
    db.mediaFile.count({ where }),
  ]);
  return { items, total };
}

function whereOf(scope: Prisma.MediaFileWhereInput, query: ListQuery): Prisma.MediaFileWhereInput {
  const and: Prisma.MediaFileWhereInput[] = [scope];
  if (query.search) {
    const contains = { contains: escapeLike(query.search), mode: 'insensitive' as const };
    and.push({ OR: [{ title: contains }, { filename: contains }] });
  }
  if (query.status.length > 0) and.push({ status: { in: query.status } });
  if (query.collection) and.push({ collections: { some: { collectionId: query.collection } } });
  for (const tag of query.tag) and.push({ tags: { some: { tag: { normalizedName: normalizedTag(tag) } } } });
  if (query.file_type.length > 0)
    and.push({ OR: query.file_type.map((type) => ({ contentType: { startsWith: `${type}/` } })) });
  const date = query.date_of === 'recording' ? 'recordedDate' : 'uploadTime';
  if (query.from_date) and.push({ [date]: { gte: new Date(query.from_date) } });
  if (query.to_date) and.push({ [date]: { lte: new Date(query.to_date) } });
  if (query.min_duration !== undefined) and.push({ duration: { gte: query.min_duration } });
  if (query.max_duration !== undefined) and.push({ duration: { lte: query.max_duration } });
  return { AND: and };
}
