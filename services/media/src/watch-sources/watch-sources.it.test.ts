import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { AnswerOf, mediaRoutes, WatchSourceInput } from '@overtone/contracts';
import { createFolder } from '@overtone/testkit/cleanup';
import { newUser, startMedia, waitFor, wav } from '../../test/start-media.ts';

type Source = AnswerOf<(typeof mediaRoutes)['createWatchSource']>;
type Decisions = AnswerOf<(typeof mediaRoutes)['watchDecisions']>;

const root = await createFolder();
const media = await startMedia({ WATCH_ROOTS: root });
const boss = newUser('super_admin');
const patience = { timeoutMs: 20_000 };

export function settingsOf(change: Partial<WatchSourceInput>): WatchSourceInput {
  return {
    name: 'Recorder',
    enabled: true,
    kind: 'folder',
    path: '',
    s3_endpoint_url: '',
    s3_region: '',
    s3_bucket: '',
    s3_prefix: '',
    s3_access_key_id: '',
    owner_rule: 'fixed',
    owner: '',
    include: [],
    exclude: [],
    min_bytes: 0,
    max_bytes: null,
    max_age_days: null,
    stable_seconds: 1,
    poll_seconds: 2,
    polling_only: false,
    after: 'keep',
    move_to: '',
    ...change,
  };
}

async function place(path: string, bytes: Uint8Array): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  return path;
}

/** A watched folder with its own owner. */
async function watchFolder(name: string, change: Partial<WatchSourceInput> = {}) {
  const owner = newUser();
  const email = `${name}@example.org`;
  media.accounts.set(email, owner.userId);
  const folder = join(root, name);
  await mkdir(folder, { recursive: true });
  const settings = settingsOf({
    name,
    path: folder,
    owner: change.owner_rule === 'first_folder' ? '' : email,
    ...change,
  });
  const { status, body } = await media.json<Source>(boss, 'POST', '/api/admin/watch-sources', settings);
  expect([status, body]).toEqual([201, expect.objectContaining({ name, status: 'checking' })]);
  const { uuid } = body;
  const decisions = async (query = ''): Promise<Decisions> =>
    (await media.json<Decisions>(boss, 'GET', `/api/admin/watch-sources/${uuid}/decisions?page_size=100${query}`)).body;
  return {
    owner,
    folder,
    uuid,
    settings,
    decisions,
    decisionOf: async (path: string) => (await decisions()).items.find((item) => item.path === path),
    read: async () => {
      const { body: list } = await media.json<{ items: Source[] }>(boss, 'GET', '/api/admin/watch-sources');
      return list.items.find((item) => item.uuid === uuid)!;
    },
    files: async () =>
      await media.query(
        'select title, file_hash, file_size from media_file where user_id = $1 order by title',
        owner.userId,
      ),
  };
}

describe('a watched folder', () => {
  it('imports a recording for the owner, once, and says so', async () => {
    const { folder, decisionOf, files, owner, read } = await watchFolder('thin');
    await place(join(folder, 'team/Budget talk.wav'), wav(1));
    const decision = await waitFor(async () => {
      const found = await decisionOf('team/Budget talk.wav');
      return found?.decision === 'imported' ? found : undefined;
    }, patience);
    expect(await files()).toEqual([expect.objectContaining({ title: 'Budget talk' })]);
    const event = await waitFor(() => media.eventsOf('evt.media.file.uploaded.v1', String(decision.file_uuid))[0]);
    expect(event.data).toMatchObject({ source: 'watch', ownerId: owner.userId });
    expect(await (await fetch(`${media.internal}/metrics`)).text()).toMatch(
      /files_uploaded_total\{source="watch"\} [1-9]/,
    );
    expect(await read()).toMatchObject({ status: 'available', files: 1, counts: { imported: 1 } });
    await rename(join(folder, 'team/Budget talk.wav'), join(folder, 'renamed.wav'));
    await waitFor(async () => (await decisionOf('renamed.wav'))?.decision === 'duplicate', patience);
    expect(await files()).toHaveLength(1);
  }, 60_000);
});
