/** Words that are frequent in speech and say nothing about its subject, in addition to the stop words of written language. */
export const spokenWords: Readonly<Record<string, readonly string[]>> = {
  en: (
    'yeah yep yup yes no nope okay ok um uh uhm erm hmm hm mm mhm ah oh huh eh wow hey hi hello bye goodbye thanks thank please sorry ' +
    'right really just like know think mean going gonna wanna gotta want wanted thing things kind kinda sort sorta lot lots little bit bits ' +
    'well actually basically maybe probably guess guys guy got get gets getting go goes went come comes came coming say says said saying ' +
    'see seen look looks looking looked let lets make makes making made way ways good great nice fine sure absolutely exactly obviously ' +
    'stuff something anything everything nothing someone anyone everybody everyone anybody somebody people person one ones two three four five six seven eight nine ten hundred thousand first second third ' +
    'also still even much many quite pretty always never ever now then today tomorrow yesterday already soon later again back around ' +
    'put take takes taking took give gives given giving gave need needs needed try trying tried talk talking talked tell told ask asked ' +
    'feel feels felt work works working worked happen happens happened seem seems seemed start started different able bad big small new old ' +
    'point points question questions answer idea ideas example issue issues problem problems part parts case cases fact side place time times day days week weeks month months year years moment minute minutes hour hours ' +
    'whole whatever whether though although because cause cuz cos since might could would should must may shall cannot can will ' +
    'definitely certainly perhaps anyway anyways okay alright gosh god yet else instead rather actual course understand understood agree agreed use used using uses ' +
    'find found show shows shown set keep kept help hear heard believe remember forget suppose wonder hope hopefully love loved hate wait stop done do does did doing don doesn didn isn wasn aren weren haven hasn hadn won wouldn couldn shouldn ' +
    "ain let's that's it's there's what's here's i'm don't can't won't didn't doesn't isn't wasn't aren't couldn't wouldn't shouldn't gonna " +
    'next last long short high low far near couple bunch number end beginning name call called calls interesting important difficult easy hard better best worse worst more most less least ' +
    'mr mrs ms dr sir madam ladies gentlemen chair chairman member members honourable speaker speakers monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december ' +
    'morning afternoon evening night tonight welcome true false real clear clearly wrong correct possible possibly simple simply usually sometimes often generally especially particular particularly specific specifically certain general ' +
    'within without across along against among towards via per upon toward inside outside behind beyond'
  ).split(' '),
  de: (
    'ja nein nee jo okay ok äh ähm hm hmm mhm ach oh na naja also halt eben genau mal schon doch einfach eigentlich vielleicht wahrscheinlich glaube glaub denke denk finde sagen sage sagt sagte gesagt ' +
    'machen mache macht machst gemacht geht gehen gehe ging gegangen gibt geben gab gegeben kommen kommt kam gekommen ding dinge sache sachen bisschen gut gute guten gutes danke bitte hallo tschüss guten morgen tag abend heute gestern ' +
    'jetzt dann immer noch wieder ganz sehr viel viele vielen wenig mehr weniger meist etwas nichts alles jemand niemand man leute mensch menschen erst erste ersten zweite zweiten dritte eins zwei drei vier fünf sechs sieben acht neun zehn ' +
    'sehen sehe sieht gesehen schauen schau schaut wissen weiß wusste kennen kennt heißt heißen heiße klar richtig wichtig natürlich sicher sicherlich bestimmt gerade gleich sofort später früher ' +
    'jahr jahre jahren woche wochen monat monate tage stunde stunden minute minuten zeit mal moment teil punkt frage fragen problem probleme beispiel fall seite stelle art weise grund ' +
    'brauchen brauche braucht nehmen nehme nimmt lassen lass lässt stellen stelle steht stehen liegt liegen bleiben bleibt hören höre gehört versuchen versucht verstehe verstehen verstanden ' +
    'außerdem sonst trotzdem deshalb deswegen daher darum dazu davon damit dabei darauf darüber daran dafür dagegen dadurch irgendwie irgendwas irgendwo irgendwann sozusagen quasi eher fast kaum ziemlich wirklich tatsächlich ' +
    'super toll schön schöne prima gern gerne lieber besser beste besten groß große großen klein kleine kleinen neu neue neuen alt alte anders andere anderen ' +
    'müssen muss musst müsste sollten sollte sollen soll können kann könnte könnten dürfen darf wollen will wollte möchte möchten würde würden wäre wären hätte hätten worden geworden ' +
    'herr frau herrn montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz april juni juli august september oktober november dezember'
  ).split(' '),
  fr: 'oui non ouais ben bah euh hein voilà donc alors bon bien merci bonjour salut accord peu chose choses faire fait fais dire dit va vais aller peut peux veut veux faut tout très plus aussi juste vraiment'.split(
    ' ',
  ),
  es: 'sí no bueno pues eh vale entonces gracias hola cosa cosas hacer hace hecho decir dice dicho va voy vamos puede puedo quiero hay todo muy más también solo realmente'.split(
    ' ',
  ),
  it: 'sì no beh allora ecco cioè va bene grazie ciao cosa cose fare fatto dire detto vado andiamo può posso voglio tutto molto più anche solo davvero'.split(
    ' ',
  ),
  nl: 'ja nee oké eh uh nou dus dan maar even gewoon eigenlijk misschien dingen ding doen doet gedaan zeggen zegt gezegd gaan gaat kunnen kan moeten moet willen wil alles heel erg meer ook echt bedankt hallo'.split(
    ' ',
  ),
};
