import { describe, expect, it } from '@jest/globals';
import { unfinishedOperator } from './search-operators.ts';

describe('the unfinished operator of a search text', () => {
  it('is the one at its end whose value is being typed', () => {
    expect(unfinishedOperator('plan -TAG:"Board r')).toEqual({ at: 5, minus: '-', operator: 'tag', typed: 'Board r' });
    expect(unfinishedOperator('before:')).toEqual({ at: 0, minus: '', operator: 'before', typed: '' });
  });

  it('reads a doubled quote as one of the name', () => {
    expect(unfinishedOperator('tag:"the ""big""')).toMatchObject({ typed: 'the "big"' });
    expect(unfinishedOperator('tag:"the ""big"" plan"')).toBeNull();
    expect(unfinishedOperator('tag:""')).toBeNull();
  });

  it('is none after a complete value, and inside a word', () => {
    expect(unfinishedOperator('tag:"Board room"')).toBeNull();
    expect(unfinishedOperator('tag:board plan')).toBeNull();
    expect(unfinishedOperator('begin:bo')).toBeNull();
  });
});
