import { t } from '@lingui/core/macro';

/** The placeholder of a filter with several values: a chosen value is shown without it. */
export function anyUnless(chosen: readonly string[] | undefined): string {
  return (chosen?.length ?? 0) > 0 ? '' : t`Any`;
}
