import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { spawn } from 'node:child_process';
import { collarSeconds, findPlace, readLabelledSet, score, writeEvaluation, type Recognition } from '@overtone/models';
import { productFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { createTerminal } from '../terminal.ts';
import { figures, modelFolder, refuseModelErrors } from './models.command.ts';

export type EvaluateOptions = {
  readonly data?: string;
  readonly set: string;
  readonly language?: string;
  readonly json?: boolean;
};
type Line = Recognition | { readonly peakMemoryMib: number } | { readonly error: string };

/** Measures a model on a labelled set, and prints the rates as JSON, or prints them for people and stores them beside the model. */
export async function evaluate(name: string, options: EvaluateOptions): Promise<void> {
  const terminal = createTerminal();
  const cacheDir = modelFolder(options.data);
  await refuseModelErrors(async () => {
    // PocketSphinx has no folder: its figures are printed only.
    const place = name === 'pocketsphinx' ? undefined : await findPlace(cacheDir, name);
    const recordings = await readLabelledSet(resolve(options.set));
    const request = {
      model: name,
      cacheDir,
      allowUnverified: process.env['OT_ALLOW_UNVERIFIED_MODELS'] === 'true',
      threads: availableParallelism(),
      recordings: recordings.map(({ id, audio }) => ({ id, audio, language: options.language ?? null })),
    };
    const recognitions: Recognition[] = [];
    let peakMemoryMib: number | null = null;
    await runWorker(request, (line) => {
      if ('error' in line) throw new Refusal(`The evaluation failed: ${line.error}`);
      if ('peakMemoryMib' in line) peakMemoryMib = line.peakMemoryMib;
      else recognitions.push(line);
      if (options.json !== true) terminal.busy(`${name}: ${recognitions.length} of ${recordings.length} recordings`);
    });
    const evaluation = await score({ set: basename(resolve(options.set)), recordings, recognitions, peakMemoryMib });
    if (options.json === true) return terminal.line(JSON.stringify(evaluation));
    terminal.done(`${name}: ${figures(evaluation)}`);
    const { words, audio_seconds: seconds, sctk } = evaluation;
    terminal.line(
      `  ${recordings.length} recordings, ${seconds.toFixed(0)} s, ${words} words, on ${evaluation.cores} cores`,
    );
    terminal.line('  WER: 95 % confidence interval by bootstrap over the utterances');
    if (evaluation.der) terminal.line(`  DER: collar ${collarSeconds} s, with overlaps, by ${evaluation.der.method}`);
    if (sctk) terminal.line(`  by sctk: WER ${percentOf(sctk.wer)}, DER ${percentOf(sctk.der)}`);
    else terminal.line('  cross-check: install the package sctk');
    if (place) await writeEvaluation(place.folder, evaluation);
  });
}

function percentOf(share: number | null): string {
  return share === null ? 'not measured' : `${(share * 100).toFixed(1)} %`;
}

/** The engines belong to the worker: its program runs them, in a process of its own. */
async function runWorker(request: unknown, onLine: (line: Line) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-evaluation-'));
  try {
    const file = join(folder, 'request.json');
    await writeFile(file, JSON.stringify(request));
    const main = join(productFolder, 'services', 'transcription-worker', 'src', 'evaluate.main.ts');
    const child = spawn(process.execPath, [main, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise<number | null>((done, reject) => {
      child.on('error', reject);
      child.once('close', done);
    });
    for await (const line of createInterface({ input: child.stdout })) onLine(JSON.parse(line) as Line);
    const code = await ended;
    if (code !== 0) throw new Refusal(`The evaluation ended with exit code ${code}.`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
