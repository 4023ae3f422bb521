import { open, stat, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { chooseMixes, createChannelMeter, hasSound, type Channel, type Measured, type Mix } from '../audio/channels.ts';
import { createPeaks } from '../audio/peaks.ts';
import { createSoundLevel } from '../audio/sound-level.ts';
import { clipFormat, pictureStart } from '../audio/clips.ts';
import { copyFormat, maskFilter } from '../audio/masking.ts';
import { playbackFormat, soundGraph } from '../audio/playback.ts';
import { createSoundParts } from '../audio/sound-parts.ts';
import { bytesPerSecond, wavHeader, wavHeaderBytes } from '../audio/wav.ts';
import { readAll, runProcess, type ProcessOutcome } from '../children/run-process.ts';
import { cutOffMedia, emptyMedia, noAudio, notMedia, outOfTime, tooLong } from '../failures.ts';
import { parseProbe } from './ffprobe-output.ts';
import { channelsOf, measureFilter, mixFilter, trackGroups } from './sound-filters.ts';
import type {
  ClipRequest,
  CopyRequest,
  MaskRequest,
  MediaProbe,
  SoundWish,
  Transcoded,
  TranscodeRequest,
  Transcoder,
} from './transcoder.ts';

type FfmpegOptions = { env: Record<string, string>; maxSeconds: number };

/**
 * Self-contained formats. Deliberately without all formats that reference other files or addresses (hls, dash, concat, sdp,
 * imf, image sequences, scripts), so that a crafted upload cannot make ffmpeg read them.
 */
const containers = [
  'aac,ac3,aiff,amr,ape,asf,au,avi,caf,dts,dv,eac3,flac,flv,live_flv,gsm,ipod,m4v,matroska,webm,mov,mp4,m4a,3gp,3g2,mj2',
  'mp3,mpc,mpc8,mpeg,mpegts,mpegvideo,mxf,nut,ogg,oma,rm,sox,spdif,tak,tta,voc,w64,wav,wv,wtv,xwma,amrnb,amrwb,dsf,obu,ivf,nistsphere,ircam',
].join(',');

const quietly = '-nostdin -hide_banner -v error'.split(' ');
const toSamples = '-map [out] -vn -sn -dn -f s16le pipe:1'.split(' ');
const scale = "scale='min(640,iw)':-2:flags=bilinear";
const toJpeg = `-frames:v 1 -vf ${scale} -pix_fmt yuvj420p -q:v 4 -fs 2000000 -f mjpeg`.split(' ');

const probeTimeoutMs = 60_000;
const thumbnailTimeoutMs = 60_000;

const automatic: SoundWish = { tracks: null, language: null, separate: false };
const packetTimes = '-v quiet -of csv=p=0 -show_entries packet=stream_index,pts_time,duration_time'.split(' ');
const endOfFileMissing = /ended prematurely|partial file|truncated|end of file|stream ends|incomplete/i;
const undecodable = /invalid data found|error while decoding/i;

export function createFfmpeg(options: FfmpegOptions): Transcoder {
  return {
    probe: probeWith(options),
    transcode: transcodeWith(options),
    mask: maskWith(options),
    playbackCopy: playbackWith(options),
    clip: clipWith(options),
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
    if (probe.tracks.length === 0) throw noAudio();
    if (probe.seconds && probe.seconds > maxSeconds) throw tooLong(maxSeconds);
    const timeoutMs = Math.max(120_000, (probe.seconds ?? maxSeconds) * 500);
    const decode = <T>(filter: string, consume: (stdout: Readable) => Promise<T>) =>
      runProcess({
        command: 'ffmpeg',
        args: [...quietly, ...guarded(source), '-filter_complex', filter, ...toSamples],
        env,
        timeoutMs,
        signal,
        consume,
      });
    const mixes = await mixesOf(request, async (channels) => {
      const meter = createChannelMeter(channels.length);
      await decode(measureFilter(channels), async (stdout) => {
        for await (const chunk of stdout as AsyncIterable<Buffer>) meter.add(chunk);
      });
      return meter.finish();
    });
    const run = await decode(mixFilter(mixes), (stdout) => store(stdout, request, { parts: mixes.length, maxSeconds }));
    if (run.timedOut) throw outOfTime('Preparing the sound', { detail: run.stderrTail });
    if (run.value.seconds === 0) throw emptyMedia({ detail: run.stderrTail });
    const used = new Set(mixes.flatMap((mix) => mix.map(({ track }) => track)));
    return {
      ...run.value,
      usedTracks: probe.tracks.map((_, track) => used.has(track)),
      truncated: await isTruncated(run, request, { env, used }),
    };
  };
}

/** The channels whose sound is used. A second pass over the file measures them, unless there is only one. */
async function mixesOf(
  { probe: { tracks }, wish = automatic }: TranscodeRequest,
  measure: (channels: Channel[]) => Promise<Measured>,
): Promise<Mix[]> {
  const channels = channelsOf(tracks);
  const groups = trackGroups(tracks, wish).map((group) => channels.filter(({ track }) => group.includes(track)));
  const [first = []] = groups;
  if (channels.length === 1 || (first.length === 1 && groups.length === 1))
    return [[{ ...(first[0] ?? { track: 0, channel: 0 }), gain: 1 }]];
  for (const [i, group] of groups.entries()) {
    const measured = await measure(group);
    if (hasSound(measured) || i === groups.length - 1) return chooseMixes(group, measured, wish.separate);
  }
  throw noAudio();
}

function maskWith(options: FfmpegOptions) {
  return async ({ mode, ranges, ...request }: MaskRequest): Promise<string> => {
    const { tracks } = request.probe;
    const sound = soundGraph(tracks, request.tracks);
    const graph = maskFilter({ sound, mode, ranges, channels: request.tracks.length > 1 ? 2 : request.probe.channels });
    return writeCopy(options, request, { graph, ...copyFormat(request.probe) });
  };
}

function playbackWith(options: FfmpegOptions) {
  return async (request: CopyRequest): Promise<string> =>
    writeCopy(options, request, {
      graph: soundGraph(request.probe.tracks, request.tracks),
      ...playbackFormat(request.probe),
    });
}

function clipWith(options: FfmpegOptions) {
  return async (request: ClipRequest): Promise<string> => {
    const { source, clip, probe } = request;
    if (clip.kind === 'video' && probe.picture?.kind !== 'video')
      throw notMedia({ detail: 'the recording has no video' });
    const format = clipFormat(request);
    // The file is read a second time for the picture: decoding all pictures before the start takes too long.
    const picture = ['-noaccurate_seek', '-ss', String(pictureStart(clip.start)), ...guarded(source)];
    return writeCopy(options, request, { ...format, inputArgs: clip.kind === 'video' ? picture : [] });
  };
}

type CopyFormat = { graph: string; contentType: string; outputArgs: string[]; inputArgs?: string[] };

async function writeCopy(
  { env, maxSeconds }: FfmpegOptions,
  { source, target, probe, signal }: CopyRequest,
  { graph: content, contentType, outputArgs, inputArgs = [] }: CopyFormat,
): Promise<string> {
  if (!probe.audioCodec) throw noAudio();
  // The graph is in a file: with thousands of ranges it is too long for an argument.
  const graph = `${target}.filter`;
  await writeFile(graph, content);
  const inputs = [...quietly, '-y', ...guarded(source), ...inputArgs];
  const run = await runProcess({
    command: 'ffmpeg',
    args: [...inputs, '-filter_complex_script', graph, ...outputArgs, `file:${target}`],
    env,
    // A picture that is encoded again may take longer than it plays.
    timeoutMs: Math.max(120_000, (probe.seconds ?? maxSeconds) * (probe.picture?.kind === 'video' ? 8_000 : 2_000)),
    signal,
    consume: (stdout) => readAll(stdout, 1 << 16),
  });
  if (run.timedOut) throw outOfTime('Making a copy of the recording', { detail: run.stderrTail });
  if (run.exitCode !== 0) throw notMedia({ detail: run.stderrTail });
  return contentType;
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

/** Writes the samples after a header that is corrected at the end, and measures peaks and level. */
async function store(
  stdout: Readable,
  request: TranscodeRequest,
  { parts: count, maxSeconds }: { parts: number; maxSeconds: number },
) {
  const peaks = createPeaks();
  const level = createSoundLevel();
  const file = await open(request.target, 'w');
  const targets = count > 1 ? Array.from({ length: count }, (_, part) => `${request.target}.${part}`) : [];
  const parts = count > 1 ? await createSoundParts(targets) : undefined;
  let bytes = 0;
  const write = async (chunk: Buffer): Promise<void> => {
    peaks.add(chunk);
    level.add(chunk);
    await file.write(chunk, 0, chunk.length, wavHeaderBytes + bytes);
    bytes += chunk.length;
    if (bytes > maxSeconds * bytesPerSecond) throw tooLong(maxSeconds);
  };
  try {
    await file.write(wavHeader(0), 0, wavHeaderBytes, 0);
    for await (const chunk of stdout as AsyncIterable<Buffer>) {
      await write(parts ? await parts.add(chunk) : chunk);
      if (request.probe.seconds) request.onProgress?.(Math.min(1, bytes / bytesPerSecond / request.probe.seconds));
    }
    if (parts) await write(await parts.finish());
    await file.write(wavHeader(bytes & ~1), 0, wavHeaderBytes, 0);
  } finally {
    await file.close();
    await parts?.close();
  }
  return { seconds: (bytes & ~1) / bytesPerSecond, waveform: peaks.finish(), sound: level.finish(), parts: targets };
}

/**
 * Whether the end of the sound is missing. Sound that ends before the picture is complete, so that the packets of the file
 * decide when it is shorter than the file.
 */
async function isTruncated(
  run: ProcessOutcome<{ seconds: number }>,
  { probe, source, signal }: TranscodeRequest,
  { env, used }: { env: Record<string, string>; used: ReadonlySet<number> },
): Promise<boolean> {
  if (await declaresMore(source)) return true;
  if (endOfFileMissing.test(run.stderrTail)) return true;
  const { seconds } = run.value;
  const tracks = probe.tracks.filter((_, track) => used.has(track));
  const declared = tracks.map((track) => track.seconds ?? probe.seconds ?? 0);
  const isShort = (found: number, expected: number): boolean => found < expected - Math.max(1, expected * 0.02);
  const isDamaged = run.exitCode !== 0 || undecodable.test(run.stderrTail);
  if (!isShort(seconds, Math.max(...declared, 0))) return isDamaged && probe.seconds === undefined;
  const ends = await runProcess({
    command: 'ffprobe',
    args: [...packetTimes, ...guarded(source)],
    env,
    timeoutMs: Math.max(120_000, (probe.seconds ?? 0) * 500),
    signal,
    consume: lastPacketEnds,
  });
  const own = tracks.filter((track) => track.seconds !== undefined);
  if (own.some((track) => isShort(ends.value.get(track.stream) ?? 0, track.seconds ?? 0))) return true;
  return isShort(Math.max(0, ...ends.value.values()), probe.seconds ?? 0);
}

/** The end of the last packet of each stream, from `ffprobe -show_packets`. */
async function lastPacketEnds(stdout: Readable): Promise<Map<number, number>> {
  const ends = new Map<number, number>();
  for await (const line of createInterface({ input: stdout })) {
    const [stream, start, length] = line.split(',').map(Number);
    if (stream === undefined || start === undefined || Number.isNaN(start)) continue;
    ends.set(stream, Math.max(ends.get(stream) ?? 0, start + (length || 0)));
  }
  return ends;
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
