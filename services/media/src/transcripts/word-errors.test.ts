import { describe, expect, it } from '@jest/globals';
import { comparableWords, countWordErrors, type TextPassage } from './word-errors.ts';

function passages(...texts: string[]): TextPassage[] {
  return texts.map((text, i) => ({ id: String(i), text }));
}

/** The distance by its definition, for comparison. */
function reference(left: string[], right: string[]): number {
  const [[first, ...restLeft], [other, ...restRight]] = [left, right];
  if (first === undefined || other === undefined) return left.length + right.length;
  if (first === other) return reference(restLeft, restRight);
  return 1 + Math.min(reference(restLeft, right), reference(left, restRight), reference(restLeft, restRight));
}

describe('the word errors of a transcript', () => {
  it('are substitutions, insertions and deletions over the words of the corrected text', async () => {
    expect(await countWordErrors(passages('so we be gin now'), passages('so we begin now'))).toEqual({
      words: 4,
      errors: 2,
    });
    expect(await countWordErrors(passages('the cat sat'), passages('a cat sat down'))).toEqual({ words: 4, errors: 2 });
  });

  it('are the fewest that explain the difference', async () => {
    let seed = 7;
    const next = (limit: number): number => (seed = (seed * 48_271) % 2_147_483_647) % limit;
    const text = (): string => Array.from({ length: next(6) }, () => 'abc'[next(3)]).join(' ');
    for (let i = 0; i < 100; i += 1) {
      const [left, right] = [text(), text()];
      const counted = (await countWordErrors(passages(left), passages(right)))?.errors ?? 0;
      expect({ left, right, counted }).toEqual({
        left,
        right,
        counted: reference(left.split(' ').filter(Boolean), right.split(' ').filter(Boolean)),
      });
    }
  });

  it('leave out case and punctuation', async () => {
    expect(await countWordErrors(passages('well dont know the us'), passages('Well, don’t know: the U.S.!'))).toEqual({
      words: 5,
      errors: 0,
    });
  });

  it('are none where nothing was corrected, also when passages were split, merged or given to another speaker', async () => {
    expect(await countWordErrors(passages('one two three'), passages('one two three'))).toBeNull();
    const split = [
      { id: '0', text: 'one' },
      { id: 'new', text: 'two three' },
    ];
    expect(await countWordErrors(passages('one two three'), split)).toBeNull();
  });

  it('count characters where words are not separated by spaces', async () => {
    expect(comparableWords('今日は good ดี')).toEqual(['今', '日', 'は', 'good', 'ดี']);
    expect(await countWordErrors(passages('今日わ晴れ'), passages('今日は晴れ。'))).toEqual({ words: 5, errors: 1 });
  });

  it('are all words of a passage that was inserted, and of one that was deleted', async () => {
    const before = passages('one two', 'three four five', 'six');
    const after = [before[0], before[2], { id: 'new', text: 'seven' }].map((passage) => passage as TextPassage);
    expect(await countWordErrors(before, after)).toEqual({ words: 4, errors: 4 });
    expect(await countWordErrors(before, [])).toEqual({ words: 0, errors: 6 });
  });

  it('of many words of which each passage was corrected are counted in pieces', async () => {
    const words = Array.from({ length: 20 }, (_, i) => `word${i}`);
    const before = Array.from({ length: 500 }, (_, i) => ({ id: String(i), text: [...words, `p${i}`].join(' ') }));
    const after = before.map(({ id, text }) => ({ id, text: text.replace('word3 ', 'other ') }));
    expect(await countWordErrors(before, after)).toEqual({ words: 10_500, errors: 500 });
  });

  it('of a text that is too long to compare are all of its words', async () => {
    const text = (word: string): string => Array.from({ length: 5_000 }, (_, i) => `${word}${i}`).join(' ');
    expect(await countWordErrors(passages(text('a')), passages(text('b')))).toEqual({ words: 5_000, errors: 5_000 });
  });
});
