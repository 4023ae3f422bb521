import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { lastLines } from '../setup/run.ts';

const lookEveryMs = 250;

/** Options of `logs`. */
export type LogsOptions = {
  readonly data?: string;
  readonly follow?: boolean;
  readonly lines: number;
};

/** Prints the end of the logs, and follows them on request. */
export async function logs(service: string | undefined, options: LogsOptions): Promise<void> {
  const folder = dataFolder(options.data).logs;
  const there = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.log')) : [];
  const names = there.map((name) => name.slice(0, -'.log'.length)).sort();
  const wanted = service === undefined ? names : names.filter((name) => name === service);
  if (wanted.length === 0) {
    throw new Refusal(
      service === undefined
        ? `There are no logs in ${folder}.`
        : `There is no log of ${service}; there are: ${names.join(', ')}.`,
    );
  }
  const prefix = (name: string) => (wanted.length === 1 ? '' : `${name.padEnd(24)} | `);
  const seen = new Map<string, number>();
  for (const name of wanted) {
    const file = join(folder, `${name}.log`);
    print(lastLines(readFileSync(file, 'utf8'), options.lines), prefix(name));
    seen.set(name, statSync(file).size);
  }
  while (options.follow === true) {
    await sleep(lookEveryMs);
    for (const name of wanted)
      seen.set(name, printFrom(join(folder, `${name}.log`), seen.get(name) ?? 0, prefix(name)));
  }
}

function printFrom(file: string, from: number, prefix: string): number {
  const { size } = statSync(file);
  const start = size < from ? 0 : from; // the file was rotated and starts from the beginning
  if (size === start) return start;
  const buffer = Buffer.alloc(size - start);
  const handle = openSync(file, 'r');
  readSync(handle, buffer, 0, buffer.length, start);
  closeSync(handle);
  const whole = buffer.lastIndexOf(0x0a) + 1; // an incomplete last line is printed with the next read
  if (whole > 0) print(buffer.subarray(0, whole).toString('utf8').trimEnd(), prefix);
  return start + whole;
}

function print(text: string, prefix: string): void {
  if (text !== '')
    process.stdout.write(
      `${text
        .split('\n')
        .map((line) => prefix + line)
        .join('\n')}\n`,
    );
}
