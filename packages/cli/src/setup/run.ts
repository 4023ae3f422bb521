import { spawn } from 'node:child_process';

/** The result of a command. */
export type RunResult = {
  readonly code: number;
  readonly output: string;
};

/** Where and how a command runs. */
export type RunOptions = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Stops the command. */
  readonly signal?: AbortSignal;
};

/** Runs a command and returns its output. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return await new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Test runners clean up on SIGINT only.
      ...(options.signal === undefined ? {} : { signal: options.signal, killSignal: 'SIGINT' }),
    });
    let output = '';
    const take = (text: string) => {
      output += text;
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (error) => {
      if (child.pid === undefined) resolve({ code: 127, output: error.message });
    });
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** The last lines of an output. */
export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
