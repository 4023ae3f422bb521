import { spawnSync } from 'node:child_process';

/** Checks that the required programs are installed; `./overtone bench` installs them. */
export function needTools(programs: readonly string[]): void {
  const missing = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (missing.length > 0) throw new Error(`Missing: ${missing.join(', ')}. ./overtone bench installs them.`);
}
