import { isAppError } from './errors.ts';
import type { Service } from './service.ts';

/** Exit code (EX_SOFTWARE) by which the supervisor counts uncaught exceptions for the next process of the service. */
const uncaughtExceptionCode = 70;

/**
 * Starts a service as this process: stops on SIGTERM, SIGINT or when it is due for recycling; exits 1 when it cannot start and 70
 * after an uncaught exception.
 */
export async function runService(service: Service): Promise<void> {
  let stopping = false;
  const stop = (code: number) => {
    if (stopping) return;
    stopping = true;
    void service.stop().finally(() => process.exit(code));
  };
  process.on('SIGTERM', () => stop(0));
  process.on('SIGINT', () => stop(0));
  process.on('uncaughtException', (err) => {
    service.metrics.unhandledErrors.inc({ kind: 'uncaught_exception' });
    service.log.fatal({ err }, 'uncaught exception');
    // A connection or a file that failed says nothing about the rest of the process; any other fault may.
    if (!isInputOutputError(err)) stop(uncaughtExceptionCode);
  });
  process.on('unhandledRejection', (err) => {
    service.metrics.unhandledErrors.inc({ kind: 'unhandled_rejection' });
    service.log.fatal({ err: err as Error }, 'unhandled rejection');
  });
  void service.recycled.then(() => stop(0));
  try {
    await service.start();
  } catch (err) {
    // Stopped before it was ready: `stop` exits the process.
    if (stopping) return;
    service.log.fatal({ err: err as Error }, 'could not start');
    process.exit(1);
  }
}

/** Whether the operating system or a stream reported the error, or our own code as an expected one. */
function isInputOutputError(error: Error): boolean {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  return syscall !== undefined || isAppError(error) || /^(ECONNRESET|EPIPE|ABORT_ERR|ERR_STREAM_)/.test(code);
}
