import { speakerName } from '@overtone/contracts/speakers';
import { createContext, useContext } from 'react';
import type { FileDetail, Speaker } from '../api/queries.ts';
import type { Player } from './player.ts';

/** What the parts of the file page share. */
export type FileContext = {
  readonly file: FileDetail;
  readonly player: Player;
  readonly speakers: ReadonlyMap<string, SpeakerLook>;
};
export type SpeakerLook = { readonly speaker: Speaker; readonly name: string; readonly color: string };

const context = createContext<FileContext | null>(null);
export const FileProvider = context.Provider;
export const useFile = (): FileContext => {
  const value = useContext(context);
  if (!value) throw new Error('useFile is for parts of the file page.');
  return value;
};

/** False for somebody the file was shared with for reading only. */
export const mayCorrect = (file: Pick<FileDetail, 'my_permission'>): boolean => file.my_permission !== 'viewer';

/** Speakers with the name to show and a colour that stays theirs while the page is open. */
export const looksOf = (speakers: readonly Speaker[]): ReadonlyMap<string, SpeakerLook> =>
  new Map(
    [...speakers]
      .sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
      .map((speaker, i) => [speaker.uuid, { speaker, name: speakerName(speaker), color: `var(--spk-${i % 10})` }]),
  );
