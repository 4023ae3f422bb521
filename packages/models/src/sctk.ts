import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { normaliseWords, type SpeakerTurn } from './scoring.ts';

export type ScoredText = { readonly id: string; readonly reference: string; readonly recognised: string };

/** The word error rate by `sclite` of Debian's package sctk; undefined when it is not installed. */
export async function sclite(texts: readonly ScoredText[]): Promise<number | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-sclite-'));
  try {
    const lines = (side: 'reference' | 'recognised') =>
      texts.map((text, index) => `${normaliseWords(text[side]).join(' ')} (set-${index})\n`).join('');
    const [reference, recognised] = [join(folder, 'ref.trn'), join(folder, 'hyp.trn')];
    await Promise.all([writeFile(reference, lines('reference')), writeFile(recognised, lines('recognised'))]);
    const options = [
      '-r',
      reference,
      'trn',
      '-h',
      recognised,
      'trn',
      '-i',
      'rm',
      '-e',
      'utf-8',
      '-o',
      'rsum',
      'stdout',
    ];
    const report = await runProgram('sclite', options);
    return report === undefined ? undefined : rateOf(report);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export type ScoredTurns = {
  readonly id: string;
  readonly reference: readonly SpeakerTurn[];
  readonly found: readonly SpeakerTurn[];
};

/** The diarization error rate by `md-eval.pl` of sctk; undefined when it is not installed. */
export async function mdEval(recordings: readonly ScoredTurns[], collar: number): Promise<number | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-md-eval-'));
  try {
    const lines = (side: 'reference' | 'found') =>
      recordings.flatMap((recording, index) => recording[side].map((turn) => rttmLine(`set-${index}`, turn))).join('');
    const regions = recordings.map(({ reference, found }, index) => {
      const end = Math.max(0, ...[...reference, ...found].map((turn) => turn.end));
      return `set-${index} 1 0.000 ${end.toFixed(3)}\n`;
    });
    const [reference, found, scored] = [join(folder, 'ref.rttm'), join(folder, 'sys.rttm'), join(folder, 'all.uem')];
    await Promise.all([
      writeFile(reference, lines('reference')),
      writeFile(found, lines('found')),
      // Without it speech before the first and after the last turn of the reference would not count as added.
      writeFile(scored, regions.join('')),
    ]);
    const report = await runProgram('md-eval.pl', ['-c', String(collar), '-u', scored, '-r', reference, '-s', found]);
    const percent = /OVERALL SPEAKER DIARIZATION ERROR = ([\d.]+) percent/.exec(report ?? '')?.[1];
    return percent === undefined ? undefined : Number(percent) / 100;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function rttmLine(id: string, { start, end, speaker }: SpeakerTurn): string {
  const name = speaker.replaceAll(/\s+/g, '_');
  return `SPEAKER ${id} 1 ${start.toFixed(3)} ${(end - start).toFixed(3)} <NA> <NA> ${name} <NA> <NA>\n`;
}

/** Debian installs the programs behind a launcher. @returns undefined when they are not installed. */
async function runProgram(name: string, options: readonly string[]): Promise<string | undefined> {
  const run = promisify(execFile);
  for (const [program, given] of [
    [name, options],
    ['sctk', [name.replace(/\.pl$/, ''), ...options]],
  ] as const) {
    try {
      return (await run(program, [...given], { maxBuffer: 64 * 1024 * 1024 })).stdout;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

/** From the row `| Sum | sentences words | correct substituted deleted inserted errors sentences |`. */
export function rateOf(report: string): number | undefined {
  const row = /^[ \t]*\|[ \t]*Sum[ \t]*\|([^|]*)\|([^|]*)\|/m.exec(report);
  const words = Number(row?.[1]?.trim().split(/\s+/)[1]);
  const errors = Number(row?.[2]?.trim().split(/\s+/)[4]);
  return words > 0 && Number.isFinite(errors) ? errors / words : undefined;
}
