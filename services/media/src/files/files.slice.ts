import { mediaEvents, mediaRoutes, mediaRpc } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import { consumer, handle, rpc, type Slice } from '@overtone/service-kit';
import { permissionsOf } from '../access/access.store.ts';
import type { Db } from '../database.ts';
import type { Languages } from '../ports/languages.adapter.ts';
import type { People } from '../ports/people.adapter.ts';
import { objectPrefixes } from './files.ts';
import { createFileViews } from './files.read-model.ts';
import { createFiles, type Files } from './files.service.ts';

export type FilesSliceDeps = {
  db: Db;
  outbox: Outbox;
  objects: Pick<ObjectStore, 'deletePrefix'>;
  people: People;
  languages: Languages;
  importsPerHour: number;
};

/** The file list, the file page, and what users do with a file. */
export function createFilesSlice(deps: FilesSliceDeps): Slice & { files: Files } {
  const { db, objects, people } = deps;
  const { list, detail, listSegments } = createFileViews({ db, people });
  const files = createFiles(deps);
  return {
    files,
    routes: [
      handle(mediaRoutes.listFiles, ({ caller, query }) => list(caller, query)),
      handle(mediaRoutes.collectionFiles, ({ caller, params, query }) =>
        list(caller, { ...query, collection: params.uuid }),
      ),
      handle(mediaRoutes.getFile, ({ caller, params, query }) => detail(caller, params.uuid, query)),
      handle(mediaRoutes.listSegments, ({ caller, params, query }) => listSegments(caller, params.uuid, query)),
      handle(mediaRoutes.updateFile, ({ caller, params, body }) => files.update(caller, params.uuid, body)),
      handle(mediaRoutes.reprocess, ({ caller, params, body }) => files.reprocess(caller, params.uuid, body)),
      handle(mediaRoutes.cancel, ({ caller, params }) => files.cancel(caller, params.uuid)),
    ],
    rpcs: [
      /** Titles of the existing files and whether the reader may read them; called by transcription-dispatcher. */
      rpc(mediaRpc.describeFiles, async ({ fileIds, reader }) => {
        const found = await db.mediaFile.findMany({
          where: { id: { in: fileIds }, deletedAt: null },
          select: { id: true, userId: true, title: true, status: true, deletedAt: true },
        });
        const readable = await permissionsOf(db, reader, found);
        return { files: found.map(({ id, title }) => ({ fileId: id, title, readable: readable.has(id) })) };
      }),
    ],
    consumers: [
      /** A file was deleted: deletes its recording and all derived objects; redelivery retries a failure. */
      consumer(mediaEvents.deleted, 'remove-objects', async ({ fileId }) => {
        for (const prefix of objectPrefixes(fileId)) await objects.deletePrefix(prefix);
      }),
      /** A retention rule removed the recording: deletes it and everything derived from it. */
      consumer(mediaEvents.recordingRemoved, 'remove-recording', async ({ fileId }) => {
        for (const prefix of objectPrefixes(fileId)) await objects.deletePrefix(prefix);
      }),
    ],
  };
}
