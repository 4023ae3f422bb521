import { describe, expect, it } from '@jest/globals';
import { randomFrom, testSeed } from '@overtone/testkit/seed';
import { mergeTexts } from './merge-texts.ts';

describe('two changes of one text', () => {
  it.each([
    ['of different words', 'one two three', 'ONE two three', 'one two THREE', 'ONE two THREE'],
    ['of one person only', 'one two', 'one two', 'one 2', 'one 2'],
    ['that are the same', 'one two', 'one 2', 'one 2', 'one 2'],
    ['that add at the same place', 'one two', 'one two mine', 'one two theirs', 'one two theirs mine'],
    ['of which one removes and one adds', 'one two three', 'two three', 'one two three four', 'two three four'],
    ['of an empty text', '', 'mine', 'theirs', 'theirs mine'],
  ])('%s become one', (_, old, mine, theirs, merged) => expect(mergeTexts(old, mine, theirs)).toBe(merged));

  it.each([
    ['are of the same word', 'one two', 'one 2', 'one zwei'],
    ['are a removal and a change of the same word', 'one two', 'one', 'one zwei'],
    ['are of a text that is too long', 'x '.repeat(2_001), 'y', 'x'],
  ])('that %s are not merged', (_, old, mine, theirs) => expect(mergeTexts(old, mine, theirs)).toBeNull());

  it('lose no word that one person added, and keep none that one person removed', () => {
    const random = randomFrom(testSeed);
    let merges = 0;
    for (let round = 0; round < 300; round += 1) {
      const old = Array.from({ length: 2 + random(30) }, (_, i) => `w${i}`);
      const change = (who: string) => {
        const added: string[] = [];
        const removed: string[] = [];
        const text = old.flatMap((word, i) => {
          const kind = random(30);
          if (kind === 0) return (removed.push(word), []);
          if (kind > 1) return [word];
          return (added.push(`${who}${i}`), [word, `${who}${i}`]);
        });
        return { added, removed, text: text.join(' ') };
      };
      const [mine, theirs] = [change('a'), change('b')];
      const merged = mergeTexts(old.join(' '), mine.text, theirs.text);
      if (merged === null) continue;
      merges += 1;
      const words = new Set(merged.split(' '));
      for (const word of [...mine.added, ...theirs.added]) expect(words).toContain(word);
      for (const word of [...mine.removed, ...theirs.removed]) expect(words).not.toContain(word);
    }
    expect(merges).toBeGreaterThan(100);
  });
});
