import type { InsightFile, InsightSegment, SummaryContent } from '@overtone/contracts';
import { splitSentences } from '../extractive/sentences.ts';
import { summarize, type Statement } from '../extractive/summarize.ts';
import { vocabularyOf } from '../extractive/words.ts';
import type { SentenceVectors } from '../ports/sentence-vectors.adapter.ts';
import { cleanParagraph } from '../untrusted/untrusted.ts';
import type { SummaryResult } from './summaries.ts';

const maxText = 600;

type Input = {
  language: InsightFile['language'];
  segments: readonly InsightSegment[];
  sentenceVectors: SentenceVectors;
  signal: AbortSignal;
};

/** A summary of sentences of the transcript. */
export async function summarizeWithoutModel(input: Input): Promise<SummaryResult> {
  const { language, segments, sentenceVectors, signal } = input;
  const sentences = splitSentences(segments, vocabularyOf(language));
  const knownNames = [...new Set(segments.flatMap(({ named, speakerName }) => (named ? (speakerName ?? []) : [])))];
  const vectors = await sentenceVectors(
    sentences.map(({ text }) => text),
    signal,
  );
  const found = await summarize({ sentences, vectors, frequencies: null, language, knownNames });
  const starts = new Map(segments.map(({ uuid, start }) => [uuid, start]));
  const sourcesOf = (uuids: readonly string[]) =>
    uuids.slice(0, 24).map((uuid) => ({ uuid, start: starts.get(uuid) ?? 0 }));
  const toStatement = ({ text, segmentUuids }: Statement) => ({
    text: cleanParagraph(text, maxText),
    segments: sourcesOf(segmentUuids),
  });
  const content: SummaryContent = {
    brief: found.brief.map(toStatement),
    key_decisions: found.keyDecisions.map(toStatement),
    action_items: found.actionItems.map((item) => ({
      ...toStatement(item),
      owner: item.owner,
      due_date: item.dueDate,
    })),
    topics: found.topics.map(({ title, start, end, segmentUuids }) => ({
      title,
      start,
      end,
      segments: sourcesOf(segmentUuids),
    })),
    follow_ups: found.followUps.map(toStatement),
  };
  const spoken = segments.filter(({ text }) => text.trim() !== '').length;
  return { content, gaps: [], segments: spoken, sections: 1, errorCode: null, provider: null, model: null };
}
