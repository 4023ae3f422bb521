import { createProgram } from './program.ts';
import { Refusal } from './refusal.ts';
import { createTerminal } from './terminal.ts';

// The reader of a pipe may end first, as in `./overtone status | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof Refusal) && !isFromSystem(error)) throw error;
  createTerminal(process.stderr).fail(error.message);
  process.exit(1);
}

// Errors of the operating system (permissions, disk space) have a clear message; all others are bugs.
function isFromSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
