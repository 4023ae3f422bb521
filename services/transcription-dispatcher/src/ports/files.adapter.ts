import { identityRpc, mediaRpc } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import type { Files, People } from './files.ts';

const batchSize = 500;

/** Requests file descriptions from media. */
export function createFiles({ bus }: { bus: Pick<Bus, 'request'> }): Files {
  return {
    describe: async (fileIds, { userId, role }) => {
      const pages = await Promise.all(
        pagesOf(fileIds).map((page) =>
          bus.request(mediaRpc.describeFiles, { fileIds: page, reader: { userId, role } }),
        ),
      );
      return new Map(pages.flatMap(({ files }) => files).map(({ fileId, ...file }) => [fileId, file]));
    },
  };
}

/** Requests user names from identity. */
export function createPeople({ bus }: { bus: Pick<Bus, 'request'> }): People {
  return {
    names: async (userIds) => {
      const pages = await Promise.all(
        pagesOf(userIds).map((page) => bus.request(identityRpc.names, { userIds: page })),
      );
      return new Map(pages.flatMap(({ users }) => users).map((user) => [user.userId, user.fullName || user.email]));
    },
  };
}

function pagesOf(ids: readonly string[]): string[][] {
  const all = [...new Set(ids)];
  return Array.from({ length: Math.ceil(all.length / batchSize) }, (_, i) =>
    all.slice(i * batchSize, (i + 1) * batchSize),
  );
}
