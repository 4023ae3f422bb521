import type { Cues } from './cues.ts';

const englishVerbs =
  'send|e-?mail|mail|write|draft|prepare|check|look into|look at|look up|follow up|schedule|book|call|phone|ring|update|fix|share|review|finish|complete|set up|organi[sz]e|arrange|contact|order|create|make|build|get back|circulate|distribute|test|document|upload|submit|file|find out|find|investigate|deliver|sort out|sort|add|take care|put together|put|ping|reach out|reach|forward|confirm|present|provide|work on|take a look|talk to|speak to|speak with|talk with|ask|invite|register|post|publish|print|bring|collect|compile|summari[sz]e|hand over|handle|deal with|pick up|pay|buy|install|deploy|merge|clean up|remove|replace|move|announce|propose|report|clarify|verify|measure|run|do that|do it|do this|do the|take that|take this|take it|take notes|take over|own|drive|chase|raise|open|close|notify|inform|let you know|let (?:him|her|them|everyone|everybody|the team|the client) know|give (?:you|him|her|them)|translate|record|design|implement|develop|plan|define|estimate|calculate|research|read|go through|get (?:the|a|an|some|in touch|hold)|change';
const englishVerb = `(?:${englishVerbs})\\b`;
const adverbs =
  '(?:also |then |just |now |definitely |quickly |please |maybe |probably |personally |go and |go ahead and |try to |make sure to |be able to )*';

