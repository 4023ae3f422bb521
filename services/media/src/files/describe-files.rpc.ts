import { mediaRpc } from '@overtone/contracts';
import { rpc, type RpcHandler } from '@overtone/service-kit';
import { permissionsOf } from '../access/access.ts';
import type { Db } from '../database.ts';

/** Titles of the existing files and whether the reader may read them; called by transcription-dispatcher. */
export function describeFilesRpc({ db }: { db: Db }): RpcHandler[] {
  return [
    rpc(mediaRpc.describeFiles, async ({ fileIds, reader }) => {
      const files = await db.mediaFile.findMany({
        where: { id: { in: fileIds }, deletedAt: null },
        select: { id: true, userId: true, title: true, deletedAt: true },
      });
      const readable = await permissionsOf(db, reader, files);
      return { files: files.map(({ id, title }) => ({ fileId: id, title, readable: readable.has(id) })) };
    }),
  ];
}
