import { t } from '@lingui/core/macro';
import cronstrue from 'cronstrue';
import type { SettingLabel } from './setting-field.tsx';

/** The texts of a schedule; it is described in words while it is valid. */
export function scheduleLabel(schedule: unknown): SettingLabel {
  return {
    label: t`Schedule`,
    description: describeSchedule(String(schedule)) || t`Five cron fields: minute, hour, day, month, weekday. In UTC.`,
  };
}

function describeSchedule(schedule: string): string {
  try {
    return t`${cronstrue.toString(schedule, { use24HourTimeFormat: true })} (UTC)`;
  } catch {
    return '';
  }
}
