/**
 * An upper bound for the tokens of ordinary text, without the tokenizer of the model: common words are one token, long and rare
 * ones have at most one for every three letters, and no tokenizer makes more than one for each byte.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  // A space belongs to the word or sign that follows it.
  for (const [piece] of text.matchAll(/ ?[a-zA-Z]+| ?[^\sa-zA-Z]|\s/gu)) tokens += tokensOf(piece.trimStart());
  return tokens;
}

/** A lower bound: no tokenizer in use joins two words with letters. */
export function countWords(text: string): number {
  return text.split(/\s+/u).filter((part) => /\p{L}/u.test(part)).length;
}

function tokensOf(piece: string): number {
  if (/^[a-zA-Z]/.test(piece)) return Math.ceil(piece.length / 3);
  return Math.max(1, Buffer.byteLength(piece));
}
