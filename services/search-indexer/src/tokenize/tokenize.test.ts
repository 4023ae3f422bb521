import { describe, expect, it } from '@jest/globals';
import { isStopWord, joinedWords, splitWords, stemOf, termsOf, variantsOf } from './tokenize.ts';

describe('tokenize', () => {
  it('returns the position of each word', () => {
    expect(splitWords('Well, the dead-line!')).toEqual([
      { text: 'Well', at: 0, end: 4 },
      { text: 'the', at: 6, end: 9 },
      { text: 'dead', at: 10, end: 14 },
      { text: 'line', at: 15, end: 19 },
    ]);
  });

  it('returns one stem for the inflections of a word', () => {
    expect(new Set(['meeting', 'Meetings', 'MEET'].map((word) => stemOf(word, 'en'))).size).toBe(1);
    expect(stemOf('deadlines', null)).toBe(stemOf('deadline', null));
  });

  it('stems in the language of the document', () => {
    expect(stemOf('Häusern', 'de')).toBe(stemOf('Haus', 'de'));
    expect(stemOf('Häusern', 'en')).not.toBe(stemOf('Haus', 'en'));
  });

  it('stems every language that has a stemmer', () => {
    const inflections: [language: string, words: [string, string]][] = [
      ['tr', ['kitaplardan', 'kitaplar']],
      ['hu', ['házakban', 'házak']],
      ['ro', ['copiilor', 'copii']],
      ['uk', ['книги', 'книга']],
      ['bg', ['книгите', 'книга']],
      ['sr', ['knjigama', 'knjiga']],
      ['lt', ['knygomis', 'knyga']],
      ['id', ['membaca', 'baca']],
      ['nb', ['husene', 'husets']],
      ['ne', ['किताबहरू', 'किताब']],
    ];
    for (const [language, [inflected, other]] of inflections)
      expect([language, stemOf(inflected, language)]).toEqual([language, stemOf(other, language)]);
  });

  it('keeps the vowel signs of Indic scripts', () => {
    expect(stemOf('कल', 'hi')).not.toBe(stemOf('काला', 'hi'));
  });

  it('ignores accents and the kind of apostrophe', () => {
    expect(stemOf('café', 'en')).toBe(stemOf('cafe', 'en'));
    expect(stemOf("don't", 'en')).toBe(stemOf('don’t', 'en'));
    expect(stemOf("Alice's", 'en')).toBe(stemOf('alice', 'en'));
  });

  it('segments scripts without spaces', () => {
    const words = splitWords('我们明天开会');
    expect(words.length).toBeGreaterThan(1);
    expect(words.map((word) => word.text).join('')).toBe('我们明天开会');
  });

  it('returns terms without query syntax for any text', () => {
    expect(termsOf('a" OR (b:c)* ~2 \\ \' -- ; drop', 'xx')).toMatch(/^[\p{L}\p{N} ]*$/u);
  });

  it('returns the stems of a word in every language of the library', () => {
    expect(variantsOf('Häusern', ['de'])).toEqual(
      expect.arrayContaining([stemOf('Häusern', 'de'), stemOf('Häusern', 'en')]),
    );
    expect(variantsOf('march', ['de', null])).toEqual(['march']);
  });

  it('keeps the first letter of a word in its stem', () => {
    for (const word of ['dying', 'skies', 'only', 'Yesterday', 'generous', 'eyes', 'iodine'])
      for (const language of ['en', 'de', 'fr', 'es']) expect(stemOf(word, language)[0]).toBe(word[0]?.toLowerCase());
  });

  it('truncates overlong words', () => {
    expect(stemOf('x'.repeat(5_000), 'en').length).toBeLessThanOrEqual(40);
  });

  it('recognizes stop words', () => {
    expect(isStopWord('The')).toBe(true);
    expect(isStopWord('deadline')).toBe(false);
  });
});

/** Whether a query finds a text, in a library of these languages: a term of the one is a term of the other. */
function finds(query: string, text: string, language: string | null, languages: string[] = []): boolean {
  const terms = new Set(termsOf(text, language).split(' '));
  const words = splitWords(query);
  const asked = [...words, ...joinedWords(query, words)].map((word) => word.text);
  // A number alone is found by any of its groups: only the whole query word counts.
  const [whole = ''] = asked.slice(words.length).toReversed().concat(asked);
  return variantsOf(whole, [language, ...languages]).some((form) => terms.has(form));
}

