// 100,000 changes by one to five editors; the pure ring makes 800.
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { randomFrom, testSeed } from '@overtone/testkit/seed';
import { nothingWrong, simulate } from '../../../test/editor/several-editors.ts';

// Time passes only where the simulation lets it pass.
beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it.each(Array.from({ length: 250 }, (_, i) => i))(
  `editors who type, undo and lose their connections end with the same transcript, in which no word is lost, twice or moved and which can be undone (seed ${testSeed}, %i)`,
  async (round) => {
    const {
      stored,
      documents,
      counts: _,
      ...wrong
    } = await simulate({
      editors: 1 + (round % 5),
      changes: 400,
      passages: 12,
      random: randomFrom(testSeed * 1_000 + round),
      advance: (ms) => jest.advanceTimersByTime(ms),
    });
    expect(wrong).toEqual(nothingWrong);
    for (const document of documents) expect(document).toEqual(stored);
  },
);
