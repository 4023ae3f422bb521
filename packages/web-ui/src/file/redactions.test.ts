import { describe, expect, it } from '@jest/globals';
import { redactionsOfTokens } from './redactions.ts';

const phone = { uuid: '1', kind: 'phone', start: 8, end: 15 } as const;
const name = { uuid: '2', kind: 'name', start: 20, end: 26 } as const;

describe('the masked parts of a passage', () => {
  it('belong to the word that contains their placeholder, with its punctuation', () => {
    expect(redactionsOfTokens({ text: 'call me [phone], or [name]!', redactions: [phone, name] })).toEqual([
      undefined,
      undefined,
      phone,
      undefined,
      name,
    ]);
  });

  it('are none in a passage without placeholders', () => {
    expect(redactionsOfTokens({ text: 'call me', redactions: [] })).toEqual([]);
  });
});
