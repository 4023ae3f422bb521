import { describe, expect, it } from '@jest/globals';
import { actionCases, type ActionCase } from '../../test/labelled-actions.ts';
import { actionItemIn, type ActionItem } from './action-items.ts';
import { cuesOf } from './cues-of.ts';
import { partsOf } from './person-names.ts';
import { splitSentences } from './sentences.ts';
import { vocabularyOf } from './words.ts';

describe('actionItemIn', () => {
  it('finds at least 9 of 10 labelled action items, and at least 9 of 10 found ones are right', () => {
    const labelled = actionCases.filter(({ action }) => action !== null);
    const found = actionCases.filter((one) => itemOf(one) !== null);
    const right = found.filter(({ action }) => action !== null);
    expect(actionCases.length).toBeGreaterThanOrEqual(60);
    expect(right.length / labelled.length).toBeGreaterThanOrEqual(0.9);
    expect(right.length / found.length).toBeGreaterThanOrEqual(0.9);
  });

  it('gives owner and due date as they were spoken in at least 19 of 20 of them', () => {
    const found = actionCases.flatMap((one) => {
      const item = itemOf(one);
      return item && one.action ? [{ item, action: one.action }] : [];
    });
    const right = found.filter(({ item, action }) => item.owner === action.owner && item.dueDate === action.dueDate);
    expect(right.length / found.length).toBeGreaterThanOrEqual(0.95);
  });

  it.each(['Can you hear me now?', "I'll be honest, that was hard.", 'Kannst du mich hören?'])(
    'finds none in "%s"',
    (text) => {
      expect(itemOf({ text, language: text.startsWith('Kannst') ? 'de' : 'en', action: null })).toBeNull();
    },
  );
});

function itemOf({ text, language }: ActionCase): ActionItem | null {
  const vocabulary = vocabularyOf(language);
  const cues = cuesOf[language];
  if (!cues) throw new Error(`no cue phrases of ${language}`);
  const segment = { uuid: 'one', start: 0, end: 1, text, speakerUuid: 'sam', speakerName: 'Sam' };
  const knownNames = ['Anna', 'Ben', 'Maria', 'Sam'];
  const context = { language, cues, known: partsOf(knownNames), knownNames };
  const items = splitSentences([segment], vocabulary).map((sentence) => actionItemIn(sentence, context));
  return items.find((item) => item !== null) ?? null;
}
