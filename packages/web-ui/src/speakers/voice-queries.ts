import { t } from '@lingui/core/macro';
import { urlOf, type ResponseBody } from '@overtone/client';
import { speakerName } from '@overtone/contracts/speakers';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.ts';

export type VoiceSuggestion = ResponseBody<'GET /api/speaker-suggestions'>['suggestions'][number];
export type Voice = VoiceSuggestion['voice'];
export type ExcludedVoice = ResponseBody<'GET /api/speaker-profiles/excluded-voices'>[number];
export type Profile = ResponseBody<'GET /api/speaker-profiles'>['profiles'][number];

/** Comparisons take seconds after a change. */
const refreshMs = 5_000;

export const profilesQuery = queryOptions({
  queryKey: ['voices', 'profiles'],
  queryFn: ({ signal }) => call('GET /api/speaker-profiles', { signal }),
});
export const clustersQuery = queryOptions({
  queryKey: ['voices', 'clusters'],
  queryFn: ({ signal }) => call('GET /api/speaker-clusters', { signal }),
  refetchInterval: ({ state }) => (state.data && state.data.waiting > 0 ? refreshMs : false),
});

/** The voices of a profile, in the recordings that the user may read. */
export function occurrencesQuery(profileId: string) {
  return queryOptions({
    queryKey: ['voices', 'occurrences', profileId],
    queryFn: ({ signal }) =>
      call('GET /api/speaker-profiles/{uuid}/occurrences', { params: { uuid: profileId }, signal }),
  });
}

/** The voices that a person said are not the one of a profile, in the recordings that the user may edit. */
export function rejectedVoicesQuery(profileId: string) {
  return queryOptions({
    queryKey: ['voices', 'rejected', profileId],
    queryFn: ({ signal }) =>
      call('GET /api/speaker-profiles/{uuid}/rejected-voices', { params: { uuid: profileId }, signal }),
  });
}

/** Voices of deleted profiles in the user's own recordings. */
export const excludedVoicesQuery = queryOptions({
  queryKey: ['voices', 'excluded'],
  queryFn: ({ signal }) => call('GET /api/speaker-profiles/excluded-voices', { signal }),
});

/** Open suggestions of all recordings of the user, or of one file. */
export function voiceSuggestionsQuery(fileId?: string) {
  return queryOptions({
    queryKey: ['voices', 'suggestions', fileId ?? 'all'],
    queryFn: ({ signal }) =>
      call('GET /api/speaker-suggestions', { query: fileId === undefined ? {} : { file_uuid: fileId }, signal }),
    refetchInterval: ({ state }) => (state.data?.enabled === false ? false : refreshMs),
  });
}

/** What the speaker is called in its recording without a name: `Speaker 1`. */
export function voiceName({ label }: Pick<Voice, 'label'>): string {
  return speakerName({ name: label, display_name: null });
}

/** The same where voices of several recordings are listed: `Speaker 1 in Visit`. */
export function voiceInRecording(voice: Pick<Voice, 'label' | 'file_title'>): string {
  return t`${voiceName(voice)} in ${voice.file_title}`;
}

/** A confidence in percent; nothing that a person has to decide is certain. */
export function percentOf(confidence: number): number {
  return Math.min(99, Math.round(confidence * 100));
}

/** The recording from the part in which the voice speaks. */
export function sampleUrl({ file_uuid: uuid, sample }: Voice): string | null {
  if (!sample) return null;
  const url = urlOf('GET /api/files/{uuid}/content', { params: { uuid } });
  return `${url}#t=${sample.start.toFixed(2)},${sample.end.toFixed(2)}`;
}
