import { createProgram } from './program.ts';
import { Refusal } from './refusal.ts';
import { createTerminal } from './terminal.ts';

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  createTerminal(process.stderr).fail(error.message);
  process.exit(1);
}
