import { lowerNamePattern, namePattern } from './person-names.ts';

/** Who has the name: the one who says it, the one who spoke before, or the one who speaks next. */
export type NameTarget = 'self' | 'previous' | 'next';

/** `weight`: the share of such sentences in which the name is that of the target. `needs`: what the name must be to count. */
export type NameCue = {
  pattern: RegExp;
  target: NameTarget;
  weight: number;
  /** `any`: the phrase allows a name only. `name`: the words must look like a name as well. */
  needs: 'any' | 'name';
};

const name = `(?<name>(?:(?:Mr|Mrs|Ms|Dr|Herr|Frau)\\.? )?${namePattern})`;
const lower = `(?<name>${lowerNamePattern})`;
/** What comes before a phrase at the beginning of a sentence. */
const opening =
  '(?:^|[,.;:!] )(?:(?:[Ss]o|[Oo]kay|[Oo][Kk]|[Aa]nd|[Ww]ell|[Hh]i|[Hh]ello|[Hh]ey|[Yy]es|[Yy]eah|[Uu]h|[Uu]m|[Gg]reat|[Gg]ood|[Aa]lright|[Aa]ll right|[Gg]ood morning|[Gg]ood afternoon|[Gg]ood evening|[Hh]i everyone|[Hh]ello everyone|[Gg]ut|[Hh]allo|[Jj]a|[Uu]nd|[Aa]lso|[Gg]uten [Tt]ag|[Gg]uten [Mm]orgen|[Ss]uper|[Ss]ehr gut|[Dd]ann),? ){0,3}';
const ends = '(?=\\s*(?:[.,!?;:]|$))';
/** After a name that belongs to the sentence: "Anna and I", "Anna is". */
const notGoingOn =
  "(?!['’]s\\b)(?!,? (?:is|was|has|said|will|and I|who|whose|ist|war|hat|wird|sagte|und ich|die|der)\\b)";

const introductions: readonly NameCue[] = [
  cue(`\\b[Mm]y (?:full |first )?name(?:'s| is|, is)(?: actually| uh,?| um,?)? ${name}`, 'self', 0.95, 'any'),
  cue(`\\b[Mm]y name(?:'s| is) ${lower}`, 'self', 0.85),
  cue(`${name} is my name${ends}`, 'self', 0.95, 'any'),
  cue(
    `\\b(?:[Yy]ou (?:can|may) call me|[Pp]eople call me|[Jj]ust call me|[Ee]veryone calls me|I go by) ${name}`,
    'self',
    0.85,
    'any',
  ),
  cue(`${opening}[Tt]his is ${name},? (?:speaking|calling|here|from|with|at|again)\\b`, 'self', 0.92),
  cue(
    `${opening}(?:I'm|I am|[Ii]t's|[Ii]t is) ${name}(?:,? (?:from|with|at|and I|and I'm|here|speaking|calling|the|your|head|director|one of|I'm|I am|I work|I'll|working)\\b|[.!]?$|, )`,
    'self',
    0.88,
  ),
  cue(`^${name}(?:,)? (?:speaking|here)${ends}`, 'self', 0.88),
  cue(`${opening}[Tt]his is ${name}[.!]?$`, 'self', 0.6),
  cue(`(?<!\\p{L})[Mm]ein(?: voller| vollständiger)? Name (?:ist|lautet) ${name}`, 'self', 0.95, 'any'),
  cue(`(?<!\\p{L})mein name ist ${lower}`, 'self', 0.85),
  cue(
    `(?<!\\p{L})(?:[Ii]ch hei(?:ß|ss)e|[Mm]an nennt mich|[Ii]hr könnt mich|[Nn]ennt mich(?: einfach)?) ${name}`,
    'self',
    0.95,
    'any',
  ),
  cue(
    `${opening}[Ii]ch bin(?: die| der)? ${name}(?:,? (?:von|vom|aus|und|bei|hier|ich|die|der|zuständig|Leiter|Leiterin|Ihr|Ihre|euer|eure)(?!\\p{L})|[.!]?$|, )`,
    'self',
    0.88,
  ),
  cue(`${opening}[Hh]ier (?:ist|spricht)(?: die| der)? ${name}`, 'self', 0.92),
  cue(`^${name}(?:,)? (?:hier|am Apparat)${ends}`, 'self', 0.9),
  cue(
    `(?<!\\p{L})(?:[Jj]e m'appelle|[Mm]e llamo|[Mm]i nombre es|[Mm]i chiamo|[Ii]l mio nome è|[Ii]k heet|[Mm]ijn naam is|[Mm]eu nome é) ${name}`,
    'self',
    0.95,
    'any',
  ),
];

