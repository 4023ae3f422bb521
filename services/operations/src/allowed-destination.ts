import { readdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { BackupError, manifestEnding, probeFolder } from '@overtone/backup';
import type { BackupSettings, MirrorSettings } from '@overtone/contracts';
import { isMarked, requireMarker } from '@overtone/service-kit/folder-marker';
import type { OutboundGuard } from '@overtone/service-kit/outbound';

/** Checks a destination before anything is sent or written to it. @throws AppError, BackupError. */
export type CheckDestination = (settings: BackupSettings | MirrorSettings) => Promise<void>;

/** A destination is a server that the guard allows, or a folder whose real path is below `roots`. */
export function createDestinationCheck(guard: OutboundGuard, roots: readonly string[]): CheckDestination {
  return async ({ destination_type: type, destination, s3_endpoint_url: endpoint }) => {
    if (type === 's3') {
      await guard.checkedAddress(guard.checkUrl(endpoint).hostname);
      return;
    }
    const folder = join(destination);
    const real = await realPathOf(folder);
    const allowed = await Promise.all(roots.map(realPathOf));
    if (roots.some((root) => isWithin(folder, join(root))) && allowed.some((root) => isWithin(real, root))) return;
    throw new BackupError(
      'destination_unavailable',
      `${destination} is outside the folders for backups. Choose a folder below ${roots.join(', ')}. To use another one, add it to OT_BACKUP_ROOTS where Overtone is started, and restart it.`,
    );
  };
}

/**
 * A folder that was chosen has its marker, or holds what an earlier version wrote there; an empty one may be the mount point
 * of a disk that is missing. Writes nothing. @throws BackupError destination_unavailable.
 */
export async function requireChosenFolder(folder: string): Promise<void> {
  await probeFolder(folder);
  if (await isMarked(folder)) return;
  // `objects` of a mirror, manifests of backups.
  if ((await readdir(folder)).some((name) => name === 'objects' || name.endsWith(manifestEnding))) return;
  await requireMarker(folder).catch((cause: Error) => {
    throw new BackupError('destination_unavailable', cause.message, { cause });
  });
}

/** The path without links; of a folder that does not exist, from the first folder above it that does. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT' || dirname(path) === path) throw error;
    return join(await realPathOf(dirname(path)), relative(dirname(path), path));
  }
}

/** Whether a folder is another one, or below it. */
export function isWithin(folder: string, parent: string): boolean {
  const path = relative(parent, folder);
  return path === '' || (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path));
}
