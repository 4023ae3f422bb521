import { describe, expect, it } from '@jest/globals';
import { termOf } from './vocabulary-queries.ts';

describe('a replacement that is offered for the vocabulary', () => {
  it.each([
    ['cube', ' Kubernetes ', 'Kubernetes'],
    ['ada', 'Ada Lovelace', 'Ada Lovelace'],
    ['kubernetes', 'Kubernetes', null],
    ['cube', '', null],
    ['cube', '42', null],
    ['cube', 'this is a whole sentence', null],
    ['cube', 'x'.repeat(81), null],
  ])('of %p by %p is %p', (find, replacement, term) => expect(termOf(find, replacement)).toBe(term));
});
