import { describe, expect, it } from '@jest/globals';
import { together } from './bus-rights.ts';

describe('rights of two versions', () => {
  it('are the union of this version and the previous one, without duplicates', () => {
    const now = { media: { publish: ['a', 'b'], subscribe: ['x'] }, identity: { publish: ['i'], subscribe: [] } };
    const before = { media: { publish: ['b', 'c'], subscribe: ['y'], allowResponses: true } };
    expect(together(now, before)).toEqual({
      media: { publish: ['a', 'b', 'c'], subscribe: ['x', 'y'], allowResponses: true },
      identity: { publish: ['i'], subscribe: [], allowResponses: false },
    });
  });

  it('are none for a removed user', () => {
    expect(together({}, { gone: { publish: ['>'], subscribe: ['>'] } })).toEqual({});
  });
});