export const englishCues: Cues = {
  decision: new RegExp(
    [
      "\\b(?:we|team|committee|board|group|everyone|everybody)(?: have|'ve| has)?(?: all| now| finally| already| therefore| just)* (?:decided|agreed|concluded|resolved|settled (?:on|for)|voted|approved|chose|chosen)\\b",
      "\\b(?:so |then |okay,? |ok,? |alright,? )?let's (?:go (?:with|for|ahead with)|use|stick (?:with|to)|keep|choose|pick|settle on|make it|adopt|drop|postpone|do (?:the|that|it))\\b",
      "\\bwe(?:'ll| will|'re going to| are going to|'re gonna) (?:go (?:with|for|ahead)|use|stick (?:with|to)|keep|adopt|drop|postpone|cancel|launch|hire|choose|switch to|move (?:to|forward)|not )",
      '\\bwe(?: all| now| hereby| therefore| unanimously)* (?:decide|agree|conclude|resolve|settle on|vote|approve|choose)\\b',
      "\\bwe(?:'re| are) (?:now |all )?(?:going (?:with|ahead with)|sticking (?:with|to)|switching to|moving (?:to|the|our|forward)|dropping|postponing|cancelling|canceling|launching|adopting|closing|choosing)\\b",
      "\\bwe(?:'ll| will) (?:move|change|close|open|start|stop|buy|replace|delay|ship|release|sign|reduce|raise|build|sell|rent|extend|end) (?:the|our|a|an|all|this|that|to|with|in|on|from)\\b",
      '\\b(?:the |our |my )?(?:final )?decision (?:is|was|has been|made)\\b',
      "\\b(?:it's|it is|that's|that is|it has been|it was|that was) (?:decided|agreed|settled|approved|resolved|carried)\\b",
      "\\bwe(?:'re| are) (?:all )?(?:agreed|in agreement|decided)\\b",
      '\\b(?:motion|amendment|proposal|resolution)(?: is| was| has been)? (?:carried|passed|adopted|approved|agreed|rejected|defeated)\\b',
      '^(?:okay,? |so,? |alright,? )?agreed\\b',
    ].join('|'),
    'i',
  ),
  notDecision:
    /\?\s*$|\b(?:haven't|have not|hasn't|not yet|didn't|did not|don't|never|before|until|whether|if|once|when|need to|have to|has to|should|must|could|might|would|trying to|who|what) (?:\w+ ){0,3}(?:decide|decided|agree|agreed|decision|conclude|concluded|settled?|go with|go for)\b|\b(?:no|any|a|last|another) decision\b|\b(?:that|what|which|ones?|points?|rules?|everyone) (?:we|was|were|has|have|had)(?:'re|'ll|'ve| are| will| have| has)? (?:\w+ )?(?:going to |gonna )?(?:use|keep|agreed?|decided?|choose|go with)\b|\bagreed (?:on|to by)\b(?:[^.]*\bthe house\b|\.?$)|\bwe(?:'re| are|'ll| will)(?: going to| gonna)? (?:use|keep|choose|adopt)[.,!]?$|\blet's (?:use|go with|keep|make it|pick) (?:an example|as an example|in mind|simple for now)|\bi (?:agree|agreed)\b/i,
  promise: new RegExp(
    `\\b(?:i will|i'll|i'm going to|i am going to|i'm gonna|i shall) ${adverbs}${englishVerb}|\\bi(?:'ll| will) take (?:care of|that|this|the)|\\b(?:i'm|i am) on it\\b|\\bleave (?:that|it) (?:to|with) me\\b`,
    'i',
  ),
  weakPromise: new RegExp(`\\b(?:i can|i have to|i need to|i could|i should) ${adverbs}${englishVerb}`, 'i'),
  request: new RegExp(
    `\\b(?:can|could|would|will) you(?: all| guys| two)? ${adverbs}${englishVerb}|\\b(?:i'd like you|i would like you|i want you|i need you) to ${adverbs}${englishVerb}|^(?:\\p{Lu}\\p{L}+,? )?please ${adverbs}${englishVerb}|\\bwould you mind \\w+ing\\b|\\bmake sure (?:you|to|that you)\\b`,
    'iu',
  ),
  duty: new RegExp(
    `\\b(?:we|someone|somebody|one of us) (?:need to|needs to|have to|has to|must|should|shall|ought to|will|'ll) ${adverbs}${englishVerb}|\\b(?:needs?|has|have) to be (?:\\w+ly )?(?:done|sent|written|prepared|checked|updated|fixed|reviewed|finished|tested|ordered|delivered|submitted|completed|sorted)\\b`,
    'i',
  ),
  announced:
    /\b(?:action (?:item|point)s?|to-?do|task)(?: (?:is|are|for \p{L}+(?: is)?|here is|would be))?(?:: ?| to |, )\p{L}|\b(?:action|next steps?) (?:for \p{L}+ )?(?:is|are|would be) (?:to|for)\b/iu,
  notAction:
    /\b(?:if (?:you|i|we) (?:can|could|will|want|need|have)|take (?:that|it|this) as|can you (?:hear|see|say|repeat|tell|explain|imagine|believe|remind|speak up|show me on)|could you (?:repeat|say|explain|tell|speak up)|(?:will|'ll|going to|gonna) (?:never|not)|won't|can't|cannot|don't (?:have|need|want)|didn't|would have|should have|could have|used to|i can (?:see|hear|do it in|imagine|find|show)|let me (?:show|ask|say|see|think|check if|read|give|start|go through|put it|add|make|look at|share my|run|just|open|do|do it|do that|finish|present)|i(?:'ll| will) (?:say|be honest|admit|give you an example|show you (?:now|here)|read (?:you|out)|start|go through|share my screen|present|stop|ask you|add that)|i have to (?:say|ask|admit|read)|need to (?:be|know|understand|think))\b/i,
  actionVerb: new RegExp(`\\b${englishVerb}`, 'i'),
  open: /\b(?:open (?:question|issue|point)s?|still (?:open|unclear|undecided|to be (?:decided|discussed|clarified|determined)|have to (?:decide|figure|find))|(?:need|needs|have|has) to (?:find out|figure out|clarify|decide|revisit|discuss|talk about|come back to|think about)|to be (?:determined|decided|clarified|confirmed|discussed)|tbd|(?:discuss|talk about|come back to|return to|revisit|pick (?:this|that|it) up|continue) (?:\p{L}+ ){0,4}(?:next (?:time|week|meeting)|later|another time|in the next meeting)|(?:haven't|have not) (?:yet )?(?:decided|agreed|discussed|resolved)|not (?:yet )?(?:decided|agreed|resolved|clear yet)|we(?:'re| are) (?:still )?waiting (?:for|on)|parking lot|for (?:the )?next (?:time|meeting))\b/iu,
  notOpen: /\b(?:i think (?:we|that) (?:have|has) decided|as i said)\b/i,
  unknown:
    /\b(?:(?:i|we) (?:don't|do not) (?:\w+ )?know(?! (?:if you|how you|what you))|not (?:quite |really |entirely )?sure(?! if you| what you)|good question|no idea|(?:have|need) to (?:check|find out|ask|look)|(?:i'll|i will|let me) (?:find out|check|get back)|hard to say|remains to be seen|can't (?:say|answer) (?:that|yet))\b/i,
  emphasis:
    /\b(?:in summary|to sum(?:mari[sz]e| up)|in conclusion|the main (?:point|thing|goal|reason|problem|idea|purpose)|main (?:goal|reason|problem)|most important(?:ly)?|key (?:point|question|issue|thing)|(?:the|our) (?:goal|aim|purpose|objective|plan|agenda|proposal|result|conclusion|problem) (?:is|was|of)|important (?:to|that|is)|bottom line|what we(?:'re| are) (?:going to|trying to|here to)|essentially|overall|the reason (?:is|why|that))\b/i,
};
