import { afterEach, beforeEach, describe, expect, jest, it } from '@jest/globals';
import { createProgress, intervalMs, type Live } from './progress.ts';

function live(value: number, fileId = 'f'): Live {
  return {
    fileId,
    ownerId: 'o',
    message: {
      type: 'transcription_status',
      data: { file_id: fileId, stage: 'transcribe', progress: value, message: '', eta_seconds: null },
    },
  };
}

function valueOf(update: Live) {
  return update.message.type === 'transcription_status' ? update.message.data.progress : undefined;
}

describe('progress', () => {
  let emitted: (number | undefined)[];
  let progress: ReturnType<typeof createProgress>;
  beforeEach(() => {
    jest.useFakeTimers();
    emitted = [];
    progress = createProgress({ emit: (value) => emitted.push(valueOf(value)) });
  });
  afterEach(() => void jest.useRealTimers());

  it('is emitted at most four times a second per file, always including the last value', () => {
    for (let i = 1; i <= 100; i += 1) {
      progress.push(live(i));
      jest.advanceTimersByTime(10);
    }
    jest.advanceTimersByTime(intervalMs);
    expect(emitted.length).toBeLessThanOrEqual(6);
    expect(emitted.at(-1)).toBe(100);
  });
  it('is limited for each file separately', () => {
    progress.push(live(1, 'a'));
    progress.push(live(2, 'b'));
    expect(emitted).toEqual([1, 2]);
  });
  it('is not emitted after the file is settled', () => {
    progress.push(live(1));
    progress.push(live(2));
    progress.settle('f');
    jest.advanceTimersByTime(1_000);
    expect(emitted).toEqual([1]);
    expect(progress.latestOf('o')).toEqual([]);
  });
  it('is dropped shortly after the file is settled, and emitted again for a new run', () => {
    progress.push(live(1));
    progress.settle('f');
    progress.push(live(99));
    expect(progress.latestOf('o')).toEqual([]);
    jest.advanceTimersByTime(3_000);
    progress.push(live(2));
    expect(emitted).toEqual([1, 2]);
  });
  it('is kept for new connections while it is current', () => {
    progress.push(live(1));
    progress.push(live(2));
    expect(progress.latestOf('o').map(valueOf)).toEqual([2]);
    expect(progress.latestOf('another user')).toEqual([]);
    jest.advanceTimersByTime(60_000);
    expect(progress.latestOf('o')).toEqual([]);
  });
});
