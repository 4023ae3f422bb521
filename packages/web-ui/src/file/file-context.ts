import { speakerName } from '@overtone/contracts/speakers';
import { createContext, useContext } from 'react';
import type { FileDetail, Speaker } from '../api/queries.ts';
import type { Player } from './player.ts';

/** The data that the parts of the file page share. */
export type FileContext = {
  readonly file: FileDetail;
  readonly player: Player;
  readonly speakers: ReadonlyMap<string, SpeakerLook>;
};
export type SpeakerLook = { readonly speaker: Speaker; readonly name: string; readonly color: string };

const context = createContext<FileContext | null>(null);
export const FileProvider = context.Provider;

export function useFile(): FileContext {
  const value = useContext(context);
  if (!value) throw new Error('useFile is used outside of the file page.');
  return value;
}

/** False when the file was shared with the user as a viewer. */
export function canEdit(file: Pick<FileDetail, 'my_permission'>): boolean {
  return file.my_permission !== 'viewer';
}

/** The name and color of each speaker; the color stays the same while the page is open. */
export function speakerLooksOf(speakers: readonly Speaker[]): ReadonlyMap<string, SpeakerLook> {
  return new Map(
    [...speakers]
      .sort((x, y) => x.name.localeCompare(y.name, undefined, { numeric: true }))
      .map((speaker, i) => [speaker.uuid, { speaker, name: speakerName(speaker), color: `var(--spk-${i % 10})` }]),
  );
}
