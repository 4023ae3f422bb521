import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Programs that only measuring needs, and the distribution's packages that hold them. */
const packages: Record<string, string> = { nginx: 'nginx-light', wrk: 'wrk', curl: 'curl' };
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** Makes sure the programs are here; installs them as root, else names the command that would. */
export const needTools = async (programs: readonly string[]): Promise<void> => {
  const missing = programs.filter((p) => !has(p)).map((p) => packages[p] ?? p);
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0 || !has('apt-get'))
    throw new Error(`Missing: ${missing.join(', ')}. Run: sudo ${command}`);
  console.error(`installing ${missing.join(', ')} ...`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () => run('sh', ['-c', command], { env });
  await install().catch(async () => {
    await run('apt-get', ['update', '-q'], { env });
    return install();
  });
};
