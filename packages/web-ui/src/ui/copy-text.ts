import { t } from '@lingui/core/macro';
import { notify, notifyError } from './notify.ts';

/** Copies a text and shows the result: `copied`, or an error with the title `failed`. */
export async function copyAndNotify(text: string, copied: string, failed: string): Promise<void> {
  try {
    await copyText(text);
    notify(copied);
  } catch (error) {
    notifyError(failed, error);
  }
}

/** Copies a text to the clipboard, also on plain HTTP, where browsers have no clipboard API. */
export async function copyText(text: string): Promise<void> {
  if ('clipboard' in navigator) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (!copied) throw new Error(t`The browser does not allow copying.`);
}
