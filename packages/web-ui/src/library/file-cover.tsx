import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { waveformQuery, type FileItem } from '../api/queries.ts';

/** A picture of the recording: the thumbnail of a video, else the recording's own waveform once it is known. */
export const FileCover = ({ file }: { file: FileItem }) => {
  const [broken, setBroken] = useState(false);
  if (file.has_thumbnail && !broken) {
    return (
      <img
        src={`/api/files/${file.uuid}/thumbnail`}
        alt=""
        loading="lazy"
        decoding="async"
        onError={() => setBroken(true)}
      />
    );
  }
  return <CoverWave file={file} />;
};

const bars = 48;
/** Several to a bar: their mean shows pauses, where the loudest alone would show none. */
const samples = 480;

const CoverWave = ({ file }: { file: FileItem }) => {
  const peaks = useQuery({ ...waveformQuery(file.uuid, samples), enabled: file.has_waveform }).data?.peaks;
  return <Wave heights={peaks ? heightsOf(peaks) : flat} />;
};

const flat = Array.from({ length: bars }, () => 0.04);

/** A line without a recording behind it yet. */
export const StillWave = () => <Wave heights={flat} />;

const Wave = ({ heights }: { heights: readonly number[] }) => (
  <svg viewBox={`0 0 ${bars * 4} 60`} width="100%" height="100%" preserveAspectRatio="none" aria-hidden="true">
    {heights.map((h, i) => (
      <rect key={i} x={i * 4 + 1} y={30 - h * 26} width="2" height={h * 52} rx="1" fill="currentColor" />
    ))}
  </svg>
);

/** How loud each bar's stretch is on the whole, as tall as the loudest stretch lets it be. */
const heightsOf = (peaks: readonly number[]): number[] => {
  const means = flat.map((_, i) => {
    const under = peaks.slice(Math.floor((i * peaks.length) / bars), Math.ceil(((i + 1) * peaks.length) / bars));
    return under.reduce((sum, peak) => sum + peak, 0) / Math.max(1, under.length);
  });
  const loudest = Math.max(0.01, ...means);
  return means.map((mean, i) => Math.max(flat[i] ?? 0, 0.92 * (mean / loudest) ** 1.4));
};
