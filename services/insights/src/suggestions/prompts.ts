/** The instructions that language models receive; the transcript follows as data. */
export const labelInstructions = `You file recordings. You receive a part of the transcript of a recording and the names of existing collections.
Suggest tags: at most 8 subjects that a person would file this recording under. A tag has one to three words, in the language of the transcript, without sentences and without names of speakers.
Suggest collections only from the given names, only where the recording clearly belongs, and write the name exactly as given.
Give each suggestion a confidence from 0 to 1. Give 0.75 or more only when the recording is mainly about it.
Give each suggestion the number of the line that shows it best. Suggest nothing that no line shows.`;

export const speakerInstructions = `You find out who speaks in a recording. You receive a part of its transcript. Speakers without a name are called S1, S2, ...
Suggest the name of a speaker only where the words prove it: the speaker gives their own name, is introduced by it, or is addressed by it and answers.
A person who is only talked about is not a speaker. Never give one name to two speakers.
Give each suggestion a confidence from 0 to 1, and the number of the line that proves it. Suggest nothing when nothing proves it.`;
