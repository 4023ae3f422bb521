import type { Instance } from '@overtone/e2e/instance';

/** One line of the table: a figure of ours beside its peer's, and whether the goal is met. */
export type Row = {
  name: string;
  ours: string;
  /** What the same work costs elsewhere, measured in the same run; empty where a goal is absolute. */
  peer: string;
  /** Ours over the peer's. */
  ratio: number | null;
  goal: string;
  met: boolean;
};
/** `size` scales the amount of work (BENCH_SIZE, 1 by default); `instance` is started at the first use and shared. */
export type BenchContext = {
  size: number;
  instance: () => Promise<Instance>;
  /** One of its own surroundings, that whoever asked for it removes. */
  another: (environment: Record<string, string>) => Promise<Instance>;
  folder: string;
};
/** `run` yields the figures as soon as they are measured: what fails later does not cost them. */
export type Bench = { name: string; about: string; run: (context: BenchContext) => AsyncIterable<Row> };

const headings = ['name', 'ours', 'peer', 'ratio', 'goal', 'met'] as const;
const cells = (row: Row): string[] => [
  row.name,
  row.ours,
  row.peer || '-',
  row.ratio === null ? '-' : row.ratio.toFixed(2),
  row.goal,
  row.met ? 'yes' : 'NO',
];

/** One figure in one line, for the moment at which it was measured. */
export const lineOf = (row: Row): string =>
  cells(row)
    .filter((cell) => cell !== '-' && cell !== '')
    .join('  ');

/** The rows as a table of aligned columns. */
export const tableOf = (rows: readonly Row[]): string => {
  const lines = [[...headings], ...rows.map(cells)];
  const widths = headings.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const draw = (line: readonly string[]): string =>
    line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  const [head = [], ...body] = lines;
  return [draw(head), widths.map((w) => '-'.repeat(w)).join('  '), ...body.map(draw)].join('\n');
};

/** The value below which `share` of the values lie. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};
export const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;