const addresses: readonly NameCue[] = [
  cue(
    `${opening}(?:[Tt]hank you|[Tt]hanks)(?: very much| so much| a lot)?,? (?:indeed,? )?${name}${notGoingOn}${ends}`,
    'previous',
    0.62,
  ),
  cue(
    `${opening}(?:[Gg]ood point|[Gg]reat point|[Gg]ood question|[Ww]ell said|[Tt]hat's right|[Ii] agree(?: with you)?|[Ee]xactly),? ${name}${ends}`,
    'previous',
    0.55,
  ),
  cue(
    `(?<!\\p{L})(?:[Aa]s|[Ll]ike|[Ww]hat) ${name} (?:just said|has just said|just mentioned|was just saying)`,
    'previous',
    0.6,
  ),
  cue(
    `(?<!\\p{L})(?:[Vv]ielen Dank|[Dd]anke(?: schön| dir| Ihnen| sehr)?|[Bb]esten Dank|[Hh]erzlichen Dank),? ${name}${notGoingOn}${ends}`,
    'previous',
    0.62,
  ),
  cue(`${opening}(?:[Gg]uter Punkt|[Gg]ute Frage|[Gg]enau|[Dd]as stimmt),? ${name}${ends}`, 'previous', 0.55),
  cue(`(?<!\\p{L})[Ww]ie ${name} (?:gerade|eben) (?:gesagt|erwähnt|sagte)`, 'previous', 0.6),
  cue(`(?:${opening}|^)${name},? (?:can|could|would|will|do|did|are|have) you\\b`, 'next', 0.58),
  cue(
    `(?:${opening}|^)${name}, (?:what|how|why|what's|how's|how about|what about|over to you|go ahead|please|your turn|you're next|the floor is yours|you have the floor)\\b`,
    'next',
    0.62,
  ),
  cue(
    `(?<!\\p{L})(?:[Oo]ver to you|[Gg]o ahead|[Yy]our turn|[Yy]ou're next|[Ww]hat do you think|[Ww]hat about you|[Hh]ow about you|[Pp]lease|[Ww]elcome|[Cc]ome in|[Cc]an you hear us),? ${name}${ends}`,
    'next',
    0.62,
  ),
  cue(
    `(?<!\\p{L})(?:hand (?:it |this |you )?over to|pass (?:it |this )?(?:on |over )?to|turn (?:it |this )?over to|hear from|start with|begin with|go (?:next |over )?to|welcome|[Nn]ext (?:up )?is|[Nn]ext we have|call on|questions? from|[Oo]ver to)(?: our [\\p{L} ]+?,)? ${name}${notGoingOn}${ends}`,
    'next',
    0.58,
  ),
  cue(`(?<!\\p{L})(?:can|could|would|will|do|are|have) you [^?]*, ${name}\\?$`, 'next', 0.6),
  cue(
    `(?:${opening}|^)${name}, (?:kannst|könntest|möchtest|magst|willst|hast|bist|würdest|wie siehst|was meinst|was denkst) du(?!\\p{L})`,
    'next',
    0.6,
    'any',
  ),
  cue(
    `(?:${opening}|^)${name}, (?:können|könnten|möchten|würden|haben|wie sehen|was meinen) Sie(?!\\p{L})`,
    'next',
    0.6,
    'any',
  ),
  cue(
    `(?:${opening}|^)${name}, (?:was|wie|warum|wann|wo|bitte|du bist dran|leg los|Sie haben das Wort|du hast das Wort|deine)(?!\\p{L})`,
    'next',
    0.6,
  ),
  cue(
    `(?<!\\p{L})(?:[Bb]itte(?: schön)?|[Dd]u bist dran|[Ll]eg los|[Ww]as meinst du|[Ww]as denkst du|[Ww]as meinen Sie|[Ww]illkommen),? ${name}${ends}`,
    'next',
    0.62,
  ),
  cue(
    `(?<!\\p{L})(?:übergebe (?:ich )?(?:(?:das Wort|nun|jetzt|mal) )*an|gebe (?:ich )?(?:(?:das Wort|nun|jetzt|mal|ab|weiter) )*an|[Ww]eiter (?:geht es |geht's )?mit|[Dd]as Wort hat|hören wir von|fangen wir an mit|beginnen wir mit|[Dd]er [Nn]ächste ist|[Dd]ie [Nn]ächste ist|begrüße)(?: nun| jetzt)? ${name}${ends}`,
    'next',
    0.58,
  ),
  cue(
    `${opening}(?:[Hh]i|[Hh]ello|[Hh]ey|[Gg]ood morning|[Hh]allo|[Gg]uten Morgen|[Mm]oin|[Ss]ervus),? ${name}${ends}`,
    'next',
    0.4,
  ),
];

export const nameCues: readonly NameCue[] = [...introductions, ...addresses];

/** Words before a phrase that make it a statement about others, reported or supposed. */
export const reported =
  /(?:\b(?:said|says|say|saying|told|tells|goes|went|asked|asks|replied|wrote|called|if|pretend|imagine|suppose|whether|example|he's like|she's like|was like|were like|instead of|not|title|song|book|movie|film|email|message)|(?<!\p{L})(?:sagte|sagt|gesagt|meinte|fragte|schrieb|wenn|ob|falls|angenommen|nicht|kein|Beispiel|so nach dem Motto))[\s,:"'“„»]*$/iu;

function cue(source: string, target: NameTarget, weight: number, needs: NameCue['needs'] = 'name'): NameCue {
  return { pattern: new RegExp(source, 'u'), target, weight, needs };
}
