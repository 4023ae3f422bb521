import type { Bench, BenchContext, Row } from './bench.ts';
import { openEmbedders, type Embedder } from './relevance.embedder.ts';
import { scoresOf, type Scores } from './relevance.scores.ts';

const modes = { words: 'keyword', meaning: 'semantic', both: 'hybrid' } as const;
type Leg = keyof typeof modes | 'BM25';
type Ranked = Record<Leg, { wanted: string; found: string[] }[]>;

const legs: readonly Leg[] = ['words', 'meaning', 'both', 'BM25'];
/** Ranks below the first page count as not found. */
const pageSize = 20;

function textOf({ r1, r5, mrr, ndcg }: Scores): string {
  return `R@1 ${r1.toFixed(3)}  R@5 ${r5.toFixed(3)}  MRR ${mrr.toFixed(3)}  nDCG@10 ${ndcg.toFixed(3)}`;
}

function rowsOf(domain: string, ranked: Ranked, model: string): Row[] {
  const scores = Object.fromEntries(legs.map((leg) => [leg, scoresOf(ranked[leg])])) as Record<Leg, Scores>;
  const { words, meaning, both, BM25: plain } = scores;
  const isAtLeast = (other: Scores): boolean => both.r1 >= other.r1 && both.r5 >= other.r5;
  const pooled = domain === 'pooled';
  const met =
    isAtLeast(words) &&
    isAtLeast(meaning) &&
    both.r1 > plain.r1 &&
    both.r5 > plain.r5 &&
    (!pooled || (both.r1 >= 0.34 && both.r5 >= 0.55));
  const peer = `BM25 ${textOf(plain)}`;
  const row = (leg: keyof typeof modes): Row => ({
    name: `relevance: ${domain}, ${leg}${leg === 'words' ? '' : ` (${model})`}`,
    ours: textOf(scores[leg]),
    peer,
    ratio: scores[leg].r1 / plain.r1,
  });
  const goal = `not below words or meaning, above BM25${pooled ? ', R@1 >= 0.34, R@5 >= 0.55' : ''}`;
  return [row('words'), row('meaning'), { ...row('both'), goal, met }];
}

async function rankAll({ folder, meetings, size }: BenchContext & { meetings: string }, embed: Embedder['embed']) {
  const { openRelevance, rankByBm25, readMeetings, stemsOf } = await import('@overtone/search-indexer/relevance');
  const { recordings, questions } = await readMeetings(meetings);
  const asked = questions.filter((_, i) => i % Math.max(1, Math.round(1 / size)) === 0);
  const world = await openRelevance(folder, recordings, embed);
  try {
    const plain = rankByBm25(
      recordings.map(({ file, segments }) => ({
        id: file.fileId,
        stems: stemsOf(segments.map(({ text }) => text).join('\n')),
      })),
    );
    const ranked: Ranked = { words: [], meaning: [], both: [], BM25: [] };
    for (const { text, fileId: wanted } of asked) {
      for (const leg of ['words', 'meaning', 'both'] as const)
        ranked[leg].push({ wanted, found: await world.rank(text, modes[leg]) });
      ranked.BM25.push({ wanted, found: plain(stemsOf(text)).slice(0, pageSize) });
    }
    return { ranked, domains: asked.map(({ domain }) => domain) };
  } finally {
    await world.stop();
  }
}

/** The service's search over meetings with questions, with each text model, beside plain BM25 over the same texts. */
export const relevanceBench: Bench = {
  name: 'relevance',
  about:
    'rank of the file that answers a question, by words, meaning and both, beside plain BM25 (ties: in order of id)',
  run: async function* (context) {
    const { meetings } = context;
    if (meetings === null) {
      yield { name: 'relevance', ours: 'not measured: give the meetings by --qmsum PATH or OT_BENCH_QMSUM' };
      return;
    }
    const { embedders, close } = await openEmbedders(context.folder);
    try {
      for (const { model, embed } of embedders) {
        const { ranked, domains } = await rankAll({ ...context, meetings }, embed);
        for (const domain of [...new Set(domains)].sort()) {
          const own = legs.map((leg) => [leg, ranked[leg].filter((_, i) => domains[i] === domain)]);
          yield* rowsOf(domain.toLowerCase(), Object.fromEntries(own) as Ranked, model);
        }
        yield* rowsOf('pooled', ranked, model);
      }
    } finally {
      await close();
    }
  },
};
