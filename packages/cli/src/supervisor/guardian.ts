import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { compileCache, productFolder, type DataFolder } from '../paths.ts';
import { guardianName, instanceProcesses, processMark, type InstanceProcess } from './instance-processes.ts';

/** Starts the shell that starts and restarts the supervisor of a detached instance, with this version's supervisor. */
export function spawnGuardian(
  folder: DataFolder,
  flags: readonly string[],
  { env, ipc }: { readonly env: Readonly<Record<string, string | undefined>>; readonly ipc: boolean },
): ChildProcess {
  const guardian = join(productFolder, 'packages', 'cli', 'src', 'guardian.sh');
  const log = openSync(join(folder.logs, 'supervisor.log'), 'a', 0o600);
  const child = spawn('/bin/sh', [guardian, process.execPath, folder.root, ...flags], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log, ...(ipc ? (['ipc'] as const) : [])],
    env: { ...env, NODE_COMPILE_CACHE: compileCache, ...processMark(folder.root, guardianName) },
  });
  closeSync(log);
  // The caller checks `pid`: it is undefined when the shell could not be started.
  child.on('error', () => {});
  return child;
}

/** The guardians of an instance; more than one only while an update replaces the supervisor. */
export function guardiansOf(folder: DataFolder): InstanceProcess[] {
  return instanceProcesses(folder.root).filter(({ name }) => name === guardianName);
}
