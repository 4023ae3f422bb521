import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { productFolder } from '../paths.ts';
import { benchPackages, ensurePackages, productPackages, testPackages } from '../setup/packages.ts';
import { prepare } from '../setup/prepare.ts';
import { createTerminal } from '../terminal.ts';

/** Benchmarks the product against well-known programs and prints a table. */
export async function bench(name: string | undefined, { qmsum }: { qmsum?: string }): Promise<void> {
  const terminal = createTerminal(process.stderr);
  await ensurePackages([...productPackages, ...testPackages, ...benchPackages], terminal.step);
  await prepare(terminal.done);
  const main = join(productFolder, 'packages', 'bench', 'src', 'run.main.ts');
  const chosen = name === undefined ? [] : [name];
  const data = qmsum === undefined ? [] : ['--qmsum', resolve(qmsum)];
  const child = spawn(process.execPath, [main, ...chosen, ...data], {
    stdio: 'inherit',
    // The instances of benchmarks fetch no model.
    env: { ...process.env, OT_SPEECH_MODEL: 'none' },
  });
  child.on('error', (error) => terminal.fail(error.message));
  // Ctrl-C reaches both processes: the benchmark cleans up, this process waits for it.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
}
