import { spawnSync } from 'node:child_process';

/** Makes sure that the programs a bench measures with are here; `./overtone bench` installs them. */
export const needTools = (programs: readonly string[]): void => {
  const missing = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (missing.length > 0) throw new Error(`Missing: ${missing.join(', ')}. ./overtone bench installs them.`);
};
