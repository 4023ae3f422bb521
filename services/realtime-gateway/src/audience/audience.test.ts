import { beforeEach, describe, expect, it } from '@jest/globals';
import { createAudience, type Audience } from './audience.ts';

const file = { fileId: 'f', ownerId: 'owner' };
let audience: Audience;
beforeEach(() => {
  audience = createAudience();
});

function audienceOfFile(): string[] {
  return [...audience.of('f')].sort();
}

describe('audience of a file', () => {
  it('is empty while the file is not shared', () => {
    expect(audienceOfFile()).toEqual([]);
  });
  it('contains the users it is shared with and the members of its groups, each once', () => {
    audience.setMembership({ userId: 'ann', groupIds: ['g', 'h'], version: 1 });
    audience.setMembership({ userId: 'bob', groupIds: ['h'], version: 1 });
    audience.setMembership({ userId: 'owner', groupIds: ['g'], version: 1 });
    audience.setAccess({ ...file, groupIds: ['g', 'h'], userIds: ['ann', 'eve'], version: 1 });
    expect(audienceOfFile()).toEqual(['ann', 'bob', 'eve']);
  });
  it('excludes users who left the group', () => {
    audience.setAccess({ ...file, groupIds: ['g'], userIds: [], version: 1 });
    expect(audience.setMembership({ userId: 'ann', groupIds: ['g'], version: 1 })).toBe(true);
    expect(audience.setMembership({ userId: 'ann', groupIds: [], version: 2 })).toBe(true);
    expect(audience.setMembership({ userId: 'ann', groupIds: ['g'], version: 1 })).toBe(false);
    expect(audienceOfFile()).toEqual([]);
  });
  it('reports users who gain and lose access, and ignores older versions', () => {
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
    expect(audienceOfFile()).toEqual([]);
  });
});
