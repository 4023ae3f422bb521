import { open, stat, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createPeaks } from '../audio/peaks.ts';
import { copyFormat, maskFilter } from '../audio/masking.ts';
import { bytesPerSecond, wavHeader, wavHeaderBytes } from '../audio/wav.ts';
import { readAll, runProcess, type ProcessOutcome } from '../children/run-process.ts';
import { cutOffMedia, emptyMedia, noAudio, notMedia, outOfTime, tooLong } from '../failures.ts';
import { parseProbe } from './ffprobe-output.ts';
import type { MaskRequest, MediaProbe, Transcoded, TranscodeRequest, Transcoder } from './transcoder.ts';

type FfmpegOptions = { env: Record<string, string>; maxSeconds: number };

/**
 * Self-contained formats. Deliberately without all formats that reference other files or addresses (hls, dash, concat, sdp,
 * imf, image sequences, scripts), so that a crafted upload cannot make ffmpeg read them.
 */
const containers = [
  'aac,ac3,aiff,amr,ape,asf,au,avi,caf,dts,dv,eac3,flac,flv,live_flv,gsm,ipod,m4v,matroska,webm,mov,mp4,m4a,3gp,3g2,mj2',
  'mp3,mpc,mpc8,mpeg,mpegts,mpegvideo,mxf,nut,ogg,oma,rm,sox,spdif,tak,tta,voc,w64,wav,wv,wtv,xwma,amrnb,amrwb,dsf,obu,ivf',
].join(',');

const quietly = '-nostdin -hide_banner -v error'.split(' ');
const toSpeech = '-map 0:a:0 -vn -sn -dn -af aresample=async=1:first_pts=0 -ac 1 -ar 16000 -f s16le pipe:1'.split(' ');
const scale = "scale='min(640,iw)':-2:flags=bilinear";
const toJpeg = `-frames:v 1 -vf ${scale} -pix_fmt yuvj420p -q:v 4 -fs 2000000 -f mjpeg`.split(' ');

const probeTimeoutMs = 60_000;
const thumbnailTimeoutMs = 60_000;

const endedEarly =
  /ended prematurely|partial file|truncated|end of file|invalid data found|error while decoding|stream ends|incomplete/i;

export function createFfmpeg(options: FfmpegOptions): Transcoder {
  return {
    probe: probeWith(options),
    transcode: transcodeWith(options),
    mask: maskWith(options),
    thumbnail: thumbnailWith(options),
  };
}

function probeWith({ env }: FfmpegOptions) {
  return async (source: string, signal?: AbortSignal): Promise<MediaProbe> => {
    await assertNotEmpty(source);
    const run = await runProcess({
      command: 'ffprobe',
      args: ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', ...guarded(source)],
      env,
      timeoutMs: probeTimeoutMs,
      signal,
      consume: (stdout) => readAll(stdout, 4 << 20),
    });
    if (run.timedOut) throw notMedia({ detail: 'ffprobe ran out of time' });
    if (run.exitCode !== 0) throw refusal(run.stderrTail);
    return parseProbe(run.value.toString('utf8'));
  };
}

function transcodeWith({ env, maxSeconds }: FfmpegOptions) {
  return async (request: TranscodeRequest): Promise<Transcoded> => {
    const { probe, source, signal } = request;
    if (!probe.audioCodec) throw noAudio();
    if (probe.seconds && probe.seconds > maxSeconds) throw tooLong(maxSeconds);
    const run = await runProcess({
      command: 'ffmpeg',
      // aresample fills gaps with silence, so that word times match the player's.
      args: [...quietly, ...guarded(source), ...toSpeech],
      env,
      timeoutMs: Math.max(120_000, (probe.seconds ?? maxSeconds) * 500),
      signal,
      consume: (stdout) => store(stdout, request, maxSeconds),
    });
    if (run.timedOut) throw outOfTime('Preparing the sound', { detail: run.stderrTail });
    if (run.value.seconds === 0) throw emptyMedia({ detail: run.stderrTail });
    return { ...run.value, truncated: isTruncated(run, probe.seconds) || (await declaresMore(source)) };
  };
}

