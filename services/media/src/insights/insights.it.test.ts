import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { labelRpc, mediaInsightsRpc, type Role } from '@overtone/contracts';
import { transcribed, twoVoices, wordsOf } from '../../test/runs.ts';
import { newUser, startMedia, waitFor } from '../../test/start-media.ts';

const media = await startMedia();
const bus = await media.connectAs('insights');
const superAdmin = newUser('super_admin');

function page(fileId: string, offset = 0, limit = 1_000) {
  return bus.request(mediaInsightsRpc.transcript, { fileId, offset, limit });
}

async function mask(kinds: string[], file?: { uuid: string; owner: { userId: string; role: Role } }) {
  const [person, path] = file
    ? [file.owner, `/api/files/${file.uuid}/redaction`]
    : [superAdmin, '/api/admin/redaction-policy'];
  const reply = await media.json(person, 'PUT', path, { masked_kinds: kinds });
  expect(reply.status).toBe(200);
}

function withText(...texts: string[]) {
  const transcript = twoVoices();
  const segments = texts.map((text, i) => ({
    ...transcript.segments[0]!,
    start: i * 5,
    end: i * 5 + 4,
    text,
    words: wordsOf(text, i * 5),
  }));
  return { ...transcript, segments };
}

describe('a transcript for insights', () => {
  it('has its file, and its passages in pages with the names of their speakers', async () => {
    const run = await transcribed(media);
    const [speaker] = (await run.readFile())['speakers'] as { uuid: string }[];
    await media.json(run.owner, 'PUT', `/api/speakers/${speaker?.uuid}`, { display_name: 'Ann' });
    await media.json(run.owner, 'POST', `/api/tags/files/${run.fileId}/tags`, { name: 'budget' });
    const { file, segments, total, withheld } = await page(run.fileId);
    expect(file).toMatchObject({ fileId: run.fileId, ownerId: run.owner.userId, language: 'en', tags: ['budget'] });
    expect([total, withheld]).toEqual([3, false]);
    expect(segments.map(({ speakerLabel, speakerName, named }) => [speakerLabel, speakerName, named])).toEqual([
      ['SPEAKER_01', 'Ann', true],
      ['SPEAKER_02', 'Speaker 2', false],
      ['SPEAKER_01', 'Ann', true],
    ]);
    const second = await page(run.fileId, 1, 1);
    expect(second.segments).toEqual([segments[1]]);
    expect(second.total).toBe(3);
  });

  it('has placeholders for what the policy masks for one kind of reader, and for what the owner masks', async () => {
    const transcript = withText('call me on 415 555 2671 please', 'write to jane dot roe at example dot com today');
    const run = await transcribed(media, undefined, transcript);
    await media.json(superAdmin, 'PUT', '/api/admin/redaction-policy', { masked_for: ['viewer'] });
    await mask(['phone']);
    await waitFor(async () => !(await page(run.fileId)).withheld);
    expect((await page(run.fileId)).segments[0]?.text).toBe('call me on [phone] please');
    await mask(['email'], { uuid: run.fileId, owner: run.owner });
    expect((await page(run.fileId)).segments[1]?.text).toContain('[email]');
    await mask([]);
  });

  it('is withheld while a masked transcript has a passage that was not scanned', async () => {
    const run = await transcribed(media, undefined, withText('call me on 415 555 2671 please'));
    await mask(['phone']);
    await media.query(`update transcript_segment set redaction_key = null where media_file_id = $1`, run.fileId);
    const held = await page(run.fileId);
    expect(held).toMatchObject({ file: { fileId: run.fileId }, segments: [], withheld: true });
    await mask([]);
    expect(await page(run.fileId)).toMatchObject({ withheld: false, total: 1 });
  });

  it('does not exist for an unknown file, and for one in the bin', async () => {
    const run = await transcribed(media);
    await media.json(run.owner, 'DELETE', `/api/files/${run.fileId}`);
    const none = { file: null, segments: [], total: 0, withheld: false };
    expect(await page(run.fileId)).toEqual(none);
    expect(await page(randomUUID())).toEqual(none);
  });
});

describe('access for insights', () => {
  it('names the permission of the reader, and leaves out what they may not read', async () => {
    const [mine, theirs, binned] = [await transcribed(media), await transcribed(media), await transcribed(media)];
    const [viewer, editor] = [newUser(), newUser()];
    for (const [person, permission] of [
      [viewer, 'viewer'],
      [editor, 'editor'],
    ] as const)
      await media.json(mine.owner, 'PUT', `/api/files/${mine.fileId}/shares`, { user_uuid: person.userId, permission });
    await media.json(binned.owner, 'DELETE', `/api/files/${binned.fileId}`);
    const fileIds = [mine.fileId, theirs.fileId, binned.fileId, randomUUID()];
    const permissionsOf = async (userId: string, role: Role = 'user') => {
      const { files } = await bus.request(mediaInsightsRpc.access, { fileIds, reader: { userId, role } });
      return new Map(files.map(({ fileId, permission }) => [fileId, permission]));
    };
    expect(await permissionsOf(mine.owner.userId)).toEqual(new Map([[mine.fileId, 'owner']]));
    expect(await permissionsOf(viewer.userId)).toEqual(new Map([[mine.fileId, 'viewer']]));
    expect(await permissionsOf(editor.userId)).toEqual(new Map([[mine.fileId, 'editor']]));
    expect(await permissionsOf(binned.owner.userId)).toEqual(new Map());
    expect(await permissionsOf(randomUUID(), 'admin')).toEqual(
      new Map([
        [mine.fileId, 'owner'],
        [theirs.fileId, 'owner'],
      ]),
    );
  });

  it('tells what is masked in the file at once after the owner or an administrator masked more', async () => {
    const { owner, fileId } = await transcribed(media);
    const reader = { userId: owner.userId, role: 'user' as const };
    const masks = async () => {
      const [file] = (await bus.request(mediaInsightsRpc.access, { fileIds: [fileId], reader })).files;
      const [labelled] = (await bus.request(labelRpc.labelAccess, { fileIds: [fileId], reader })).files;
      expect(labelled?.masks).toEqual(file?.masks);
      expect((await page(fileId)).file?.masks).toEqual(file?.masks);
      return file?.masks;
    };
    expect(await masks()).toEqual([]);
    await media.json(owner, 'PUT', `/api/files/${fileId}/redaction`, { masked_kinds: ['phone'] });
    expect(await masks()).toEqual(['phone', 'unscanned']);
    await media.json(owner, 'PUT', '/api/redaction', { masked_kinds: ['card'] });
    expect(await masks()).toEqual(['card', 'phone', 'unscanned']);
    const admin = newUser('super_admin');
    const policy = (change: object) => media.json(admin, 'PUT', '/api/admin/redaction-policy', change);
    await policy({ masked_kinds: ['email'], masked_for: ['viewer'], withhold_unscanned: false });
    expect(await masks()).toEqual(['card', 'email', 'phone']);
    await policy({ masked_kinds: null, masked_for: null, withhold_unscanned: null });
    expect(await masks()).toEqual(['card', 'phone', 'unscanned']);
  });
});
