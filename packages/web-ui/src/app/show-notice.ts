import { sayWithAction } from './action-toast.tsx';
import { say } from './notify.ts';

type OpenFile = (fileId: string) => void;

/** Shows a browser notification while the page is in the background and the user allowed it, else a toast. */
export function showNotice(words: string, fileId: string, openFile: OpenFile): void {
  if (document.visibilityState === 'hidden' && permission() === 'granted' && showInBrowser(words, fileId, openFile))
    return;
  sayWithAction(words, { label: 'Open', run: () => openFile(fileId), autoClose: 10_000 });
}

/** `unavailable`: the browser has none, or the page is not in a secure context. */
export function permission(): NotificationPermission | 'unavailable' {
  return typeof Notification === 'undefined' || !isSecureContext ? 'unavailable' : Notification.permission;
}

/** Asks for the permission. Call it only in a click: browsers block questions that the user did not cause. */
export async function turnOnNotifications(): Promise<void> {
  const answer = await Notification.requestPermission();
  if (answer === 'granted') say('You will be notified when a transcript is ready or a recording is shared with you.');
  if (answer === 'denied') say('Your browser blocks notifications of this page. You can change that in its settings.');
}

/** @returns false when the browser refuses (Chrome on Android allows them only to service workers). */
function showInBrowser(words: string, fileId: string, openFile: OpenFile): boolean {
  try {
    const notification = new Notification('Overtone', { body: words, tag: fileId, icon: '/favicon.svg' });
    notification.onclick = () => {
      window.focus();
      notification.close();
      openFile(fileId);
    };
    return true;
  } catch {
    return false;
  }
}
