import type { Role } from '@overtone/contracts';

export type Reader = { userId: string; role: Role };
export type FileDescription = { title: string; readable: boolean };

/** Files as media knows them. */
export type Files = {
  /** Title and readability of the existing ones among `fileIds`. @throws AppError unavailable while media does not respond. */
  describe: (fileIds: readonly string[], reader: Reader) => Promise<ReadonlyMap<string, FileDescription>>;
};
/** Users as identity knows them. */
export type People = {
  /** Names by user id. @throws AppError unavailable while identity does not respond. */
  names: (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

/** Titles of the tasks' files; empty while media does not respond, because a list without titles is still useful. */
export async function titlesOf(
  files: Files,
  tasks: readonly { fileId: string }[],
  reader: Reader,
): Promise<ReadonlyMap<string, string>> {
  const fileIds = tasks.map(({ fileId }) => fileId);
  const known = await files.describe(fileIds, reader).catch(() => new Map<string, FileDescription>());
  return new Map([...known].map(([id, { title }]) => [id, title]));
}
