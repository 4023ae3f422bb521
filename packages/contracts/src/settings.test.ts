import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { RouteDef } from './define.ts';
import {
  defineSettings,
  differencesOf,
  effectiveSettings,
  setting,
  settingChanges,
  settingItem,
  settingsAnswer,
  settingVariables,
  toSettingItems,
} from './settings.ts';
import { routes } from './topology.ts';

const group = defineSettings('test', {
  size: setting.countOrAuto({ default: 'auto', range: [1, 8], variable: 'TEST_SIZE' }),
  share: setting.measure({ default: 0.5, range: [0, 1] }),
  mode: setting.choice({ default: 'on', choices: ['on', 'off'], variable: 'TEST_MODE' }),
  limit: setting.optional(setting.measure({ default: 1, range: [0.1, 10] })),
  readers: setting.choices({ default: ['owner'], choices: ['owner', 'viewer'] }),
  token: setting.secret(),
});

describe('a group of settings', () => {
  it('prefers stored values to the environment, and both to the defaults', () => {
    const { values, report } = effectiveSettings(group, {
      stored: { size: 4, share: 2 },
      environment: { TEST_SIZE: 2, TEST_MODE: 'off' },
    });
    // A stored value that does not fit counts as not stored.
    expect(values).toEqual({ size: 4, share: 0.5, mode: 'off', limit: null, readers: ['owner'], token: null });
    expect(Object.values(report).map(({ source }) => source)).toEqual([
      'stored',
      'default',
      'environment',
      'default',
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
    for (const refused of [{ size: 0 }, { mode: 'later' }, { other: 1 }, { readers: ['unknown'] }, { token: '' }])
      expect(changes.safeParse(refused).success).toBe(false);
  });
  it('refuses every number that does not fit with one sentence that names its range', () => {
    const changes = settingChanges(
      defineSettings('numbers', { ...group.fields, count: setting.count({ default: 1, range: [0, 1_000] }) }),
    );
    const messageOf = (change: object) => changes.safeParse(change).error?.issues.map(({ message }) => message);
    for (const share of [-1, 2, 'x', Number.NaN]) expect(messageOf({ share })).toEqual(['Enter a number from 0 to 1.']);
    for (const limit of [0, 11]) expect(messageOf({ limit })).toEqual(['Enter a number from 0.1 to 10.']);
    for (const size of [0, 9, 1.5, 'many']) expect(messageOf({ size })).toEqual(['Enter a whole number from 1 to 8.']);
    for (const count of [-1, 1_001, 0.5])
      expect(messageOf({ count })).toEqual(['Enter a whole number from 0 to 1,000.']);
  });
  it('differs from its defaults in values, not in the order of choices', () => {
    const values = { size: 'auto', share: 0.6, mode: 'on', limit: null, readers: ['owner'], token: null } as const;
    const both = { ...values, readers: ['viewer' as const, 'owner' as const] };
    expect(differencesOf(group, both)).toEqual({ share: 0.6, readers: ['viewer', 'owner'] });
    expect(differencesOf(group, { ...values, readers: ['owner'] })).toEqual({ share: 0.6 });
    expect(differencesOf(group, { ...values, readers: [] })).toEqual({ share: 0.6, readers: [] });
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

/** What administrators change with one route, and what is no group of settings, with the reason. */
const others: Readonly<Record<string, string>> = {
  '/api/admin/auth-config/{category}': 'its shape is fixed: flat by category, described by GET /api/admin/auth-config',
  '/api/admin/directory-sync': 'its shape is fixed: flat, with the report of the last run',
  '/api/admin/asr-providers': 'an ordered list with a revision',
  '/api/admin/retention/rules': 'an ordered list',
};

describe('the routes of settings', () => {
  const changed = routes.filter(({ method, path }) => method === 'PUT' && routeOf('GET', path));

  function routeOf(method: string, path: string): RouteDef | undefined {
    return routes.find((route) => route.method === method && route.path === path && route.access === 'super_admin');
  }
  function answersSettings(route: RouteDef | undefined): boolean {
    return route?.answer instanceof z.ZodObject && route.answer.shape['settings'] === settingsAnswer.shape.settings;
  }

  it('have one shape, but for those that are no group of settings', () => {
    const paths = changed.map(({ path }) => path);
    expect(paths.filter((path) => !others[path]).length).toBeGreaterThan(8);
    expect(Object.keys(others).filter((path) => !paths.includes(path))).toEqual([]);
    const different = paths.filter((path) => !['GET', 'PUT'].every((method) => answersSettings(routeOf(method, path))));
    expect(different.toSorted()).toEqual(Object.keys(others).toSorted());
  });
});
