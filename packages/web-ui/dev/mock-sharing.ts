import { randomUUID } from 'node:crypto';
import type { AnswerOf, mediaRoutes } from '@overtone/contracts';
import { json, type Context, type MockRoute } from './mock-kit.ts';
import { fileOf } from './mock-library.ts';
import { me } from './mock-session.ts';

const shares: AnswerOf<typeof mediaRoutes.listShares> = [];
const shareFile = (context: Context) => {
  const wanted = json<{ group_uuid?: string; user_uuid?: string; permission: 'viewer' | 'editor' }>(context);
  const there = shares.find(
    (s) => s.user_uuid === (wanted.user_uuid ?? null) && s.group_uuid === (wanted.group_uuid ?? null),
  );
  if (there) return Object.assign(there, { permission: wanted.permission });
  const share = {
    uuid: randomUUID(),
    group_uuid: wanted.group_uuid ?? null,
    user_uuid: wanted.user_uuid ?? null,
    user_name: wanted.user_uuid === undefined ? null : 'Ines Albrecht',
    permission: wanted.permission,
    shared_by: me.uuid,
    created_at: new Date().toISOString(),
  };
  shares.push(share);
  return share;
};

/** Shares and tags of recordings. */
export const sharingMock: readonly MockRoute[] = [
  ['GET', /^\/api\/files\/[^/]+\/shares$/, () => shares],
  ['PUT', /^\/api\/files\/[^/]+\/shares$/, shareFile],
  [
    'DELETE',
    /^\/api\/files\/[^/]+\/shares\/[^/]+$/,
    (context) =>
      void shares.splice(
        shares.findIndex((s) => s.uuid === context.parts[4]),
        1,
      ),
  ],
  [
    'GET',
    /^\/api\/tags$/,
    () => [
      { uuid: randomUUID(), name: 'Board', source: 'manual', usage_count: 3 },
      { uuid: randomUUID(), name: 'Harbour', source: 'manual', usage_count: 1 },
    ],
  ],
  [
    'POST',
    /^\/api\/tags\/files\//,
    (context) => {
      const tag = { uuid: randomUUID(), name: json<{ name: string }>(context).name, source: 'manual' as const };
      fileOf(context.parts[3]).tags.push(tag);
      return tag;
    },
  ],
  [
    'DELETE',
    /^\/api\/tags\/files\//,
    (context) => {
      const file = fileOf(context.parts[3]);
      file.tags = file.tags.filter((t) => t.name !== decodeURIComponent(context.parts[5] ?? ''));
    },
  ],
];
