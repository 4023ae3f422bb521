import { describe, expect, it } from '@jest/globals';
import { joinUnspaced } from './unspaced.ts';

/** Words of 0.2 s, one after the other; `|` is a pause of 0.5 s. */
function spoken(text: string) {
  let at = 0;
  return text.split(' ').flatMap((word) => {
    if (word === '|') at += 0.5;
    if (word === '|') return [];
    at += 0.2;
    return [{ word, start: at - 0.2, end: at, confidence: 0.5 }];
  });
}
function phrases(text: string): string {
  return joinUnspaced(spoken(text))
    .map(({ word }) => word)
    .join(' ');
}

describe('words of scripts without spaces', () => {
  it.each([
    ['今 天 天 气 很 好， 我 们 去 公 园。 好', '今天天气很好， 我们去公园。 好'],
    ['メ ー ル を 送 り ま し た。', 'メールを送りました。'],
    ['彼 は 「は い」 と', '彼は「はい」 と'],
    ['今 天 | 很 好', '今天 很好'],
    ['ส วั ส ดี | ครับ', 'สวัสดี ครับ'],
    ['我 有 3 个 iPhone 手 机', '我有 3 个 iPhone 手机'],
    ['太 好 了！ 是 吗？', '太好了！ 是吗？'],
  ])('%p are the phrases %p', (text, expected) => {
    expect(phrases(text)).toBe(expected);
  });

  it.each(['so it is', 'это так', '안녕 하세요', 'إنه كذلك', 'so -- it'])('%p stay as they are', (text) => {
    expect(phrases(text)).toBe(text);
  });

  it('keep the time from the first to the last character, the mean confidence and the mark of overlapping speech', () => {
    const [first, second, third] = spoken('今 天 好');
    const words = [
      { ...first, confidence: 0.9 },
      { ...second, confidence: null, overlap: true },
      { ...third, confidence: 0.5 },
    ] as ReturnType<typeof spoken>;
    expect(joinUnspaced(words)).toEqual([
      { word: '今天好', start: 0, end: expect.closeTo(0.6, 5), confidence: 0.7, overlap: true },
    ]);
  });

  it('make no phrase of more than 30 characters', () => {
    const long = joinUnspaced(spoken(Array.from({ length: 100 }, () => '好').join(' ')));
    expect(long.map(({ word }) => word.length)).toEqual([30, 30, 30, 10]);
  });
});
