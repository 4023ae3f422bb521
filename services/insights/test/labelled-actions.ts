/** A sentence of "Sam", and what a reader of the minutes would write down. */
export type ActionCase = {
  language: string;
  text: string;
  action: { owner: string | null; dueDate: string | null } | null;
};

function en(text: string, action: [owner: string | null, dueDate: string | null] | null = null): ActionCase {
  return caseOf('en', text, action);
}
function de(text: string, action: [owner: string | null, dueDate: string | null] | null = null): ActionCase {
  return caseOf('de', text, action);
}

function caseOf(language: string, text: string, action: [string | null, string | null] | null): ActionCase {
  return { language, text, action: action && { owner: action[0], dueDate: action[1] } };
}

export const actionCases: readonly ActionCase[] = [
  en('I will send the report to everyone by Friday.', ['Sam', 'Friday']),
  en("I'll prepare the slides for the board.", ['Sam', null]),
  en("Okay, I'll follow up with the supplier tomorrow.", ['Sam', 'tomorrow']),
  en("I'm going to write the minutes and share them next week.", ['Sam', 'next week']),
  en('I can send you the numbers by the end of the day.', ['Sam', 'end of the day']),
  en("I'll take care of the venue.", ['Sam', null]),
  en('Leave it with me, I will check with legal.', ['Sam', null]),
  en('Anna, can you review the contract before Wednesday?', ['Anna', 'Wednesday']),
  en('Could you, Anna, send out the invitations?', ['Anna', null]),
  en('Can you update the ticket, Ben?', ['Ben', null]),
  en('Ben will fix the login bug by next Tuesday.', ['Ben', 'next Tuesday']),
  en('Maria is going to organize the workshop in the next week.', ['Maria', 'next week']),
  en('So Ben needs to call the client.', ['Ben', null]),
  en('Anna, please book the room for the 3rd of May.', ['Anna', '3rd of May']),
  en('Action item for Anna: contact the printer.', ['Anna', null]),
  en('The action item is to update the wiki.', [null, null]),
  en('We need to order new laptops by the end of the month.', [null, 'end of the month']),
  en('Could you please forward me the email?', [null, null]),
  en("I'd like you to prepare a budget by March 15th.", [null, 'March 15th']),
  en('Somebody has to test the backup before Monday.', [null, 'Monday']),
  en('I have to submit the form by 5 pm.', ['Sam', '5 pm']),
  en('Maria will be there and Ben will present the results on Thursday.', ['Ben', 'Thursday']),
  en("I'll get back to you on that.", ['Sam', null]),
  en("I'll schedule a meeting with the vendor for this afternoon.", ['Sam', 'this afternoon']),
  en('Please make sure to upload the recordings.', [null, null]),
  en('I sent the report last Friday.'),
  en("I'll be honest, that was hard."),
  en('Can you hear me now?'),
  en('Could you repeat that, please?'),
  en('If you can send it, that would be nice.'),
  en("I won't send it again."),
  en('We should think about the colours.'),
  en('I will never understand this tool.'),
  en('Anna will be on holiday next week.'),
  en('You have to press the red button to send the message.'),
  en('Should I send it to everyone?'),
  en('Let me show you the slides.'),
  en('The report was written by Ben in March.'),
  en('Friday is a public holiday.'),
  en('I think it will rain tomorrow.'),
  en('I will say that the review was good.'),
  en('Would you have sent it on Monday?'),
  en('They used to send the files by mail.'),
  en('It will send a message to the server.'),
  en("I can't prepare the slides by Friday."),
  de('Ich schicke euch das Protokoll bis Freitag.', ['Sam', 'Freitag']),
  de('Ich werde das Angebot bis morgen überarbeiten.', ['Sam', 'morgen']),
  de('Ich kümmere mich um den Raum.', ['Sam', null]),
  de('Das übernehme ich, ich kläre das mit der Rechtsabteilung.', ['Sam', null]),
  de('Anna, kannst du die Folien vorbereiten?', ['Anna', null]),
  de('Ben, könntest du bis Mittwoch den Vertrag prüfen?', ['Ben', 'Mittwoch']),
  de('Frau Weber, können Sie bitte die Zahlen schicken?', ['Frau Weber', null]),
  de('Ben kümmert sich um die Einladungen.', ['Ben', null]),
  de('Anna soll den Kunden bis Ende der Woche informieren.', ['Anna', 'Ende der Woche']),
  de('Wir müssen bis zum 3. März den Antrag einreichen.', [null, 'zum 3. März']),
  de('Kannst du mir bitte die Datei schicken?', [null, null]),
  de('Ich muss bis nächste Woche den Bericht schreiben.', ['Sam', 'nächste Woche']),
  de('Kannst du mich hören?'),
  de('Ich habe das Protokoll am Freitag geschickt.'),
  de('Wenn du mir die Datei schickst, schaue ich rein.'),
  de('Ich muss sagen, das war gut.'),
  de('Anna ist nächste Woche im Urlaub.'),
  de('Wir müssen nicht alles bis Freitag machen.'),
  de('Guten Morgen zusammen, schön dass ihr da seid.'),
  de('Können Sie das bitte wiederholen?'),
  de('Das System schickt eine Nachricht an den Server.'),
];
