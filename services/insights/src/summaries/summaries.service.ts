import type { AnswerOf, BodyOf, FileMasks, SummaryObject, SummaryStatus, summaryRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, forbidden, notFound, type Caller } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { InsightSummary } from '../generated/client.ts';
import type { LanguageModels } from '../ports/language-model.ts';
import type { Media } from '../ports/media.adapter.ts';
import { findShown, isOpen, isShown, toStatus, toSummaryObject, toVersion } from './summaries.ts';
import {
  announce,
  continueVersion,
  insertVersion,
  lockFile,
  readVersions,
  removeVersions,
  requestReview,
  restartVersion,
} from './summaries.store.ts';

type Routes = typeof summaryRoutes;
type Ordered = AnswerOf<Routes['summarize']>;
type Deps = { db: Db; outbox: Outbox; media: Media; models: LanguageModels };
type Readable = { ownerId: string; title: string; masks: FileMasks; mayOrder: boolean };

/** Summaries as people see them: readers of a file read them, those who may edit its transcript order them. */
export function createSummaries({ db, outbox, media, models }: Deps) {
  const readable = async ({ userId, role }: Caller, fileId: string): Promise<Readable> => {
    const file = (await media.access([fileId], { userId, role })).get(fileId);
    if (!file) throw notFound('There is no such file.');
    const { ownerId, title, masks, permission } = file;
    return { ownerId, title, masks, mayOrder: permission !== 'viewer' };
  };
  const editable = async (caller: Caller, fileId: string): Promise<Readable> => {
    const file = await readable(caller, fileId);
    if (!file.mayOrder) throw forbidden('permission_required', 'This file was shared with you for reading only.');
    return file;
  };
  const ordered = async (row: InsightSummary, userId: string): Promise<Ordered> => {
    const model = await models.for(userId);
    return {
      message: 'The summary is being created.',
      task_id: row.id,
      file_id: row.fileId,
      version: row.version,
      provider: model?.info.provider ?? null,
      model: model?.info.model ?? null,
    };
  };

  return {
    order: async (caller: Caller, fileId: string, body: BodyOf<Routes['summarize']>): Promise<Ordered> => {
      const { ownerId, masks } = await editable(caller, fileId);
      if (!(await media.hasTranscript(fileId)))
        throw conflict('transcript_missing', 'This recording has no transcript yet.');
      const row = await db.$transaction(async (tx) => {
        await lockFile(tx, fileId);
        const [latest] = await readVersions(tx, fileId, masks);
        const { prompt_uuid: promptId = null, language = null } = body;
        if (latest && isOpen(latest)) {
          if (latest.promptId === promptId && latest.language === language) return latest;
          throw conflict('summary_in_progress', 'Another summary of this recording is being created.');
        }
        if (latest && !body.force_regenerate && isCurrent(latest))
          throw conflict('summary_exists', 'There is a summary of this transcript already.');
        const created = await insertVersion(tx, {
          fileId,
          ownerId,
          eventId: null,
          orderedBy: caller.userId,
          promptId,
          language,
        });
        await announce(tx, outbox, created);
        return created;
      });
      return ordered(row, caller.userId);
    },

    retry: async (caller: Caller, fileId: string): Promise<Ordered> => {
      const { masks } = await editable(caller, fileId);
      const row = await db.$transaction(async (tx) => {
        await lockFile(tx, fileId);
        const [latest] = await readVersions(tx, fileId, masks);
        if (!latest) throw notFound('There is no summary of this file.');
        if (latest.state !== 'failed' && latest.state !== 'partial')
          throw conflict('summary_not_failed', 'The latest summary has not failed.');
        const restarted =
          latest.state === 'partial' ? await continueVersion(tx, latest) : await restartVersion(tx, latest.id);
        await announce(tx, outbox, restarted);
        return restarted;
      });
      return ordered(row, row.orderedBy ?? row.ownerId);
    },

    read: async (caller: Caller, fileId: string, version?: number): Promise<SummaryObject> => {
      const { title, masks } = await readable(caller, fileId);
      const rows = await readVersions(db, fileId, masks);
      const row = version === undefined ? findShown(rows) : rows.find((one) => isShown(one) && one.version === version);
      if (!row) throw notFound('There is no summary of this file.');
      if (row.withheld || row.content === null)
        throw conflict('summary_withheld', 'More of this file is masked now than when the summary was made.');
      return toSummaryObject(row, title);
    },

    status: async (caller: Caller, fileId: string): Promise<SummaryStatus> => {
      const { masks, mayOrder } = await readable(caller, fileId);
      const [rows, model] = await Promise.all([readVersions(db, fileId, masks), models.for(caller.userId)]);
      return toStatus(fileId, rows, { hasModel: model !== null, mayOrder });
    },

    versions: async (caller: Caller, fileId: string) => {
      const { masks } = await readable(caller, fileId);
      return { items: (await readVersions(db, fileId, masks)).map(toVersion) };
    },

    remove: async (caller: Caller, fileId: string, version?: number): Promise<undefined> => {
      const { ownerId } = await editable(caller, fileId);
      await db.$transaction(async (tx) => {
        await lockFile(tx, fileId);
        if ((await removeVersions(tx, fileId, version)) === 0) throw notFound('There is no such summary.');
        await announce(tx, outbox, { fileId, ownerId });
      });
      return undefined;
    },

    /** The summary that is shown, for an export; media has checked the reader, and tells the masks of the file. */
    shown: async (fileId: string, masks: FileMasks): Promise<SummaryObject | null> => {
      const row = findShown(await readVersions(db, fileId, masks));
      return row && !row.withheld && row.content !== null ? toSummaryObject(row, '') : null;
    },

    /** After a transcription. A summary in progress begins again with the new transcript. */
    orderAutomatic: (eventId: string, { fileId, ownerId }: { fileId: string; ownerId: string }): Promise<void> =>
      db.$transaction(async (tx) => {
        await lockFile(tx, fileId);
        await requestReview(tx, fileId);
        const rows = await readVersions(tx, fileId, null);
        if (rows.some((row) => row.eventId === eventId)) return;
        const open = rows.find(isOpen);
        const more = { eventId, orderedBy: null, promptId: null, language: null };
        const row = open ? await restartVersion(tx, open.id) : await insertVersion(tx, { fileId, ownerId, ...more });
        await announce(tx, outbox, row);
      }),
  };
}

function isCurrent(row: InsightSummary): boolean {
  return row.state === 'completed' && !row.outOfDate && !row.withheld;
}
