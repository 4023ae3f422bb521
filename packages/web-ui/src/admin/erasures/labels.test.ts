import { describe, expect, it } from '@jest/globals';
import { countRows } from './labels.ts';

describe('the counts of an erasure', () => {
  it('are listed in a fixed order, without kinds of which there are none', () => {
    expect(countRows({ tags: 2, accounts: 1, files: 1_200, shares: 0, something_new: 4 })).toEqual([
      ['Account', '1'],
      ['Recordings with transcripts', '1,200'],
      ['Tags', '2'],
    ]);
  });
});
