import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { findSpeakerNames } from './speaker-names.ts';
import { splitSentences, type Segment } from './sentences.ts';
import { summarize, type ExtractiveSummary } from './summarize.ts';
import { vocabularyOf } from './words.ts';

describe('summarize', () => {
  it('takes every statement from the transcript, with the segments it was spoken in', async () => {
    const segments = meeting();
    const uuids = new Set(segments.map(({ uuid }) => uuid));
    const summary = await summaryOf(segments);
    const statements = [...summary.brief, ...summary.keyDecisions, ...summary.actionItems, ...summary.followUps];
    expect(statements.length).toBeGreaterThan(5);
    for (const { text, segmentUuids } of statements) {
      expect(segmentUuids.length).toBeGreaterThan(0);
      for (const uuid of segmentUuids) expect(uuids).toContain(uuid);
      const spoken = segments.filter(({ uuid }) => segmentUuids.includes(uuid)).map((segment) => segment.text);
      expect(spoken.join(' ').toLowerCase()).toContain(text.slice(1, 20).toLowerCase());
    }
  });

  it('finds the decision, the action item with owner and due date, and the open question', async () => {
    const summary = await summaryOf(meeting());
    expect(summary.keyDecisions.map(({ text }) => text)).toEqual([
      'We decided to move the database to the new cluster.',
    ]);
    expect(summary.actionItems.map(({ owner, dueDate }) => ({ owner, dueDate }))).toEqual([
      { owner: 'Ben', dueDate: 'Friday' },
      { owner: 'Anna', dueDate: null },
    ]);
    expect(summary.followUps.map(({ text }) => text)).toEqual([
      'How expensive is the backup storage in the second region?',
    ]);
  });

  it('does not repeat a sentence in the brief', async () => {
    const repeated = 'The migration of the database needs a longer maintenance window than we expected before.';
    const segments = [...meeting(), ...[1, 2, 3].map((i) => segmentOf(`again-${i}`, 500 + i * 10, repeated, 'Cleo'))];
    const texts = (await summaryOf(segments)).brief.map(({ text }) => text);
    expect(texts.filter((text) => text === repeated).length).toBeLessThanOrEqual(1);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('leaves very short turns out of the brief', async () => {
    for (const { text } of (await summaryOf(meeting())).brief) expect(text.split(' ').length).toBeGreaterThanOrEqual(6);
  });

  it('gives a brief and topics but no decisions in a language without cue phrases', async () => {
    const texts = [
      'La migration de la base de données demande une longue interruption du service principal.',
      'Nous avons décidé de déplacer la base de données vers le nouveau serveur central.',
      'La sauvegarde de la base de données reste dans la région du nord pour le moment.',
    ];
    const summary = await summaryOf(
      texts.map((text, i) => segmentOf(`fr-${i}`, i * 10, text, 'Zoé')),
      'fr',
    );
    expect(summary.brief.length).toBeGreaterThan(0);
    expect(summary.keyDecisions).toEqual([]);
    expect(summary.actionItems).toEqual([]);
  });

  it('finds decisions and action items in German', async () => {
    const texts = [
      'Wir haben beschlossen, die Datenbank auf den neuen Server zu verschieben.',
      'Anna, kannst du bis Mittwoch den Vertrag mit dem Anbieter prüfen?',
      'Die Frage nach den Kosten der Sicherung ist noch offen.',
    ];
    const summary = await summaryOf(
      texts.map((text, i) => segmentOf(`de-${i}`, i * 10, text, 'Ben')),
      'de',
    );
    expect(summary.keyDecisions.map(({ text }) => text)).toEqual([texts[0]]);
    expect(summary.actionItems.map(({ owner, dueDate }) => [owner, dueDate])).toEqual([['Anna', 'Mittwoch']]);
    expect(summary.followUps.map(({ text }) => text)).toEqual([texts[2]]);
  });

  it('uses the vectors of the sentences: those near to all others come first', async () => {
    const texts = [
      'Alpha bridges carry heavy trains across the wide northern river valley.',
      'Beta markets sell fresh fruit during warm and sunny summer mornings there.',
      'Gamma trains and fruit markets meet near the warm river every morning.',
      'Delta engineers measure bridges, trains, markets and fruit along the river.',
      'Epsilon painters prefer silent rooms without windows, clocks or any visitors.',
    ];
    const sentences = splitSentences(
      texts.map((text, i) => segmentOf(`v-${i}`, i, text, 'A')),
      vocabularyOf('en'),
    );
    const near = new Float32Array([1, 0]);
    const vectors = texts.map((_, i) => (i === 4 ? new Float32Array([0, 1]) : near));
    const { brief } = await summarize({ sentences, vectors, frequencies: null, language: 'en', knownNames: [] });
    expect(brief.map(({ text }) => text)).not.toContain(texts[4]);
  });

  it('returns empty lists for a transcript without words', async () => {
    const empty = { brief: [], keyDecisions: [], actionItems: [], topics: [], followUps: [] };
    expect(await summaryOf([])).toEqual(empty);
    expect(await summaryOf([segmentOf('one', 0, '   ', 'A')])).toEqual(empty);
  });

  it('finishes with texts that are made to be slow for cue phrases and names', async () => {
    const hostile = [
      'can you '.repeat(5_000),
      'Anna, '.repeat(5_000),
      `I will ${'quickly '.repeat(5_000)}`,
      `ich werde ${'schnell '.repeat(5_000)}`,
      'a'.repeat(50_000),
      'My name is '.repeat(5_000),
    ];
    const segments = hostile.map((text, i) => segmentOf(`hostile-${i}`, i * 10, text, 'A'));
    for (const language of ['en', 'de']) {
      for (const { text } of (await summaryOf(segments, language)).brief) expect(text.length).toBeLessThanOrEqual(400);
      const unnamed = segments.map((segment) => ({ ...segment, named: false }));
      expect(findSpeakerNames({ segments: unnamed, language, knownNames: [] }).length).toBeLessThanOrEqual(1);
    }
  });

  it('lets other requests run while it ranks the sentences of a long recording', async () => {
    const segments = Array.from({ length: 1_000 }, (_, i) =>
      segmentOf(`long-${i}`, i * 5, `We decided that part ${i % 97} of plan ${i % 89} follows the river ${i}.`, 'A'),
    );
    let [turns, isDone] = [0, false];
    const others = (async () => {
      for (; !isDone; turns += 1) await setImmediate();
    })();
    const { keyDecisions } = await summaryOf(segments);
    isDone = true;
    await others;
    expect(keyDecisions.length).toBeGreaterThan(0);
    expect(turns).toBeGreaterThan(20);
  });

  it('divides a recording where its subject changes, without gaps between the topics', async () => {
    const segments = [...about('garden', 0), ...about('engine', 1_000), ...about('orchestra', 2_000)];
    const { topics } = await summaryOf(segments);
    expect(topics.map(({ title }) => title.toLowerCase())).toEqual([
      expect.stringMatching(/garden|roses|soil|tulips/),
      expect.stringMatching(/engine|pistons|valves|fuel/),
      expect.stringMatching(/orchestra|violins|trumpets|concert/),
    ]);
    for (const [i, topic] of topics.entries()) if (i > 0) expect(topic.start).toBe(topics[i - 1]?.end);
    expect(new Set(topics.flatMap(({ segmentUuids }) => segmentUuids)).size).toBe(segments.length);
  });
});

function summaryOf(segments: readonly Segment[], language = 'en'): Promise<ExtractiveSummary> {
  const sentences = splitSentences(segments, vocabularyOf(language));
  return summarize({ sentences, vectors: null, frequencies: null, language, knownNames: ['Anna', 'Ben', 'Cleo'] });
}

function segmentOf(uuid: string, start: number, text: string, speaker: string): Segment {
  return { uuid, start, end: start + 5, text, speakerUuid: speaker, speakerName: speaker };
}

function meeting(): Segment[] {
  const turns: [string, string][] = [
    ['Anna', 'Welcome to the meeting about the migration of our database to the new cluster.'],
    ['Ben', 'Okay.'],
    ['Ben', 'The database migration needs a maintenance window of about four hours in the night.'],
    ['Cleo', 'Customers complained about the last maintenance window, because the database was slow for days.'],
    ['Anna', 'We decided to move the database to the new cluster.'],
    ['Ben', 'I will send the plan of the migration to all customers by Friday.'],
    ['Cleo', 'Yeah.'],
    ['Ben', 'How expensive is the backup storage in the second region?'],
    ['Cleo', 'We do not know that yet.'],
    ['Cleo', 'Anna, can you ask the provider about the storage?'],
    ['Anna', 'Sure.'],
  ];
  return turns.map(([speaker, text], i) => segmentOf(`segment-${i}`, i * 10, text, speaker));
}

/** About 900 words on one subject. */
function about(subject: 'garden' | 'engine' | 'orchestra', start: number): Segment[] {
  const nouns = {
    garden: ['garden', 'roses', 'soil', 'tulips', 'compost', 'gardener'],
    engine: ['engine', 'pistons', 'valves', 'fuel', 'gearbox', 'mechanic'],
    orchestra: ['orchestra', 'violins', 'trumpets', 'concert', 'conductor', 'symphony'],
  }[subject];
  return Array.from({ length: 75 }, (_, i) => {
    const [one, two, three] = [0, 1, 3].map((step) => nouns[(i + step) % nouns.length]);
    const text = `In this part the ${one} was near the ${two} and also with the ${three}.`;
    return segmentOf(`${subject}-${i}`, start + i * 10, text, 'A');
  });
}
