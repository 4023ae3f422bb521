import { readFileSync } from 'node:fs';
import type { Tally } from './reports.ts';

/** What a group of checks took. */
export type Usage = {
  readonly name: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly tallies: readonly Tally[];
};

const slowestFiles = 20;

/** CPU seconds of the ended children of this process, and of theirs. The unit of /proc is always 1/100 s. */
export function childCpuSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** CPU seconds of the instances of an output: their processes are no children of this one. */
export function instanceCpuSeconds(output: string): number {
  const figures = output.matchAll(/^instances used (\d+) CPU seconds$/gm);
  return [...figures].reduce((sum, [, seconds]) => sum + Number(seconds), 0);
}

/** The lines of `--timings`. */
export function timings(groups: readonly Usage[]): string[] {
  const line = ({ name, seconds, cpuSeconds }: Omit<Usage, 'tallies'>): string =>
    `${seconds.toFixed(1).padStart(8)} s ${cpuSeconds.toFixed(0).padStart(7)} CPU s  ${name}`;
  const total = (of: 'seconds' | 'cpuSeconds'): number => groups.reduce((sum, group) => sum + group[of], 0);
  const files = groups.flatMap(({ tallies }) => tallies.flatMap((tally) => tally.files ?? []));
  const slowest = files.toSorted((x, y) => y.seconds - x.seconds).slice(0, slowestFiles);
  return [
    'Duration and CPU time:',
    ...groups.map(line),
    line({ name: 'total', seconds: total('seconds'), cpuSeconds: total('cpuSeconds') }),
    'Slowest files and suites:',
    ...slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${file}`),
  ];
}
