import { describe, expect, it } from '@jest/globals';
import { pushMessage } from '@overtone/contracts';
import { backOff, effectOf, parsePush } from './push.ts';

const id = '11111111-1111-4111-8111-111111111111';

describe('effectOf', () => {
  it('refetches the list and the page of a new, restored or newly shared file', () =>
    expect(effectOf({ type: 'file_created', seq: 1, data: { file_id: id } })).toEqual({
      kind: 'refetch',
      keys: [['files'], ['file', id]],
    }));
  it('refetches collections, and files whose access they give, after a change of a collection', () =>
    expect(effectOf({ type: 'collection_changed', seq: 1, data: { collection_id: id } })).toEqual({
      kind: 'refetch',
      keys: [['collections'], ['files'], ['file']],
    }));
  it('keeps live progress while a file is in progress', () =>
    expect(effectOf({ type: 'file_updated', seq: 1, data: { file_id: id, status: 'transcribing' } }).kind).toBe(
      'refetch',
    ));
  it.each(['completed', 'error', 'cancelled'] as const)('ends live progress when a file is %s', (status) =>
    expect(effectOf({ type: 'file_updated', seq: 1, data: { file_id: id, status } })).toMatchObject({
      kind: 'ended',
      fileId: id,
    }),
  );
  it('passes progress on with the remaining time', () =>
    expect(
      effectOf({
        type: 'transcription_status',
        data: { file_id: id, stage: 'transcribe', progress: 41, message: 'm', eta_seconds: 12 },
      }),
    ).toEqual({
      kind: 'progress',
      fileId: id,
      progress: { stage: 'transcribe', percent: 41, message: 'm', etaSeconds: 12 },
    }));
  it.each([
    ['a share of the size', 4_000_000, 40],
    ['no share while the size is unknown', null, null],
  ])('passes the progress of a download on, with %s', (_, total, percent) =>
    expect(
      effectOf({ type: 'import_progress', data: { file_id: id, received_bytes: 1_600_000, total_bytes: total } }),
    ).toMatchObject({ kind: 'progress', fileId: id, progress: { stage: 'download', percent, etaSeconds: null } }),
  );
  it('refetches what is known of a summary that has changed', () =>
    expect(effectOf({ type: 'summary_changed', seq: 3, data: { file_id: id } })).toEqual({
      kind: 'refetch',
      keys: [['summary', id]],
    }));
  it('refetches comments that have changed', () =>
    expect(effectOf({ type: 'comments_changed', seq: 2, data: { file_id: id } })).toEqual({
      kind: 'refetch',
      keys: [['comments', id]],
    }));
  it('passes the text of a summary on while it is written', () => {
    const data = { file_id: id, version: 2, sections_done: 1, sections_total: 4, draft: 'So far' };
    expect(effectOf({ type: 'summary_progress', data })).toEqual({
      kind: 'summary-draft',
      fileId: id,
      draft: { version: 2, sectionsDone: 1, sectionsTotal: 4, text: 'So far' },
    });
  });
  it('refetches the notifications that have changed', () =>
    expect(effectOf({ type: 'notifications_changed', seq: 3, data: {} })).toEqual({
      kind: 'refetch',
      keys: [['notifications']],
    }));
  it('refetches everything after a resync', () =>
    expect(effectOf({ type: 'resync', data: { seq: 9 } })).toEqual({ kind: 'everything', seq: 9 }));
  it('refetches search results after indexing', () =>
    expect(effectOf({ type: 'search_indexing_complete', seq: 2, data: { file_id: id } })).toMatchObject({
      keys: [['search'], ['file', id], ['timeline', id], ['voices']],
    }));
  it('refetches the voices of all recordings when a file is completed', () =>
    expect(effectOf({ type: 'file_updated', seq: 1, data: { file_id: id, status: 'completed' } })).toMatchObject({
      keys: [['files'], ['file', id], ['timeline', id], ['voices']],
    }));
});

describe('parsePush', () => {
  it('accepts every message type of the contracts', () => {
    const types = pushMessage.options.map((option) => option.shape.type.value);
    expect(types.map((type) => parsePush(JSON.stringify({ type, data: {} }))?.type)).toEqual(types);
  });
  it.each(['', '{', '[]', '{"type":"unknown","data":{}}', '{"type":"pong"}', '{"type":"pong","data":3}'])(
    'drops the frame %p',
    (frame) => expect(parsePush(frame)).toBeNull(),
  );
  it('drops a binary frame', () => expect(parsePush(new ArrayBuffer(2))).toBeNull());
});

describe('backOff', () => {
  it('doubles with every attempt, up to 20 seconds', () =>
    expect([0, 1, 2, 5, 50].map((attempt) => backOff(attempt, 1))).toEqual([500, 1000, 2000, 16_000, 20_000]));
  it('adds jitter', () => expect([backOff(3, 0), backOff(3, 0.5)]).toEqual([2400, 3200]));
});
