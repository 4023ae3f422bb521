import { describe, expect, it } from '@jest/globals';
import { accessText, lastEditText } from './access-labels.ts';

describe('the access of a recording', () => {
  it.each([
    ['owner', null, false, null],
    ['owner', null, true, 'shared'],
    ['owner', 'Ann', true, 'owner: Ann'],
    ['viewer', 'Ann', true, 'shared by Ann, can view'],
    ['editor', null, true, 'shared with you, can edit'],
  ] as const)('of %s, owner %p, shared %p, is %p', (permission, owner, isShared, text) => {
    expect(accessText({ my_permission: permission, owner_name: owner, is_shared: isShared })).toBe(text);
  });
});

describe('the last edit of a recording', () => {
  const edit = { last_edited_by: 'eve', last_edited_by_name: 'Eve', last_edited_at: new Date().toISOString() };
  it('names another person', () => expect(lastEditText(edit, 'ann')).toBe('edited by Eve just now'));
  it('is left out for the reader’s own edit', () => expect(lastEditText(edit, 'eve')).toBeNull());
  it('is left out before the first edit', () =>
    expect(lastEditText({ last_edited_by: null, last_edited_by_name: null, last_edited_at: null }, 'ann')).toBeNull());
});
