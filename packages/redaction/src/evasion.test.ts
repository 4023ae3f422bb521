import { describe, expect, it } from '@jest/globals';
import { detectIn } from './detect.ts';

/** What must be hidden stands between « and »; a passage ends at |. */
const texts: Readonly<Record<string, readonly string[]>> = {
  'digits with other signs between them, or written to a word': [
    'card «4111-1111-1111-1111» ok',
    'card «4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1» ok',
    'card «4111–1111–1111–1111» ok',
    'card «4111—1111—1111—1111»',
    'card «4111 - 1111 - 1111 - 1111»',
    'card «4111.1111.1111.1111»',
    'card «4111_1111_1111_1111»',
    'card «4111/1111/1111/1111»',
    'card «4111, 1111, 1111, 1111»',
    'card «4111,1111,1111,1111»',
    'card «4111:1111:1111:1111»',
    'card «4111;1111;1111;1111»',
    'card «4111...1111...1111...1111»',
    'card «4111 … 1111 … 1111 … 1111»',
    'card «4111*1111*1111*1111»',
    'card «4111+1111+1111+1111»',
    'card «4111~1111~1111~1111»',
    'card «4111•1111•1111•1111»',
    'card «(4111) (1111) (1111) (1111)»',
    'card «[4111] [1111] [1111] [1111]»',
    'card «"4111" "1111" "1111" "1111"»',
    'card #«4111111111111111»',
    'card no.«4111111111111111»',
    'card:«4111111111111111»',
    'visa=«4111111111111111»;',
    '«4111\\1111\\1111\\1111»',
  ],
  'signs of other forms, and signs that are not seen': [
    'card «４１１１ １１１１ １１１１ １１１１»',
    'card «٤١١١ ١١١١ ١١١١ ١١١١»',
    'card «𝟒𝟏𝟏𝟏 1111 1111 1111»',
    'card «④①①①①①①①①①①①①①①①»',
    'card «4\ufe0f\u20e31\ufe0f\u20e31\ufe0f\u20e31\ufe0f\u20e3 1111 1111 1111»',
    'card «4111\u00a01111\u00a01111\u00a01111»',
    'card «41\u200b11 11\u200b11 1111 1111»',
    'card «41\u00ad11 1111 1111 1111»',
    'card «4\u03361\u03361\u03361 1111 1111 1111»',
    'card \u202e«4111 1111 1111 1111»',
    'mail «john\u200b@\u200bexample.com»',
    'mail «ｊｏｈｎ＠ｅｘａｍｐｌｅ．ｃｏｍ»',
    'mail «j\u00adohn@exam\u00adple.com»',
    'call «＋１ ４１５ ５５５ ２６７１»',
    'ssn «５３６-９０-４３９９»',
    'ssn «536‑90‑4399»',
    'ssn «536−90−4399»',
  ],
  'values that are divided between passages and speakers': [
    'my card is «4111 1111»|«1111 1111» thanks',
    'my card is «4111 1111»|mhm|«1111 1111» thanks',
    'my card is «four one one one»|okay|«one one one one»|yeah|«one one one one»|got it|«one one one one»',
    'my card is «four one one one»|uh-huh|«one one one one»|right|«one one one one»|go on|«one one one one»',
    'card is «4111 1111»|Yes, go ahead.|«1111 1111»',
    'call me on «415»|yes|«555»|okay|«2671»',
    'my email is «john dot»|«smith at example dot com»',
    'my email is «john»|«at example»|«dot com»',
    'my iban is «DE89 3704 0044»|«0532 0130 00»',
    'my iban is «DE89 3704 0044»|mhm|«0532 0130 00»',
    'ssn is «536»|«90»|«4399»',
    'card is «4111 1111 1111»\n«1111» ok',
    'my name is «Zebulon»|«Quillfeather»',
  ],
  'digits and words in one number': [
    'card «4 one 11 one one one one one one one one one one one one 1»',
    'card «four 111 one1 11 11 11 11 11 1»',
    'card «four-one-one-one one-one-one-one one-one-one-one one-one-one-one»',
    'card «4one11 1111 1111 1111»',
    'card «fourone one one one one one one one one one one one one one one»',
    'card «FOUR ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE»',
    'card «four, one, one, one, one, one, one, one, one, one, one, one, one, one, one, one»',
    'card «four. one. one. one. one. one. one. one. one. one. one. one. one. one. one. one.»',
    'card «4. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1.»',
    'card «4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1»',
    'card «4O12 8888 8888 1881»',
    'card «4l11 1111 1111 1111»',
    'card «41II 1111 1111 1111»',
    'call «four one five five five five two six seven one»',
    'call «4 one five 55 five two 6 seven 1»',
    'card is «4111 and then 1111 and then 1111 and 1111»',
    'card is «4111 um 1111 uh let me see 1111 and finally 1111»',
    'card ending but full «4111 1111 1111 1111», expiry «12 26», code «123»',
    'card «four triple one double one double one double one double one double one double one one»',
  ],
  'addresses in disguise, and letters that are spelled': [
    'mail me at «j o h n at example dot com»',
    'mail «j-o-h-n at example dot com»',
    'mail «j. o. h. n. at example dot com»',
    'mail «J.O.H.N at example dot com»',
    'mail «john (at) example (dot) com»',
    'mail «john [at] example [dot] com»',
    'mail «john{at}example{dot}com»',
    'mail «john(at)example.com»',
    'mail «john[at]example[dot]com»',
    'mail «john AT example DOT com»',
    'mail «john@example dot com»',
    'mail «john at example.com»',
    'mail «john @ example . com»',
    'mail «john at sign example dot com»',
    'mail «john at g mail dot com»',
    'mail «john at example dot c o m»',
    'mail «john at example point com»',
    'mail «john_smith at example dot co dot uk»',
    'write «john underscore smith at example dot com»',
    'mail <«john@example.com»>',
    'mail mailto:«john@example.com»',
    'my name is spelled «z e b u l o n»',
    'the password is «p o r c u p i n e»',
    'my iban is «d e eight nine three seven oh four double oh double four oh five three two oh one three oh oh oh»',
  ],
};
/** Similar texts in which nothing is hidden. */
const harmless = [
  'we measured 415 555 and 2671 microseconds',
  'in 2010 and then 2015 and then 2020 it rained',
  'seven eight nine|yeah|and then we go again|seven eight nine',
  'the ratio is 4:3 and the time is 10:30:15 now',
  'we paid 1,250,000 and then 3,400,000',
  'look @ this . Wow, it works',
  'plan b. it is better than plan c. at last',
  'the options are a b c and d',
];

