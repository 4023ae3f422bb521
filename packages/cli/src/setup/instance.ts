import { z } from 'zod';
import { readIfThere, replaceFile } from '../files.ts';
import type { DataFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';

const instanceSchema = z.object({
  /** The public port. */
  port: z.int().min(1).max(65_535),
  /** Ports of the servers (`postgres`) and listeners (`media.api`, `media.internal`). */
  ports: z.record(z.string(), z.int()),
  adminEmail: z.string().optional(),
  /** Whether the administrator's first password was shown. */
  adminAnnounced: z.boolean(),
  /** Folders that have their marker: it is never made again, because an empty folder may stand in their place. */
  marked: z.array(z.enum(['objects', 'search'])).optional(),
});

/** What an instance remembers from one start to the next. */
export type Instance = z.infer<typeof instanceSchema>;

/** Reads what the data folder remembers; `undefined` before the first start. */
export function readInstance(folder: DataFolder): Instance | undefined {
  const text = readIfThere(folder.settings);
  if (text === undefined) return undefined;
  try {
    return instanceSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Refusal(`${folder.settings} cannot be read; remove it to have new ports chosen.`, { cause });
  }
}

/** Remembers. */
export function writeInstance(folder: DataFolder, instance: Instance): void {
  replaceFile(folder.settings, `${JSON.stringify(instance, undefined, 2)}\n`);
}

/** The address a browser opens. */
export function baseUrl(instance: Pick<Instance, 'port'>) {
  return `http://127.0.0.1:${instance.port}`;
}
