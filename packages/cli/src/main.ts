import { createProgram } from './program.ts';
import { Refusal } from './refusal.ts';
import { createTerminal } from './terminal.ts';

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof Refusal) && !isFromSystem(error)) throw error;
  createTerminal(process.stderr).fail(error.message);
  process.exit(1);
}

// What the operating system refuses (no right, no room) is a sentence already; anything else is our mistake.
function isFromSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
