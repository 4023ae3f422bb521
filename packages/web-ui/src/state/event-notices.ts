import { t } from '@lingui/core/macro';
import type { PushMessage } from '@overtone/contracts';

export type EventNotice = {
  readonly fileId: string;
  readonly text: (title: string) => string;
  readonly isFailure?: true;
};

/** The notice for a push message; null for messages without one. */
export function noticeOf(message: PushMessage): EventNotice | null {
  if (message.type === 'file_shared') {
    return { fileId: message.data.file_id, text: (title) => t`“${title}” was shared with you.` };
  }
  // A transcription that was stopped ended at the request of the user.
  if (message.type !== 'transcription_ended' || message.data.outcome === 'cancelled') return null;
  const { file_id: fileId, outcome, no_speech: noSpeech } = message.data;
  if (outcome === 'failed')
    return { fileId, text: (title) => t`The transcription of “${title}” failed.`, isFailure: true };
  return noSpeech
    ? { fileId, text: (title) => t`No speech detected in “${title}”.` }
    : { fileId, text: (title) => t`The transcript of “${title}” is ready.` };
}

type Deps = {
  readonly titleOf: (fileId: string) => Promise<string>;
  /** True when this file is visible. */
  readonly isShown: (fileId: string) => boolean;
  readonly show: (text: string, fileId: string, isFailure: boolean) => void;
};

/** Shows a notice with the title of the file for each message that has one. */
export function createEventNotices({ titleOf, isShown, show }: Deps): (message: PushMessage) => Promise<void> {
  return async (message) => {
    const notice = noticeOf(message);
    if (notice === null || isShown(notice.fileId)) return;
    // Without a title the file is deleted, or no longer shared with the user.
    const title = await titleOf(notice.fileId).catch(() => null);
    if (title !== null) show(notice.text(title), notice.fileId, notice.isFailure === true);
  };
}
