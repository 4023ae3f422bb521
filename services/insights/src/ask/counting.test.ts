import { describe, expect, it } from '@jest/globals';
import { countAnswer } from './count-answer.ts';
import { countQuestionOf } from './counting.ts';

const files: [question: string, phrase: string][] = [
  ['How many meetings mention Lisbon?', 'Lisbon'],
  ['how many of my recordings mention the Kestrel project', 'Kestrel project'],
  ['How many recordings are there that mention "remote control"?', 'remote control'],
  ['In how many meetings is the budget mentioned?', 'budget'],
  ['In how many calls did we mention Anna Schmidt?', 'Anna Schmidt'],
  ['Which recordings mention solar panels?', 'solar panels'],
  ['Which meetings discussed pricing?', 'pricing'],
  ['In which meetings was Lisbon brought up?', 'Lisbon'],
  ['What files contain the word heliotrope?', 'heliotrope'],
  ['List all recordings that mention Lisbon.', 'Lisbon'],
  ['Show me all meetings where we talked about churn', 'churn'],
  ['Where is the Kestrel project mentioned?', 'Kestrel project'],
  ['Please tell me which recordings mention Lisbon', 'Lisbon'],
  ['Wie viele Besprechungen erwähnen Lissabon?', 'Lissabon'],
  ['In wie vielen Aufnahmen wird das Budget erwähnt?', 'Budget'],
  ['In wie vielen Sitzungen kommt der Begriff Wärmepumpe vor?', 'Wärmepumpe'],
  ['Welche Aufnahmen erwähnen „Projekt Falke“?', 'Projekt Falke'],
  ['In welchen Besprechungen kommt Lissabon vor?', 'Lissabon'],
  ['Wo wird Lissabon erwähnt?', 'Lissabon'],
  ['Zeige mir alle Aufnahmen, in denen Lissabon erwähnt wird', 'Lissabon'],
  ['Nenne alle Besprechungen, die Lissabon erwähnen', 'Lissabon'],
  ['In wie vielen Gesprächen wurde über Datenschutz gesprochen?', 'Datenschutz'],
];
const mentions: [question: string, phrase: string][] = [
  ['How often is Lisbon mentioned?', 'Lisbon'],
  ['How many times was the Kestrel project mentioned in my recordings?', 'Kestrel project'],
  ['How often did we mention Lisbon?', 'Lisbon'],
  ['Wie oft wird Lissabon erwähnt?', 'Lissabon'],
  ['Wie oft fällt das Wort Wärmepumpe?', 'Wärmepumpe'],
  ['Wie häufig kommt Lissabon vor?', 'Lissabon'],
];
const others = [
  'What was decided about the budget?',
  'How many people live in Lisbon?',
  'How many buttons does the remote control have?',
  'Which colour did they choose for the remote control?',
  'Who mentioned Lisbon first?',
  'Which meetings discussed how to lower the price of the remote control without losing features?',
  'How often is it mentioned?',
  'Why was Lisbon mentioned by Anna?',
  'Wie viele Knöpfe hat die Fernbedienung?',
  'Was wurde über das Budget beschlossen?',
  'Summarise the meeting',
  'When is the next meeting?',
  'How many',
  'Which recordings mention',
];

describe('counting questions', () => {
  it.each(files)('counts recordings for %j', (question, phrase) => {
    expect(countQuestionOf(question)).toMatchObject({ counts: 'files', phrase });
  });

  it.each(mentions)('counts mentions for %j', (question, phrase) => {
    expect(countQuestionOf(question)).toMatchObject({ counts: 'mentions', phrase });
  });

  it.each(others)('leaves %j to search', (question) => {
    expect(countQuestionOf(question)).toBeNull();
  });

  it('are answered in the language of the question', () => {
    const { sentences } = countAnswer(
      { counts: 'mentions', phrase: 'Lissabon', language: 'de' },
      {
        files: [{ fileId: 'a', title: 'Planung', count: 4, start: 12 }],
        totalFiles: 3,
        totalMentions: 9,
        isComplete: true,
      },
    );
    expect(sentences.map(({ text }) => text)).toEqual([
      '„Lissabon“ wird 9-mal erwähnt, in 3 Aufnahmen.',
      'Planung: 4-mal.',
      'Und 2 weitere.',
    ]);
  });

  it('have an answer when there is no mention', () => {
    const counted = { files: [], totalFiles: 0, totalMentions: 0, isComplete: true };
    const { sentences, citations } = countAnswer({ counts: 'files', phrase: 'Lisbon', language: 'en' }, counted);
    expect(sentences.map(({ text }) => text)).toEqual(['No recording mentions “Lisbon”.']);
    expect(citations).toEqual([]);
  });

  it('say when more mentions exist than were counted', () => {
    const counted = { files: [], totalFiles: 900, totalMentions: 5_000, isComplete: false };
    const { sentences } = countAnswer({ counts: 'mentions', phrase: 'Lisbon', language: 'en' }, counted);
    expect(sentences[0]?.text).toBe('“Lisbon” is mentioned at least 5000 times, in 900 recordings.');
  });

  it('cite each listed recording', () => {
    const files = [
      { fileId: 'a', title: 'Planning', count: 4, start: 12 },
      { fileId: 'b', title: 'Review', count: 1, start: 3 },
    ];
    const counted = { files, totalFiles: 2, totalMentions: 5, isComplete: true };
    const { sentences, citations } = countAnswer({ counts: 'files', phrase: 'Lisbon', language: 'en' }, counted);
    expect(sentences.map(({ text, citations: numbers }) => [text, numbers])).toEqual([
      ['2 recordings mention “Lisbon”.', []],
      ['Planning: 4 times.', [1]],
      ['Review: once.', [2]],
    ]);
    expect(citations.map(({ fileId, start, quote }) => [fileId, start, quote])).toEqual([
      ['a', 12, ''],
      ['b', 3, ''],
    ]);
  });

  it('reads a question of the greatest length without backtracking for long', () => {
    const before = process.cpuUsage();
    countQuestionOf(`how many meetings mention ${'the the word '.repeat(150)}`);
    countQuestionOf(`in how many meetings is ${'mentioned '.repeat(190)}`);
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});
