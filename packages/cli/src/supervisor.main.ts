import { dataFolder } from './paths.ts';
import { messageOf } from './refusal.ts';
import type { SupervisorMessage } from './supervisor/messages.ts';
import { superviseInstance } from './supervisor/run-instance.ts';

// The supervisor without a terminal: tells `up` how it goes over the channel it was started with, as long as
// somebody listens, and then lives until it is asked to stop.
const log = (line: string) => process.stdout.write(`${new Date().toISOString()} ${line}\n`);
const tell = (message: SupervisorMessage) => {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
};

const progress = (line: string) => {
  log(line);
  tell({ type: 'progress', line });
};

try {
  const supervisor = await superviseInstance(
    dataFolder(process.argv[2]),
    { progress, log },
    { gpuScale: process.argv.includes('--gpu-scale') },
  );
  const stop = () => void supervisor.stop().then(() => process.exit(0));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  await supervisor.start();
  tell({ type: 'ready' });
  log('ready');
} catch (error) {
  log(messageOf(error));
  tell({ type: 'failed', reason: messageOf(error) });
  process.exitCode = 1;
  process.disconnect?.();
}
