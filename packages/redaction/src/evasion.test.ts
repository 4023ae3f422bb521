import { describe, expect, it } from '@jest/globals';
import { detectIn, type DetectOptions } from './detect.ts';

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
    'card «4,111,111,111,111,111»',
    'it is «4,111,111,111,111,111», thanks',
    'card «4,111,111,111,111,112»',
    'card «4,111 1,111 1,111 1,111»',
    '«3,782,822,463,100,05»',
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
    'card «4111x1111x1111x1111»',
    'card «4111and1111and1111and1111»',
    'card «4111dash1111dash1111dash1111»',
    'iban «DE89-3704-0044-0532-0130-00»',
    'iban «DE89.3704.0044.0532.0130.00»',
    'iban «DE89/3704/0044/0532/0130/00»',
    'iban:«DE89-3704-0044-0532-0130-00»',
    'tel:«+14155552671»',
    'tel:«(415)555-2671»',
    'fax=«+44 20 7946 0958»',
    'reach us on «0044 20 7946 0958»',
    '«00442079460958»',
    'it is «0049 30 901820»',
  ],
  'signs of other forms, and signs that are not seen': [
    'card «４１１１ １１１１ １１１１ １１１１»',
    'card «➃➀➀➀ ➊➊➊➊ ❶❶❶❶ ⓵⓵⓵⓵»',
    'card «四一一一 一一一一 一一一一 一一一一»',
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
    'mail «john＠example。com»',
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
    'my number is «four one five»|«five five five»|uh huh yeah okay got that|«two six seven one»',
    'my phone number is «415 555»|sorry the line was bad there|«2671»',
    'the card number is «four one one one one one one one»|can you repeat that a little slower please|«one one one one»|and then|«one one one one»',
    'it starts with «4111 1111»|hold on let me grab a pen. okay go|«1111 1111»',
    'my account number is «8842»|one moment I have to type this|«9017»',
    'my social security number is «536»|and what comes after that one|«90 4399»',
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
    'card «4 1 1 1, uh, 1 1 1 1. Sorry: 1 1 1 1... then 1 1 1 1»',
    'card «four one one one then one one one one sorry one one one one and then one one one one»',
    'account number «one two three four five six seven eight»',
    'my phone number is «one two three four five six seven eight nine»',
  ],
  'documents whose numbers contain letters': [
    'passport number «AB1234567»',
    'my passport is «a b one two three four five six seven»',
    'driver license «D1234567»',
    "my driver's license is «S123-4567-8901»",
    'driving licence number is «D one two five four five six seven»',
    'medical record number «12345678»',
    'the MRN is «MR-0048213»',
    'my national insurance number is «q q 12 34 56 c»',
    'personalausweis «L01X00T47»',
    'my policy number is «HX4492013»',
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
    'mail «john AT-SIGN example PERIOD com»',
    'mail «john <at> example <dot> com»',
    'mail «john -at- example -dot- com»',
    'mail «john _at_ example _dot_ com»',
    'mail «john *at* example *dot* com»',
    'mail «john_at_example_dot_com»',
    'mail «john-at-example-dot-com»',
    'mail «john(a)example.com»',
    'mail «john&#64;example&#46;com»',
    'mail «john &#64; example &#46; com»',
    'mail «john&commat;example&period;com»',
    'mail «john%40example.com»',
    'mail «john\\u0040example.com»',
    'mail «john at example dot museum»',
    'mail «john at example dot berlin»',
    'mail «john ät example punkt com»',
    'mail mailto:«john@example.com»',
    '«john@localhost» is a test',
    'mail «john @ localhost»',
    'mail «john(at)localhost»',
    'mail «john@[127.0.0.1]»',
    'my email is «john at localhost»',
    'mail «john at example d.o.t com»',
    'mail «john at example d o t com»',
    'mail «john at example D. O. T. com»',
    'mail «john dot smith at example d-o-t c o m»',
    'mail «john at example d o t co d o t uk»',
    'mail «john(at)example(d.o.t)com»',
    'mail «john a t example d o t com»',
    'mail «john a.t. example d.o.t. com»',
    'mail «p a t at example d o t com»',
    'my name is spelled «z e b u l o n»',
    'the password is «p o r c u p i n e»',
    'my iban is «d e eight nine three seven oh four double oh double four oh five three two oh one three oh oh oh»',
  ],
};
/** Digit words of another language than that of the transcript, and numbers that are spoken in pairs. */
const spoken: readonly [language: string | null, marked: string][] = [
  ['de', 'die Karte «quatre un un un un un un un un un un un un un un un»'],
  ['de', 'la tarjeta es «cuatro uno uno uno uno uno uno uno uno uno uno uno uno uno uno uno»'],
  ['en', 'my card is «quatre un un un, un un un un, euh, un un un un, un un un un»'],
  ['en', 'my card is «vier eins eins eins eins eins eins eins eins eins eins eins eins eins eins eins»'],
  [null, 'card «quattro uno uno uno uno uno uno uno uno uno uno uno uno uno uno uno»'],
  ['fr', 'ma carte «cuatro uno uno uno uno uno uno uno uno uno uno uno uno uno uno uno»'],
  ['es', 'meine Karte «vier eins eins eins eins eins eins eins eins eins eins eins eins eins eins eins»'],
  ['en', 'my card is «quatro um um um um um um um um um um um um um um um»'],
  ['pt', 'meu cartão é «quatro um um um um um um um um um um um um um um um»'],
  ['en', 'my number is «zéro six un deux trois quatre cinq six sept huit»'],
  ['fr', 'mon numéro est le «zéro six douze trente-quatre cinquante-six soixante-dix-huit»'],
  ['fr', 'au «zero six quatre vingt dix huit douze vingt et un quatre-vingts»'],
  ['es', 'mi móvil es «seis doce treinta y cuatro cincuenta y seis setenta y ocho»'],
  ['de', 'meine Nummer ist «null eins sieben sechs zwölf vierunddreißig sechsundfünfzig acht neun»'],
  ['en', 'my number is «zéro six douze trente-quatre cinquante-six soixante-dix-huit»'],
  [
    'de',
    'meine IBAN ist «d e acht neun drei sieben null vier null null vier vier null fünf drei zwei null eins drei null null null»',
  ],
  [
    'de',
    'die IBAN lautet «DE neunundachtzig siebenunddreißig null vier null null vierundvierzig null fünf zweiunddreißig null eins dreißig null null»',
  ],
  ['en', 'account number «eins zwo drei acht fünf sieben»'],
];
const harmlessNumbers: readonly [language: string, text: string][] = [
  ['fr', 'en dix-neuf cent quatre-vingt-quatre nous étions vingt-trois et il faisait trente-deux degrés'],
  ['fr', 'dix, vingt, trente, quarante, cinquante, soixante, soixante-dix, quatre-vingts, quatre-vingt-dix'],
  ['fr', 'le score était de six à deux, puis six à quatre et sept à cinq'],
  ['es', 'en mil novecientos ochenta y cuatro éramos veintitrés personas de treinta y dos países'],
  ['de', 'neunzehnhundertvierundachtzig waren wir dreiundzwanzig, und auf dem Konto fehlten zweiunddreißig Euro'],
  ['de', 'eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf'],
];
/** Similar texts in which nothing is hidden. */
const harmless = [
  'we measured 415 555 and 2671 microseconds',
  'revenue was 415 555|and what about the costs|2671',
  'we sold 120 400|that is a lot more than last year|4000 of them in May',
  'the screen has 1920x1080 pixels and the other one 3840x2160',
  'in 2010 then 2015 then 2020 it rained',
  'the flight is LH4711234 and the part is AB1234567',
  'state-at-rest and look-at-me',
  'one two three four five six seven|and what now|eight nine ten',
  'in 2010 and then 2015 and then 2020 it rained',
  'seven eight nine|yeah|and then we go again|seven eight nine',
  'the ratio is 4:3 and the time is 10:30:15 now',
  'we paid 1,250,000 and then 3,400,000',
  'look @ this . Wow, it works',
  'plan b. it is better than plan c. at last',
  'the options are a b c and d',
  'the server runs at localhost',
  'look at localhost and then at the intranet',
  'the letters t a t and then d o t come again',
  'the debt is 36,218,605,311,000 and the budget 1,250,000 3,400,000',
  'um um um um it is um 415 um',
  'un deux trois quatre cinq six sept huit',
  'sei sei sei sei',
  'in dix-neuf cent quatre-vingt-quatre we met acht Leute',
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

function expectHidden(marked: string, given: DetectOptions): void {
  const { passages, wanted } = parse(marked);
  const found = detectIn(passages, given);
  const shown = wanted.filter(({ passage, at }) => !found[passage]?.some(({ start, end }) => start <= at && at < end));
  expect(wanted.length).toBeGreaterThan(0);
  expect(shown.map(({ passage, at }) => passages[passage]?.slice(at, at + 1))).toEqual([]);
}

const options = { language: 'en', knownNames: [] };

describe.each(Object.entries(texts))('%s', (_, cases) => {
  it.each(cases)('are hidden in %j', (marked) => expectHidden(marked, options));
});

describe('numbers in the words of any language', () => {
  it.each(spoken)('are hidden in a transcript of %s: %j', (language, marked) => {
    expectHidden(marked, { language, knownNames: [] });
  });
});

describe('numbers that are not personal', () => {
  it.each(harmlessNumbers)('are left alone in a transcript of %s: %j', (language, text) => {
    expect(detectIn([text], { language, knownNames: [] }).flat()).toEqual([]);
  });
});

describe('text that only resembles it', () => {
  it.each(harmless)('is left alone: %j', (text) => {
    expect(detectIn(text.split('|'), options).flat()).toEqual([]);
  });
});
