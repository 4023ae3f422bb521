import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isSuperLinear } from './growth.ts';

/*
 * The functions that read texts of people, files, servers and models take time in proportion to the length: each is called
 * with texts that repeat what its kind of parser repeats, at 1 and 16 times a size. Patterns have a test of their own, which
 * finds them in the sources; what routes check is tested in packages/service-kit/src/http/route-inputs.test.ts.
 */

const root = join(import.meta.dirname, '../../..');
type Read = (text: string) => unknown;
type Functions = Record<string, (...args: unknown[]) => unknown>;

const options = { speakerPrefixes: true };
const detection = { language: 'en', knownNames: ['Ann Lee'] };

/** By module: functions of one text, or calls with what else they need. */
const parsers: Record<string, (string | [string, ...unknown[]])[]> = {
  'services/edge-gateway/src/routing/client.ts': ['limitKey'],
  'services/edge-gateway/src/routing/routing.ts': ['pathOf', 'isPushChannel'],
  'services/identity/src/oidc/claims.ts': ['names'],
  'services/identity/src/pki/certificates.ts': ['parsePem'],
  'services/identity/src/pki/name-pairs.ts': ['parseNamePairs'],
  'services/identity/src/forwarded/peers.ts': ['plainAddress', 'malformedBlocks', ['peerStatusOf', '10.0.0.0/8']],
  'services/identity/src/erasure/erasure.ts': ['normalizedAddress'],
  'services/identity/src/lockout/lockout.ts': ['nameKey'],
  'services/insights/src/ask/content-words.ts': ['contentWordsOf', 'placesOfWords'],
  'services/insights/src/ask/ask.ts': ['titleOf'],
  'services/insights/src/ask/follow-up.ts': [['searchTextOf', null]],
  'services/insights/src/ask/counting.ts': ['countQuestionOf'],
  'services/insights/src/ask/sentences.ts': ['plainText', 'sentencesOf'],
  'services/insights/src/ask/prompt.ts': ['isNotFound'],
  'services/insights/src/suggestions/suggestions.ts': ['shortened', 'normalizedName'],
  'services/insights/src/untrusted/untrusted.ts': [
    'toLine',
    'cleanText',
    'breakTemplateTokens',
    ['cleanParagraph', 1_000],
  ],
  'services/insights/src/ports/model-tokens.ts': ['countTokens', 'countWords'],
  'services/insights/src/summaries/answers.ts': ['draftOf'],
  'services/insights/src/extractive/words.ts': ['wordsOf', 'fold'],
  'services/insights/src/extractive/due-dates.ts': [['dueDateIn', 'en']],
  'services/insights/src/extractive/person-names.ts': [
    ['isPossibleName', 'en'],
    ['trimName', 'en'],
  ],
  'services/insights/src/extractive/tidy.ts': ['tidyText'],
  'services/media/src/vocabulary/vocabulary.ts': ['termKey'],
  'services/media/src/transcript-import/other-subtitles.ts': [
    ['parseAss', options],
    ['parseSbv', options],
    ['parseMicroDvd', options],
  ],
  'services/media/src/transcript-import/cues.ts': [
    'removeMarkup',
    'collapseText',
    'speakerNameOf',
    'looksLikeName',
    'linesOf',
    ['splitSpeakerPrefix', new Set<string>()],
  ],
  'services/media/src/transcript-import/transcript-import.ts': [['detectFormat', 'a.txt']],
  'services/media/src/transcript-import/ttml.ts': [['parseTtml', options]],
  'services/media/src/transcript-import/subtitles.ts': [
    ['parseSrt', options],
    ['parseVtt', options],
  ],
  'services/media/src/transcript-import/exported-json.ts': ['parseJsonTranscript'],
  'services/media/src/transcripts/realign.ts': ['tokensOf'],
  'services/media/src/transcripts/word-errors.ts': ['comparableWords'],
  'services/media/src/exports/xml.ts': ['escapeXml', 'isRightToLeft'],
  'services/media/src/exports/spoken.ts': ['collapseWhitespace'],
  'services/media/src/exports/subtitle-lines.ts': ['widthOf', 'tokensOf', 'wrapLines', 'fits'],
  'services/media/src/watch-sources/watch-sources.ts': [
    'ownerFolderOf',
    ['tagsOf', { owner_rule: 'fixed', folders_as: 'tags' }],
    ['collectionOf', { owner_rule: 'fixed', folders_as: 'collection' }],
  ],
  'services/media/src/uploads/uploads.ts': ['titleOf'],
  'services/media/src/tags/tags.ts': ['normalizedTag'],
  'services/search-indexer/src/vocabulary/vocabulary.ts': ['wordKey', 'allowedErrors'],
  'services/search-indexer/src/search/query.ts': ['parseQuery'],
  'services/search-indexer/src/search/snippets.ts': ['escapeHtml'],
  'services/search-indexer/src/tokenize/tokenize.ts': [
    'splitWords',
    'isQuestion',
    ['formsOf', 'de'],
    ['stemOf', 'fr'],
    ['termsOf', 'en'],
    ['termsOf', 'ko'],
    ['variantsOf', ['de', 'fr', 'ar']],
  ],
  'services/transcription-worker/src/engines/words.ts': [
    ['interpolateWords', 0, 1, null],
    'splitWords',
    ['spreadWords', [{ start: 0, end: 1 }], null],
  ],
  'services/transcription-worker/src/engines/pocketsphinx.ts': [['parseSphinxLine', 0]],
  'services/transcription-worker/src/gpu/nvidia-smi.ts': ['parseDevices', ['parseInstances', []]],
  'services/transcription-worker/src/ports/ffprobe-output.ts': ['parseProbe'],
  'packages/contracts/src/search-operators.ts': ['unfinishedOperator', 'quote', 'unquote'],
  'packages/contracts/src/dn-text.ts': ['splitDns', ['splitUnquoted', ';'], 'canonicalType'],
  'packages/contracts/src/http.ts': ['withoutMarks', 'isText'],
  'packages/directory/src/read/find.ts': ['isLogin'],
  'packages/directory/src/read/account-state.ts': ['generalizedTime'],
  'packages/directory/src/dn/claim-key.ts': ['ldapClaimKey'],
  'packages/directory/src/dn/dn.ts': ['tryCanonicalDn', ['isWithin', 'dc=example,dc=org'], 'folded'],
  'packages/directory/src/dn/dn-list.ts': ['parseDnList'],
  'packages/directory/src/wire/messages.ts': ['printable'],
  'packages/directory/src/filter/filter-template.ts': [['parseTemplate', { username: 'uid', email: 'mail' }]],
  'packages/redaction/src/normalize.ts': ['normalize'],
  'packages/redaction/src/tokens.ts': ['tokenize'],
  'packages/redaction/src/detect.ts': [['detect', detection]],
  'packages/redaction/src/checksums.ts': ['isIban', 'isCardNumber'],
  'packages/service-kit/src/http/text.ts': ['isUtf8Encoded', 'isTarget'],
  'packages/service-kit/src/sealing.ts': ['parseKeyRing'],
  'packages/service-kit/src/outbound/address-ranges.ts': ['parseRanges', 'isRefusedAddress'],
  'packages/object-store/src/object-store.ts': ['checkKey', 'checkPrefix'],
  'packages/models/src/labelled-set.ts': ['parseStm', 'parseRttm'],
  'packages/models/src/scoring.ts': ['normaliseWords'],
  'packages/jobs/src/schedule.ts': ['scheduleFault'],
};

