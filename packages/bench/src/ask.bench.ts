import type { Bench, BenchContext, Row } from './bench.ts';
import { openEmbedders, type Embedder } from './relevance.embedder.ts';
import { scoresOf } from './relevance.scores.ts';

const asked = { maxFiles: 5, passagesPerFile: 4 };

type Retrieved = {
  domain: string;
  wanted: string;
  found: string[];
  evidence: string;
  reachesAnswer: boolean;
  isAnswered: boolean;
};
type Ranked = { ours: Retrieved[]; peer: { domain: string; wanted: string; found: string[] }[] };

async function retrieveAll({ folder, meetings, size }: BenchContext & { meetings: string }): Promise<Ranked> {
  const { openRelevance, rankByBm25, readMeetings, stemsOf } = await import('@overtone/search-indexer/relevance');
  const { recordings, questions } = await readMeetings(meetings);
  const chosen = questions.filter((_, i) => i % Math.max(1, Math.round(1 / size)) === 0);
  const { embedders, close } = await openEmbedders(folder);
  // As the product does: the sentence model when one is installed.
  const { embed } = embedders.at(-1) as Embedder;
  const world = await openRelevance(folder, recordings, embed);
  try {
    const plain = rankByBm25(
      recordings.map(({ file, segments }) => ({
        id: file.fileId,
        stems: stemsOf(segments.map(({ text }) => text).join('\n')),
      })),
    );
    const ours: Retrieved[] = [];
    const peer: Ranked['peer'] = [];
    for (const { text, fileId: wanted, domain, spans } of chosen) {
      const question = { question: text, reader: world.reader, ...asked };
      const { files, evidence } = await world.retrieve({ ...question, fileIds: null });
      const passages = files.find(({ fileId }) => fileId === wanted)?.passages ?? [];
      const reachesAnswer = passages.some(({ start, end }) => spans.some(([from, to]) => start < to && end > from));
      // The same question to a library of other domains, which cannot answer it.
      const others = recordings.filter((other) => other.domain !== domain).map(({ file }) => file.fileId);
      const elsewhere = await world.retrieve({ ...question, fileIds: others });
      ours.push({
        domain,
        wanted,
        found: files.map(({ fileId }) => fileId),
        evidence,
        reachesAnswer,
        isAnswered: elsewhere.evidence !== 'none',
      });
      peer.push({ domain, wanted, found: plain(stemsOf(text)).slice(0, asked.maxFiles) });
    }
    return { ours, peer };
  } finally {
    await world.stop();
    await close();
  }
}

function share<T>(all: readonly T[], test: (one: T) => boolean): number {
  return all.filter(test).length / Math.max(1, all.length);
}

/** Files of the retrieval beside plain BM25. */
function filesRow(domain: string, { ours, peer }: Ranked): Row {
  const [our, plain] = [scoresOf(ours), scoresOf(peer)];
  return {
    name: `ask: files of the retrieval, ${domain}`,
    ours: `R@1 ${our.r1.toFixed(3)}  R@5 ${our.r5.toFixed(3)}`,
    peer: `BM25 R@1 ${plain.r1.toFixed(3)}  R@5 ${plain.r5.toFixed(3)}`,
    ratio: our.r1 / plain.r1,
    goal: 'above BM25',
    met: our.r1 > plain.r1 && our.r5 > plain.r5,
  };
}

function rowsOf(all: Ranked): Row[] {
  const { ours, peer } = all;
  const domains = [...new Set(ours.map(({ domain }) => domain))].sort();
  const inFiles = ours.filter(({ wanted, found }) => found.includes(wanted));
  return [
    ...domains.map((domain) => {
      const isOfDomain = (one: { domain: string }): boolean => one.domain === domain;
      return filesRow(domain.toLowerCase(), { ours: ours.filter(isOfDomain), peer: peer.filter(isOfDomain) });
    }),
    filesRow('pooled', all),
    {
      name: 'ask: passages reach the answer, where the file is found',
      ours: share(inFiles, ({ reachesAnswer }) => reachesAnswer).toFixed(3),
    },
    {
      name: 'ask: answerable questions for which the library "does not say"',
      ours: share(ours, ({ evidence }) => evidence === 'none').toFixed(3),
    },
    {
      name: 'ask: questions to other domains for which the library "does not say"',
      ours: share(ours, ({ isAnswered }) => !isAnswered).toFixed(3),
    },
  ];
}

/** The retrieval that Ask uses, over meetings with questions. */
export const askBench: Bench = {
  name: 'ask',
  about: 'files and passages retrieved for a question, beside plain BM25, and whether the library says anything',
  run: async function* (context) {
    const { meetings } = context;
    if (meetings === null)
      yield { name: 'ask', ours: 'not measured: give the meetings by --qmsum PATH or OT_BENCH_QMSUM' };
    else yield* rowsOf(await retrieveAll({ ...context, meetings }));
  },
};
