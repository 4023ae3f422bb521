import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  defaultsOf,
  defineSettings,
  effectiveSettings,
  setting,
  settingChanges,
  settingItem,
  settingVariables,
  toSettingItems,
} from './settings.ts';

const group = defineSettings('test', {
  size: setting.countOrAuto({ default: 'auto', range: [1, 8], variable: 'TEST_SIZE' }),
  share: setting.measure({ default: 0.5, range: [0, 1] }),
  mode: setting.choice({ default: 'on', choices: ['on', 'off'], variable: 'TEST_MODE' }),
  limit: setting.optional(setting.measure({ default: 1, range: [0.1, 10] })),
  token: setting.secret(),
});

describe('a group of settings', () => {
  it('prefers stored values to the environment, and both to the defaults', () => {
    const { values, report } = effectiveSettings(group, {
      stored: { size: 4, share: 2 },
      environment: { TEST_SIZE: 2, TEST_MODE: 'off' },
    });
    // A stored value that does not fit counts as not stored.
    expect(values).toEqual({ size: 4, share: 0.5, mode: 'off', limit: null, token: null });
    expect(Object.values(report).map(({ source }) => source)).toEqual([
      'stored',
      'default',
      'environment',
      'default',
      'default',
    ]);
  });
  it('reads its variables, and refuses those out of range', () => {
    const variables = z.object(settingVariables(group));
    expect(variables.parse({ TEST_SIZE: '3' })).toEqual({ TEST_SIZE: 3 });
    expect(variables.parse({ TEST_SIZE: 'auto' })).toEqual({ TEST_SIZE: 'auto' });
    expect(variables.safeParse({ TEST_SIZE: '9' }).success).toBe(false);
  });
  it('accepts a part of itself as a change, null for a reset, and nothing else', () => {
    const changes = settingChanges(group);
    expect(changes.parse({ size: 2, mode: null })).toEqual({ size: 2, mode: null });
    for (const refused of [{ size: 0 }, { mode: 'later' }, { other: 1 }, { token: '' }])
      expect(changes.safeParse(refused).success).toBe(false);
  });
  it('never shows a secret', () => {
    const stored = { values: { token: 'sk-one' }, changes: {} };
    const items = toSettingItems(group, stored);
    expect(items.find(({ key }) => key === 'token')).toMatchObject({ value: null, is_set: true, source: 'stored' });
    expect(JSON.stringify(items)).not.toContain('sk-one');
  });
  it('describes each setting for its form', () => {
    const items = toSettingItems(group, { values: { share: 0.7 }, changes: {} }, { TEST_SIZE: 2 });
    for (const item of items) expect(settingItem.safeParse(item).success).toBe(true);
    expect(items.find(({ key }) => key === 'size')).toMatchObject({
      type: 'integer',
      automatic: true,
      minimum: 1,
      maximum: 8,
      value: 2,
      environment_value: 2,
      default_value: 'auto',
    });
  });
});
