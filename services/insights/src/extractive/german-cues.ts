import type { Cues } from './cues.ts';

const germanVerbs =
  'schick\\p{L}*|send\\p{L}*|versend\\p{L}*|schreib\\p{L}*|mail\\p{L}*|prüf\\p{L}*|überprüf\\p{L}*|klär\\p{L}*|abklär\\p{L}*|erstell\\p{L}*|vorbereit\\p{L}*|bereit\\p{L}*|organisier\\p{L}*|aktualisier\\p{L}*|überarbeit\\p{L}*|kümmer\\p{L}*|übernehm\\p{L}*|übernimm\\p{L}*|besorg\\p{L}*|bestell\\p{L}*|anruf\\p{L}*|anzuruf\\p{L}*|ruf\\p{L}*|meld\\p{L}*|einlad\\p{L}*|lad(?:e|en|et)?|teil\\p{L}*|mitteil\\p{L}*|vereinbar\\p{L}*|buch(?:e|en|t|st)|test(?:e|en|et)|dokumentier\\p{L}*|stell\\p{L}*|liefer\\p{L}*|abgeb\\p{L}*|abzugeben|nachfrag\\p{L}*|frag(?:e|en|t|st)|informier\\p{L}*|plan(?:e|en|t|st)|kontaktier\\p{L}*|beantrag\\p{L}*|beauftrag\\p{L}*|schau\\p{L}*|anschau\\p{L}*|anseh\\p{L}*|such\\p{L}*|raussuch\\p{L}*|zusammenfass\\p{L}*|zusammenstell\\p{L}*|korrigier\\p{L}*|reparier\\p{L}*|fertig\\p{L}*|hochlad\\p{L}*|weiterleit\\p{L}*|leit(?:e|en|et)|bring\\p{L}*|mitbring\\p{L}*|kauf\\p{L}*|druck\\p{L}*|ausdruck\\p{L}*|unterschreib\\p{L}*|protokollier\\p{L}*|mach(?:e|en|t|st)?|erledig\\p{L}*|abstimm\\p{L}*|einricht\\p{L}*|installier\\p{L}*|verteil\\p{L}*|ergänz\\p{L}*|eintrag\\p{L}*|trag(?:e|en)|geb(?:e|en)|reich\\p{L}*|einreich\\p{L}*|präsentier\\p{L}*|entwerf\\p{L}*|ausarbeit\\p{L}*|arbeit(?:e|en) (?:\\p{L}+ )*aus';
const [wordStart, wordEnd] = ['(?<!\\p{L})', '(?!\\p{L})'];
const germanVerb = `(?:${germanVerbs})${wordEnd}`;

