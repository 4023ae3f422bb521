import type { MediaProbe, SoundTrack } from '../ports/transcoder.ts';

/** What the browsers play, by container: types that are served, and codecs in them. */
const playable: readonly { types: RegExp; audio: RegExp; video: RegExp }[] = [
  { types: /^audio\/mpeg$/, audio: /^mp3$/, video: /^$/ },
  { types: /^audio\/aac$/, audio: /^aac$/, video: /^$/ },
  { types: /^audio\/wav$/, audio: /^pcm_(u8|s16le|s24le|f32le)$/, video: /^$/ },
  { types: /^audio\/flac$/, audio: /^flac$/, video: /^$/ },
  { types: /^audio\/ogg$/, audio: /^(vorbis|opus|flac)$/, video: /^$/ },
  { types: /^(audio|video)\/mp4$/, audio: /^(aac|mp3)$/, video: /^(|h264|av1|vp9)$/ },
  { types: /^(audio|video)\/webm$/, audio: /^(vorbis|opus)$/, video: /^(|vp8|vp9|av1)$/ },
];
/** Browsers reject sound of more channels. */
const maxChannels = 8;
const eightBit = /^yuvj?420p$/;

/** Whether browsers cannot play the recording, or would play another sound than the one that was transcribed. */
export function needsPlaybackCopy(probe: MediaProbe, usedTracks: readonly boolean[], contentType: string): boolean {
  const [first] = probe.tracks;
  const video = probe.picture?.kind === 'video' ? (probe.videoCodec ?? 'unknown') : '';
  if (!first || first.channels > maxChannels || !usedTracks.every((used, track) => used === (track === 0))) return true;
  if (video === 'h264' && !eightBit.test(probe.pixelFormat ?? '')) return true;
  return !playable.some(
    (kind) => kind.types.test(contentType) && kind.audio.test(first.codec) && kind.video.test(video),
  );
}

const sampleRate = 48_000;

/** A graph from the tracks to `[sound]`, in stereo at 48 kHz. */
export function soundGraph(tracks: readonly SoundTrack[], used: readonly number[]): string {
  const chains = used.map((track) => `[0:a:${track}]${stereoOf(tracks[track])}[a${track}]`);
  const labels = used.map((track) => `[a${track}]`).join('');
  const mix = used.length === 1 ? 'anull' : `amix=inputs=${used.length}:normalize=0:duration=longest,alimiter=level=0`;
  return `${chains.join(';')};${labels}${mix}[sound]`;
}

function stereoOf(track: SoundTrack | undefined): string {
  const { channels = 1, layout = null } = track ?? {};
  // aresample fills gaps with silence, so that word times match the player's.
  const resampled = `aresample=${sampleRate}:async=1:first_pts=0`;
  if (channels <= 2 || layout !== null) return `${resampled},aformat=sample_fmts=fltp:channel_layouts=stereo`;
  const gain = (1 / Math.sqrt(channels)).toFixed(3);
  const sum = Array.from({ length: channels }, (_, channel) => `${gain}*c${channel}`).join('+');
  return `aformat=sample_fmts=fltp,${resampled},pan=stereo|c0=${sum}|c1=${sum}`;
}

/** Options for the picture of a copy: unchanged where browsers play it, else H.264 of at most 1280 pixels. */
export function pictureArgs({ videoCodec, pixelFormat, picture }: MediaProbe): string[] {
  const map = ['-map', `0:${picture?.stream}`];
  if (videoCodec === 'h264' && eightBit.test(pixelFormat ?? '')) return [...map, '-c:v', 'copy'];
  return [...map, '-vf', pictureScale, ...pictureCodec];
}

/** H.264 of at most 1280 pixels, with even sides. */
export const pictureScale = "scale='trunc(min(1280,iw)/2)*2':-2";
export const pictureCodec = '-c:v libx264 -preset veryfast -crf 26 -pix_fmt yuv420p'.split(' ');

/** No subtitles, data, tags or chapters of the recording. */
export const withoutMore = ['-sn', '-dn', '-map_metadata', '-1', '-map_chapters', '-1'];

/** The format of a copy that all browsers play. */
export function playbackFormat(probe: MediaProbe): { contentType: string; outputArgs: string[] } {
  const sound = ['-map', '[sound]'];
  if (probe.picture?.kind !== 'video') {
    const opus = ['-c:a', 'libopus', '-b:a', '96k', '-cues_to_front', '1', '-f', 'webm'];
    return { contentType: 'audio/webm', outputArgs: [...sound, '-vn', ...withoutMore, ...opus] };
  }
  const mp4 = ['-c:a', 'aac', '-b:a', '128k', '-movflags', '+faststart', '-f', 'mp4'];
  return { contentType: 'video/mp4', outputArgs: [...sound, ...pictureArgs(probe), ...withoutMore, ...mp4] };
}
