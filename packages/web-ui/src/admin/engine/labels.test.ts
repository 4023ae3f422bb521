import { describe, expect, it } from '@jest/globals';
import { engineSettings } from '@overtone/contracts';
import { engineGroups, engineLabels } from './labels.ts';
import { reportedText, reportRows } from './reports.ts';

describe('the page of the engine configuration', () => {
  it('shows every setting exactly once', () => {
    const shown = engineGroups.flatMap(({ keys }) => keys);
    expect(shown.toSorted()).toEqual(Object.keys(engineSettings.fields).toSorted());
  });
  it('names every setting and explains it', () => {
    for (const { label, description } of Object.values(engineLabels)) {
      expect(label).not.toBe('');
      expect(description).toMatch(/\.$/);
    }
  });
  it('shows the value of each worker with its source', () => {
    const settings = { batch_size: { value: 16, source: 'computed' as const } };
    const row = reportRows([{ id: 'one', settings }]).find(({ key }) => key === 'batch_size');
    expect(row?.cells).toEqual([{ worker: 'one', text: '16 (computed)', source: 'computed' }]);
    expect(reportedText('hybrid_mode', { value: 'false', source: 'stored' })).toBe('Never (set here)');
  });
});
