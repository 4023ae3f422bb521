import { assemble } from './container/assemble.ts';
import { messageOf } from './refusal.ts';

// Runs during an image build: SERVICE TARGET (see deploy/Dockerfile).
const [service, target] = process.argv.slice(2);
try {
  if (service === undefined || target === undefined) throw new Error('usage: assemble.main.ts SERVICE TARGET');
  await assemble(service, target);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
