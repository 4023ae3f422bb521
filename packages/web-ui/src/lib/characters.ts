const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The first letters of the first two words of a name; an emoji is no letter, unless the name has nothing else. */
export function initials(name: string): string {
  const words = name.split(/[\s@._-]+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const shown = words.length > 0 ? words.slice(0, 2) : [name.trim()];
  return shown.map((word) => firstCharacter(word).toUpperCase()).join('');
}

/** The start of a text: at most `max` UTF-16 units, without a part of a character at its end. */
export function startOf(text: string, max: number): string {
  if (text.length <= max) return text;
  return text.slice(0, characters.segment(text).containing(max)?.index ?? max);
}

/** As `startOf`, with an ellipsis where something is left out. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${startOf(text, max)}…`;
}

function firstCharacter(text: string): string {
  return characters.segment(text).containing(0)?.segment ?? '';
}
