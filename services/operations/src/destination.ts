import { isAbsolute } from 'node:path';
import { BackupError, newFolderDisk, withoutNewFolders } from '@overtone/backup';
import type { DestinationStatus } from '@overtone/contracts';
import { invalid, isAppError } from '@overtone/service-kit';
import pTimeout from 'p-timeout';

/** A folder or bucket that can be tested. */
export type Target = {
  /** For people: the folder, or `s3://bucket/prefix`. */
  place: string;
  /** Writes, reads and deletes a small file. */
  check: () => Promise<void>;
  /** Whether it can be reached; writes nothing. */
  probe: () => Promise<void>;
  /** Null where it is unknown, as in a bucket. */
  freeBytes: () => Promise<number | null>;
  close: () => void;
};

const answerMs = 15_000;
export const notSet: DestinationStatus = {
  destination: null,
  ok: false,
  error_code: 'destination_missing',
  error: 'There is no destination yet.',
  free_bytes: null,
  creates_folder_on: null,
};

/** `test` removes the folders that it created in the destination, `check` leaves them; `probe` writes nothing. */
export type HowToTest = 'check' | 'test' | 'probe';

/** Tests a destination, or looks whether it can be reached, and closes it. */
export async function statusOf(
  target: Target,
  how: HowToTest,
  requireAllowed: () => Promise<void>,
): Promise<DestinationStatus> {
  const { place: destination } = target;
  const isFolder = isAbsolute(destination);
  let disk: DestinationStatus['creates_folder_on'] = null;
  try {
    const work = async (): Promise<number | null> => {
      await requireAllowed();
      disk = isFolder ? await newFolderDisk(destination) : null;
      await (how === 'probe' ? target.probe() : target.check());
      return await target.freeBytes();
    };
    const freeBytes = await pTimeout(how === 'test' && isFolder ? withoutNewFolders(destination, work) : work(), {
      milliseconds: answerMs,
      message: `${destination} does not respond.`,
    });
    return { destination, ok: true, error_code: null, error: null, free_bytes: freeBytes, creates_folder_on: disk };
  } catch (error) {
    const { code, message } = failureOf(error);
    const known = code === 'destination_full' ? code : 'destination_unavailable';
    return { ...notSet, destination, error_code: known, error: message };
  } finally {
    target.close();
  }
}

const refusals = ['destination_full', 'destination_same'] as const;

/**
 * @param path the setting that the failure belongs to
 * @throws AppError destination_unavailable, destination_full or destination_same, when the test failed.
 */
export function requireUsable({ ok, error_code: code, error }: DestinationStatus, path: string): void {
  if (ok) return;
  const known = refusals.find((refusal) => refusal === code);
  const message = error ?? 'It cannot be used.';
  throw invalid(known ?? 'destination_unavailable', message, { errors: [{ path, message }] });
}

/** Shares a call in progress: a network folder that hangs occupies one thread of the process, not one for each check. */
export function shared(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work().finally(() => (running = undefined)));
}

/** The code and the sentence of a failure, as they are stored with a run. */
export function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof BackupError) return { code: error.code, message: error.message };
  if (isAppError(error)) {
    const code = error.code === 'storage_full' ? 'destination_full' : error.code;
    return { code, message: `${error.message}${reasonOf(error.cause)}` };
  }
  return { code: 'internal_error', message: error instanceof Error ? error.message : String(error) };
}

/** What this machine says of a failure, and of a server only its status: its text may come from any program on a network. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const { code = '', $metadata } = cause as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  if ($metadata?.httpStatusCode !== undefined) return ` (status ${$metadata.httpStatusCode})`;
  return /^E[A-Z0-9]+$/.test(String(code)) ? ` (${cause.message})` : '';
}
