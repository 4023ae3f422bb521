import { describe, expect, it } from '@jest/globals';
import { record } from '../../test/library.ts';
import { chunk } from '../chunking/chunking.ts';
import { digestOf, rowsOf } from './indexing.ts';

describe('the rows of a file', () => {
  const sentence = 'the budget of department number is far too small for us today.';
  const { file, segments } = record({
    title: 'Quarterly report',
    tags: ['Finance'],
    turns: Array.from({ length: 90 }, (_, i): [string, string] => [i % 2 === 0 ? 'Ann' : 'Bob', sentence]),
  });
  const rows = rowsOf(file, chunk(segments), []);
  const of = (kind: string) => rows.filter((row) => row.kind === kind);

  it('contain sections of 400 words, which together are the whole transcript', () => {
    const sections = of('section').map(({ sectionTerms }) => sectionTerms?.split(' ') ?? []);
    expect(sections.map(({ length }) => length)).toEqual([400, 400, 90 * 12 - 800]);
    expect(of('section').every(({ terms, shown, speakers }) => terms === '' && !shown && speakers.length === 0)).toBe(
      true,
    );
  });

  it('contain one digest of the file, with its title, tags and speakers', () => {
    expect(of('file')).toHaveLength(1);
    const terms = of('file')[0]?.fileTerms?.split(' ');
    expect(terms).toEqual(expect.arrayContaining(['quarterli', 'report', 'financ', 'ann', 'bob', 'budget']));
  });

  it('have ids of their own', () => {
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });
});

describe('a digest', () => {
  it('repeats each stem by the logarithm of its number, at most four times', () => {
    const stems = [...Array.from({ length: 100 }, () => 'a'), 'b', 'c', 'c', 'd', 'd', 'd', 'd'];
    expect(digestOf(stems)).toBe('a a a a b c c d d d');
  });
});
