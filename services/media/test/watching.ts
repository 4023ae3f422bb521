import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import type { AnswerOf, mediaRoutes, Problem, WatchSourceInput } from '@overtone/contracts';
import { watchSourceOf } from '@overtone/testkit';
import { createFolder } from '@overtone/testkit/cleanup';
import { newUser, startMedia, waitFor } from './start-media.ts';

type Source = AnswerOf<(typeof mediaRoutes)['createWatchSource']>;
type Decisions = AnswerOf<(typeof mediaRoutes)['watchDecisions']>;

export async function place(path: string, bytes: Uint8Array): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  return path;
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A media service that may watch folders below one. */
export async function startWatching() {
  const root = await createFolder();
  const media = await startMedia({ WATCH_ROOTS: root, OT_OUTBOUND_ALLOWED_RANGES: '127.0.0.1' });
  const boss = newUser('super_admin');

  function create(settings: WatchSourceInput) {
    return media.json<Source & Omit<Problem, 'status'>>(boss, 'POST', '/api/admin/watch-sources', settings);
  }

  /** A source with its own owner, and what the tests look at. */
  async function watchSource(name: string, change: Partial<WatchSourceInput> = {}) {
    const owner = newUser();
    const email = `${name}@example.org`;
    media.accounts.set(email, owner.userId);
    const folder = join(root, name);
    const settings = watchSourceOf({ name, path: folder, owner: email, ...change });
    if (settings.kind === 'folder') await mkdir(folder, { recursive: true });
    const { status, body } = await create(settings);
    expect([status, body]).toEqual([201, expect.objectContaining({ name, status: 'checking' })]);
    const path = `/api/admin/watch-sources/${body.uuid}`;
    const decisions = async (query = ''): Promise<Decisions> =>
      (await media.json<Decisions>(boss, 'GET', `${path}/decisions?page_size=100${query}`)).body;
    const decisionOf = async (file: string) => (await decisions()).items.find((item) => item.path === file);
    return {
      owner,
      folder,
      uuid: body.uuid,
      path,
      decisions,
      decisionOf,
      read: async () => {
        const { body: list } = await media.json<{ items: Source[] }>(boss, 'GET', '/api/admin/watch-sources');
        return list.items.find(({ uuid }) => uuid === body.uuid)!;
      },
      update: (next: Partial<WatchSourceInput>) => media.json<Source>(boss, 'PUT', path, { ...settings, ...next }),
      until: (file: string, decision: string) =>
        waitFor(async () => {
          const found = await decisionOf(file);
          return found?.decision === decision ? found : undefined;
        }),
      hashes: async (userId = owner.userId): Promise<string[]> => {
        const rows = await media.query('select file_hash from media_file where user_id = $1', userId);
        return rows.map((row) => String(row['file_hash'])).toSorted();
      },
    };
  }

  return { root, media, boss, create, watchSource };
}
