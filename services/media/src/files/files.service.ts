import {
  mediaEvents,
  type BodyOf,
  type FileDetail,
  type FileObject,
  type QueryOf,
  type RunOptions,
  type mediaRoutes,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, type Caller } from '@overtone/service-kit';
import type { Languages } from '../ports/languages.ts';
import type { People } from '../ports/people.ts';
import { lockedFile, permissionsOf, scopeOf, usableFile } from '../access/access.ts';
import { txOptions, type Db } from '../database.ts';
import { listSpeakers } from '../speakers/speakers.ts';
import { normalizedTag, toTagObject } from '../tags/tags.ts';
import { readSegments, withEditorNames } from '../transcripts/transcripts.ts';
import { checkLanguage } from '../uploads/uploads.ts';
import { isSettled, requeue, toFileObject, type FileRow } from './files.ts';
import { filesStore as store } from './files.store.ts';

type Routes = typeof mediaRoutes;
export type FilesDeps = { db: Db; outbox: Outbox; people: Pick<People, 'names'>; languages: Languages };

/** User operations on files: list, read, update, reprocess, cancel. */
export function createFiles({ db, outbox, people, languages }: FilesDeps) {
  return {
    list: async (caller: Caller, query: QueryOf<Routes['listFiles']>) => {
      const scope = await scopeOf(db, caller, query.ownership);
      const { items, total } = await store.list(db, scope, query.tag.map(normalizedTag), query);
      const permissions = await permissionsOf(db, caller, items);
      const names = await people.names(items.map(({ userId }) => userId).filter((userId) => userId !== caller.userId));
      const shown = items.map((file) =>
        toFileObject(file, permissions.get(file.id) ?? 'viewer', names.get(file.userId) ?? null),
      );
      return { items: shown, total, page: query.page, page_size: query.page_size };
    },

    /** One consistent read, because a new transcript may be stored concurrently. Names are added afterwards. */
    detail: async (caller: Caller, id: string, query: QueryOf<Routes['getFile']>): Promise<FileDetail> => {
      const detail = await db.$transaction(
        async (tx) => {
          const { permission } = await usableFile(tx, caller, id, 'read');
          const { segment_limit: limit, segment_offset: offset } = query;
          const file = await store.get(tx, id);
          const tags = await store.tags(tx, id);
          const speakers = await listSpeakers(tx, id);
          const page = await readSegments(tx, id, { limit, offset, words: true });
          return {
            ...toFileObject(file, permission),
            tags: tags.map(({ tag, source }) => toTagObject(tag, source)),
            speakers,
            transcript_segments: page.segments,
            total_segments: page.total,
            segment_limit: limit,
            segment_offset: offset,
          };
        },
        { ...txOptions, isolationLevel: 'RepeatableRead' as const },
      );
      const owner = detail.user_id === caller.userId ? [] : [detail.user_id];
      const names = await people.names(owner);
      const transcript_segments = await withEditorNames(people, detail.transcript_segments);
      return { ...detail, owner_name: names.get(owner[0] ?? '') ?? null, transcript_segments };
    },

    update: (caller: Caller, id: string, body: BodyOf<Routes['updateFile']>): Promise<FileObject> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, id, 'edit');
        const renamed = body.title !== undefined && body.title !== file.title;
        const version = file.transcriptVersion + (renamed && file.transcriptVersion > 0 ? 1 : 0);
        const row = await store.update(tx, id, {
          ...(body.title === undefined ? {} : { title: body.title }),
          ...(body.recorded_date === undefined
            ? {}
            : { recordedDate: body.recorded_date === null ? null : new Date(body.recorded_date) }),
          transcriptVersion: version,
        });
        const answer = toFileObject(row, file.permission);
        await outbox.add(tx, mediaEvents.updated, updatedEvent(file, answer.status));
        if (version !== file.transcriptVersion) {
          const edited = { fileId: id, ownerId: file.userId, transcriptVersion: version };
          await outbox.add(tx, mediaEvents.transcriptEdited, edited);
        }
        return answer;
      }, txOptions),

    reprocess: async (caller: Caller, id: string, body: BodyOf<Routes['reprocess']>): Promise<FileObject> => {
      if (body?.language) checkLanguage(body.language, await languages.known());
      return db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, id, 'own');
        if (!isSettled(file.status)) throw busy();
        const options = nextOptions(file.options as Partial<RunOptions>, body ?? {});
        await requeue(tx, outbox, { ...file, options });
        return toFileObject(await store.get(tx, id), 'owner');
      }, txOptions);
    },

    cancel: (caller: Caller, id: string): Promise<FileObject> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, id, 'own');
        if (isSettled(file.status)) throw conflict('file_busy', 'Nothing is being done with this file.');
        const row = await store.update(tx, id, { status: 'cancelling', waitingFor: null });
        await outbox.add(tx, mediaEvents.cancelOrdered, { fileId: id, ownerId: file.userId });
        await outbox.add(tx, mediaEvents.updated, updatedEvent(file, 'cancelling'));
        return toFileObject(row, 'owner');
      }, txOptions),
  };
}

function updatedEvent(file: Pick<FileRow, 'id' | 'userId'>, status: FileObject['status']) {
  return {
    fileId: file.id,
    ownerId: file.userId,
    status,
  };
}

export type Files = ReturnType<typeof createFiles>;

function busy() {
  return conflict('file_busy', 'The file is being processed. Stop that first, or wait until it is done.');
}

type Change = {
  language?: string | null | undefined;
  min_speakers?: number | undefined;
  max_speakers?: number | undefined;
};

function nextOptions(before: Partial<RunOptions>, change: Change): RunOptions {
  return {
    language: change.language === undefined ? (before.language ?? null) : change.language,
    minSpeakers: change.min_speakers ?? before.minSpeakers ?? null,
    maxSpeakers: change.max_speakers ?? before.maxSpeakers ?? null,
    diarize: before.diarize ?? true,
  };
}
