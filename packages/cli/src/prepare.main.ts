import { messageOf } from './refusal.ts';
import { prepare } from './setup/prepare.ts';

// Runs during an image build: generates the database clients and the browser application, like every start.
try {
  await prepare((line) => process.stdout.write(`${line}\n`));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
