import type { ResponseBody } from '@overtone/client';
import { uuid } from './example.ts';

type FoundFile = ResponseBody<'POST /api/transcripts/find'>['files'][number];
type Place = FoundFile['places'][number];

/** A recording in which “Smyth” was found once. */
export function foundIn(
  { uuid: file_uuid, title }: { uuid: string; title: string },
  places = [foundPlace()],
): FoundFile {
  return { file_uuid, title, my_permission: 'owner', places, error: null };
}

export function foundPlace(fields: Partial<Place> = {}): Place {
  return {
    segment_uuid: uuid(70),
    version: 1,
    start_time: 65,
    speaker: 'SPEAKER_01',
    start: 7,
    text: 'Mister Smyth came in',
    from: 7,
    to: 12,
    replacement: 'Smith',
    ...fields,
  };
}
