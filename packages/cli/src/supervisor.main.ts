import { createLineSink } from '@overtone/service-kit/line-sink';
import { dataFolder } from './paths.ts';
import { messageOf } from './refusal.ts';
import { exitOfShell, explainExit, nameExit } from './supervisor/ending.ts';
import type { SupervisorMessage } from './supervisor/messages.ts';
import { superviseInstance } from './supervisor/run-instance.ts';

// The supervisor of a detached instance: reports to `up` over its IPC channel until `up` exits, and runs until it is
// stopped. After any other exit guardian.sh restarts it with --resume.
const firstStartFailed = 3;

const output = createLineSink({ fd: 1, onRecovery: (dropped) => log(`log lines dropped: ${dropped}`) });

function log(line: string) {
  return output.write(`${new Date().toISOString()} ${line}\n`);
}

function report(message: SupervisorMessage) {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

function progress(line: string) {
  log(line);
  report({ type: 'progress', line });
}

const resume = process.argv.includes('--resume');
const ended = process.argv.find((argument) => argument.startsWith('--ended='))?.slice('--ended='.length);
log(
  `supervisor ${resume ? 'started again' : 'started'}, pid ${process.pid}${ended === undefined ? '' : after(Number(ended))}`,
);

function after(code: number): string {
  const exit = exitOfShell(code);
  return `: the previous one ended (${nameExit(exit)}), ${explainExit(exit)}; servers and services kept running`;
}
process.on('unhandledRejection', (error) => log(`unhandled rejection: ${messageOf(error)}`));
try {
  const supervisor = await superviseInstance(
    dataFolder(process.argv[2]),
    { progress, log },
    { gpuScale: process.argv.includes('--gpu-scale'), resume, servicesOutlive: true, setsUpSpeech: true },
  );
  const stop = () => void supervisor.stop().then(() => process.exit(0));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  await supervisor.start();
  report({ type: 'ready' });
  log('ready');
} catch (error) {
  log(messageOf(error));
  report({ type: 'failed', reason: messageOf(error) });
  process.exitCode = resume ? 1 : firstStartFailed;
  process.disconnect?.();
}
