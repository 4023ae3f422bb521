import { describe, expect, it } from '@jest/globals';
import { repeatedSpellings } from './vocabulary.ts';

const none: ReadonlySet<string> = new Set();

describe('spellings that were corrected', () => {
  it('are named when they were corrected twice, the most frequent first', () => {
    const texts = [
      { before: 'we run cube and postgrass', after: 'we run Kubernetes and PostgreSQL' },
      { before: 'the cooper netties cluster', after: 'the Kubernetes cluster' },
      { before: 'coopers, and post grass', after: 'Kubernetes, and PostgreSQL.' },
      { before: 'one errer', after: 'one error' },
    ];
    expect(repeatedSpellings(texts, none)).toEqual(['Kubernetes', 'PostgreSQL']);
  });

  it('are counted by place, also within one text', () => {
    expect(repeatedSpellings([{ before: 'kuber or kuber', after: 'Kubernetes or Kubernetes' }], none)).toEqual([
      'Kubernetes',
    ]);
  });

  it('are left out when they are known, differ in case or punctuation only, are short, added, or sentences', () => {
    const twice = (before: string, after: string) => [
      { before, after },
      { before, after },
    ];
    expect(repeatedSpellings(twice('run kuber now', 'run Kubernetes now'), new Set(['kubernetes']))).toEqual([]);
    expect(repeatedSpellings(twice('hello kubernetes', 'hello, Kubernetes'), none)).toEqual([]);
    expect(repeatedSpellings(twice('so teh end', 'so the end'), none)).toEqual([]);
    expect(repeatedSpellings(twice('so end', 'so Kubernetes end'), none)).toEqual([]);
    expect(repeatedSpellings(twice('so x end', 'so this is a whole sentence end'), none)).toEqual([]);
    expect(repeatedSpellings(twice('call 1234', 'call 12345'), none)).toEqual([]);
  });

  it('are not looked for in texts that have little in common', () => {
    const text = (word: string): string => Array.from({ length: 30_000 }, (_, i) => `${word}${i}`).join(' ');
    expect(repeatedSpellings([{ before: text('one'), after: text('other') }], none)).toEqual([]);
  });
});
