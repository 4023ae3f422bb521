import { execFile, type ExecFileException } from 'node:child_process';

export type RunOptions = { cwd?: string; env?: Readonly<Record<string, string>>; limitMs?: number };

const largestOutput = 64 * 1024 * 1024;

/** Runs a program and returns what it printed. @throws Error with the last lines when it ends with another code than 0. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return await new Promise((resolve, reject) => {
    const settings = {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      maxBuffer: largestOutput,
      timeout: options.limitMs ?? 0,
    };
    execFile(command, [...args], settings, (error: ExecFileException | null, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} ${args.join(' ')}: ${lastLines(stdout + stderr) || error.message}`));
    });
  });
}

/** Whether a program ends with 0. */
export async function succeeds(command: string, args: readonly string[], options: RunOptions = {}): Promise<boolean> {
  return await run(command, args, options).then(
    () => true,
    () => false,
  );
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-25).join('\n');
}
