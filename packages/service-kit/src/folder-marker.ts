import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file that proves that a folder is the chosen one, and not an empty one in its place, such as an unmounted disk. */
export const folderMarker = '.overtone-store';

/** Creates a folder unless it is there, and marks it as the chosen one. */
export async function markFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, folderMarker), 'Without this file Overtone does not use this folder.\n', {
    flush: true,
  });
}

export async function isMarked(folder: string): Promise<boolean> {
  return await access(join(folder, folderMarker)).then(
    () => true,
    () => false,
  );
}

/** @throws Error that names what is missing, for an operator. */
export async function requireMarker(folder: string): Promise<void> {
  await access(join(folder, folderMarker)).catch((cause: unknown) => {
    throw new Error(
      `${folder} has no file ${folderMarker}: is its disk mounted? If it is the right folder, create that file in it.`,
      { cause },
    );
  });
}
