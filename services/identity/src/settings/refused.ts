import { invalid, type AppError } from '@overtone/service-kit';
import type { Fault } from './change-plan.ts';

/** All that is wrong with settings, each with its key. */
export const refused = (faults: readonly Fault[]): AppError =>
  invalid('settings_invalid', faults.map((f) => `${f.path}: ${f.message}`).join(' '), { errors: [...faults] });
