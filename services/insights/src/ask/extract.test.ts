import { describe, expect, it } from '@jest/globals';
import { passagesOf, rank, type Segment } from './evidence.ts';
import { extract } from './extract.ts';

type Said = readonly [question: string, answer: string];

/** Each line is a segment of five seconds; the questions of a recording are answered by one of its lines. */
const recordings: readonly { language: string; lines: readonly string[]; questions: readonly Said[] }[] = [
  {
    language: 'en',
    lines: [
      'Good morning everybody and thank you for coming to this review.',
      'Let us begin with the finances before we turn to the buildings.',
      'The heating of the gymnasium costs fourteen thousand euros a year.',
      'That is a good deal more than what we had in the plan.',
      'The architect sends her drawings on the ninth of April.',
      'After that we have three weeks to comment on them.',
      'Our chocolate factory in Leeds closes at the end of June.',
      'The marmalade factory stays open until the harvest is over.',
      'Forty people work there at the moment, most of them since years.',
      'Marta leads the negotiations with the works council.',
      'The new canteen opens in September with room for eighty people.',
      'We chose oak for the floor because pine wears out too quickly.',
      'The insurance covers water damage but no storms.',
      'Peter orders the projector for the large meeting room.',
      'The bicycle shed gets a roof of glass next spring.',
      'The library moves to the second floor in November.',
      'Nobody has complained about the noise of the ventilation so far.',
      'The contract with the cleaning company ends in December.',
    ],
    questions: [
      ['What does the heating of the gymnasium cost?', 'fourteen thousand euros'],
      ['When does the architect send her drawings?', 'ninth of April'],
      ['When does the chocolate factory close?', 'end of June'],
      ['How long does the marmalade factory stay open?', 'until the harvest'],
      ['Who leads the negotiations with the works council?', 'Marta'],
      ['When does the new canteen open?', 'September'],
      ['Why did we choose oak for the floor?', 'pine wears out'],
      ['What does the insurance cover?', 'water damage'],
      ['Who orders the projector?', 'Peter'],
      ['What roof does the bicycle shed get?', 'glass'],
      ['Where does the library move to?', 'second floor'],
      ['When does the contract with the cleaning company end?', 'December'],
    ],
  },
  {
    language: 'de',
    lines: [
      'Guten Morgen zusammen, wir fangen mit dem Bericht an.',
      'Die Wärmepumpe kostet zwanzigtausend Euro mit Einbau.',
      'Das ist weniger als im letzten Angebot.',
      'Die Schokoladenfabrik in Köln schließt im Juni.',
      'Frau Berger leitet das Projekt in Hamburg.',
      'Der Umzug beginnt am zwölften Oktober.',
      'Bis dahin müssen alle Kisten gepackt sein.',
      'Die Versicherung zahlt den Schaden am Dach.',
      'Der Spielplatz bekommt eine Rutsche aus Holz.',
    ],
    questions: [
      ['Was kostet die Wärmepumpe?', 'zwanzigtausend Euro'],
      ['Wann schließt die Schokoladenfabrik?', 'Juni'],
      ['Wer leitet das Projekt in Hamburg?', 'Berger'],
      ['Wann beginnt der Umzug?', 'zwölften Oktober'],
      ['Was zahlt die Versicherung?', 'Schaden am Dach'],
      ['Welche Rutsche bekommt der Spielplatz?', 'Holz'],
    ],
  },
];

function segmentsOf(lines: readonly string[]): Segment[] {
  return lines.map((text, i) => ({ start: i * 5, end: i * 5 + 5, speaker: 'Anna', text }));
}

function ask(question: string, { language, lines }: { language: string; lines: readonly string[] }) {
  const file = { fileId: 'f', title: 'Review' };
  const found = [{ start: 0, end: lines.length * 5, score: 1 }];
  const passages = rank(passagesOf(file, segmentsOf(lines), found));
  return extract(question, { passages, language, isPartial: false });
}

describe('an answer without a language model', () => {
  const asked = recordings.flatMap((recording) =>
    recording.questions.map(([question, answer]) => {
      const outcome = ask(question, recording);
      const known = recording.lines.findIndex((line) => line.includes(answer)) * 5;
      const sentence = outcome.sentences.find(({ text }) => text.includes(answer));
      const citation = outcome.citations.find(({ number }) => sentence?.citations.includes(number));
      return { question, answer, outcome, sentence, error: Math.abs((citation?.start ?? Infinity) - known), citation };
    }),
  );

  it('contains what was asked for', () => {
    expect(asked.filter(({ sentence }) => !sentence).map(({ question }) => question)).toEqual([]);
  });

  it('cites the second: the median error is at most one second', () => {
    const errors = asked.map(({ error }) => error).toSorted((x, y) => x - y);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThanOrEqual(1);
    expect(errors.filter((error) => error > 1)).toEqual([]);
  });

  it('has quotes that contain every sentence they prove', () => {
    const unproven = asked.flatMap(({ outcome }) =>
      outcome.sentences.filter(
        ({ text, citations }) =>
          !outcome.citations.some(({ number, quote }) => citations.includes(number) && quote.includes(text)),
      ),
    );
    expect(unproven).toEqual([]);
  });
});

/** Questions that share words with the recordings, which do not answer them. */
const nearMisses: readonly (readonly [language: string, question: string])[] = [
  ['en', 'When does the biscuit factory in Leeds close?'],
  ['en', 'When does the chocolate factory in Bristol close?'],
  ['en', 'Who leads the negotiations with the city council?'],
  ['en', 'What does the heating of the swimming pool cost a year?'],
  ['en', 'When does the contract with the security company end?'],
  ['en', 'What roof does the motorcycle shed get next spring?'],
  ['en', 'Why did we choose oak for the ceiling?'],
  ['en', 'Did Thomas order the projector for the large meeting room?'],
  ['en', 'When does the engineer send her drawings?'],
  ['en', 'When did the new canteen open in 2019?'],
  ['de', 'Wann schließt die Marmeladenfabrik in Köln?'],
  ['de', 'Wer leitet das Projekt in München?'],
  ['de', 'Was kostet die Solaranlage mit Einbau?'],
  ['de', 'Zahlt die Versicherung den Schaden am Keller?'],
];

describe('a question that the recordings nearly answer', () => {
  it.each(nearMisses)('is declined (%s): %s', (language, question) => {
    const recording = recordings.find((one) => one.language === language)!;
    expect(ask(question, recording)).toMatchObject({ status: 'declined', sentences: [], citations: [] });
  });
});

describe('a question in other words', () => {
  it.each([
    ['en', 'How expensive is the heating of the gymnasium?', 'fourteen thousand'],
    ['en', 'What is the price of the heating?', 'fourteen thousand'],
    ['en', 'What is the reason for oak on the floor?', 'pine'],
    ['en', 'Who is the leader of the negotiations?', 'Marta'],
    ['en', 'When does the chocolate plant close?', 'June'],
    ['de', 'Wie teuer ist die Wärmepumpe?', 'zwanzigtausend'],
  ])('is answered (%s): %s', (language, question, answer) => {
    const recording = recordings.find((one) => one.language === language)!;
    expect(
      ask(question, recording)
        .sentences.map(({ text }) => text)
        .join(' '),
    ).toContain(answer);
  });
});
