// 100,000 changes; the pure ring makes 1,600.
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { randomFrom, testSeed } from '@overtone/testkit/seed';
import { simulate } from '../../../test/editor/several-editors.ts';

// The pauses of saving: the simulation says itself when something is saved.
beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it.each(Array.from({ length: 250 }, (_, i) => i))(
  'five editors whose connections fail end with the same text, and no word is lost or doubled (%i)',
  async (round) => {
    const random = randomFrom(testSeed * 1_000 + round);
    const { texts, documents, lost, doubled } = await simulate({ editors: 5, changes: 400, passages: 12, random });
    for (const document of documents) expect(document).toEqual(texts);
    expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
  },
);
