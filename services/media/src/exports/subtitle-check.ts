import type { SubtitleCheck, SubtitleIssue } from '@overtone/contracts';
import type { Cue } from './reflow.ts';
import { widthOf } from './subtitle-lines.ts';
import { subtitleRules as rules } from './subtitle-rules.ts';
import { cuesOf } from './subtitles.ts';
import type { Transcript } from './transcript.ts';

/** A list that a person reads; the rest is counted. */
const maxListed = 200;
/** Cues that may be shown at the same time and are compared with the next one. */
const maxCompared = 8;

/** Whether the subtitles of a transcript keep the rules of length and reading speed, and where they do not. */
export async function checkSubtitles(transcript: Transcript): Promise<SubtitleCheck> {
  const issues: SubtitleIssue[] = [];
  let total = 0;
  let cues = 0;
  let previous: Cue[] = [];
  for await (const cue of cuesOf(transcript, true)) {
    cues += 1;
    const found = issuesOf(cue, previous);
    total += found.length;
    for (const issue of found.slice(0, maxListed - issues.length))
      issues.push({ cue: cues, start: cue.start / 1000, ...issue });
    previous = [...previous, cue].toSorted((left, right) => right.end - left.end).slice(0, maxCompared);
  }
  return { is_valid: total === 0, cues, total_issues: total, issues };
}

type Issue = Omit<SubtitleIssue, 'cue' | 'start'>;

function issuesOf(cue: Cue, previous: readonly Cue[]): Issue[] {
  const ms = cue.end - cue.start;
  const width = Math.max(...cue.lines.map(widthOf));
  const speed = ms > 0 ? (widthOf(cue.lines.join(' ')) * 1000) / ms : Infinity;
  const issue = (rule: Issue['rule'], value: number, limit: number): Issue => ({ rule, value, limit });
  return [
    ...(width > rules.lineLength ? [issue('line_length', width, rules.lineLength)] : []),
    ...(cue.lines.length > rules.lines ? [issue('lines', cue.lines.length, rules.lines)] : []),
    // A thousandth of a second is the unit of all times.
    ...(speed > rules.columnsPerSecond + 0.05 ? [issue('reading_speed', rounded(speed), rules.columnsPerSecond)] : []),
    ...(ms < rules.minMs ? [issue('too_short', ms / 1000, rules.minMs / 1000)] : []),
    ...(ms > rules.maxMs ? [issue('too_long', ms / 1000, rules.maxMs / 1000)] : []),
    ...neighbourIssues(cue, previous, issue),
  ];
}

function neighbourIssues(
  { start, speaker }: Cue,
  previous: readonly Cue[],
  issue: (rule: Issue['rule'], value: number, limit: number) => Issue,
): Issue[] {
  const shown = previous.filter(({ end }) => end > start);
  const own = shown.filter((other) => other.speaker === speaker);
  // Two people may speak at the same time; the end of the one does not wait for the other.
  const gap = Math.min(
    ...previous.filter((other) => other.speaker === speaker && other.end <= start).map(({ end }) => start - end),
  );
  return [
    ...(shown.length > 1 || own.length > 0 ? [issue('overlap', shown.length, own.length > 0 ? 0 : 1)] : []),
    ...(own.length === 0 && gap < rules.minGapMs ? [issue('gap', gap / 1000, rules.minGapMs / 1000)] : []),
  ];
}

/** A cue without a duration has no speed that JSON could carry. */
function rounded(speed: number): number {
  return Math.round(Math.min(speed, 9_999));
}
