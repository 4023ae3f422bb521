import type { MediaProbe } from '../ports/transcoder.ts';
import { pictureArgs } from './playback.ts';

type Range = readonly [start: number, end: number];
type MaskFilter = {
  /** A graph that ends in `[sound]`. */
  sound: string;
  mode: 'silence' | 'beep';
  ranges: readonly Range[];
  channels: number | undefined;
};

const sampleRate = 48_000;
/** Filters are switched on and off between frames: a frame of 5 ms is the precision of the masked times. */
const frameSamples = sampleRate / 200;
const beepHertz = 1_000;
const beepVolume = 0.25;

/** A filter graph to `[out]`, in which the sound of the ranges is removed. */
export function maskFilter({ sound, mode, ranges, channels }: MaskFilter): string {
  const layout = channels === 1 ? 'mono' : 'stereo';
  const format = `aformat=sample_fmts=fltp:sample_rates=${sampleRate}:channel_layouts=${layout}`;
  const frames = `asetnsamples=n=${frameSamples}:p=0`;
  const masked = insideExpression(ranges);
  const speech = `${sound};[sound]${format},${frames},volume=volume=0:enable='${masked}'`;
  if (mode === 'silence') return `${speech}[out]`;
  const beep = `sine=frequency=${beepHertz}:sample_rate=${sampleRate},${format},${frames}`;
  // The sine of ffmpeg has an eighth of the full amplitude.
  const beeps = `${beep},volume=volume=${beepVolume * 8},volume=volume=0:enable='not(${masked})'`;
  return `${speech}[speech];${beeps}[beeps];[speech][beeps]amix=inputs=2:duration=first:normalize=0[out]`;
}

/** 1 while `t` is in a range. A binary search: the time of an evaluation barely grows with the number of ranges. */
function insideExpression(ranges: readonly Range[]): string {
  if (ranges.length === 0) return '0';
  if (ranges.length === 1) {
    const [[start, end]] = ranges as readonly [Range];
    // One frame earlier: its end may lie in the range.
    return `between(t,${Math.max(0, start - frameSamples / sampleRate).toFixed(4)},${end.toFixed(4)})`;
  }
  const middle = Math.ceil(ranges.length / 2);
  const [from = 0] = ranges[middle] ?? [];
  const [left, right] = [insideExpression(ranges.slice(0, middle)), insideExpression(ranges.slice(middle))];
  return `if(lt(t,${Math.max(0, from - frameSamples / sampleRate).toFixed(4)}),${left},${right})`;
}

/** No tags, chapters, subtitles or further audio streams: they could contain what is masked. */
const audioOnly = ['-map', '[out]', '-vn'];
const common = ['-sn', '-dn', '-map_metadata', '-1', '-map_chapters', '-1'];
const lossless = /^(pcm_|flac$|alac$|wavpack$)/;

/** The format of the copy: players of browsers know it and can seek in it. */
export function copyFormat(probe: MediaProbe): { contentType: string; outputArgs: string[] } {
  const { audioCodec = '', videoCodec = '' } = probe;
  const video = probe.picture?.kind === 'video' ? videoCodec : '';
  const withVideo = ['-map', '[out]', '-map', `0:${probe.picture?.stream}`, '-c:v', 'copy'];
  const mp4 = ['-movflags', '+faststart', '-f', 'mp4'];
  const aac = ['-c:a', 'aac', '-b:a', '160k'];
  if (['vp8', 'vp9', 'av1'].includes(video)) {
    const opus = ['-c:a', 'libopus', '-b:a', '128k', '-f', 'webm'];
    return { contentType: 'video/webm', outputArgs: [...withVideo, ...common, ...opus] };
  }
  if (video !== '')
    return {
      contentType: 'video/mp4',
      outputArgs: ['-map', '[out]', ...pictureArgs(probe), ...common, ...aac, ...mp4],
    };
  if (lossless.test(audioCodec)) {
    const flac = ['-c:a', 'flac', '-sample_fmt', 's16', '-f', 'flac'];
    return { contentType: 'audio/flac', outputArgs: [...audioOnly, ...common, ...flac] };
  }
  return { contentType: 'audio/mp4', outputArgs: [...audioOnly, ...common, ...aac, ...mp4] };
}
