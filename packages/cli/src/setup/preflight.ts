import { mkdirSync, statfsSync } from 'node:fs';
import { readIfThere, replaceFile } from '../files.ts';
import { productVersion, type DataFolder } from '../paths.ts';
import { messageOf, Refusal } from '../refusal.ts';
import { isPortFree } from '../servers/ports.ts';

const neededBytes = 500 * 1024 * 1024;

/** Whether version `a` is newer than `b`; a pre-release comes before its release. */
export function isNewer(text: string, other: string): boolean {
  const parse = (version: string) => {
    const [core = '', pre] = version.trim().split('-', 2);
    return [...core.split('.').map(Number), pre === undefined ? 1 : 0];
  };
  const [left, right] = [parse(text), parse(other)];
  const difference = left.findIndex((part, index) => part !== right[index]);
  return difference >= 0 && left[difference]! > (right[difference] ?? 0);
}

/** Creates the data folder. */
export function openDataFolder(folder: DataFolder): void {
  try {
    mkdirSync(folder.root, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Refusal(`The data folder ${folder.root} cannot be made: ${messageOf(error)}`, { cause: error });
  }
}

/** The newer version that used the data folder last. The database decides whether this version can: see `SchemaError`. */
export function newerVersionOf(folder: DataFolder): string | undefined {
  const version = readIfThere(folder.version)?.trim();
  return version !== undefined && isNewer(version, productVersion()) ? version : undefined;
}

/** Writes the version to the data folder. */
export function markVersion(folder: DataFolder): void {
  if (readIfThere(folder.version)?.trim() !== productVersion()) replaceFile(folder.version, `${productVersion()}\n`);
}

/** The free space on the disk of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Rejects a start on a nearly full disk, because databases may fail on it. */
export function checkDisk(folder: DataFolder, free = freeBytes(folder.root)): void {
  if (free >= neededBytes) return;
  const megabytes = (bytes: number) => Math.floor(bytes / 1024 / 1024);
  throw new Refusal(
    `Only ${megabytes(free)} MiB are free on the disk of ${folder.root}; at least ${megabytes(neededBytes)} MiB are needed.`,
  );
}

/** Rejects a public port that another process uses. */
export async function checkPort(port: number): Promise<void> {
  if (!(await isPortFree(port))) {
    throw new Refusal(`Port ${port} is in use by another program; choose another one with --port.`);
  }
}

/** Secrets of the data folder that the embedded profile takes from nowhere else: the environment may only repeat them. */
export const ownSecrets = [
  ['ENCRYPTION_KEY', 'encryption_key'],
  ['ASSERTION_PRIVATE_KEY', 'assertion_private_key'],
  ['ASSERTION_PUBLIC_KEY', 'assertion_public_key'],
] as const;

/**
 * Rejects secrets of the environment that would be ignored.
 * @param stored The content of a file in the folder of secrets, if it exists.
 */
export function checkSecrets(
  environment: Readonly<Record<string, string | undefined>>,
  stored: (name: string) => string | undefined,
): void {
  for (const [name, file] of ownSecrets) {
    const path = environment[`${name}_FILE`];
    const given = path ? (readIfThere(path) ?? '') : environment[name];
    if (!given && !path) continue;
    if (given?.trim() === stored(file)?.trim()) continue;
    throw new Refusal(
      `${name} is set in the environment, but ./overtone up uses secrets/${file} of the data folder. Remove the variable` +
        (name === 'ENCRYPTION_KEY' ? ', or write its value into that file before the first start.' : '.'),
    );
  }
}
