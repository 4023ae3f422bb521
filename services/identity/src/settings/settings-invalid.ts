import { invalid, type AppError } from '@overtone/service-kit';
import type { Fault } from './change-plan.ts';

/** Creates the error with all faults of settings and their keys. */
export function settingsInvalid(faults: readonly Fault[]): AppError {
  return invalid('settings_invalid', faults.map((fault) => `${fault.path}: ${fault.message}`).join(' '), {
    errors: [...faults],
  });
}
