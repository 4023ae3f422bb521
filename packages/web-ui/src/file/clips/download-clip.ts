import { msg, t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { urlOf } from '@overtone/client';
import type { ClipKind, ClipObject, clipLimits } from '@overtone/contracts';
import { call } from '../../api/client.ts';
import { isOutage } from '../../api/problem.ts';
import { clock } from '../../lib/format.ts';
import { translateOnRead } from '../../lib/language.ts';
import { notify, notifyError } from '../../ui/notify.ts';

export type Part = { readonly start: number; readonly end: number };

/** The types keep them equal to those of the contracts. */
const minSeconds: (typeof clipLimits)['minSeconds'] = 0.2;
const maxSeconds: (typeof clipLimits)['maxSeconds'] = 1_800;
const pollMs = 1_000;
const closeButtonProps = translateOnRead({ 'aria-label': msg`Close` });

/** Requests a part of a recording as a file, waits until it is cut, and saves it. Closing the notice ends the wait. */
export async function downloadClip(fileUuid: string, part: Part, kind: ClipKind): Promise<void> {
  const { start } = part;
  // A short word is less than a clip can be.
  const end = Math.max(part.end, start + minSeconds);
  if (end - start > maxSeconds) return notify(t`A clip can have at most ${maxSeconds / 60} minutes.`);
  const id = `clip ${fileUuid} ${kind} ${start} ${end}`;
  const waiting = new AbortController();
  const times = `${clock(start)}–${clock(end)}`;
  notifications.show({
    id,
    loading: true,
    role: 'status',
    autoClose: false,
    closeButtonProps,
    message: kind === 'sound' ? t`Cutting the sound of ${times}…` : t`Cutting the video of ${times}…`,
    onClose: () => waiting.abort(),
  });
  try {
    const requested = await call('POST /api/files/{uuid}/clips', {
      params: { uuid: fileUuid },
      body: { start_time: start, end_time: end, kind },
    });
    const ready = await readyClip(fileUuid, requested, waiting.signal);
    if (ready?.state === 'failed') throw new Error(t`This part couldn’t be cut out of the recording.`);
    if (!ready) return;
    save(fileUuid, ready);
    notify(t`The clip is being downloaded.`);
  } catch (error) {
    notifyError(t`The clip couldn’t be made`, error);
  } finally {
    notifications.hide(id);
  }
}

/** @returns undefined when the person waits no more. */
async function readyClip(
  fileUuid: string,
  requested: ClipObject,
  signal: AbortSignal,
): Promise<ClipObject | undefined> {
  let clip = requested;
  while (clip.state === 'queued') {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    if (signal.aborted) return undefined;
    const params = { uuid: fileUuid, clip_uuid: clip.uuid };
    try {
      clip = await call('GET /api/files/{uuid}/clips/{clip_uuid}', { params });
    } catch (error) {
      // The clip is made while the connection is lost.
      if (!isOutage(error)) throw error;
    }
  }
  return clip;
}

function save(fileUuid: string, { uuid }: ClipObject): void {
  const link = document.createElement('a');
  link.href = urlOf('GET /api/files/{uuid}/clips/{clip_uuid}/content', { params: { uuid: fileUuid, clip_uuid: uuid } });
  // The server names the file.
  link.download = '';
  link.click();
}
