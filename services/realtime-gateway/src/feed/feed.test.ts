import { describe, expect, test } from '@jest/globals';
import { identityEvents, mediaEvents, pushMessage, searchEvents, transcriptionEvents } from '@overtone/contracts';
import { hear } from './feed.ts';

const fileId = '00000000-0000-4000-8000-000000000001';
const ownerId = '00000000-0000-4000-8000-000000000002';

describe('an event as browsers are told of it', () => {
  test.each([
    [mediaEvents.updated.subject, { fileId, ownerId, status: 'completed' }, 'file_updated'],
    [mediaEvents.deleted.subject, { fileId, ownerId }, 'file_deleted'],
    [mediaEvents.transcriptEdited.subject, { fileId, ownerId, transcriptVersion: 2 }, 'transcript_updated'],
    [
      searchEvents.fileIndexed.subject,
      { fileId, ownerId, transcriptVersion: 2, chunks: 1, semantic: true },
      'search_indexing_complete',
    ],
  ])('%s fits the contract and goes to the owner', (subject, data, type) => {
    const heard = hear(subject, data, 7);
    if (heard.kind !== 'fact') throw new Error('not a fact');
    expect(heard.fact.ownerId).toBe(ownerId);
    expect(pushMessage.parse(heard.fact.message)).toMatchObject({ type, seq: 7, data: { file_id: fileId } });
  });
  test('a revocation is not told but acted on', () => {
    expect(hear(identityEvents.sessionRevoked.subject, { userId: ownerId, sessionId: null, reason: 'x' }, 1)).toEqual({
      kind: 'revocation',
      revocation: { userId: ownerId, sessionId: null },
    });
  });
  test('what is not for browsers, or not well formed, is nothing', () => {
    expect(hear(transcriptionEvents.runOpened.subject, { fileId, ownerId }, 1)).toEqual({ kind: 'nothing' });
    expect(hear(mediaEvents.deleted.subject, { fileId: 'x' }, 1)).toEqual({ kind: 'nothing' });
    expect(hear(mediaEvents.deleted.subject, undefined, 1)).toEqual({ kind: 'nothing' });
  });
});
