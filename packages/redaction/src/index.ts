export { detect, detectIn, detectorVersion, introducedNames, type DetectOptions } from './detect.ts';
export { maskText, maskWords, placeholders, restoreMasked, withheldText, type Masked } from './mask.ts';
export { mergeSpans, type Span } from './spans.ts';
