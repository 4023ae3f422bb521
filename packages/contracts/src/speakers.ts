/** The labels of speakers without a name; search does not offer them. Also a pattern of PostgreSQL. */
export const speakerLabelPattern = /^SPEAKER_([0-9]+)$/;

/** The label of a file's n-th speaker: `SPEAKER_01`. Labels never change. */
export function speakerLabel(number: number): string {
  return `SPEAKER_${String(number).padStart(2, '0')}`;
}

/** The number of a speaker label; `undefined` for other names. */
export function speakerNumber(label: string): number | undefined {
  const digits = speakerLabelPattern.exec(label)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The displayed name of a speaker: the given name, or `Speaker 1`. */
export function speakerName(speaker: { readonly name: string; readonly display_name: string | null }): string {
  if (speaker.display_name !== null && speaker.display_name !== '') return speaker.display_name;
  const number = speakerNumber(speaker.name);
  return number === undefined ? speaker.name : `Speaker ${number}`;
}
