import type { RequestBody, ResponseBody } from '@overtone/client';

export type FoundFile = ResponseBody<'POST /api/transcripts/find'>['files'][number];
export type Place = FoundFile['places'][number];
type ChosenFile = RequestBody<'POST /api/transcripts/replace'>['files'][number];

/** The same for a place as long as its passage is not changed. */
export function placeKey({ segment_uuid, version, start }: Place): string {
  return `${segment_uuid}:${version}:${start}`;
}

export function isEditable({ my_permission }: FoundFile): boolean {
  return my_permission === 'owner' || my_permission === 'editor';
}

/** The places that a replacement would change. */
export function chosenPlaces(file: FoundFile, excluded: ReadonlySet<string>): readonly Place[] {
  return isEditable(file) ? file.places.filter((place) => !excluded.has(placeKey(place))) : [];
}

/** Places as the server wants them: by recording and passage. */
export function toChosenFiles(chosen: readonly { readonly uuid: string; readonly places: readonly Place[] }[]) {
  return chosen.flatMap(({ uuid, places }): ChosenFile[] => {
    if (places.length === 0) return [];
    const segments = [...Map.groupBy(places, (place) => place.segment_uuid)].map(([segment, own]) => ({
      uuid: segment,
      version: own[0]?.version ?? 0,
      starts: own.map(({ start }) => start),
    }));
    return [{ file_uuid: uuid, segments }];
  });
}
