import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { waveformQuery, type FileItem } from '../api/queries.ts';
import { barsOf } from '../file/waveform-drawing.ts';

const bars = 56;
/** The least the waveform route draws; a card needs no more. */
const samples = 112;

/** A picture of the recording: the thumbnail of a video, else how loud it is from its beginning to its end. */
export const FileCover = ({ file }: { file: FileItem }) => {
  const [broken, setBroken] = useState(false);
  const picture = file.has_thumbnail && !broken;
  const peaks = useQuery({ ...waveformQuery(file.uuid, samples), enabled: file.has_waveform && !picture, retry: false })
    .data?.peaks;
  if (!picture) return <Wave heights={peaks ? barsOf(peaks, bars) : silence} />;
  return (
    <img
      src={`/api/files/${file.uuid}/thumbnail`}
      alt=""
      loading="lazy"
      decoding="async"
      onError={() => setBroken(true)}
    />
  );
};

const silence: readonly number[] = Array.from({ length: bars }, () => 0);

export const Wave = ({ heights }: { heights: readonly number[] }) => (
  <svg
    viewBox={`0 0 ${heights.length * 4} 60`}
    width="100%"
    height="100%"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    {heights.map((height, i) => {
      const h = 2 + height * 42;
      return <rect key={i} x={i * 4 + 1} y={30 - h / 2} width="2" height={h} rx="1" fill="currentColor" />;
    })}
  </svg>
);