const cue = '00:00:01.000 --> 00:00:02.000\nAnn: one two\n\n';
const pieces = [
  ...Array.from('a1 .,;:-_\n"\'(<*/\\=&#@é中'),
  'a ',
  'A. ',
  'ab, ',
  '((',
  '))',
  '[a]',
  '{1}{2}a|b\n',
  '**/',
  '../',
  '<v ',
  '<v a>b</v>',
  '<p>',
  '<!--',
  '&amp;',
  '&#x',
  'cn=a,',
  'cn=a+b=c,',
  '\\,',
  'speaker:"a" ',
  'tag:',
  '-',
  '+1 ',
  '10.0.0.1,',
  'a@b.c ',
  'twenty one ',
  'the ',
  'Ann: ',
  'Ann Lee, ',
  '\u0301',
  '\u200B',
  '\uD800',
  '𝄞',
  cue,
  `1\n${cue.replaceAll('.', ',')}`,
  'Dialogue: 0,0:00:01.00,0:00:02.00,,Ann,0,0,0,,one\n',
  '-----BEGIN CERTIFICATE-----\n',
  '{"a":',
  '[[',
  '* * * * *,',
];
const letters = 16_384;
/** Those that do much for each letter show quadratic work in shorter texts. */
const fewerLetters: Record<string, number> = {
  'packages/redaction/src/detect.ts': 4_096,
  'services/media/src/exports/subtitle-lines.ts': 4_096,
};
const noiseMicroseconds = 40_000;

function readersOf(functions: Functions, calls: (string | [string, ...unknown[]])[]): [string, Read][] {
  return calls.map((call) => {
    const [name, ...rest] = [call].flat(1) as [string, ...unknown[]];
    const read = functions[name];
    if (!read) throw new Error(`there is no function ${name}`);
    return [name, (text) => read(text, ...rest)];
  });
}

async function isSlow(read: Read, piece: string, most = letters): Promise<boolean> {
  const textOf = (length: number): string => piece.repeat(Math.ceil(length / piece.length));
  const work = (text: string): void => {
    try {
      read(text);
    } catch {
      // Refused texts take time, too.
    }
  };
  return await isSuperLinear(work, { large: textOf(most), small: textOf(most / 16), count: 16 }, noiseMicroseconds);
}

describe('a long text', () => {
  it.each(Object.entries(parsers))('is read in linear time by %s', async (file, calls) => {
    const functions = (await import(join(root, file))) as Functions;
    const slow: string[] = [];
    for (const [name, read] of readersOf(functions, calls))
      for (const piece of pieces)
        if (await isSlow(read, piece, fewerLetters[file])) slow.push(`${name} of ${JSON.stringify(piece)}`);
    expect(slow).toEqual([]);
  });

  it('that is read in quadratic time is found', async () => {
    const quadratic: Read = (text) => {
      let found = 0;
      for (let i = 0; i < text.length / 8; i += 1) found += text.slice(i).replaceAll('a', 'b').length;
      return found;
    };
    expect(await isSlow(quadratic, 'a')).toBe(true);
  });
});
