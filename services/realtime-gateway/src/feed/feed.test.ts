import { describe, expect, it } from '@jest/globals';
import {
  identityEvents,
  mediaEvents,
  notificationEvents,
  pushMessage,
  searchEvents,
  suggestionEvents,
  summaryEvents,
  transcriptionEvents,
} from '@overtone/contracts';
import { translateEvent } from './feed.ts';

const fileId = '00000000-0000-4000-8000-000000000001';
const ownerId = '00000000-0000-4000-8000-000000000002';

describe('event translation', () => {
  it.each([
    [mediaEvents.updated.subject, { fileId, ownerId, status: 'completed' }, 'file_updated'],
    [mediaEvents.deleted.subject, { fileId, ownerId }, 'file_deleted'],
    [summaryEvents.changed.subject, { fileId, ownerId }, 'summary_changed'],
    [mediaEvents.commentsChanged.subject, { fileId, ownerId }, 'comments_changed'],
    [mediaEvents.transcriptEdited.subject, { fileId, ownerId, transcriptVersion: 2 }, 'transcript_updated'],
    [
      searchEvents.fileIndexed.subject,
      { fileId, ownerId, transcriptVersion: 2, chunks: 1, semantic: true },
      'search_indexing_complete',
    ],
    [suggestionEvents.changed.subject, { fileId, ownerId }, 'suggestions_changed'],
  ])('translates %s into a valid message to the owner', (subject, data, type) => {
    const event = translateEvent(subject, data, 7);
    if (event.kind !== 'fact') throw new Error('not a fact');
    expect(event.ownerId).toBe(ownerId);
    expect(pushMessage.parse(event.message)).toMatchObject({ type, seq: 7, data: { file_id: fileId } });
  });
  it('sends changed notifications to these accounts only', () => {
    const event = translateEvent(notificationEvents.changed.subject, { userIds: [ownerId] }, 9);
    if (event.kind !== 'personal') throw new Error('not personal');
    expect(event.userIds).toEqual([ownerId]);
    expect(pushMessage.parse(event.message)).toEqual({ type: 'notifications_changed', seq: 9, data: {} });
  });
  it('sends a changed collection to the people and groups that see it, or did until now', () => {
    const people = { userIds: [ownerId], groupIds: [fileId] };
    const event = translateEvent(mediaEvents.collectionChanged.subject, { collectionId: fileId, ...people }, 9);
    if (event.kind !== 'personal') throw new Error('not personal');
    expect(event).toMatchObject(people);
    expect(pushMessage.parse(event.message)).toMatchObject({
      type: 'collection_changed',
      data: { collection_id: fileId },
    });
  });
  it('translates a revocation into an action, not a message', () => {
    expect(
      translateEvent(identityEvents.sessionRevoked.subject, { userId: ownerId, sessionId: null, reason: 'x' }, 1),
    ).toEqual({
      kind: 'revocation',
      userId: ownerId,
      sessionId: null,
    });
  });
  it('ignores events that are not for browsers or not valid', () => {
    expect(translateEvent(transcriptionEvents.runOpened.subject, { fileId, ownerId }, 1)).toEqual({ kind: 'ignored' });
    expect(translateEvent(mediaEvents.deleted.subject, { fileId: 'x' }, 1)).toEqual({ kind: 'ignored' });
    expect(translateEvent(mediaEvents.deleted.subject, undefined, 1)).toEqual({ kind: 'ignored' });
  });
});
