import { openSync } from 'node:fs';
import { trace } from '@opentelemetry/api';
import { pino, type Logger } from 'pino';
import { currentFlow } from './context.ts';
import type { ServiceEnv } from './env.ts';
import { createLineSink, type LineSink } from './line-sink.ts';

export type Log = Logger;

const secretPaths = [
  'password',
  '*.password',
  'token',
  '*.token',
  'authorization',
  '*.authorization',
  'cookie',
  '*.cookie',
];

const reportDropped = new WeakMap<LineSink, (dropped: number) => void>();
/** Standard output of this process: a disk or reader that refuses a line costs the line, never the process. */
export const standardOutput = createOutput(1);

/** Where a service writes its lines: standard output, or its own log when it shares its process with other services. */
export function outputOf({ OT_LOG_PATH }: Pick<ServiceEnv, 'OT_LOG_PATH'>): LineSink {
  return OT_LOG_PATH === undefined ? standardOutput : createOutput(openSync(OT_LOG_PATH, 'a', logFileMode));
}

const logFileMode = 0o600;

function createOutput(fd: number): LineSink {
  const output = createLineSink({ fd, onRecovery: (dropped) => reportDropped.get(output)?.(dropped) });
  return output;
}

/**
 * The service's logger: JSON lines, or one readable line each when LOG_FORMAT is `text`.
 * Levels by meaning: error = a human must act now, warn = look tomorrow, info = what happened.
 */
export function createLog(
  service: string,
  env: Pick<ServiceEnv, 'LOG_LEVEL' | 'LOG_FORMAT'>,
  output: LineSink = standardOutput,
): Log {
  const log = pino(
    {
      level: env.LOG_LEVEL,
      base: { service },
      redact: { paths: secretPaths, censor: '[hidden]' },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => {
        const flow = currentFlow();
        return { ...(flow ? { request_id: flow.requestId } : {}), ...traceFields() };
      },
    },
    env.LOG_FORMAT === 'json' ? output : textStream(output),
  );
  reportDropped.set(output, (dropped) => log.warn({ dropped }, 'log lines dropped'));
  return log;
}

/** The id of the current trace, as a field of a log line. */
export function traceFields(): { trace_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? { trace_id: span.traceId } : {};
}

type Line = { level: string; time: string; msg?: string; service?: string; err?: { message?: string; stack?: string } };

/** `2026-11-28T12:00:01.000Z warn  media what happened key=value`, written without a transport thread. */
function textStream(output: LineSink) {
  return {
    write: (json: string): void => {
      const { level, time, msg, service, err, ...rest } = JSON.parse(json) as Line & Record<string, unknown>;
      const fields = Object.entries(rest).map(
        ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      );
      const line = [time, level.padEnd(5), service, msg, ...fields].filter(Boolean).join(' ');
      output.write(`${line}${err ? `\n  ${err.stack ?? err.message ?? ''}` : ''}\n`);
    },
  };
}
