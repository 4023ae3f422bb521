import { t } from '@lingui/core/macro';
import { notifyWithAction } from './action-toast.tsx';
import { notify } from './notify.ts';

type Notice = { readonly fileId: string; readonly isFailure: boolean; readonly openFile: () => void };

/** Shows a browser notification while the page is in the background and the user allows it, otherwise a toast. */
export function showNotice(text: string, notice: Notice): void {
  if (document.visibilityState === 'hidden' && permission() === 'granted' && showInBrowser(text, notice)) return;
  const { isFailure, openFile } = notice;
  notifyWithAction(text, { label: t`Open`, run: openFile, autoClose: 10_000, isFailure });
}

/** `unavailable`: the browser does not support notifications, or the page is not in a secure context. */
export function permission(): NotificationPermission | 'unavailable' {
  return typeof Notification === 'undefined' || !isSecureContext ? 'unavailable' : Notification.permission;
}

/** Requests the permission. Call it only in a click handler: browsers block requests without a user action. */
export async function turnOnNotifications(): Promise<void> {
  const result = await Notification.requestPermission();
  if (result === 'granted')
    notify(t`You will be notified when a transcript is ready or a recording is shared with you.`);
  if (result === 'denied')
    notify(t`Your browser blocks notifications from this page. You can change this in its settings.`);
}

/** @returns false when the browser refuses (Chrome on Android allows them only to service workers). */
function showInBrowser(text: string, { fileId, openFile }: Notice): boolean {
  try {
    const notification = new Notification('Overtone', { body: text, tag: fileId, icon: '/favicon.svg' });
    notification.onclick = () => {
      window.focus();
      notification.close();
      openFile();
    };
    return true;
  } catch {
    return false;
  }
}
