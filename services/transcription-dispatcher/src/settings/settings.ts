import type { EngineSettings, ReportedSettings } from '@overtone/contracts';
import { invalid } from '@overtone/service-kit';

/** @throws AppError settings_invalid, when the bounds of the number of speakers exclude each other. */
export function validateEngineSettings({ min_speakers: min, max_speakers: max }: EngineSettings): void {
  if (min === 'auto' || max === 'auto' || min <= max) return;
  const message = 'The maximum must not be less than the minimum number of speakers.';
  throw invalid('settings_invalid', message, { errors: [{ path: 'max_speakers', message }] });
}

/**
 * The environment of the workers by variable, as far as they report it. Workers that differ are shown one by one; the
 * first of them counts here.
 */
export function environmentOf(
  fields: Readonly<Record<string, { variable: string | null }>>,
  reports: readonly ReportedSettings[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, { variable }]) => {
      const given = reports.find((report) => report[key]?.source === 'environment')?.[key];
      return variable === null || given === undefined ? [] : [[variable, given.value]];
    }),
  );
}
