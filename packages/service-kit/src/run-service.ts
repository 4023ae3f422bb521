import { currentService, runAsService } from './current-service.ts';
import { isAppError } from './errors.ts';
import { standardOutput } from './log.ts';
import type { Service } from './service.ts';

/** Exit code (EX_SOFTWARE) by which the supervisor counts uncaught exceptions for the next process of the service. */
const uncaughtExceptionCode = 70;

/**
 * Starts a service as this process: stops on SIGTERM, SIGINT or when it is due for recycling; exits 1 when it cannot start and 70
 * after an uncaught exception.
 */
export async function runService(service: Service): Promise<void> {
  await run([{ name: '', create: () => service }]);
}

/** A service of a process that runs several. */
export type HostedService = { name: string; create: () => Service | Promise<Service> };

/**
 * Starts several services as one process. It ends as a whole, with the name of the service in its output, when one of them
 * cannot start or throws an uncaught exception.
 */
export async function runServices(hosted: readonly HostedService[]): Promise<void> {
  await run(hosted);
}

type RunningService = { name: string; service: Service; asService: <T>(work: () => T) => T };

async function run(hosted: readonly HostedService[]): Promise<void> {
  const running: RunningService[] = [];
  let stopping = false;
  const stop = (code: number) => {
    if (stopping) return;
    stopping = true;
    void Promise.allSettled(running.map(({ service }) => service.stop())).finally(() => process.exit(code));
  };
  process.on('SIGTERM', () => stop(0));
  process.on('SIGINT', () => stop(0));
  process.on('uncaughtException', (err) => {
    reportUnhandled(running, err, 'uncaught_exception');
    // A connection or a file that failed says nothing about the rest of the process; any other fault may.
    if (!isInputOutputError(err)) stop(uncaughtExceptionCode);
  });
  process.on('unhandledRejection', (err) => reportUnhandled(running, err as Error, 'unhandled_rejection'));
  await Promise.all(
    hosted.map(async ({ name, create }) => {
      const created = await createNamed(name, create);
      running.push(created);
      void created.service.recycled.then(() => stop(0));
      try {
        await created.asService(() => created.service.start());
      } catch (err) {
        // Stopped before it was ready: `stop` exits the process.
        if (stopping) return;
        report(created, err as Error, 'could not start');
        process.exit(1);
      }
    }),
  );
}

async function createNamed(name: string, create: HostedService['create']): Promise<RunningService> {
  try {
    const current = { name };
    const asService = <T>(work: () => T): T => runAsService(current, work);
    return { name, service: await asService(create), asService };
  } catch (err) {
    writeOutput(name, 'could not start', err as Error);
    return process.exit(1);
  }
}

function reportUnhandled(
  running: readonly RunningService[],
  err: Error,
  kind: 'uncaught_exception' | 'unhandled_rejection',
): void {
  const origin = running.find(({ name }) => name === currentService()?.name);
  const known = origin ?? running[0];
  if (known === undefined) return writeOutput('', kind, err);
  known.service.metrics.unhandledErrors.inc({ kind });
  const message = kind.replaceAll('_', ' ');
  report(known, err, origin === undefined && running.length > 1 ? `${message} in code of several services` : message);
}

function report({ name, service }: RunningService, err: Error, message: string): void {
  service.log.fatal({ err }, message);
  // The log of the process has to name the service, whose lines are in its own.
  if (name !== '') writeOutput(name, message, err);
}

function writeOutput(name: string, message: string, err: Error): void {
  standardOutput.write(`${new Date().toISOString()} fatal ${name} ${message}\n  ${err.stack ?? String(err)}\n`);
}

/** Whether the operating system or a stream reported the error, or our own code as an expected one. */
function isInputOutputError(error: Error): boolean {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  return syscall !== undefined || isAppError(error) || /^(ECONNRESET|EPIPE|ABORT_ERR|ERR_STREAM_)/.test(code);
}
