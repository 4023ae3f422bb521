/** Phrases of one language by which a sentence is a decision, an action item or an open question. */
export type Cues = {
  decision: RegExp;
  notDecision: RegExp;
  /** "I will ...": the speaker takes it. */
  promise: RegExp;
  /** "I can ...", "I have to ...": a promise only when it says when. */
  weakPromise: RegExp;
  /** "can you ...": another person is asked. */
  request: RegExp;
  /** "we need to ...": it has no owner yet. */
  duty: RegExp;
  /** "action item: ..." */
  announced: RegExp;
  notAction: RegExp;
  /** What one does for others after a meeting. */
  actionVerb: RegExp;
  open: RegExp;
  notOpen: RegExp;
  /** The answer to a question that stays open. */
  unknown: RegExp;
  /** Sentences that say that they are important. */
  emphasis: RegExp;
};
