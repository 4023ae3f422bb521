import type { Token } from './tokens.ts';

/** What a word near a number says about it. */
export type Cue = 'phone' | 'card' | 'card_code' | 'account' | 'id_number' | 'secret' | 'other';

const words: Readonly<Record<Cue, string>> = {
  phone:
    'phone telephone tel mobile cell cellphone landline call calls calling dial ring text whatsapp fax reach hotline contact callback voicemail handy telefon telefonnummer handynummer téléphone portable teléfono móvil telefono cellulare telefone',
  card: 'card cards visa mastercard amex maestro discover credit debit kreditkarte karte carte tarjeta carta',
  card_code: 'cvv cvc cvv2 expiry expires expiration',
  account: 'account acct iban routing sort konto kontonummer bankverbindung compte cuenta conto swift bic aba',
  id_number:
    "ssn social passport licence license insurance nino nhs medicare id identity identification itin ein aadhaar cpf dni bsn nir patient taxpayer tax national steuernummer steuer-id ausweis reisepass driver's personalausweis sozialversicherungsnummer führerschein krankenversicherungsnummer mrn policy pasaporte passaporto passeport permis patente carnet passnummer reisepassnummer ausweisnummer personalausweisnummer führerscheinnummer",
  secret: 'pin passcode password passphrase',
  other:
    'order orders invoice ticket tracking reference ref confirmation case serial part item sku version isbn model build flight room page chapter population score lot batch bug issue po shipment parcel meter product barcode article booking transaction file line row port bytes euros dollars pounds percent people version',
};
const cueOf = new Map<string, Cue>(
  (Object.keys(words) as Cue[]).flatMap((cue) => words[cue].split(' ').map((word) => [word, cue] as const)),
);

export function isCueWord(word: string): boolean {
  return cueOf.has(word);
}

/** Whether the tokens between two numbers announce the second one ("..., and my order number is"). */
export function announcesNumber(tokens: readonly Token[], from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const cue = cueAt(tokens, at);
    // "sorry, the line was bad": a word for something else counts only right before the number.
    if (cue && (cue !== 'other' || at >= to - 3)) return true;
  }
  return false;
}

const farthestBefore = 9;
const farthestAfter = 6;

/** `near`: in the same passage, or directly before it ("the number is" | "four one five ..."). */
export type FoundCue = { cue: Cue; near: boolean };

/** The nearest cue before the tokens; else, in the same sentence, one after them ("... is my mobile"). */
export function cueNear(tokens: readonly Token[], first: number, last: number): FoundCue | undefined {
  let near = true;
  for (let at = first - 1; at >= Math.max(0, first - farthestBefore); at -= 1) {
    const token = tokens[at];
    if (token?.endsPassage && (token.endsSentence || at < first - 1)) near = false;
    const cue = cueAt(tokens, at);
    if (cue && near) return { cue, near };
    if (cue) return cueAfter(tokens, last) ?? { cue, near };
  }
  return cueAfter(tokens, last);
}

function cueAfter(tokens: readonly Token[], last: number): FoundCue | undefined {
  if (endsThought(tokens[last])) return undefined;
  for (let at = last + 1; at <= Math.min(tokens.length - 1, last + farthestAfter); at += 1) {
    const cue = cueAt(tokens, at);
    // "2000 items" says what is counted; "... for the room" says nothing about the number.
    if (cue && cue !== 'secret' && (cue !== 'other' || at === last + 1)) return { cue, near: true };
    if (endsThought(tokens[at])) return undefined;
  }
  return undefined;
}

function endsThought(token: Token | undefined): boolean {
  return token === undefined || token.endsSentence || token.endsPassage;
}

function cueAt(tokens: readonly Token[], at: number): Cue | undefined {
  const word = tokens[at]?.word ?? '';
  const next = tokens[at + 1]?.word ?? '';
  if (word === 'security' && next === 'code') return 'card_code';
  if (word === 'medical' && next === 'record') return 'id_number';
  // "our policy" is common as well.
  if (word === 'policy' && !['number', 'no', 'id'].includes(next)) return undefined;
  // "sort" and "text" are common words as well.
  if (word === 'sort' && next !== 'code') return undefined;
  return cueOf.get(word) ?? cueOf.get(word.replace(/'s$/, ''));
}
