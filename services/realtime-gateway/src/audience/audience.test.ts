import { beforeEach, describe, expect, test } from '@jest/globals';
import { createAudience, type Audience } from './audience.ts';

const file = { fileId: 'f', ownerId: 'owner' };
let audience: Audience;
beforeEach(() => {
  audience = createAudience();
});
const heard = (): string[] => [...audience.of('f')].sort();

describe('who hears of a file besides its owner', () => {
  test('nobody, as long as it is not shared', () => {
    expect(heard()).toEqual([]);
  });
  test('those it is shared with, and the members of its groups, each once', () => {
    audience.setMembership({ userId: 'ann', groupIds: ['g', 'h'], version: 1 });
    audience.setMembership({ userId: 'bob', groupIds: ['h'], version: 1 });
    audience.setMembership({ userId: 'owner', groupIds: ['g'], version: 1 });
    audience.setAccess({ ...file, groupIds: ['g', 'h'], userIds: ['ann', 'eve'], version: 1 });
    expect(heard()).toEqual(['ann', 'bob', 'eve']);
  });
  test('nobody any more who left the group', () => {
    audience.setAccess({ ...file, groupIds: ['g'], userIds: [], version: 1 });
    expect(audience.setMembership({ userId: 'ann', groupIds: ['g'], version: 1 })).toBe(true);
    expect(audience.setMembership({ userId: 'ann', groupIds: [], version: 2 })).toBe(true);
    expect(audience.setMembership({ userId: 'ann', groupIds: ['g'], version: 1 })).toBe(false);
    expect(heard()).toEqual([]);
  });
  test('is told whom a share brings and whom it takes, and not by old news', () => {
    expect(audience.setAccess({ ...file, groupIds: [], userIds: ['ann'], version: 1 })).toEqual({
      gained: ['ann'],
      lost: [],
    });
    expect(audience.setAccess({ ...file, groupIds: [], userIds: ['bob'], version: 3 })).toEqual({
      gained: ['bob'],
      lost: ['ann'],
    });
    expect(audience.setAccess({ ...file, groupIds: [], userIds: ['ann'], version: 2 })).toEqual({
      gained: [],
      lost: [],
    });
    audience.forget('f');
    expect(heard()).toEqual([]);
  });
});