type Hidden = { passages: string[]; wanted: { passage: number; at: number }[] };

function parse(marked: string): Hidden {
  const wanted: Hidden['wanted'] = [];
  const passages = marked.split('|').map((part, passage) => {
    let [text, inside] = ['', false];
    for (const sign of part) {
      if (sign === '«' || sign === '»') inside = sign === '«';
      else {
        if (inside && /[\p{L}\p{N}]/u.test(sign)) wanted.push({ passage, at: text.length });
        text += sign;
      }
    }
    return text;
  });
  return { passages, wanted };
}

const options = { language: 'en', knownNames: [] };

describe.each(Object.entries(texts))('%s', (_, cases) => {
  it.each(cases)('are hidden in %j', (marked) => {
    const { passages, wanted } = parse(marked);
    const found = detectIn(passages, options);
    const shown = wanted.filter(
      ({ passage, at }) => !found[passage]?.some(({ start, end }) => start <= at && at < end),
    );
    expect(wanted.length).toBeGreaterThan(0);
    expect(shown.map(({ passage, at }) => passages[passage]?.slice(at, at + 1))).toEqual([]);
  });
});

describe('text that only resembles it', () => {
  it.each(harmless)('is left alone: %j', (text) => {
    expect(detectIn(text.split('|'), options).flat()).toEqual([]);
  });
});
