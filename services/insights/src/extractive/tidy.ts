const hesitations = /(?:^|,?(?<=[ ,]) ?)(?:u+h+m*|u+m+|e+rm?|h+m+|m+(?:(?<=mm)|h+m+)|ä+h*m*)[,.]?(?=\s|$) ?/giu;
const repeatedWord = /(?<![\p{L}'’])(\p{L}+)(?:,? \1)+(?![\p{L}'’])/giu;

/** A sentence without hesitations and stuttered words, as a person would quote it. */
export function tidyText(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(hesitations, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(repeatedWord, '$1')
    .replaceAll(/,? (?=[,.?!])/g, '')
    .replace(/^[\s,]+/, '')
    .trim();
}
