import { plural, t } from '@lingui/core/macro';
import type { FileDetail } from '../api/queries.ts';

type SoundTrack = FileDetail['sound_tracks'][number];

/** A sound track in words: its number, title, language and channels. */
export function soundTrackText({ number, title, language, channels }: SoundTrack): string {
  const count = plural(channels, { one: '# channel', other: '# channels' });
  return [t`Track ${number}`, title, language, count].filter((part) => part !== null).join(', ');
}
