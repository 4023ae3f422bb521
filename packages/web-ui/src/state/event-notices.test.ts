import { describe, expect, it } from '@jest/globals';
import type { PushMessage } from '@overtone/contracts';
import { createEventNotices } from './event-notices.ts';

const fileId = '11111111-1111-4111-8111-111111111111';

function ended(outcome: 'completed' | 'failed' | 'cancelled', no_speech = false): PushMessage {
  return {
    type: 'transcription_ended',
    seq: 1,
    data: { file_id: fileId, outcome, no_speech },
  };
}

const shared: PushMessage = { type: 'file_shared', seq: 1, data: { file_id: fileId, shared_by: fileId } };

async function shownFor(
  message: PushMessage,
  { titleOf = () => Promise.resolve('Talk'), isShown = (): boolean => false } = {},
): Promise<string[]> {
  const shown: string[] = [];
  const show = (text: string, _: string, isFailure: boolean) => shown.push(isFailure ? `failure: ${text}` : text);
  await createEventNotices({ titleOf, isShown, show })(message);
  return shown;
}

describe('event notices', () => {
  it.each([
    ['a finished transcription', ended('completed'), ['The transcript of “Talk” is ready.']],
    ['a recording without speech', ended('completed', true), ['No speech detected in “Talk”.']],
    ['a failed transcription', ended('failed'), ['failure: The transcription of “Talk” failed.']],
    ['a stopped transcription', ended('cancelled'), []],
    ['a shared file', shared, ['“Talk” was shared with you.']],
    ['another message', { type: 'pong', data: {} }, []],
  ] as const)('for %s are correct', async (_, message, texts) => expect(await shownFor(message)).toEqual(texts));
  it('are not shown for the visible file', async () =>
    expect(await shownFor(ended('completed'), { isShown: () => true })).toEqual([]));
  it('are not shown for a file that cannot be loaded', async () =>
    expect(await shownFor(shared, { titleOf: () => Promise.reject(new Error('404')) })).toEqual([]));
});
