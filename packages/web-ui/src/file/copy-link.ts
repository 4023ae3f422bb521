import { t } from '@lingui/core/macro';
import { notify, notifyError } from '../ui/notify.ts';
import { copyText } from '../lib/copy-text.ts';
import { clock } from '../lib/format.ts';

/** Copies the address of this recording at a moment, to a tenth of a second. */
export async function copyLinkTo(seconds: number): Promise<void> {
  try {
    await copyText(linkTo(seconds));
    notify(t`Link to ${clock(seconds)} copied.`);
  } catch (error) {
    notifyError(t`The link couldn’t be copied`, error);
  }
}

export function linkTo(seconds: number): string {
  const link = new URL(location.pathname, location.origin);
  link.searchParams.set('t', String(Math.round(seconds * 10) / 10));
  return link.href;
}
