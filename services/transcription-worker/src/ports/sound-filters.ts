import { measureRate, type Channel, type Mix } from '../audio/channels.ts';
import { sampleRate } from '../audio/wav.ts';
import type { SoundTrack, SoundWish } from './transcoder.ts';

/** The filters of ffmpeg handle so many channels at once. */
const maxChannels = 64;
/** Layouts of films begin with left, right and centre. */
const withCentre = /^(?!3\.0\(back\))[3-7]\.[01]/;

/** Tracks in the order in which they are tried: the next group is used when the first one is silent. */
export function trackGroups(
  tracks: readonly SoundTrack[],
  { tracks: chosen, language, separate }: SoundWish,
): number[][] {
  const all = tracks.map((_, track) => track);
  if (chosen !== null) return [all.filter((track) => chosen.includes(track))];
  const spoken = all.filter((track) => !tracks[track]?.isCommentary);
  const candidates = spoken.length > 0 ? spoken : all;
  const wanted = separate ? candidates : oneLanguage(candidates, (track) => tracks[track] as SoundTrack, language);
  const others = all.filter((track) => !wanted.includes(track));
  return others.length > 0 ? [wanted, others] : [wanted];
}

/** Two languages at the same time cannot be understood: those of one language, or of the default track. */
function oneLanguage(numbers: number[], trackOf: (track: number) => SoundTrack, language: string | null): number[] {
  const languages = new Set(numbers.map((track) => sameCode(trackOf(track).language)));
  languages.delete(null);
  if (languages.size <= 1) return numbers;
  const asked = sameCode(language);
  const preferred = numbers.find((track) => trackOf(track).isDefault) ?? numbers[0] ?? 0;
  const used = asked !== null && languages.has(asked) ? asked : sameCode(trackOf(preferred).language);
  return numbers.filter((track) => sameCode(trackOf(track).language) === used);
}

/** `de` of `ger`, `deu` and `de-CH`. */
function sameCode(language: string | null): string | null {
  if (language === null) return null;
  try {
    return new Intl.Locale(language).language;
  } catch {
    return language;
  }
}

/** The channels of the tracks, as many as the filters can handle. */
export function channelsOf(tracks: readonly SoundTrack[]): Channel[] {
  return tracks
    .flatMap(({ channels, layout }, track) =>
      Array.from({ length: channels }, (_, channel) => ({
        track,
        channel,
        isCentre: channel === 2 && layout !== null && withCentre.test(layout),
      })),
    )
    .slice(0, maxChannels);
}

/** A graph from the tracks to `[out]` with all their channels side by side, for measuring: the band of speech only. */
export function measureFilter(channels: readonly Channel[]): string {
  const band = `aresample=${measureRate}:async=1:first_pts=0,highpass=f=150,lowpass=f=3800`;
  return mergeFilter(
    band,
    channels.map(({ track, channel }) => [{ track, channel, gain: 1 }]),
  );
}

/** A graph from the tracks to `[out]` with one channel per mix. */
export function mixFilter(mixes: readonly Mix[]): string {
  // aresample fills gaps with silence, so that word times match the player's.
  return mergeFilter(`aresample=${sampleRate}:async=1:first_pts=0`, mixes);
}

function mergeFilter(resample: string, mixes: readonly Mix[]): string {
  const tracks = [...new Set(mixes.flatMap((mix) => mix.map(({ track }) => track)))];
  const chains = tracks.map((track) => {
    const outputs = mixes.flatMap((mix, output) => {
      const own = mix.filter((gain) => gain.track === track);
      return own.length === 0 ? [] : [`c${output}=${own.map(({ gain, channel }) => `${gain}*c${channel}`).join('+')}`];
    });
    return `[0:a:${track}]aformat=sample_fmts=fltp,${resample},pan=${mixes.length}C|${outputs.join('|')}[a${track}]`;
  });
  const labels = tracks.map((track) => `[a${track}]`).join('');
  return `${chains.join(';')};${labels}amix=inputs=${tracks.length}:normalize=0:duration=longest[out]`;
}
