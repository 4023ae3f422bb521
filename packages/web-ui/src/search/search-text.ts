import { t } from '@lingui/core/macro';
import { nameOperators } from '@overtone/contracts/search-operators';

const operatorWithoutName = new RegExp(`(?<=^|\\s)-?(?:${nameOperators.join('|')}):(?=$|\\s|""|"$)`, 'i');

/** What to write when the text contains nothing to search for: the name of an operator, or a word. */
export function whatIsMissing(text: string): string {
  const operator = operatorWithoutName.exec(text)?.[0].toLowerCase();
  return operator === undefined ? t`Type a word to search for.` : t`Write a name after ${operator}`;
}
