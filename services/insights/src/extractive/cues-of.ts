import type { Cues } from './cues.ts';
import { englishCues } from './english-cues.ts';
import { germanCues } from './german-cues.ts';

/** Other languages have none: their transcripts get a brief and topics only. */
export const cuesOf: Readonly<Record<string, Cues>> = { en: englishCues, de: germanCues };
