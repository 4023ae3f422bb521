import { msg } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { translateOnRead } from '../lib/language.ts';
import { messageOf } from '../api/problem.ts';

const closeButtonProps = translateOnRead({ 'aria-label': msg`Close` });

/** Shows a toast about a failed action. */
export function notifyError(title: string, error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return;
  notifications.show({
    ...toneOfNotice(true),
    closeButtonProps,
    title,
    message: messageOf(error),
    autoClose: 10_000,
  });
}

export function notify(message: string): void {
  notifications.show({ ...toneOfNotice(false), closeButtonProps, message });
}

/** Screen readers interrupt what they say for a failure only, and only a failure takes the place of another notice. */
export function toneOfNotice(isFailure: boolean) {
  return isFailure ? { color: 'red', role: 'alert', priority: 1 } : { color: 'petrol', role: 'status' };
}

/** The next person at this browser must not read or take back what this one did. */
export function clearNotices(): void {
  notifications.cleanQueue();
  notifications.clean();
}
