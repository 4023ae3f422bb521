import { problemFrom, urlOf } from '@overtone/client';
import type { PlayFailure } from './player.ts';

/** Asks for one byte of the recording, to receive the error that the media element does not show; null: there is none. */
export async function findPlayFailure(uuid: string): Promise<PlayFailure | null> {
  const response = await fetch(urlOf('GET /api/files/{uuid}/content', { params: { uuid } }), {
    credentials: 'same-origin',
    headers: { range: 'bytes=0-0' },
  });
  if (response.ok) {
    await response.body?.cancel();
    return response.headers.get('x-playback-copy') === 'pending' ? 'converting' : null;
  }
  const { code } = problemFrom(response.status, await response.text(), null);
  if (code === 'audio_masking_pending') return 'masking';
  return code === 'audio_masking_failed' ? 'masking_failed' : 'unplayable';
}