describe('another spelling of a word', () => {
  it.each<[language: string | null, text: string, queries: string[]]>([
    [
      'fr',
      "L’été dernier, l’école d’ingénieurs. Qu'importe l'harmonie jusqu’ici.",
      ['école', 'ecole', 'été', 'ete', 'ingénieur', 'harmonie', "l'école", 'importe', 'ici'],
    ],
    [
      'it',
      "L'acqua dell'università è nell'armadio, un'altra.",
      ['acqua', 'università', 'universita', 'armadio', "l'acqua", 'altra'],
    ],
    ['ca', "L'home d'aquí", ['home', 'aquí']],
    [null, 'l’école', ['école', 'ecole']],
    ['ko', '회의를 시작합니다. 예산은 학교에서 선생님께서', ['회의', '예산', '학교', '선생님', '회의는']],
    [
      'de',
      'Herr Müller und Frau Jäger prüfen das Größenverhältnis der Häfen. Straße',
      ['Mueller', 'Müller', 'Muller', 'Jaeger', 'Haefen', 'Hafen', 'Groessenverhaeltnis', 'Strasse', 'STRASSE'],
    ],
    ['de', 'Frau Mueller wohnt in der Strasse', ['Müller', 'Straße']],
    ['de', 'Die neue Steuer der Bauern ist aktuell', ['Steuer', 'Bauer', 'neue', 'aktuell']],
    ['en', 'Mr Müller met Mr Søren', ['Mueller', 'Muller', 'Soren', 'Soeren']],
    ['fr', 'Le cœur et l’œuvre', ['coeur', 'cœur', 'oeuvre']],
    ['pl', 'Łódź i łąka', ['Lodz', 'łódź', 'laka']],
    ['da', 'Smørrebrød på Ærø', ['smorrebrod', 'aero', 'Ærø']],
    ['tr', 'İstanbul ve ışık, DIYARBAKIR', ['istanbul', 'Istanbul', 'isik', 'diyarbakır']],
    ['ar', 'أحمد إلى المدرسة مُدَرِّس ٢٠٢٦', ['احمد', 'الي', 'المدرسه', 'مدرس', '2026']],
    ['fa', 'کتاب یک ۲۰۲۶', ['كتاب', 'يك', '2026']],
    ['he', 'שָׁלוֹם לכולם', ['שלום']],
    [
      'en',
      'Our co-operation and e-mail about COVID-19',
      ['cooperation', 'co-operation', 'email', 'covid19', 'COVID-19'],
    ],
    ['en', 'cooperation, covid19', ['co-operation', 'COVID-19']],
    ['en', 'certified by ISO 27001', ['ISO27001', '27001']],
    ['en', 'certified by ISO27001', ['ISO', '27001', 'iso27001']],
    ['en', 'It costs 1,250.50 euros', ['1250', '1,250.50', '1250.50']],
    ['de', 'Das kostet 1250 Euro und 2.500.000 Dollar', ['1.250', '1,250', '2500000']],
    ['en', "Mr O’Brien and Ms O'Neill", ['Brien', "O'Brien", 'OBrien', 'Neill']],
  ])('is found in %s: %s', (language, text, queries) => {
    for (const query of queries) expect([query, finds(query, text, language)]).toEqual([query, true]);
  });

  it('is no other word', () => {
    expect(finds('Haus', 'Hase', 'de')).toBe(false);
    expect(finds('aktual', 'aktuell', 'de')).toBe(false);
    expect(finds('250', 'It costs 1,250', 'en')).toBe(true);
    expect(finds('회사', '회의를', 'ko')).toBe(false);
    expect(finds('12', 'in 2026', 'en')).toBe(false);
  });

  it('takes time in proportion to its length', () => {
    const cpuOf = (text: string): number => {
      const began = process.cpuUsage();
      termsOf(text, 'de');
      return process.cpuUsage(began).user;
    };
    for (const part of ['ae', "l'", '1,', '-a', '가', "''", 'ب', 'A 1 ']) {
      cpuOf(part.repeat(20_000));
      const [short, long] = [cpuOf(part.repeat(20_000)), cpuOf(part.repeat(80_000))];
      expect(long).toBeLessThan(Math.max(short, 20_000) * 16);
    }
  });
});
