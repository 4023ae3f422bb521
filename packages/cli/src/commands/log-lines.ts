/** Levels in rising order; `--level` shows its level and all above it. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];

/** One entry of a log with its continuation lines (stack traces, multi-line statements). */
export type LogEntry = {
  readonly name: string;
  /** Milliseconds since 1970; an entry without a time has that of the entry before it. */
  readonly time: number;
  readonly level: LogLevel;
  readonly lines: readonly string[];
};

/** What a format of log lines says about one line. */
type Head = { readonly time: number; readonly level: LogLevel };

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

// Each pattern is anchored and reads a bounded prefix of the line.
const readers: readonly ((line: string) => Head | undefined)[] = [
  // Services with LOG_FORMAT=text, and the supervisor, which names no level.
  (line) => {
    const [, time, level] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (\w{1,5})?/.exec(line) ?? [];
    return time === undefined ? undefined : head(Date.parse(time), level);
  },
  // Services with LOG_FORMAT=json.
  (line) => {
    if (!line.startsWith('{')) return undefined;
    const [, time] = /"time":"([\d:.TZ-]{20,30})"/.exec(line) ?? [];
    const [, level] = /"level":"(\w{1,5})"/.exec(line) ?? [];
    return time === undefined ? undefined : head(Date.parse(time), level);
  },
  // PostgreSQL
  (line) => {
    const [, day, time, level] =
      /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) UTC \[\d{1,10}\] (?:\S{1,200} )?([A-Z]{3,9}):/.exec(line) ?? [];
    return day === undefined ? undefined : head(Date.parse(`${day}T${time}Z`), level);
  },
  // NATS, in local time
  (line) => {
    const [, day, time, level] =
      /^\[\d{1,10}\] (\d{4}\/\d\d\/\d\d) (\d\d:\d\d:\d\d\.\d{3})\d{0,6} \[([A-Z]{3})\]/.exec(line) ?? [];
    return day === undefined ? undefined : head(Date.parse(`${day.replaceAll('/', '-')}T${time}`), level);
  },
  // Redis, in local time
  (line) => {
    const [, day, month = '', year, time, level] =
      /^\d{1,10}:[A-Z] (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d\.\d{3}) ([.*#-])/.exec(line) ?? [];
    const number = String(months.indexOf(month) + 1).padStart(2, '0');
    return day === undefined ? undefined : head(Date.parse(`${year}-${number}-${day}T${time}`), level);
  },
];

const levelNames: Readonly<Record<string, LogLevel>> = {
  ...Object.fromEntries(logLevels.map((level) => [level, level])),
  LOG: 'info',
  WARNING: 'warn',
  ERROR: 'error',
  FATAL: 'fatal',
  PANIC: 'fatal',
  TRC: 'trace',
  DBG: 'debug',
  WRN: 'warn',
  ERR: 'error',
  FTL: 'fatal',
  '.': 'debug',
  '-': 'debug',
  '#': 'warn',
};

function head(time: number, level = ''): Head | undefined {
  return Number.isNaN(time) ? undefined : { time, level: levelNames[level] ?? 'info' };
}

/** The entries of a log, in its order. Linear in the length of the text. */
export function readEntries(name: string, text: string): LogEntry[] {
  const entries: (LogEntry & { lines: string[] })[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const found = readers.reduce<Head | undefined>((earlier, read) => earlier ?? read(line), undefined);
    const last = entries.at(-1);
    if (found === undefined && last !== undefined) last.lines.push(line);
    else entries.push({ name, ...(found ?? { time: 0, level: 'info' }), lines: [line] });
  }
  return entries;
}

/** The entries of several logs in one order of time; those of one log keep their order. */
export function mergeEntries(logs: readonly LogEntry[][]): LogEntry[] {
  return logs.flat().toSorted((left, right) => left.time - right.time);
}

const agoPattern = /^(\d{1,6})(s|m|h|d)$/;
const secondsOf = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** A moment, as `10m`, `2h`, `3d`, or an ISO 8601 time. @returns milliseconds since 1970, undefined when it is neither. */
export function parseSince(text: string, now: number): number | undefined {
  const [, count, unit] = agoPattern.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * secondsOf[unit as keyof typeof secondsOf] * 1000;
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
