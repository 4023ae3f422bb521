import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files below a folder that contain a text. */
export async function filesWith(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const found = await Promise.all(paths.map(async (path) => (await readFile(path)).includes(text)));
  return paths.filter((_, i) => found[i]);
}
