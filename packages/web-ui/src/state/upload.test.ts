import { describe, expect, it } from '@jest/globals';
import {
  fromStore,
  isSameFile,
  needsThisPage,
  newUpload,
  readProblem,
  reduceUpload,
  refusal,
  secondsLeft,
  titleFrom,
  toStore,
  type Upload,
  type UploadEvent,
} from './upload.ts';

const options = { title: 'T', language: '', minSpeakers: null, maxSpeakers: null, allowDuplicate: false };
const file = { name: 'a.wav', size: 1000, lastModified: 7 };

function after(...events: UploadEvent[]): Upload {
  return events.reduce(reduceUpload, newUpload('1', file, options));
}

const start = { type: 'start' } as const;

describe('reduceUpload', () => {
  it('sends, pauses and resumes', () => {
    const sending = [start, { type: 'progress', sent: 300, at: 0 }, { type: 'pause' }] as const;
    expect(after(...sending).phase.name).toBe('paused');
    expect(after(...sending, { type: 'resume' })).toMatchObject({ phase: { name: 'queued' }, sent: 300 });
  });
  it('stays paused when a late progress arrives', () =>
    expect(after(start, { type: 'pause' }, { type: 'progress', sent: 500, at: 1 }).phase.name).toBe('paused'));
  it('continues automatically after the connection was lost', () =>
    expect(after(start, { type: 'connection_lost' }, { type: 'progress', sent: 10, at: 1 }).phase.name).toBe(
      'sending',
    ));
  it('keeps the sent bytes for a retry', () =>
    expect(
      after(
        start,
        { type: 'located', url: '/u' },
        { type: 'fail', message: 'm', code: null, retryable: true },
        { type: 'retry' },
      ),
    ).toMatchObject({ phase: { name: 'queued' }, url: '/u' }));
  it('restarts when a duplicate is uploaded anyway', () =>
    expect(
      after(
        start,
        { type: 'located', url: '/u' },
        { type: 'duplicate', existing: 'x', message: 'm' },
        { type: 'upload_anyway' },
      ),
    ).toMatchObject({
      phase: { name: 'queued' },
      sent: 0,
      url: null,
      options: { allowDuplicate: true },
    }));
  it('ends with all bytes sent', () =>
    expect(after(start, { type: 'done', fileId: 'f' })).toMatchObject({
      phase: { name: 'done', fileId: 'f' },
      sent: 1000,
    }));
  it('does not start twice', () => expect(after(start, { type: 'done', fileId: null }, start).phase.name).toBe('done'));
});

describe('the speed of an upload', () => {
  it('is measured over at least half a second', () => {
    const early = after(start, { type: 'progress', sent: 0, at: 0 }, { type: 'progress', sent: 100, at: 400 });
    expect(early.speed).toBeNull();
    const later = reduceUpload(early, { type: 'progress', sent: 200, at: 1000 });
    expect(later.speed).toBe(200);
    expect(secondsLeft(later)).toBe(4);
  });
  it('is reset by a pause', () =>
    expect(
      after(start, { type: 'progress', sent: 0, at: 0 }, { type: 'progress', sent: 100, at: 1000 }, { type: 'pause' })
        .speed,
    ).toBeNull());
});

describe('fromStore', () => {
  it('restores unfinished uploads, which need their file', () => {
    const kept = fromStore(
      JSON.stringify(
        toStore([after(start, { type: 'located', url: '/u' }), after(start, { type: 'done', fileId: null })]),
      ),
    );
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatchObject({ phase: { name: 'needs_file' }, url: '/u' });
  });
  it.each([null, '', '{', '{"a":1}'])('restores nothing from the stored text %p', (text) =>
    expect(fromStore(text)).toEqual([]),
  );
  it('matches an upload only with the identical file', () => {
    expect(isSameFile(file, { ...file })).toBe(true);
    expect(isSameFile(file, { ...file, size: 1001 })).toBe(false);
  });
});

describe('refusal', () => {
  const limits = { max_bytes: 5000, accept: ['audio/*', 'video/mp4', '.opus'] };
  it.each([
    [{ ...file, type: 'audio/wav' }, null],
    [{ ...file, type: 'video/mp4' }, null],
    [{ ...file, name: 'x.OPUS', type: 'application/ogg' }, null],
    [{ ...file, type: '' }, null],
    [{ ...file, type: 'application/pdf' }, 'not_media'],
    [{ ...file, type: 'audio/wav', size: 5001 }, 'too_large'],
    [{ ...file, type: 'audio/wav', size: 0 }, 'This file is empty.'],
  ])('for %j is %p', (candidate, reason) => expect(refusal(candidate, limits)).toBe(reason));
  it('refuses an empty file even before the limits are known', () =>
    expect(refusal({ ...file, type: 'audio/wav', size: 0 }, undefined)).not.toBeNull());
});

describe('needsThisPage', () => {
  const failed = (retryable: boolean) => ({ type: 'fail', message: 'm', code: null, retryable }) as const;
  it.each([
    ['a queued upload', true, after()],
    ['a running upload', true, after(start)],
    ['an upload that waits for the connection', true, after(start, { type: 'connection_lost' })],
    ['a paused upload', true, after(start, { type: 'pause' })],
    ['a duplicate', true, after(start, { type: 'duplicate', existing: null, message: 'm' })],
    ['a failed upload that can be retried', true, after(start, failed(true))],
    ['a refused upload', false, after(start, failed(false))],
    ['a finished upload', false, after(start, { type: 'done', fileId: null })],
  ] as const)('for %s is %p', (_, expected, upload) => expect(needsThisPage(upload)).toBe(expected));
});

describe('readProblem', () => {
  it('is null for a readable file', async () => expect(await readProblem(new File(['a'], 'a.wav'))).toBeNull());
  it('names a file that cannot be read', async () => {
    const unreadable = {
      name: 'a.wav',
      slice: () => ({ arrayBuffer: () => Promise.reject(new Error('NotFoundError')) }),
    };
    const problem = await readProblem(unreadable as unknown as File);
    expect(problem).toMatchObject({
      code: 'file_unreadable',
      message: expect.stringContaining('“a.wav” couldn’t be read'),
    });
  });
});

it('makes a title of a file name', () =>
  expect([titleFrom('board_meeting.final.mp3'), titleFrom('.mp3')]).toEqual(['board meeting.final', '.mp3']));
