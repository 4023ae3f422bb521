import { messageOf } from './refusal.ts';
import { prepare } from './setup/prepare.ts';

// Run while an image is built: the database clients and the browser application, as every start makes them.
try {
  await prepare((line) => process.stdout.write(`${line}\n`));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
