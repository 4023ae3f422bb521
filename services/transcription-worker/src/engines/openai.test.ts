import { describe, expect, it } from '@jest/globals';
import { growthOf, linearGrowth } from '@overtone/testkit/growth';
import { wordsOfAnswer, type VerboseAnswer } from './openai.ts';

type Timed = NonNullable<VerboseAnswer['words']>[number];

function timed(text: string, more: Partial<Timed> = {}): Timed[] {
  return text.split(' ').map((word, i) => ({ word, start: i * 0.5, end: i * 0.5 + 0.4, ...more }));
}
function answerOf(text: string, words: readonly Timed[]): VerboseAnswer {
  return { text, words: [...words], segments: [{ start: 0, end: 60, text }] };
}
function texts(answer: VerboseAnswer): string[] {
  return wordsOfAnswer(answer, { start: 0, end: 60 }).words.map(({ word }) => word);
}

describe('words of a speech server', () => {
  it('are aligned in linear time with a text whose letters never agree', async () => {
    const hostile = (size: number) => answerOf('aa '.repeat(size).trim(), timed(`aaa${' aa'.repeat(size)}`));
    expect(await growthOf(hostile, 4_000, texts)).toBeLessThan(linearGrowth);
  });

  it('get the punctuation and capitals of the text', () => {
    expect(texts(answerOf('Good morning, Peter.', timed('good morning peter')))).toEqual([
      'Good',
      'morning,',
      'Peter.',
    ]);
  });

  it.each([
    ['a well-known writer, he said.', 'a well known writer he said', ['a', 'well-known', 'writer,', 'he', 'said.']],
    ['It is twenty percent, Sir.', 'it is 20 percent sir', ['It', 'is', 'twenty', 'percent,', 'Sir.']],
    ['We paid 20 dollars. Really?', 'we paid twenty one dollars really', ['We', 'paid', '20', 'dollars.', 'Really?']],
    ['So - yes. Good.', 'so yes good', ['So', '- yes.', 'Good.']],
    ['Ten. Not said', 'ten', ['Ten.']],
    ['', 'ten words', ['ten', 'words']],
  ])('keep the punctuation of %p around a difference', (text, words, expected) => {
    expect(texts(answerOf(text, timed(words))).join(' ')).toBe(expected.join(' '));
  });

  it('keep the punctuation of the other segments when one differs altogether', () => {
    const words = [
      ...timed('one two'),
      ...timed('good morning').map((word) => ({ ...word, start: word.start + 10, end: word.end + 10 })),
    ];
    const segments = [
      { start: 0, end: 5, text: 'Entirely different words.' },
      { start: 10, end: 12, text: 'Good morning.' },
    ];
    expect(texts({ text: '', words, segments }).slice(-2)).toEqual(['Good', 'morning.']);
  });

  it('of a script without spaces keep their times and get the punctuation of the text', () => {
    const words = timed('今 天 天 气 很 好 我 们 去 公 园');
    const found = wordsOfAnswer(answerOf('今天天气很好，我们去公园。', words), { start: 0, end: 60 }).words;
    expect(found.map(({ word }) => word)).toEqual([
      '今',
      '天',
      '天',
      '气',
      '很',
      '好，',
      '我',
      '们',
      '去',
      '公',
      '园。',
    ]);
    expect(found.map(({ start }) => start)).toEqual(words.map(({ start }) => start));
  });

  it('join a part without a space to the word before it when the server sends spaces', () => {
    const words = [' don', "'t", ' panic'].map((word, i) => ({ word, start: i, end: i + 0.5 }));
    const found = wordsOfAnswer(answerOf("Don't panic!", words), { start: 0, end: 60 }).words;
    expect(found).toMatchObject([
      { word: "Don't", start: 0, end: 1.5 },
      { word: 'panic!', start: 2 },
    ]);
  });

  it('have the probability of the word, else that of the segment', () => {
    const segments = [{ start: 0, end: 60, text: 'Good morning.', avg_logprob: -0.5 }];
    const words = timed('good morning');
    const [first] = words;
    if (first) first.probability = 0.9;
    const found = wordsOfAnswer({ text: '', words, segments }, { start: 0, end: 60 }).words;
    expect(found.map(({ confidence }) => confidence)).toEqual([0.9, Math.exp(-0.5)]);
  });

  it('are left out where the model takes the segment for silence', () => {
    const segments = [{ start: 0, end: 60, text: 'Thank you.', avg_logprob: -1.1, no_speech_prob: 0.9 }];
    expect(texts({ text: 'Thank you.', words: timed('thank you'), segments })).toEqual([]);
    expect(texts({ text: 'Thank you.', segments })).toEqual([]);
  });

  it('are shifted to the piece of the recording', () => {
    const [word] = wordsOfAnswer(answerOf('Yes.', timed('yes')), { start: 600, end: 660 }).words;
    expect(word).toMatchObject({ word: 'Yes.', start: 600, end: 600.4 });
  });
});
