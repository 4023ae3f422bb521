import { t } from '@lingui/core/macro';
import type { SettingItem } from '@overtone/contracts';

/** Values by key; null returns to the environment or the default. */
export type SettingEdits = Record<string, SettingItem['value']>;
/** The text that stands for "computed by the worker" in a setting that allows it. */
export const automatic = 'auto';

/** The values of a group by key; null for a secret. */
export function valuesOf<V extends object = SettingEdits>(items: readonly SettingItem[]): V {
  return Object.fromEntries(items.map(({ key, value }) => [key, value])) as V;
}

/** What the control shows: after a reset the value that will be effective. */
export function shownValue(item: SettingItem, fields: SettingEdits): SettingItem['value'] {
  const value = fields[item.key] ?? null;
  return value ?? item.environment_value ?? item.default_value;
}

/** What all controls show. */
export function shownValues(items: readonly SettingItem[], fields: SettingEdits): SettingEdits {
  return Object.fromEntries(items.map((item) => [item.key, shownValue(item, fields)]));
}

export function unitText(unit: SettingItem['unit']): string {
  switch (unit) {
    case undefined:
      return '';
    case 'seconds':
      return t` s`;
    case 'tasks':
      return t` tasks`;
    case 'speakers':
      return t` speakers`;
    case 'requests':
      return t` requests`;
    case 'MB/s':
      return ' MB/s';
    case 'percent':
      return ' %';
    default:
      return unit satisfies never;
  }
}
