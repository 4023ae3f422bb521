import { lineLength } from './subtitle-lines.ts';

/** Limits of subtitles. A column is a letter; a Chinese, Japanese or Korean character takes two. */
export const subtitleRules = {
  lineLength,
  lines: 2,
  columnsPerSecond: 20,
  /** 20 frames of 24 per second. */
  minMs: 833,
  maxMs: 7_000,
  /** Two frames. */
  minGapMs: 84,
} as const;
