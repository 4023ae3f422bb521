import { describe, expect, it } from '@jest/globals';
import { cuesOf } from './cues-of.ts';
import { isDecision } from './statements.ts';

describe('a decision', () => {
  it.each([
    ['en', 'We decided to move the office to Lisbon.'],
    ['en', 'We have agreed on the second design.'],
    ['en', 'So we decide to postpone the launch.'],
    ['en', 'We agree that the budget stays as it is.'],
    ['en', 'We’re going with the second supplier.'],
    ['en', 'We are postponing the release until March.'],
    ['en', 'We will move the office to Lisbon in October.'],
    ['en', "We'll close the branch in Leeds next year."],
    ['en', 'We will use the rubber case.'],
    ['en', 'The decision is to wait for the audit.'],
    ['de', 'Wir haben beschlossen, das Büro zu verlegen.'],
    ['de', 'Wir beschließen, das Büro zu verlegen.'],
    ['de', 'Wir werden den Start auf März verschieben.'],
    ['de', 'Wir verzichten auf die zweite Stufe.'],
    ['de', 'Wir vereinbaren einen Preis von zehn Euro.'],
  ])('is recognised in the past, present and future (%s): %s', (language, text) => {
    expect(isDecision(text, cuesOf[language])).toBe(true);
  });

  it.each([
    ['en', 'Will we move the office to Lisbon?'],
    ['en', 'We have not decided yet where to go.'],
    ['en', 'We need to decide on the colour.'],
    ['en', 'We will see what they say.'],
    ['en', 'I agree with you on that.'],
    ['en', 'We are talking about the office.'],
    ['en', 'If we decide to move, it costs more.'],
    ['en', 'We should agree on a date.'],
    ['de', 'Haben wir das beschlossen?'],
    ['de', 'Wir müssen noch entscheiden, wohin.'],
    ['de', 'Wir werden sehen, was sie sagen.'],
  ])('is not a question, a wish or a plan to decide (%s): %s', (language, text) => {
    expect(isDecision(text, cuesOf[language])).toBe(false);
  });
});
