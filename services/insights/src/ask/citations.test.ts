import { describe, expect, it } from '@jest/globals';
import { cite, type Passage } from './citations.ts';
import { sentencesOf } from './sentences.ts';

const passages: Passage[] = [
  passage('a', 12, 'Anna', 'We decided to move the office to Lisbon in October.'),
  passage('a', 40, 'Ben', 'The rent is twelve thousand euros a month.'),
  passage('b', 7, null, 'The kestrel project needs two more engineers before the summer.'),
];

function passage(fileId: string, start: number, speaker: string | null, text: string): Passage {
  return { fileId, title: `Recording ${fileId}`, start, end: start + 5, speaker, text };
}

describe('citations', () => {
  it('are numbered in the order of appearance, without gaps', () => {
    const { sentences, citations } = cite(
      [
        'Two more engineers are needed by the Kestrel project.',
        'The office moves to Lisbon.',
        'They moved it in October, to Lisbon.',
      ],
      passages,
    );
    expect(sentences.map((sentence) => sentence.citations)).toEqual([[1], [2], [2]]);
    expect(citations.map(({ number, fileId, start }) => [number, fileId, start])).toEqual([
      [1, 'b', 7],
      [2, 'a', 12],
    ]);
  });

  it('are missing from a sentence that no passage says', () => {
    const { sentences, citations } = cite(['The office moves to Lisbon.', 'Berlin was considered too.'], passages);
    expect(sentences.map(({ supported }) => supported)).toEqual([true, false]);
    expect(citations).toHaveLength(1);
  });

  it('combine passages for a sentence that rests on several', () => {
    const { sentences } = cite(
      ['The office moves to Lisbon in October, with a rent of twelve thousand euros.'],
      passages,
    );
    expect(sentences[0]?.citations).toEqual([1, 2]);
  });

  it('find the passage by its speaker, too', () => {
    const { citations } = cite(['Ben said that the rent is twelve thousand.'], passages);
    expect(citations[0]?.start).toBe(40);
  });

  it('are not taken from the text of a model', () => {
    const { sentences, citations } = cite(sentencesOf('The office moves to Lisbon [7], [99].'), passages);
    expect(sentences[0]?.text).not.toMatch(/\d/);
    expect(citations.map(({ number }) => number)).toEqual([1]);
  });

  it('do not support a sentence by stop words', () => {
    expect(cite(['What is it that they were to have?'], passages).citations).toEqual([]);
  });

  it('shorten a long quote', () => {
    const long = passage('c', 1, null, 'lisbon office '.repeat(100));
    const { citations } = cite(['The Lisbon office.'], [long]);
    expect(citations[0]?.quote.length).toBeLessThanOrEqual(401);
  });
});

describe('the sentences of an answer', () => {
  it('keep abbreviations together', () => {
    expect(sentencesOf('Dr. Smith met Prof. J. Doe at 10 a.m. in St. Gallen. He left early.')).toEqual([
      'Dr. Smith met Prof. J. Doe at 10 a.m. in St. Gallen.',
      'He left early.',
    ]);
  });

  it('lose list markers, headings and emphasis', () => {
    expect(sentencesOf('# Result\n- **Lisbon** was chosen.\n2. It costs 5.5 million.')).toEqual([
      'Result',
      'Lisbon was chosen.',
      'It costs 5.5 million.',
    ]);
  });

  it('contain no control characters and no bidirectional overrides', () => {
    expect(sentencesOf('The\u0000 plan\u202e is\u0007 ready.\ud800')).toEqual(['The plan is ready.']);
  });

  it('are bounded', () => {
    const before = process.cpuUsage();
    expect(sentencesOf('Yes it is. '.repeat(1_000_000))).toHaveLength(40);
    expect(sentencesOf('x'.repeat(10_000_000))[0]).toHaveLength(8_000);
    expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
  });

  it('are text, also of markup', () => {
    expect(sentencesOf('<img src=x onerror=alert(1)> The plan.').join(' ')).toContain('<img src=x onerror=alert(1)>');
  });
});
