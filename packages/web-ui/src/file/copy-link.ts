import { t } from '@lingui/core/macro';
import { clock } from '../lib/format.ts';
import { copyAndNotify } from '../ui/copy-text.ts';

/** Copies the address of this recording at a moment, to a tenth of a second. */
export async function copyLinkTo(seconds: number): Promise<void> {
  await copyAndNotify(linkTo(seconds), t`Link to ${clock(seconds)} copied.`, t`The link couldn’t be copied`);
}

export function linkTo(seconds: number): string {
  const link = new URL(location.pathname, location.origin);
  link.searchParams.set('t', String(Math.round(seconds * 10) / 10));
  return link.href;
}
