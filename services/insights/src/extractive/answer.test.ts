import { describe, expect, it } from '@jest/globals';
import { answerFrom, type Passage } from './answer.ts';

const passages: Passage[] = [
  passage('one', 'We looked at the weather. The remote control costs twelve euros to produce. Nobody was surprised.'),
  passage('two', 'The launch of the remote control is planned for the tenth of May. The team was happy about that.'),
  passage('three', 'We chose the rubber case because plastic breaks. The colour is yellow.'),
];

describe('answerFrom', () => {
  it.each([
    ['How much does the remote control cost?', 'The remote control costs twelve euros to produce.', 'one'],
    [
      'When is the launch of the remote control?',
      'The launch of the remote control is planned for the tenth of May.',
      'two',
    ],
    ['Why did we choose the rubber case?', 'We chose the rubber case because plastic breaks.', 'three'],
  ])('answers "%s" with the sentence that says it, and its passage', (question, text, passageId) => {
    const answer = answerFrom(question, passages, 'en');
    expect(answer).toMatchObject({ kind: 'answered' });
    expect(answer.kind === 'answered' && answer.sentences).toContainEqual({ text, passageId });
  });

  it('declines a question that no passage answers, and says which words are missing', () => {
    const answer = answerFrom('What is the capital of Mongolia and its population?', passages, 'en');
    expect(answer).toEqual({ kind: 'declined', missing: ['capit', 'mongolia', 'popul'] });
  });

  it('declines when there are no passages, and when the question has no word of meaning', () => {
    expect(answerFrom('How much does the remote cost?', [], 'en').kind).toBe('declined');
    expect(answerFrom('What about it?', passages, 'en').kind).toBe('declined');
  });

  it('returns sentences of the passages only, at most three, none twice', () => {
    const doubled = [...passages, passage('four', 'The remote control costs twelve euros to produce.')];
    const answer = answerFrom('How much does the remote control cost?', doubled, 'en');
    const sentences = answer.kind === 'answered' ? answer.sentences : [];
    expect(sentences.length).toBeGreaterThan(0);
    expect(sentences.length).toBeLessThanOrEqual(3);
    expect(new Set(sentences.map(({ text }) => text)).size).toBe(sentences.length);
    for (const { text, passageId } of sentences)
      expect(doubled.find(({ id }) => id === passageId)?.text).toContain(text);
  });

  it('answers in German', () => {
    const german = [passage('de', 'Das Wetter war gut. Die Wärmepumpe kostet zwanzig tausend Euro.')];
    expect(answerFrom('Wie viel kostet die Wärmepumpe?', german, 'de')).toEqual({
      kind: 'answered',
      sentences: [{ text: 'Die Wärmepumpe kostet zwanzig tausend Euro.', passageId: 'de' }],
    });
  });
});

function passage(id: string, text: string): Passage {
  return { id, text, score: 1 };
}