function maskWith({ env, maxSeconds }: FfmpegOptions) {
  return async ({ source, target, probe, mode, ranges, signal }: MaskRequest): Promise<string> => {
    if (!probe.audioCodec) throw noAudio();
    const { contentType, outputArgs } = copyFormat(probe);
    // The graph is in a file: with thousands of ranges it is too long for an argument.
    const graph = `${target}.filter`;
    await writeFile(graph, maskFilter({ mode, ranges, channels: probe.channels }));
    const run = await runProcess({
      command: 'ffmpeg',
      args: [...quietly, '-y', ...guarded(source), '-filter_complex_script', graph, ...outputArgs, `file:${target}`],
      env,
      timeoutMs: Math.max(120_000, (probe.seconds ?? maxSeconds) * 2_000),
      signal,
      consume: (stdout) => readAll(stdout, 1 << 16),
    });
    if (run.timedOut) throw outOfTime('Masking the sound', { detail: run.stderrTail });
    if (run.exitCode !== 0) throw notMedia({ detail: run.stderrTail });
    return contentType;
  };
}

function thumbnailWith({ env }: FfmpegOptions) {
  return async (source: string, target: string, probe: MediaProbe, signal?: AbortSignal): Promise<boolean> => {
    if (!probe.picture) return false;
    // A cover has one frame at time 0, which seeking would skip.
    const seek = probe.picture.kind === 'video' ? ['-ss', Math.min(10, (probe.seconds ?? 0) * 0.1).toFixed(2)] : [];
    const map = ['-map', `0:${probe.picture.stream}`];
    const run = await runProcess({
      command: 'ffmpeg',
      args: [...quietly, '-y', ...seek, ...guarded(source), ...map, ...toJpeg, `file:${target}`],
      env,
      timeoutMs: thumbnailTimeoutMs,
      signal,
      consume: (stdout) => readAll(stdout, 1 << 16),
    });
    const written = await stat(target).catch(() => undefined);
    return run.exitCode === 0 && written !== undefined && written.size > 0;
  };
}

async function assertNotEmpty(source: string): Promise<void> {
  if ((await stat(source)).size === 0) throw emptyMedia();
}

function guarded(source: string): string[] {
  return ['-protocol_whitelist', 'file,pipe', '-format_whitelist', containers, '-i', `file:${source}`];
}

function refusal(stderr: string): Error {
  return /moov atom not found/i.test(stderr) ? cutOffMedia({ detail: stderr }) : notMedia({ detail: stderr });
}

/** Writes the samples after a header that is corrected at the end, and computes the peaks. */
async function store(stdout: Readable, request: TranscodeRequest, maxSeconds: number) {
  const peaks = createPeaks();
  const file = await open(request.target, 'w');
  let bytes = 0;
  try {
    await file.write(wavHeader(0), 0, wavHeaderBytes, 0);
    for await (const chunk of stdout as AsyncIterable<Buffer>) {
      peaks.add(chunk);
      await file.write(chunk, 0, chunk.length, wavHeaderBytes + bytes);
      bytes += chunk.length;
      if (bytes > maxSeconds * bytesPerSecond) throw tooLong(maxSeconds);
      if (request.probe.seconds) request.onProgress?.(Math.min(1, bytes / bytesPerSecond / request.probe.seconds));
    }
    await file.write(wavHeader(bytes & ~1), 0, wavHeaderBytes, 0);
  } finally {
    await file.close();
  }
  return { seconds: (bytes & ~1) / bytesPerSecond, waveform: peaks.finish() };
}

function isTruncated(run: ProcessOutcome<{ seconds: number }>, probed: number | undefined): boolean {
  const short = probed !== undefined && run.value.seconds < probed - Math.max(1, probed * 0.02);
  return short || run.exitCode !== 0 || endedEarly.test(run.stderrTail);
}

/**
 * RIFF files (WAV, AVI) declare their length in the header. ffmpeg silently uses the file's length instead, so that a
 * truncated copy looks complete. Recorders that do not update the header leave 0 or the maximum.
 */
async function declaresMore(source: string): Promise<boolean> {
  const file = await open(source, 'r');
  try {
    const head = Buffer.alloc(8);
    const { bytesRead } = await file.read(head, 0, 8, 0);
    if (bytesRead < 8 || head.toString('latin1', 0, 4) !== 'RIFF') return false;
    const declared = head.readUInt32LE(4);
    if (declared === 0 || declared >= 0xffffff00) return false;
    return declared + 8 > (await file.stat()).size + 1;
  } finally {
    await file.close();
  }
}
