import type { Instance } from '@overtone/e2e/instance';

/** One line of the table: our value, the value of the peer, and whether the goal is met. */
export type Row = {
  name: string;
  ours: string;
  /** The cost of the same work in another program, measured in the same run; absent for an absolute goal. */
  peer?: string;
  /** Our value divided by the peer's. */
  ratio?: number | null;
  goal?: string;
  met?: boolean;
};
/** `size` scales the amount of work (BENCH_SIZE, 1 by default); `instance` is started at the first use and shared. */
export type BenchContext = {
  size: number;
  instance: () => Promise<Instance>;
  /** Starts an instance with its own environment; the caller removes it. */
  another: (environment: Record<string, string>) => Promise<Instance>;
  folder: string;
  /** The file of meetings with questions (`--qmsum PATH`, OT_BENCH_QMSUM); null: not given. */
  meetings: string | null;
};
/** `run` yields each measured row at once, so that a later failure does not lose it. */
export type Bench = { name: string; about: string; run: (context: BenchContext) => AsyncIterable<Row> };

const headings = ['name', 'ours', 'peer', 'ratio', 'goal', 'met'] as const;

/** One row as a line of text, printed when it is measured. */
export function lineOf(row: Row): string {
  return cells(row)
    .filter((cell) => cell !== '-')
    .join('  ');
}

/** The rows as a table of aligned columns. */
export function tableOf(rows: readonly Row[]): string {
  const lines = [[...headings], ...rows.map(cells)];
  const widths = headings.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const draw = (line: readonly string[]): string =>
    line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  const [head = [], ...body] = lines;
  return [draw(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(draw)].join('\n');
}

/** The value below which `share` of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((x, y) => x - y);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Medians of rounds that alternate between the measurements, so that other load on the machine affects all of them. */
export async function alternate<Name extends string>(
  rounds: number,
  measurements: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>> {
  const values = (Object.keys(measurements) as Name[]).map((name) => ({ name, all: [] as number[] }));
  for (let round = 0; round < rounds; round += 1)
    for (const { name, all } of values) all.push(await measurements[name]());
  return Object.fromEntries(values.map(({ name, all }) => [name, quantile(all, 0.5)])) as Record<Name, number>;
}

export async function measureSeconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}

function cells({ name, ours, peer, ratio, goal, met = true }: Row): string[] {
  return [name, ours, peer || '-', ratio?.toFixed(2) ?? '-', goal || '-', met ? 'yes' : 'NO'];
}