export const germanCues: Cues = {
  decision: new RegExp(
    `${wordStart}(?:` +
      [
        '(?:wir|team|vorstand|gremium|ausschuss) (?:haben|hat) (?:[^?!]* )?(?:entschieden|beschlossen|geeinigt|vereinbart|festgelegt|verständigt|verabschiedet)',
        'haben wir (?:[^?!]* )?(?:entschieden|beschlossen|geeinigt|vereinbart|festgelegt)',
        'wir (?:entscheiden uns|einigen uns|beschließen|legen fest|bleiben bei|bleiben dabei|nehmen (?:die|den|das|also)|gehen mit|verschieben|verzichten auf|streichen)',
        'wir (?:vereinbaren|verabschieden|stimmen (?:dafür|dagegen|zu)|wechseln zu|behalten|schließen (?:die|den|das|unser)|führen (?:die|den|das) (?:[^?!]* )?ein)',
        'wir werden (?:[^?!,]* )?(?:verschieben|nehmen|streichen|einführen|kaufen|verkaufen|schließen|eröffnen|verlegen|umziehen|beibehalten|verzichten)',
        '(?:dann|also) (?:machen|nehmen|bleiben|verwenden|verschieben|gehen) wir',
        '(?:ist|wird|wurde) (?:damit |hiermit |somit |also |so |einstimmig |mehrheitlich )*(?:beschlossen|entschieden|angenommen|abgelehnt|genehmigt|vereinbart)',
        "abgemacht|so machen wir(?: es|'s| das)|die entscheidung (?:ist|lautet|steht|fällt)|es bleibt (?:dabei|beim|bei)",
      ].join('|') +
      `)${wordEnd}`,
    'iu',
  ),
  notDecision:
    /\?\s*$|(?<!\p{L})(?:nicht|noch nicht|nie|keine|wenn|ob|falls|bevor|müssen|sollten|müssten|wer|was) (?:\p{L}+ ){0,4}(?:entschieden|entscheiden|beschlossen|geeinigt|einigen|entscheidung)(?!\p{L})/iu,
  promise: new RegExp(
    `${wordStart}(?:ich werde (?:[^?!,]* )?${germanVerb}|werde ich (?:[^?!,]* )?${germanVerb}|ich (?:kümmere mich|übernehme|mache das|mach das|melde mich|schicke|schick|sende|schreibe|prüfe|kläre|erstelle|bereite|organisiere|aktualisiere|überarbeite|besorge|bestelle|rufe|lade|teile|vereinbare|buche|teste|dokumentiere|stelle|liefere|frage|informiere|plane|kontaktiere|beantrage|schaue|schau|suche|fasse|korrigiere|repariere|leite|bringe|kaufe|drucke|erledige|richte|installiere|verteile|ergänze|trage|reiche|gebe|entwerfe|arbeite)|(?:schicke|sende|schreibe|prüfe|kläre|erstelle|mache|übernehme|organisiere|rufe|besorge|kümmere) ich)${wordEnd}`,
    'iu',
  ),
  weakPromise: new RegExp(
    `${wordStart}(?:ich (?:kann|muss|könnte|würde)|(?:kann|muss|könnte) ich) (?:[^?!,]* )?${germanVerb}`,
    'iu',
  ),
  request: new RegExp(
    `${wordStart}(?:(?:kannst du|könntest du|würdest du|können sie|könnten sie|würden sie|kann bitte|magst du|könnt ihr) (?:[^?!]* )?${germanVerb}|du (?:musst|sollst|solltest) (?:[^?!]* )?${germanVerb}|(?:schick|schreib|prüf|klär|ruf|mach|bereite|frag|besorg|kümmer|erstell|sende?)(?:e)? (?:[^?!]* )?bitte|bitte (?:[^?!]* )?${germanVerb})${wordEnd}`,
    'iu',
  ),
  duty: new RegExp(
    `${wordStart}(?:(?:wir|jemand|einer) (?:müssen|muss|sollten|sollte|sollen) (?:[^?!]* )?${germanVerb}|(?:müssen|sollten) wir (?:[^?!]* )?${germanVerb}|muss (?:noch |bis [^?!]* )?(?:gemacht|erledigt|geprüft|geklärt|erstellt|geschickt|aktualisiert|bestellt) werden)${wordEnd}`,
    'iu',
  ),
  announced:
    /(?<!\p{L})(?:aufgabe|to-?do|nächster schritt|arbeitsauftrag)(?: (?:ist|für \p{L}+(?: ist)?|wäre|an \p{L}+))?(?:: ?|, )\p{L}/iu,
  notAction:
    /(?<!\p{L})(?:wenn (?:du|sie|ich|wir)|kannst du (?:mich |das |mal |bitte )*(?:hören|sehen|wiederholen|erklären|sagen)|können sie (?:mich |das |mal |bitte )*(?:hören|sehen|wiederholen|erklären|sagen)|nicht|nie|keine[rnm]?|hätte[nt]?|frage mich|würde sagen|kann (?:ich )?(?:nur |mir )|muss (?:ich )?(?:sagen|zugeben|gestehen)|ich (?:mache|stelle) (?:mir|fest)|gebe (?:dir|ihnen|zu|ich zu) (?:recht|dass)|schau mal)(?!\p{L})/iu,
  actionVerb: new RegExp(`${wordStart}${germanVerb}`, 'iu'),
  open: /(?<!\p{L})(?:offene? (?:frage|punkt|punkte|fragen)|(?:noch|weiterhin) (?:offen|unklar|zu klären|nicht (?:geklärt|entschieden))|(?:müssen|sollten) (?:wir )?(?:\p{L}+ ){0,5}(?:klären|herausfinden|besprechen|entscheiden)|(?:muss|müsste) (?:\p{L}+ ){0,4}(?:geklärt|besprochen|entschieden) werden|(?:beim nächsten mal|nächstes mal|in der nächsten sitzung|später) (?:\p{L}+ ){0,5}(?:besprechen|klären|entscheiden|weitermachen)|(?:besprechen|klären|entscheiden) wir (?:\p{L}+ ){0,4}(?:beim nächsten mal|nächstes mal|später|nächste woche|in der nächsten sitzung)|wir warten (?:noch )?auf|vertagen|wiedervorlage)(?!\p{L})/iu,
  notOpen: /(?<!\p{L})wie gesagt(?!\p{L})/iu,
  unknown:
    /(?<!\p{L})(?:weiß (?:ich|man|keiner|niemand)? ?(?:\p{L}+ )?nicht|wissen wir (?:noch )?nicht|keine ahnung|gute frage|nicht sicher|(?:müssen|muss) (?:wir|ich)? ?(?:\p{L}+ )?(?:klären|nachfragen|prüfen|nachsehen)|schwer zu sagen|kann ich (?:\p{L}+ )?nicht sagen)(?!\p{L})/iu,
  emphasis:
    /(?<!\p{L})(?:zusammenfassend|zusammengefasst|im wesentlichen|wichtig ist|das wichtigste|am wichtigsten|unser ziel|das ziel|hauptgrund|der grund|das problem ist|insgesamt|fazit|ergebnis|es geht (?:um|darum)|im kern)(?!\p{L})/iu,
};
