import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from '../lock.ts';
import { productFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { findProgram } from '../servers/binaries.ts';
import { ensurePackages, type SystemPackage } from './packages.ts';
import { freeBytes } from './preflight.ts';
import { lastLines, run } from './run.ts';
import { hashOf, isStamped, putStamp } from './stamps.ts';

const sources = join(productFolder, 'services', 'transcription-worker', 'python');
const requirements = join(sources, 'requirements.txt');
const cudaRequirements = join(sources, 'requirements-cuda.txt');

/** The Python versions that the pinned packages have files for. */
const supported = ['3.11', '3.12', '3.13'];
const needed = { cpu: 1 * 2 ** 30, gpu: 3 * 2 ** 30 };

/** `python3-venv` of the distribution, which brings Python itself. */
const venvPackage: SystemPackage = {
  name: 'python3-venv',
  // Debian's python3 has the module venv without it, and not the installer that a new environment gets.
  isThere: () => supported.some((version) => existsSync(`/usr/lib/python${version}/ensurepip/__init__.py`)),
};

export type SpeechEnvironmentOptions = {
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Default: the folder in which the worker looks. */
  readonly folder?: string;
};

/**
 * Makes the Python environment of faster-whisper, or makes it again when the pinned packages have changed; with the
 * library of CUDA on a machine with an NVIDIA GPU. The packages come from the registry that pip is configured for.
 * @throws Refusal with the reason; an earlier environment stays.
 */
export async function ensureSpeechEnvironment({
  say,
  signal,
  folder = join(productFolder, '.tools', 'speech'),
}: SpeechEnvironmentOptions): Promise<void> {
  const withGpu = findProgram('nvidia-smi') !== undefined;
  const files = withGpu ? [requirements, cudaRequirements] : [requirements];
  const stamp = join(folder, 'requirements');
  await withLock(`speech-environment:${folder}`, async () => {
    if (isStamped(stamp, hashOf(files))) return;
    const python = await findPython(say);
    mkdirSync(dirname(folder), { recursive: true });
    checkSpace(dirname(folder), withGpu ? needed.gpu : needed.cpu);
    const made = `${folder}.partial`;
    rmSync(made, { recursive: true, force: true });
    await succeed(python, ['-m', 'venv', made], signal);
    const pip = ['-m', 'pip', '--disable-pip-version-check', '--no-input', '--quiet'];
    const install = ['install', '--no-deps', '--require-hashes', '--only-binary=:all:', '--retries=2', '--timeout=20'];
    const listed = files.flatMap((file) => ['--requirement', file]);
    await succeed(join(made, 'bin', 'python'), [...pip, ...install, ...listed], signal);
    await succeed(join(made, 'bin', 'python'), [...pip, 'uninstall', '--yes', 'pip', 'setuptools'], signal);
    putStamp(join(made, 'requirements'), hashOf(files));
    rmSync(folder, { recursive: true, force: true });
    // Its Python finds its packages beside itself, so that the folder can be renamed.
    renameSync(made, folder);
    say('made the Python environment of faster-whisper');
  });
}

async function findPython(say: (line: string) => void): Promise<string> {
  const found = await supportedPython();
  if (found !== undefined) return found;
  await ensurePackages([venvPackage], say);
  const installed = await supportedPython();
  if (installed === undefined) throw new Refusal(`faster-whisper needs Python ${supported.join(', ')} with venv.`);
  return installed;
}

/** The first supported Python that can make environments. */
async function supportedPython(): Promise<string | undefined> {
  for (const name of ['python3', ...supported.map((version) => `python${version}`)]) {
    const program = findProgram(name);
    if (program === undefined) continue;
    const question = 'import ensurepip, sys, venv; print("%d.%d" % sys.version_info[:2])';
    const { code, output } = await run(program, ['-c', question]);
    if (code === 0 && supported.includes(output.trim())) return program;
  }
  return undefined;
}

function checkSpace(folder: string, bytes: number): void {
  if (freeBytes(folder) < bytes)
    throw new Refusal(`The environment of faster-whisper needs ${bytes / 2 ** 30} GiB of free space in ${folder}.`);
}

async function succeed(command: string, args: readonly string[], signal: AbortSignal | undefined): Promise<void> {
  const { code, output } = await run(command, args, signal === undefined ? {} : { signal });
  signal?.throwIfAborted();
  if (code !== 0) throw new Refusal(`The environment of faster-whisper could not be made:\n${lastLines(output, 10)}`);
}
