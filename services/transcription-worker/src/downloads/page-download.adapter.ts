import { mkdtemp, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { OutboundGuard } from '@overtone/service-kit/outbound';
import { runProcess, type ProcessOutcome } from '../children/run-process.ts';
import { storageFull } from '../failures.ts';
import { downloadFailures } from './failures.ts';
import type { Download } from './http-download.ts';
import { startOutboundProxy } from './outbound-proxy.ts';

type Progress = { receivedBytes: number; totalBytes: number | null };
type PageDownload<T> = {
  maxBytes: number;
  signal: AbortSignal;
  progress: (progress: Progress) => void;
  store: (download: Download) => Promise<T>;
};
/** Downloads the recording of a page of a media site. */
export type PageDownloader = { download: <T>(url: string, page: PageDownload<T>) => Promise<T> };
type Deps = { command: string; path: string; workDir: string; guard: OutboundGuard; timeoutMs?: number };

const maxDownloadMs = 6 * 3_600_000;
const maxLineLength = 10_000;
const freeBytesKept = 256 * 1024 * 1024;

/**
 * yt-dlp with fixed options: no configuration files, no plugins, no playlists, no other programs, and one folder. Its requests
 * go through a proxy of ours, which applies the same guard as all requests to addresses that users enter. The page
 * address follows `--`, so that it is never an option.
 */
export function argumentsFor(
  url: string,
  { folder, proxy, maxBytes }: { folder: string; proxy: string; maxBytes: number },
) {
  return [
    '--ignore-config',
    '--no-cache-dir',
    '--no-playlist',
    '--playlist-items',
    '1',
    '--no-update',
    '--no-exec',
    '--no-batch-file',
    '--no-cookies',
    '--no-cookies-from-browser',
    '--no-write-info-json',
    '--no-write-comments',
    '--no-write-subs',
    '--no-write-thumbnail',
    '--no-embed-metadata',
    '--fixup',
    'never',
    // One file, because joining two would need ffmpeg, and ffmpeg must not fetch anything.
    '--ffmpeg-location',
    '/nonexistent',
    '--downloader',
    'native',
    '--format',
    'bestaudio/best',
    '--max-filesize',
    String(maxBytes),
    '--socket-timeout',
    '30',
    '--retries',
    '5',
    '--fragment-retries',
    '5',
    '--no-mtime',
    '--no-colors',
    '--newline',
    '--progress',
    '--progress-template',
    'download:overtone %(progress.downloaded_bytes)s %(progress.total_bytes,progress.total_bytes_estimate)s',
    '--proxy',
    proxy,
    '--paths',
    folder,
    '--output',
    '%(title).150B.%(ext)s',
    '--',
    url,
  ];
}

export function createPageDownloader({
  command,
  path,
  workDir,
  guard,
  timeoutMs = maxDownloadMs,
}: Deps): PageDownloader {
  return {
    download: async (url, { maxBytes, signal, progress, store }) => {
      const folder = await mkdtemp(join(workDir, `overtone-job-${process.pid}-`));
      const proxy = await startOutboundProxy(guard);
      const watch = watchFolder(folder, maxBytes);
      try {
        const run = await runProcess({
          command,
          args: argumentsFor(url, { folder, proxy: proxy.url, maxBytes }),
          env: childEnv(path, folder),
          timeoutMs,
          signal: AbortSignal.any([signal, watch.signal]),
          consume: (stdout) => readReports(stdout, progress),
        });
        const failure = failureOf(run, { refusal: proxy.refused(), maxBytes });
        if (failure) throw failure;
        return await store(await openResult(folder, run.stderrTail));
      } finally {
        watch.stop();
        await proxy.close();
        await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
}

/** Nothing of the worker's environment: it contains secrets, and Python reads its own settings from there. */
function childEnv(path: string, folder: string): Record<string, string> {
  return {
    PATH: path,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    TMPDIR: folder,
    LC_ALL: 'C.UTF-8',
    PYTHONNOUSERSITE: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    YTDLP_NO_PLUGINS: '1',
  };
}

/**
 * Aborts when the folder holds more than a recording may have, because a server need not state a size, or when the disk is
 * nearly full.
 */
function watchFolder(folder: string, maxBytes: number) {
  const exceeded = new AbortController();
  const check = async (): Promise<void> => {
    const sizes = await Promise.all(
      (await readdir(folder)).map((name) =>
        stat(join(folder, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    const { bavail, bsize } = await statfs(folder);
    if (sizes.reduce((sum, size) => sum + size, 0) > maxBytes) exceeded.abort(downloadFailures.tooLarge(maxBytes));
    else if (bavail * bsize < freeBytesKept)
      exceeded.abort(storageFull('There is not enough room for this recording.'));
  };
  const timer = setInterval(() => void check().catch(() => undefined), 1_000);
  return { signal: exceeded.signal, stop: () => clearInterval(timer) };
}

/** Reads the progress. @returns whether yt-dlp refused the file for its size, which it only prints. */
async function readReports(stdout: Readable, progress: (progress: Progress) => void): Promise<{ tooLarge: boolean }> {
  let rest = '';
  let tooLarge = false;
  const read = (line: string): void => {
    const match = /^overtone (\d+) (\d+|NA)/.exec(line);
    if (match) progress({ receivedBytes: Number(match[1]), totalBytes: match[2] === 'NA' ? null : Number(match[2]) });
    tooLarge ||= line.includes('larger than max-filesize');
  };
  for await (const chunk of stdout.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(-maxLineLength);
    lines.forEach(read);
  }
  return { tooLarge };
}

/** The largest file of the folder; yt-dlp leaves one. */
async function openResult(folder: string, detail: string): Promise<Download> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(
    (entry) => entry.isFile() && !/\.(part|ytdl|temp)$/.test(entry.name),
  );
  const files = await Promise.all(
    entries.map(async ({ name }) => ({ name, bytes: (await stat(join(folder, name))).size })),
  );
  const [file] = files.toSorted((left, right) => right.bytes - left.bytes);
  if (!file) throw downloadFailures.noMedia({ detail });
  return { filename: file.name, declaredType: '', totalBytes: file.bytes, body: readFileFrom(join(folder, file.name)) };
}

async function* readFileFrom(path: string): AsyncIterable<Buffer> {
  for await (const chunk of (await open(path)).createReadStream()) yield chunk as Buffer;
}

const temporary =
  /timed out|HTTP Error (5\d\d|429)|Connection (reset|refused|aborted)|IncompleteRead|Network is unreachable/i;

/** Why a run of yt-dlp did not leave a recording. */
function failureOf(
  { exitCode, timedOut, stderrTail: detail, value }: ProcessOutcome<{ tooLarge: boolean }>,
  { refusal, maxBytes }: { refusal: Error | undefined; maxBytes: number },
): Error | undefined {
  if (value.tooLarge) return downloadFailures.tooLarge(maxBytes);
  if (exitCode === 0) return undefined;
  if (exitCode === 127 || /failed to execute/.test(detail)) return downloadFailures.toolMissing();
  if (refusal) return refusal;
  if (timedOut) return downloadFailures.incomplete({ detail: 'yt-dlp ran out of time' });
  return temporary.test(detail) ? downloadFailures.unreachable({ detail }) : downloadFailures.noMedia({ detail });
}
