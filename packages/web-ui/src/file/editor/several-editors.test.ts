import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { randomFrom, testSeed } from '@overtone/testkit/seed';
import { nothingWrong, simulate } from '../../../test/editor/several-editors.ts';

// Time passes only where the simulation lets it pass.
beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

// In the last one a join is undone after others have changed its passages.
it.each([1, 2, 3, 4, 39])(
  `five editors who type, undo and lose their connections end with the same transcript, and can undo all of it (seed ${testSeed}, %i)`,
  async (round) => {
    const { stored, documents, counts, ...wrong } = await simulate({
      editors: 5,
      changes: 200,
      passages: 12,
      random: randomFrom(testSeed * 1_000 + round),
      advance: (ms) => jest.advanceTimersByTime(ms),
    });
    expect(wrong).toEqual(nothingWrong);
    for (const document of documents) expect(document).toEqual(stored);
    expect(Object.keys(counts)).toEqual(expect.arrayContaining(['undo', 'split', 'nudge', 'delete passages']));
  },
);
