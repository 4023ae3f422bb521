import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createProgress, everyMs, type Live } from './progress.ts';

const live = (value: number, fileId = 'f'): Live => ({
  fileId,
  ownerId: 'o',
  message: {
    type: 'transcription_status',
    data: { file_id: fileId, stage: 'transcribe', progress: value, message: '', eta_seconds: null },
  },
});
const valueOf = (l: Live) => (l.message.type === 'transcription_status' ? l.message.data.progress : undefined);

describe('progress', () => {
  let told: (number | undefined)[];
  let progress: ReturnType<typeof createProgress>;
  beforeEach(() => {
    jest.useFakeTimers();
    told = [];
    progress = createProgress({ emit: (l) => told.push(valueOf(l)) });
  });
  afterEach(() => void jest.useRealTimers());

  test('is told at most four times a second and file, and the last value always', () => {
    for (let i = 1; i <= 100; i += 1) {
      progress.push(live(i));
      jest.advanceTimersByTime(10);
    }
    jest.advanceTimersByTime(everyMs);
    expect(told.length).toBeLessThanOrEqual(6);
    expect(told.at(-1)).toBe(100);
  });
  test('of one file does not hold back another', () => {
    progress.push(live(1, 'a'));
    progress.push(live(2, 'b'));
    expect(told).toEqual([1, 2]);
  });
  test('is not told any more when the file is settled', () => {
    progress.push(live(1));
    progress.push(live(2));
    progress.settle('f');
    jest.advanceTimersByTime(1_000);
    expect(told).toEqual([1]);
    expect(progress.latestOf('o')).toEqual([]);
  });
  test('that comes late, after the file is settled, is not told; that of a new run is', () => {
    progress.push(live(1));
    progress.settle('f');
    progress.push(live(99));
    expect(progress.latestOf('o')).toEqual([]);
    jest.advanceTimersByTime(3_000);
    progress.push(live(2));
    expect(told).toEqual([1, 2]);
  });
  test('is kept for newcomers while it holds', () => {
    progress.push(live(1));
    progress.push(live(2));
    expect(progress.latestOf('o').map(valueOf)).toEqual([2]);
    expect(progress.latestOf('somebody else')).toEqual([]);
    jest.advanceTimersByTime(60_000);
    expect(progress.latestOf('o')).toEqual([]);
  });
});
