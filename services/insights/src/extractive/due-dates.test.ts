import { describe, expect, it } from '@jest/globals';
import { dueDateIn } from './due-dates.ts';

describe('dueDateIn', () => {
  it.each([
    ['I will send it by Friday.', 'Friday'],
    ['Please finish by the end of next week.', 'end of next week'],
    ['It is due on March 3rd.', 'March 3rd'],
    ['Call them tomorrow morning.', 'tomorrow morning'],
    ['We need it before 5 pm.', '5 pm'],
    ['We meet on Monday, and I send it by Thursday.', 'Thursday'],
  ])('finds the date of "%s"', (text, date) => {
    expect(dueDateIn(text, 'en')).toBe(date);
  });

  it.each([
    ['Ich schicke es bis spätestens Mittwoch.', 'Mittwoch'],
    ['Das machen wir bis Ende der Woche.', 'Ende der Woche'],
    ['Ich rufe morgen früh an.', 'morgen früh'],
  ])('finds the date of "%s"', (text, date) => {
    expect(dueDateIn(text, 'de')).toBe(date);
  });

  it.each([
    ['We may do it.', 'en'],
    ['In general that is fine.', 'en'],
    ['Guten Morgen zusammen.', 'de'],
    ['Je le ferai lundi.', 'fr'],
  ])('finds none in "%s"', (text, language) => {
    expect(dueDateIn(text, language)).toBeNull();
  });
});
