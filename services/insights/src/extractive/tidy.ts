const hesitations = /(?:^|,?(?<=[\s,])\s*)(?:u+h+m*|u+m+|e+rm?|h+m+|m+h*m+|ä+h*m*)[,.]?(?=\s|$)\s*/giu;
const repeatedWord = /(?<![\p{L}'’])(\p{L}+)(?:,? \1)+(?![\p{L}'’])/giu;

/** A sentence without hesitations and stuttered words, as a person would quote it. */
export function tidyText(text: string): string {
  return text
    .replaceAll(hesitations, ' ')
    .replaceAll(repeatedWord, '$1')
    .replaceAll(/,? +(?=[,.?!])/g, '')
    .replaceAll(/\s{2,}/g, ' ')
    .replace(/^[\s,]+/, '')
    .trim();
}
