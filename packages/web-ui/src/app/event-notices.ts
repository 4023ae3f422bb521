import type { PushMessage } from '@overtone/contracts';

export type EventNotice = { readonly fileId: string; readonly words: (title: string) => string };

/** The notice for a push message; null: the message is not for a notice. */
export function noticeOf(message: PushMessage): EventNotice | null {
  if (message.type === 'file_shared') {
    return { fileId: message.data.file_id, words: (title) => `“${title}” was shared with you.` };
  }
  // A transcription that was stopped ended at the request of the user.
  if (message.type !== 'transcription_ended' || message.data.outcome === 'cancelled') return null;
  const { file_id: fileId, outcome, no_speech: noSpeech } = message.data;
  if (outcome === 'failed') return { fileId, words: (title) => `The transcription of “${title}” failed.` };
  return noSpeech
    ? { fileId, words: (title) => `No speech was found in “${title}”.` }
    : { fileId, words: (title) => `The transcript of “${title}” is ready.` };
}

type Deps = {
  readonly titleOf: (fileId: string) => Promise<string>;
  /** True when the user has this file on the screen. */
  readonly isShown: (fileId: string) => boolean;
  readonly show: (words: string, fileId: string) => void;
};

/** Shows a notice for each message that is for one, with the title of the file. */
export function createEventNotices({ titleOf, isShown, show }: Deps): (message: PushMessage) => Promise<void> {
  return async (message) => {
    const notice = noticeOf(message);
    if (notice === null || isShown(notice.fileId)) return;
    // Without a title the file is deleted, or no longer shared with the user.
    const title = await titleOf(notice.fileId).catch(() => null);
    if (title !== null) show(notice.words(title), notice.fileId);
  };
}
