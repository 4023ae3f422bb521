import { plural, t } from '@lingui/core/macro';

/** How long deleted recordings can be restored; `days` are the server's `bin_days`, undefined until they are known. */
export function binDaysText(days: number | undefined): string {
  if (days === undefined) return t`You can restore them for a limited time.`;
  if (days === 0) return t`They are deleted permanently right away.`;
  return t`You can restore them for ${daysText(days)}.`;
}

/** The line above the bin. */
export function binText(days: number | undefined): string {
  if (days === undefined) return t`Recordings stay here for a limited time. After that they are deleted permanently.`;
  if (days === 0) return t`Recordings are deleted permanently right away.`;
  return t`Recordings stay here for ${daysText(days)}. After that they are deleted permanently.`;
}

function daysText(days: number): string {
  return plural(days, { one: '# day', other: '# days' });
}
