import { describe, expect, it } from '@jest/globals';
import { notificationKinds } from '@overtone/contracts';
import { notificationAddress, notificationText } from './labels.ts';

const uuid = '11111111-1111-4111-8111-111111111111';
const ann = { name: 'Ann Arbor' };

describe('the sentence of a notification', () => {
  it.each([
    ['file_shared', ann, 'Board meeting', 'Ann Arbor shared “Board meeting” with you'],
    ['collection_shared', ann, 'Board', 'Ann Arbor shared the collection “Board” with you'],
    ['file_edited', ann, 'Board meeting', 'Ann Arbor edited “Board meeting”'],
    ['mentioned', ann, 'Board meeting', 'Ann Arbor mentioned you in a comment on “Board meeting”'],
    ['commented', ann, 'Board meeting', 'Ann Arbor commented on “Board meeting”'],
    ['transcription_failed', null, 'Board meeting', 'The transcription of “Board meeting” failed'],
    ['file_shared', { name: '' }, null, 'Someone shared a recording with you'],
  ] as const)('of %s names who and what', (kind, actor, name, text) => {
    expect(notificationText({ kind, actor, subject_name: name })).toBe(text);
  });
  it.each(notificationKinds)('of %s exists also when nothing can be named', (kind) => {
    expect(notificationText({ kind, actor: null, subject_name: null })).not.toBe('');
  });
});

describe('the address of a notification', () => {
  it.each([
    ['file_edited', 'Board meeting', `/files/${uuid}`],
    ['collection_shared', 'Board', `/collections/${uuid}`],
    ['sync_run_held', null, `/admin/directory-sync/passes/${uuid}`],
    ['backup_failed', null, '/admin/backups'],
  ] as const)('of %s is the page of what it is about', (kind, name, address) => {
    expect(notificationAddress({ kind, subject_uuid: uuid, subject_name: name })).toBe(address);
  });
  it('does not exist for a recording that the reader may not open', () => {
    expect(notificationAddress({ kind: 'file_shared', subject_uuid: uuid, subject_name: null })).toBeNull();
  });
});
