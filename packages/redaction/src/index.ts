export { mainlyNames, ordinaryNames, properNouns } from './common-names.ts';
export { detect, detectIn, detectorVersion, introducedNames, type DetectOptions } from './detect.ts';
export { isEnglishWord } from './english-words.ts';
export { familyNames, givenNames } from './gazetteer.ts';
export { joinMasked, maskText, maskWords, placeholders, restoreMasked, withheldText, type Masked } from './mask.ts';
export { mergeSpans, type Span } from './spans.ts';
