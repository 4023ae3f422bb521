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
/** The least that the server divides a recording into. */
const samples = 100;

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

/** The loudest peak under each bar, as tall as the loudest of all lets it be. */
const heightsOf = (peaks: readonly number[]): number[] => {
  const loudest = Math.max(0.01, ...peaks);
  return flat.map((least, i) => {
    const under = peaks.slice(Math.floor((i * peaks.length) / bars), Math.ceil(((i + 1) * peaks.length) / bars));
    return Math.max(least, Math.max(0, ...under) / loudest);
  });
};
