import { describe, expect, it } from '@jest/globals';
import { defaultExportOptions } from '@overtone/contracts/export-formats';
import { readExportChoice } from './export-choice.ts';

describe('the remembered choice of an export', () => {
  it('is what was stored', () => {
    const choice = { format: 'pdf', options: { ...defaultExportOptions, names: 'initials', line_numbers: true } };
    expect(readExportChoice(JSON.stringify(choice))).toEqual(choice);
  });

  it('has the default of each part that is missing or not offered', () => {
    const usual = { format: 'docx', options: defaultExportOptions };
    for (const stored of [undefined, '', 'null', '[]', '"x"', '{"format":"exe","options":7}'])
      expect(readExportChoice(stored)).toEqual(usual);
    const outdated = { format: 'srt', options: { names: 'first', times: 'end', heading: 'yes', colour: 'red' } };
    expect(readExportChoice(JSON.stringify(outdated))).toEqual({
      format: 'srt',
      options: { ...defaultExportOptions, times: 'end' },
    });
  });
});
