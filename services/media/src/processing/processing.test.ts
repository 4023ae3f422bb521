import { describe, expect, it } from '@jest/globals';
import type { Word } from '@overtone/contracts';
import { compareRun, statusAtStart, toProblem } from './processing.ts';
import { keepEdits, provisionalSegments, type EditedSegment, type NewSegment } from './segments.ts';

const noon = new Date('2026-01-01T12:00:00Z');

function at(minutes: number): Date {
  return new Date(noon.getTime() + minutes * 60_000);
}

function wordsOf(text: string, start: number): Word[] {
  return text.split(' ').map((word, i) => ({ word, start: start + i, end: start + i + 0.9, confidence: 0.5 }));
}

function segment(start: number, text: string, speaker: number): NewSegment {
  const words = wordsOf(text, start);
  return { start, end: words.at(-1)?.end ?? start, speaker, text, confidence: 0.5, words };
}

describe('an event of a run', () => {
  it('belongs to the current run, a newer one, or an older one', () => {
    const file = { runId: 'b', runOpenedAt: noon };
    expect(compareRun(file, { runId: 'b', time: at(-5) })).toBe('current');
    expect(compareRun(file, { runId: 'c', time: at(1) })).toBe('newer');
    expect(compareRun(file, { runId: 'a', time: at(-1) })).toBe('obsolete');
    expect(compareRun({ runId: null, runOpenedAt: null }, { runId: 'a', time: at(-1) })).toBe('newer');
    expect(compareRun({ runId: null, runOpenedAt: noon }, { runId: 'a', time: at(-1) })).toBe('obsolete');
  });
});

describe('the start of a stage', () => {
  it('advances a file, never moves it back and never changes a settled one', () => {
    expect(statusAtStart({ status: 'queued', stage: null }, 'prepare')).toBe('processing');
    expect(statusAtStart({ status: 'processing', stage: 'prepare' }, 'transcribe')).toBe('transcribing');
    expect(statusAtStart({ status: 'transcribing', stage: 'transcribe' }, 'transcribe')).toBe('transcribing');
    expect(statusAtStart({ status: 'processing', stage: 'assemble' }, 'transcribe')).toBeNull();
    for (const status of ['completed', 'error', 'cancelled', 'cancelling']) {
      expect(statusAtStart({ status, stage: null }, 'index')).toBeNull();
    }
  });
});

describe('a failure', () => {
  it('always has an advice', () => {
    const known = toProblem({ code: 'media_no_audio', message: 'No sound.', retryable: false });
    expect(known).toMatchObject({ code: 'media_no_audio', message: 'No sound.', retryable: false });
    const advice = [true, false].map((retryable) => toProblem({ code: 'new', message: '', retryable }).what_to_do);
    expect(advice[0]).toContain('again');
    expect(advice[1]).toContain('Check the recording');
  });
});

describe('a provisional transcript', () => {
  it('is split at pauses and before a segment becomes too long', () => {
    const words = [
      ...wordsOf('one two', 0),
      ...wordsOf('three', 10),
      ...wordsOf(Array(100).fill('word').join(' '), 20),
    ];
    const segments = provisionalSegments({ words });
    expect(segments.slice(0, 2).map(({ text, start, end, speaker }) => [text, start, end, speaker])).toEqual([
      ['one two', 0, 1.9, null],
      ['three', 10, 10.9, null],
    ]);
    expect(segments.flatMap((segment) => segment.words)).toEqual(words);
    expect(segments.every((segment) => segment.end - segment.start <= 20)).toBe(true);
    expect(provisionalSegments({ words: [] })).toEqual([]);
  });

  it('has no spaces between words of a script without spaces', () => {
    const [segment] = provisionalSegments({ words: wordsOf('今 天 很 好。 再 见', 0) });
    expect(segment?.text).toBe('今天很好。 再见');
    expect(segment?.words.map(({ word, start }) => [word, start])).toEqual([
      ['今天很好。', 0],
      ['再见', 4],
    ]);
  });
});

describe("a user's edit during a run", () => {
  const fresh = [segment(0, 'a b c d', 0), segment(4, 'e f g h', 1)];
  const edit = (start: number, end: number): EditedSegment => ({
    keptId: 'kept',
    start,
    end,
    text: 'edited',
    words: [],
    confidence: null,
    version: 2,
    editedAt: null,
    editedBy: null,
  });

  it("replaces the run's words in its time range, with the main speaker of that range", () => {
    const merged = keepEdits(fresh, [edit(1, 4.9)]);
    expect(merged.map(({ text, speaker }) => [text, speaker])).toEqual([
      ['a', 0],
      ['edited', 0],
      ['f g h', 1],
    ]);
    expect(merged[1]).toMatchObject({ keptId: 'kept', version: 2 });
    expect(merged[2]).toMatchObject({ start: 5, end: 7.9 });
  });

  it('keeps both ends of a segment that contains it', () => {
    expect(keepEdits(fresh, [edit(1, 2.9)]).map(({ text }) => text)).toEqual(['a', 'edited', 'd', 'e f g h']);
  });

  it('leaves the transcript unchanged when there is none', () => {
    expect(keepEdits(fresh, [])).toBe(fresh);
  });

  it('is inserted where the run found no words', () => {
    expect(keepEdits([], [edit(1, 2)])).toMatchObject([{ text: 'edited', speaker: null }]);
  });
});
