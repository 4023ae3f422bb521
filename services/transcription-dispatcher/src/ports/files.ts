import type { Role } from '@overtone/contracts';

export type Reader = { userId: string; role: Role };
export type Standing = { title: string; readable: boolean };

/** What media knows of files. */
export type Files = {
  /** The files of these that there are. @throws AppError unavailable while media cannot be asked. */
  standing: (fileIds: readonly string[], reader: Reader) => Promise<ReadonlyMap<string, Standing>>;
};
/** What identity knows of people. */
export type People = {
  /** Names by user id. @throws AppError unavailable while identity cannot be asked. */
  names: (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

/** Names by file; none while they cannot be asked for, because a list without names is still of use. */
export const titlesOf = async (
  files: Files,
  fileIds: readonly string[],
  reader: Reader,
): Promise<ReadonlyMap<string, string>> => {
  const known = await files.standing(fileIds, reader).catch(() => new Map<string, Standing>());
  return new Map([...known].map(([id, { title }]) => [id, title]));
};
