import type { ClipRequest } from '../ports/transcoder.ts';
import { maskFilter } from './masking.ts';
import { pictureCodec, pictureScale, soundGraph, withoutMore } from './playback.ts';

/** Recordings of browsers declare a thousand pictures per second. */
const maxRate = 60;
/** Some containers have no index of pictures that can be decoded without others: in these seconds there is one. */
const leadSeconds = 30;

/** Where the input of the picture begins. */
export function pictureStart(start: number): number {
  return Math.max(0, start - leadSeconds);
}

/**
 * A graph to `[cut]` and `[picture]`, and the format of the file: it opens on all systems. The sound is decoded from
 * the beginning and cut to the sample, because times after a jump into a compressed file are estimates. The picture comes
 * from a second input, which begins at `pictureStart`.
 */
export function clipFormat({ probe, tracks, clip, ranges }: ClipRequest): {
  graph: string;
  contentType: string;
  outputArgs: string[];
} {
  const { kind, start, end, masking } = clip;
  const sound = soundGraph(probe.tracks, tracks);
  const channels = tracks.length > 1 ? 2 : probe.channels;
  const filtered = masking ? maskFilter({ sound, mode: masking, ranges, channels }) : `${sound};[sound]anull[out]`;
  const cut = `${filtered};[out]atrim=start=${start}:end=${end},asetpts=PTS-STARTPTS[cut]`;
  const aac = ['-map', '[cut]', '-c:a', 'aac', '-b:a', '160k', '-movflags', '+faststart', '-f', 'mp4'];
  if (kind === 'sound') return { graph: cut, contentType: 'audio/mp4', outputArgs: ['-vn', ...withoutMore, ...aac] };
  // `start_time` repeats the picture that is seen at the start until the next one.
  const from = start - pictureStart(start);
  const rate = `fps=fps='min(source_fps,${maxRate})':start_time=${from}`;
  const pictures = `${rate},trim=end=${from + end - start},setpts=PTS-STARTPTS,${pictureScale}`;
  return {
    graph: `${cut};[1:${probe.picture?.stream}]${pictures}[picture]`,
    contentType: 'video/mp4',
    outputArgs: ['-map', '[picture]', ...pictureCodec, ...withoutMore, ...aac],
  };
}
