import { identityRpc, mediaRpc } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import type { Files, People } from './files.ts';

const atOnce = 500;
const pagesOf = (ids: readonly string[]): string[][] => {
  const all = [...new Set(ids)];
  return Array.from({ length: Math.ceil(all.length / atOnce) }, (_, i) => all.slice(i * atOnce, (i + 1) * atOnce));
};

/** Asks media over the bus. */
export const createFiles = ({ bus }: { bus: Pick<Bus, 'ask'> }): Files => ({
  standing: async (fileIds, { userId, role }) => {
    const pages = await Promise.all(
      pagesOf(fileIds).map((page) => bus.ask(mediaRpc.standing, { fileIds: page, reader: { userId, role } })),
    );
    return new Map(pages.flatMap(({ files }) => files).map(({ fileId, ...file }) => [fileId, file]));
  },
});

/** Asks identity over the bus. */
export const createPeople = ({ bus }: { bus: Pick<Bus, 'ask'> }): People => ({
  names: async (userIds) => {
    const pages = await Promise.all(pagesOf(userIds).map((page) => bus.ask(identityRpc.names, { userIds: page })));
    return new Map(pages.flatMap(({ users }) => users).map((u) => [u.userId, u.fullName || u.email]));
  },
});
